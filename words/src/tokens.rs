//! The smallest parts of a text that a table can name: words, digits, characters of scripts without spaces, and marks.

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use crate::fold::folded;
use crate::script::is_ideographic;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Digits,
    Word,
    /// A character of a script that is written without spaces, or in which endings follow a noun without one.
    Char,
    Mark,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// In bytes of the text.
    pub begin: usize,
    pub end: usize,
    /// Folded.
    pub text: String,
    pub shape: Shape,
    /// Whether it follows the token before it without a space.
    pub is_joined: bool,
}

/// Scripts that are written without spaces, or in which endings follow a noun without one, beside those of ideographs.
const WITHOUT_SPACES: [Script; 5] = [
    Script::Hangul,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

fn shape(c: char) -> Shape {
    if c.is_numeric() && !is_ideographic(c) {
        Shape::Digits
    } else if is_ideographic(c) || WITHOUT_SPACES.contains(&c.script()) {
        Shape::Char
    } else if c.is_alphanumeric() {
        Shape::Word
    } else {
        Shape::Mark
    }
}

/// Characters that belong to the word they stand in.
const IN_WORDS: [char; 4] = ['\'', '’', '\u{200c}', '\u{200d}'];

pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut is_joined = false;
    for (begin, c) in text.char_indices() {
        let end = begin + c.len_utf8();
        let shape = shape(c);
        if c.is_whitespace() || c.is_control() {
            is_joined = false;
            continue;
        }
        let is_part = |token: &&mut Token| {
            is_joined
                && match token.shape {
                    Shape::Digits => shape == Shape::Digits,
                    Shape::Word => {
                        shape == Shape::Word || is_combining_mark(c) || IN_WORDS.contains(&c)
                    }
                    Shape::Char => is_combining_mark(c),
                    Shape::Mark => false,
                }
        };
        match tokens.last_mut().filter(is_part) {
            Some(token) => token.end = end,
            None => tokens.push(Token {
                begin,
                end,
                text: String::new(),
                shape,
                is_joined,
            }),
        }
        is_joined = true;
    }
    for token in &mut tokens {
        token.text = folded(&text[token.begin..token.end]);
    }
    tokens
}

/// The most letters of articles and prepositions that stand before a word without a space, where a script has such.
const CLITIC_MAX: usize = 3;

/// A word without the letters before it that may be articles and prepositions, of scripts that write these without a space.
pub(crate) fn behind_clitics(word: &str) -> impl Iterator<Item = &str> {
    let script = word.chars().next().map(|c| c.script());
    let has_clitics = script.is_some_and(|it| [Script::Arabic, Script::Hebrew].contains(&it));
    let begins = word.char_indices().map(|(begin, _)| begin).skip(1);
    let begins = begins.take(if has_clitics { CLITIC_MAX } else { 0 });
    begins.map(|begin| &word[begin..])
}
