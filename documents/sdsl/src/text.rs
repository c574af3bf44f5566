//! The texts of a deck, each as a type that holds only what its place in a file can hold. Every value of these types can be
//! written and read again.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::lines::{self, Fences};

/// Whether a character is a blank or a tab: nothing else is trimmed.
#[must_use]
pub(crate) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// A text without the blanks and tabs around it.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

/// A text of one line that is not empty, with neither blank nor tab around it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Line(String);

impl Line {
    /// The text without the blanks around it; `None` if nothing is left, or if it has a line end.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = trim(text);
        (!text.is_empty() && !text.contains(is_line_end)).then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text of one line that may be empty, such as a field between bars.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Cell(String);

impl Cell {
    /// The text without the blanks around it; `None` if it has a line end.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (!text.contains(is_line_end)).then(|| Self(trim(text).to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Line> for Cell {
    fn from(line: Line) -> Self {
        Self(line.0)
    }
}

/// The cells of a row: at least one, and not a single empty one, which a file could not tell from a row without a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Cells(Vec<Cell>);

impl Cells {
    /// `None` for no cell, and for a single empty one.
    #[must_use]
    pub fn new(cells: Vec<Cell>) -> Option<Self> {
        match cells.as_slice() {
            [] => None,
            [one] if one.is_empty() => None,
            [..] => Some(Self(cells)),
        }
    }

    #[must_use]
    pub fn as_slice(&self) -> &[Cell] {
        &self.0
    }
}

/// Text of several lines: paragraphs with empty lines between them, and code between fences as it stands. Neither the first
/// nor the last line is empty; lines outside of code have no blanks around them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Prose(String);

impl Prose {
    /// Reads any text, whatever its line ends; `None` if nothing but blanks is in it.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let lines: Vec<&str> = lines::split(text).map(|line| line.text).collect();
        let mut kept: Vec<&str> = Vec::with_capacity(lines.len());
        let mut fences = Fences::default();
        let mut at = 0;
        while at < lines.len() {
            if let Some(Some(end)) = fences.opened(&lines, at) {
                kept.push(trim(lines[at]));
                kept.extend(&lines[at + 1..end]);
                kept.push(trim(lines[end]));
                at = end + 1;
            } else {
                kept.push(trim(lines[at]));
                at += 1;
            }
        }
        let begin = kept.iter().position(|line| !line.is_empty())?;
        let end = kept.iter().rposition(|line| !line.is_empty())?;
        Some(Self(kept[begin..=end].join("\n")))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A part of a text of several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProseBlock<'a> {
    /// Lines without an empty one between them.
    Paragraph(Vec<&'a str>),
    /// What stands between fences, with the words behind the opening one.
    Code { info: &'a str, lines: Vec<&'a str> },
}

impl Prose {
    /// The paragraphs and blocks of code, in order.
    #[must_use]
    pub fn blocks(&self) -> Vec<ProseBlock<'_>> {
        let lines: Vec<&str> = self.0.split('\n').collect();
        let mut fences = Fences::default();
        let mut blocks = Vec::new();
        let mut paragraph: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let end = fences.opened(&lines, at).flatten();
            if (end.is_some() || lines[at].is_empty()) && !paragraph.is_empty() {
                blocks.push(ProseBlock::Paragraph(std::mem::take(&mut paragraph)));
            }
            match end {
                Some(end) => {
                    blocks.push(ProseBlock::Code {
                        info: trim(lines[at].trim_start_matches(['`', '~'])),
                        lines: lines[at + 1..end].to_vec(),
                    });
                    at = end;
                }
                None if lines[at].is_empty() => {}
                None => paragraph.push(lines[at]),
            }
            at += 1;
        }
        if !paragraph.is_empty() {
            blocks.push(ProseBlock::Paragraph(paragraph));
        }
        blocks
    }
}

/// What stands between `<!--` and `-->`: it is kept with its slide and never shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Comment(String);

impl Comment {
    /// Lines without the blanks around them. `None` if the text is empty, or has what would end the comment or its slide.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let kept: Vec<&str> = lines::split(text).map(|line| trim(line.text)).collect();
        let text = kept.join("\n");
        let text = text.trim_matches(|c| is_blank(c) || is_line_end(c));
        let ends = text.contains("-->") || text.split('\n').any(|line| line == lines::SEPARATOR);
        (!text.is_empty() && !ends).then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! shown {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    )*};
}
shown!(Line, Cell, Prose, Comment);

/// A colour: six hexadecimal digits, in the case in which they were written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hex(String);

impl Hex {
    /// Reads `1E2761`; `None` for everything else.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
