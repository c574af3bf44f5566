//! Numbers as people write them: digits, Chinese numerals, English number words.

/// The largest number that is read; a story has fewer chapters.
pub(super) const NUMBER_MAX: u32 = 9_999;

/// The English words for numbers, cardinal and ordinal.
const WORDS: [(&str, &str); 20] = [
    ("one", "first"),
    ("two", "second"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "fifth"),
    ("six", "sixth"),
    ("seven", "seventh"),
    ("eight", "eighth"),
    ("nine", "ninth"),
    ("ten", "tenth"),
    ("eleven", "eleventh"),
    ("twelve", "twelfth"),
    ("thirteen", "thirteenth"),
    ("fourteen", "fourteenth"),
    ("fifteen", "fifteenth"),
    ("sixteen", "sixteenth"),
    ("seventeen", "seventeenth"),
    ("eighteen", "eighteenth"),
    ("nineteen", "nineteenth"),
    ("twenty", "twentieth"),
];

/// The English words for tens above those.
const TENS: [&str; 7] = [
    "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// The number of a text that is nothing but a number: `12`, `十二`, `twelve`, `twelfth`, `12th`.
pub(super) fn number(text: &str) -> Option<u32> {
    let value = digits(text)
        .or_else(|| word(text))
        .or_else(|| chinese(text))?;
    (1..=NUMBER_MAX).contains(&value).then_some(value)
}

fn digits(text: &str) -> Option<u32> {
    let bare = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
        .unwrap_or(text);
    bare.parse().ok()
}

fn word(text: &str) -> Option<u32> {
    let at = WORDS
        .iter()
        .position(|(cardinal, ordinal)| text == *cardinal || text == *ordinal);
    let tens = || TENS.iter().position(|tens| text == *tens);
    let value = at
        .map(|at| at + 1)
        .or_else(|| tens().map(|at| (at + 3) * 10))?;
    u32::try_from(value).ok()
}

/// A Chinese numeral below ten thousand; one without units is read digit by digit.
fn chinese(text: &str) -> Option<u32> {
    let mut total = 0_u32;
    let mut last: Option<u32> = None;
    let mut has_units = false;
    for c in text.chars() {
        if let Some(unit) = unit(c) {
            total = total.checked_add(last.unwrap_or(1).checked_mul(unit)?)?;
            last = None;
            has_units = true;
            continue;
        }
        let digit = digit(c)?;
        last = match last {
            Some(before) if !has_units => Some(before.checked_mul(10)?.checked_add(digit)?),
            Some(_) | None => Some(digit),
        };
    }
    if text.is_empty() {
        return None;
    }
    total.checked_add(last.unwrap_or(0))
}

const fn unit(c: char) -> Option<u32> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1_000),
        _ => None,
    }
}

const fn digit(c: char) -> Option<u32> {
    match c {
        '零' | '〇' => Some(0),
        '一' => Some(1),
        '二' | '两' => Some(2),
        '三' => Some(3),
        '四' => Some(4),
        '五' => Some(5),
        '六' => Some(6),
        '七' => Some(7),
        '八' => Some(8),
        '九' => Some(9),
        _ => None,
    }
}
