//! Numbers in prose: digits, Chinese numerals and English words.

use crate::readings::slice;
use words::{Numeral, numerals, whole};

/// Characters of the longest number that is read in prose.
const CHARS_MAX: usize = 64;

/// The languages of prose.
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// The number with which a text ends, and where it begins. `None` where it is vague: 几, 多, a few.
pub(crate) fn ending(text: &str) -> Option<(u32, usize)> {
    let text = text.trim_end_matches([' ', '-', '个']);
    let places = text.char_indices().rev().take(CHARS_MAX);
    let cut = places.last().map_or(0, |(at, _)| at);
    let tail = slice(text, cut..);
    match numerals(tail).into_iter().rfind(is_read) {
        Some(numeral) if numeral.end == tail.len() => {
            let number = number(&numeral)?;
            let begin = cut + numeral.begin;
            // "a hundred"
            let article = article(slice(text, ..begin)).filter(|_| number >= 100);
            Some((number, article.unwrap_or(begin)))
        }
        Some(_) | None => article(text).map(|begin| (1, begin)),
    }
}

/// Where the article begins with which a text ends.
fn article(text: &str) -> Option<usize> {
    let text = text.trim_end();
    let word = text.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let is_article = ["a", "an"].iter().any(|it| word.eq_ignore_ascii_case(it));
    is_article.then(|| text.len() - word.len())
}

/// The number with which a text begins, and where it ends.
pub(crate) fn beginning(text: &str) -> Option<(u32, usize)> {
    let end = text.char_indices().nth(CHARS_MAX).map(|(at, _)| at);
    let head = slice(text, ..end.unwrap_or(text.len()));
    let numeral = numerals(head).into_iter().next();
    let numeral = numeral.filter(|it| it.begin == 0 && is_read(it))?;
    Some((number(&numeral)?, numeral.end))
}

fn is_read(numeral: &Numeral) -> bool {
    let mut languages = numeral.languages.split(',');
    languages.any(|it| it.is_empty() || LANGUAGES.contains(&it))
}

fn number(numeral: &Numeral) -> Option<u32> {
    numeral.value.number().and_then(whole)
}

/// The value of a whole number in digits or Chinese numerals.
pub(crate) fn value(text: &str) -> Option<u32> {
    words::numeral(text, &["zh"])
}

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
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
pub(crate) fn span(ahead: &str, hit: &str) -> Option<Span> {
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
