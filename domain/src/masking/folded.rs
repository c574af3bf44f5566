//! A text as the patterns see it, and where a match may begin and end.

use std::borrow::Cow;
use std::ops::Range;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};

/// A text in which digits of any script and wide forms are ASCII, each dash is `-`, each space ` `, each quotation mark `"`, and characters
/// that nobody sees are left out.
pub(super) struct Folded<'a> {
    pub(super) text: Cow<'a, str>,
    /// For each byte of the folded text, and for its end, the byte of the original; empty where the text is its own.
    at: Vec<usize>,
}

impl<'a> Folded<'a> {
    pub(super) fn of(original: &'a str) -> Self {
        if original.is_ascii() {
            return Self {
                text: Cow::Borrowed(original),
                at: vec![],
            };
        }
        let (mut text, mut at) = (String::with_capacity(original.len()), vec![]);
        for (place, c) in original.char_indices() {
            let Some(mut c) = folded(c) else { continue };
            if c == LONG_VOWEL && text.ends_with(|before: char| before.is_ascii_digit()) {
                c = '-';
            }
            text.push(c);
            at.resize(text.len(), place);
        }
        at.push(original.len());
        Self {
            text: Cow::Owned(text),
            at,
        }
    }

    /// The bytes of the original that a match in the folded text stands for.
    pub(super) fn original(&self, found: Range<usize>) -> Range<usize> {
        if self.at.is_empty() {
            found
        } else {
            self.at[found.start]..self.at[found.end]
        }
    }

    /// Whether a word may begin or end at this byte: no two letters or digits of one kind of script touch each other there.
    pub(super) fn begins(&self, at: usize) -> bool {
        may_part(
            self.text[..at].chars().next_back(),
            self.text[at..].chars().next(),
        )
    }

    /// Whether a digit stands beside the match, with only `.` or `-` between them.
    pub(super) fn is_part_of_number(&self, found: &Range<usize>) -> bool {
        let continues = |chars: &mut dyn Iterator<Item = char>| {
            let (mark, digit) = (chars.next(), chars.next());
            matches!(mark, Some('.' | '-')) && digit.is_some_and(|c| c.is_ascii_digit())
        };
        continues(&mut self.text[..found.start].chars().rev())
            || continues(&mut self.text[found.end..].chars())
    }
}

/// Whether a word may end after one character and another one begin with the next.
pub(super) fn may_part(before: Option<char>, after: Option<char>) -> bool {
    let kinds = before.and_then(kind).zip(after.and_then(kind));
    kinds.is_none_or(|(before, after)| before != after)
}

/// The kind of script of a letter or digit; digits stand among Latin letters in codes and numbers. A character of a script that is written
/// without spaces, or that puts endings and beginnings at words of others, is of no kind, like a mark.
fn kind(c: char) -> Option<Script> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then_some(Script::Latin);
    }
    if !c.is_alphanumeric() {
        return None;
    }
    let script = CodePointMapData::<Script>::new().get(c);
    [Script::Latin, Script::Cyrillic, Script::Greek]
        .into_iter()
        .find(|known| *known == script)
}

const MINUS: char = '\u{2212}';

/// The mark of long vowels of Kana, which is written for a dash in numbers.
const LONG_VOWEL: char = '\u{30fc}';

const QUOTES: [GeneralCategory; 2] = [
    GeneralCategory::InitialPunctuation,
    GeneralCategory::FinalPunctuation,
];

fn folded(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c);
    }
    // Fullwidth forms of ASCII, in the block Halfwidth and Fullwidth Forms.
    if ('\u{ff01}'..='\u{ff5e}').contains(&c) {
        return char::from_u32(u32::from(c) - 0xfee0);
    }
    let category = category(c);
    let is = |categories: &[GeneralCategory]| categories.contains(&category);
    if is(&[GeneralCategory::Format]) {
        None
    } else if is(&[GeneralCategory::DecimalNumber]) {
        Some(digit(c))
    } else if is(&[GeneralCategory::DashPunctuation]) || c == MINUS {
        Some('-')
    } else if is(&[GeneralCategory::SpaceSeparator]) {
        Some(' ')
    } else if is(&QUOTES) {
        Some('"')
    } else {
        Some(c)
    }
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// The ASCII digit of a decimal digit: Unicode has those of a script side by side, from zero to nine.
fn digit(c: char) -> char {
    let before = (0..u32::from(c)).rev().map_while(char::from_u32);
    let value = before
        .take_while(|c| category(*c) == GeneralCategory::DecimalNumber)
        .count()
        % 10;
    u32::try_from(value)
        .ok()
        .and_then(|value| char::from_digit(value, 10))
        .unwrap_or(c)
}
