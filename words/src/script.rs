//! The scripts that are written without spaces between words.

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
