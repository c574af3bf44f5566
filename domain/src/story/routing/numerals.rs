//! The numbers of chapters, as people write them.

/// The largest number that is read; a story has fewer chapters.
pub(super) const NUMBER_MAX: u32 = 9_999;

/// The languages in which chapters are named by numerals.
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// The number of a text that is nothing but a number: `12`, `十二`, `twelve`, `twelfth`, `12th`.
pub(super) fn number(text: &str) -> Option<u32> {
    let value = words::numeral(text, &LANGUAGES).or_else(|| words::ordinal(text, &LANGUAGES))?;
    (1..=NUMBER_MAX).contains(&value).then_some(value)
}
