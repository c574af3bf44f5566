//! Numbers in prose: digits, Chinese numerals and English words.

use crate::text::slice;

/// The number with which a text ends, and where it begins. `None` where it is vague: 几, 多, a few.
pub fn ending(text: &str) -> Option<(u32, usize)> {
    let text = text.trim_end_matches([' ', '-', '个']);
    let is_numeral =
        |c: char| c.is_ascii_digit() || "〇零一二两三四五六七八九十百千半几数多".contains(c);
    let start = text.trim_end_matches(is_numeral).len();
    if start < text.len() {
        return Some((value(slice(text, start..))?, start));
    }
    let mut start = text.len();
    let mut best = None;
    // At most five words: two hundred and thirty-five.
    for _ in 0..5 {
        let rest = slice(text, ..start).trim_end_matches([' ', '-']);
        let word = rest.rfind([' ', '-', ',', '"', '“', '(']);
        start = word.map_or(0, |at| {
            at + slice(rest, at..).chars().next().map_or(1, char::len_utf8)
        });
        if let Some(number) = english(slice(text, start..)) {
            best = Some((number, start));
        }
        if start == 0 {
            break;
        }
    }
    best
}

/// The number with which a text begins, and where it ends.
pub fn beginning(text: &str) -> Option<(u32, usize)> {
    let is_numeral = |c: char| c.is_ascii_digit() || "〇零一二两三四五六七八九十百千".contains(c);
    let end = text.len() - text.trim_start_matches(is_numeral).len();
    if end > 0 {
        return Some((value(slice(text, ..end))?, end));
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '-');
    let mut end = end.unwrap_or(text.len());
    loop {
        if let Some(number) = english(slice(text, ..end)) {
            return Some((number, end));
        }
        // "thirty-year-old"
        end = slice(text, ..end).rfind('-')?;
    }
}

/// The value of a whole number in digits or Chinese numerals.
pub fn value(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok();
    }
    let digit = |c: char| match c {
        '〇' | '零' => Some(0),
        '一' => Some(1),
        '二' | '两' => Some(2),
        '三' => Some(3),
        '四' => Some(4),
        '五' => Some(5),
        '六' => Some(6),
        '七' => Some(7),
        '八' => Some(8),
        '九' => Some(9),
        _ => c.to_digit(10),
    };
    if !text.contains(['十', '百', '千']) {
        let mut digits = text.chars().map(digit);
        return digits.try_fold(0u32, |sum, digit| sum.checked_mul(10)?.checked_add(digit?));
    }
    let (mut sum, mut last) = (0u32, None);
    for c in text.chars() {
        let unit = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1000,
            _ => {
                last = Some(digit(c)?);
                continue;
            }
        };
        sum = sum.checked_add(last.take().unwrap_or(1) * unit)?;
    }
    sum.checked_add(last.unwrap_or(0))
}

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// The value of a whole number in English words or digits.
fn english(text: &str) -> Option<u32> {
    let lower = text.trim().to_ascii_lowercase();
    let mut sum: Option<u32> = None;
    let mut can_follow = 1000;
    for word in lower.split([' ', '-']) {
        if word == "and" && sum.is_some() {
            continue;
        }
        if word == "hundred" {
            let hundreds = sum.filter(|hundreds| (1..10).contains(hundreds))?;
            sum = Some(hundreds * 100);
            can_follow = 100;
            continue;
        }
        let number = one_word(word)?;
        if number >= can_follow {
            return None;
        }
        can_follow = if (20..100).contains(&number) { 10 } else { 0 };
        sum = Some(sum.unwrap_or(0) + number);
    }
    sum
}

fn one_word(word: &str) -> Option<u32> {
    if word.bytes().all(|b| b.is_ascii_digit()) {
        return word.parse().ok().filter(|number| *number < 1000);
    }
    let small = (0..).zip(SMALL).find(|(_, it)| *it == word);
    let ten = (2..).zip(TENS).find(|(_, it)| *it == word);
    let article = ["a", "an"].contains(&word).then_some(1);
    small
        .map(|(number, _)| number)
        .or(ten.map(|(tens, _)| tens * 10))
        .or(article)
}

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub hours: f64,
    /// Whether it is given in days or longer units.
    pub is_days: bool,
}

const DAY: f64 = 24.0;
const UNITS: [(&str, f64); 18] = [
    ("个时辰", 2.0),
    ("时辰", 2.0),
    ("个小时", 1.0),
    ("小时", 1.0),
    ("分钟", 1.0 / 60.0),
    ("刻钟", 0.25),
    ("天", DAY),
    ("日", DAY),
    ("个星期", 7.0 * DAY),
    ("星期", 7.0 * DAY),
    ("周", 7.0 * DAY),
    ("个月", 30.0 * DAY),
    ("年", 365.0 * DAY),
    ("minute", 1.0 / 60.0),
    ("hour", 1.0),
    ("day", DAY),
    ("week", 7.0 * DAY),
    ("year", 365.0 * DAY),
];

/// How much time passes according to a hit such as `天后` or `days later`; `ahead` is the text before the hit. `None` where it is vague.
pub fn span(ahead: &str, hit: &str) -> Option<Span> {
    let lower = hit.to_ascii_lowercase();
    if [
        "第二天",
        "次日",
        "翌日",
        "next",
        "following",
        "the day after",
    ]
    .iter()
    .any(|word| lower.starts_with(word))
    {
        return Some(Span {
            hours: DAY,
            is_days: true,
        });
    }
    if lower.starts_with("month") {
        let (number, _) = ending(ahead)?;
        return Some(Span {
            hours: f64::from(number) * 30.0 * DAY,
            is_days: true,
        });
    }
    let (_, hours) = UNITS.iter().find(|(unit, _)| lower.starts_with(unit))?;
    let (number, start) = ending(ahead)?;
    let vague = [
        "大约", "约", "近", "about ", "some ", "almost ", "nearly ", "around ", "a few ", "第",
        "several ",
    ];
    if vague
        .iter()
        .any(|word| slice(ahead, ..start).ends_with(word))
    {
        return None;
    }
    Some(Span {
        hours: f64::from(number) * hours,
        is_days: *hours >= DAY,
    })
}
