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

/// A Chinese character, in whatever language.
pub fn is_han(c: char) -> bool {
    // Most of those that texts have, without a look into the table.
    matches!(c, '\u{4e00}'..='\u{9fff}') || c > '\u{2e7f}' && c.script() == Script::Han
}

/// A character of Hiragana or Katakana, or the mark of a long vowel that both have.
pub fn is_kana(c: char) -> bool {
    c == 'ー' || matches!(c.script(), Script::Hiragana | Script::Katakana)
}

/// A syllable or letter of Korean, in which particles follow a word without a space.
pub fn is_hangul(c: char) -> bool {
    c.script() == Script::Hangul
}

/// How many words a reader reads: of scripts without spaces, two characters are a word.
pub fn reading_words(text: &str) -> f32 {
    let (mut words, mut inside) = (0.0, false);
    for c in text.chars() {
        if is_ideographic(c) {
            (words, inside) = (words + 0.5, false);
        } else if c.is_alphanumeric() {
            words += f32::from(u8::from(!inside));
            inside = true;
        } else if c.is_whitespace() {
            inside = false;
        }
    }
    words
}
