//! What scripts characters belong to, by the table `Scripts.txt` of Unicode.

use unicode_script::{Script, UnicodeScript};

/// Whether a character belongs to a script that has no spaces between words: Han, Kana, Thai, Lao, Khmer, Myanmar.
pub fn is_ideographic(c: char) -> bool {
    matches!(
        c.script(),
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Bopomofo
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
    )
}

/// A syllable or letter of Korean, in which particles follow a word without a space.
pub fn is_hangul(c: char) -> bool {
    c.script() == Script::Hangul
}
