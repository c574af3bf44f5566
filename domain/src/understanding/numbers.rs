//! Numbers as people write them: digits, Chinese numerals, words of other languages.

use words::{is_hangul, is_ideographic, unaccented};

/// Whether a text begins with a word, whatever their accents, and with blanks or hyphens between its parts.
pub fn starts(text: &[char], word: &str) -> bool {
    let is_one = word.chars().nth(1).is_none();
    let plain = |c| match c {
        '-' if !is_one => ' ',
        c => unaccented(c),
    };
    let mut text = text.iter().copied().map(plain);
    word.chars().all(|c| text.next() == Some(plain(c)))
}

/// Whether a text ends in one of these words; a word of Latin letters must not be the end of a longer word.
pub fn ends(text: &[char], words: &[&str]) -> bool {
    words.iter().any(|word| {
        let first = word.chars().next();
        let before = text.len().checked_sub(word.chars().count());
        before.is_some_and(|at| {
            let is_joined = at > 0 && is_letter(text[at - 1]) && first.is_some_and(is_letter);
            starts(&text[at..], word) && !is_joined
        })
    })
}

/// The text without the blanks, hyphens and measure words at its end.
pub fn trimmed(text: &[char]) -> &[char] {
    let end = text
        .iter()
        .rposition(|c| !c.is_whitespace() && *c != '个')
        .map_or(0, |at| at + 1);
    &text[..end]
}

/// The place behind the blanks that stand here.
pub fn after_blanks(text: &[char], at: usize) -> usize {
    at + text[at..].iter().take_while(|c| c.is_whitespace()).count()
}

/// What numbers are written in.
const KINDS: [fn(char) -> bool; 3] = [
    |c| c.is_ascii_digit(),
    |c| "零一二两三四五六七八九十百".contains(c),
    is_letter,
];

/// The languages whose ordinals name the items of a product.
const ORDINALS: [&str; 21] = [
    "en", "fr", "de", "es", "pt", "it", "nl", "sv", "ru", "uk", "pl", "ar", "cs", "da", "ro", "el",
    "hi", "tr", "fi", "hu", "id",
];

/// The languages whose numerals name them: those in which no numeral is a common word of another one.
const NUMERALS: [&str; 19] = [
    "en", "zh", "fr", "de", "es", "pt", "it", "nl", "ru", "uk", "pl", "sv", "fi", "cs", "ro", "el",
    "ar", "hi", "id",
];

/// The most that an ordinal in digits with a point behind them counts: a larger number is a year at the end of a sentence.
const POINTED_MAX: u32 = 100;

/// Whether a character is a letter of a script with spaces between words.
pub fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_ideographic(c) && !is_hangul(c)
}

/// The number that is written in letters of one kind; "one" is an article.
fn value(letters: &[char]) -> Option<u32> {
    let word: String = letters.iter().collect();
    let number = words::numeral(&word, &NUMERALS)?;
    (number != 1 || !is_letter(letters[0])).then_some(number)
}

/// The number that ends before `end`, ignoring blanks and hyphens, and where it begins.
pub fn number_before(text: &[char], end: usize) -> Option<(u32, usize)> {
    let end = text[..end]
        .iter()
        .rposition(|c| !c.is_whitespace() && *c != '-' && *c != '个')
        .map_or(0, |at| at + 1);
    let start = KINDS.iter().find_map(|is_of_kind| {
        let before = text[..end].iter().rposition(|&c| !is_of_kind(c));
        Some(before.map_or(0, |at| at + 1)).filter(|start| *start < end)
    })?;
    value(&text[start..end]).map(|n| (n, start))
}

/// The ordinal that begins here, and where it ends.
pub fn ordinal_at(text: &[char], at: usize) -> Option<(u32, usize)> {
    let letters = text[at..].iter();
    let letters = letters.take_while(|&&c| is_letter(c) || c.is_ascii_digit());
    let word: String = letters.collect();
    let end = at + word.chars().count();
    words::ordinal(&word, &ORDINALS).map(|n| (n, end))
}

/// The ordinal that ends before `end`, such as `third`, `2nd`, `troisième` or `3.`, and where it begins.
pub fn ordinal_before(text: &[char], end: usize) -> Option<(u32, usize)> {
    let end = trimmed(&text[..end]).len();
    let begin = |end: usize| {
        let mut before = text[..end].iter();
        let before = before.rposition(|&c| !is_letter(c) && !c.is_ascii_digit());
        before.map_or(0, |at| at + 1)
    };
    if let Some(digits) = text[..end].strip_suffix(&['.']) {
        let start = begin(digits.len());
        let digits: String = digits[start..].iter().collect();
        let number = digits.parse().ok().filter(|n| *n <= POINTED_MAX);
        return number.map(|n| (n, start));
    }
    let start = begin(end);
    let word: String = text[start..end].iter().collect();
    words::ordinal(&word, &ORDINALS).map(|n| (n, start))
}

/// The number that begins here, ignoring blanks, and where it ends.
pub fn number_at(text: &[char], at: usize) -> Option<(u32, usize)> {
    let start = after_blanks(text, at);
    let end = KINDS.iter().find_map(|is_of_kind| {
        let length = text[start..].iter().take_while(|&&c| is_of_kind(c)).count();
        (length > 0).then_some(start + length)
    })?;
    // "one" is a number here; before a noun it is an article.
    let is_one = text[start..end] == ['o', 'n', 'e'];
    let n = is_one.then_some(1).or_else(|| value(&text[start..end]))?;
    Some((n, end))
}
