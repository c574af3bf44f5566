//! Prepares a text for the parser, so that signs that only look like marks stay as they are.
//!
//! The dollar sign of a price, the stars of `2**10`, the tilde of `5~6` and a line to be filled in are replaced by stand-ins. The reader
//! replaces the stand-ins by the signs again in everything that the parser returns, including code and addresses. Line breaks stay where
//! they are, so that line numbers stay the same.

use std::borrow::Cow;

use super::masks::Writer;

/// A text and the characters in it that stand for others. These are noncharacters of Unicode that the text itself does not contain.
pub(super) struct Prepared {
    pub(super) text: String,
    signs: Option<Signs>,
}

#[derive(Clone, Copy)]
pub(super) struct Signs {
    pub(super) dollar: char,
    pub(super) star: char,
    pub(super) tilde: char,
    /// A sign of a line to be filled in.
    pub(super) low_line: char,
    /// Two low lines that begin bold words, and two that end them, where the parser would take them for signs inside of a word.
    pub(super) bold: [char; 2],
    /// Stands for nothing, between a punctuation mark and stars: with it the punctuation mark counts as part of a word, so that the stars
    /// beside it may close.
    pub(super) joint: char,
    /// Beside a dollar sign that was `\(` or `\)`.
    pub(super) round: char,
    /// Beside two dollar signs that were `\[` or `\]`.
    pub(super) square: char,
}

impl Signs {
    fn for_text(text: &str) -> Option<Self> {
        let mut free = ('\u{FDD0}'..='\u{FDEF}').filter(|sign| !text.contains(*sign));
        Some(Self {
            dollar: free.next()?,
            star: free.next()?,
            tilde: free.next()?,
            low_line: free.next()?,
            bold: [free.next()?, free.next()?],
            joint: free.next()?,
            round: free.next()?,
            square: free.next()?,
        })
    }
}

impl Prepared {
    pub(super) fn new(text: &str) -> Self {
        let Some(signs) = Signs::for_text(text) else {
            return Self {
                text: text.to_owned(),
                signs: None,
            };
        };
        Self {
            text: Writer::new(text, signs).all(),
            signs: Some(signs),
        }
    }

    /// What begins bold words and what ends them, besides what the parser knows.
    pub(super) fn bold_signs(&self) -> Option<[char; 2]> {
        self.signs.map(|signs| signs.bold)
    }

    /// The words as the file has them.
    pub(super) fn restored<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(signs) = self.signs else {
            return Cow::Borrowed(text);
        };
        if !text.contains(|char| ('\u{FDD0}'..='\u{FDEF}').contains(&char)) {
            return Cow::Borrowed(text);
        }
        let pairs = [
            (format!("${}", signs.round), "\\("),
            (format!("{}$", signs.round), "\\)"),
            (format!("$${}", signs.square), "\\["),
            (format!("{}$$", signs.square), "\\]"),
            (signs.dollar.to_string(), "$"),
            (signs.star.to_string(), "*"),
            (signs.tilde.to_string(), "~"),
            (signs.low_line.to_string(), "_"),
            (signs.bold[0].to_string(), "__"),
            (signs.bold[1].to_string(), "__"),
            (signs.joint.to_string(), ""),
            // The rest of a pair whose dollar signs the parser has taken.
            (signs.round.to_string(), ""),
            (signs.square.to_string(), ""),
        ];
        let mut out = text.to_owned();
        for (from, to) in pairs {
            if out.contains(&from) {
                out = out.replace(&from, to);
            }
        }
        Cow::Owned(out)
    }
}
