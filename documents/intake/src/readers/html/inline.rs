//! Words of a paragraph as they are collected.

use spec::source::{RichText, TextMarks};

use super::dom::{self, Handle};
use crate::readers::office::flatten::trimmed;
use crate::readers::scripts::is_unspaced;

/// The formatting of words, by the elements around them.
#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    pub(super) marks: TextMarks,
    pub(super) link: Option<String>,
    /// White space counts.
    pub(super) pre: bool,
}

impl Style {
    /// The style within an element.
    pub(super) fn within(&self, element: &str) -> Self {
        let mut style = self.clone();
        match element {
            "b" | "strong" => style.marks.bold = true,
            "i" | "em" | "cite" | "var" | "dfn" => style.marks.italic = true,
            "s" | "del" | "strike" => style.marks.strike = true,
            "code" | "kbd" | "samp" | "tt" => style.marks.code = true,
            "sup" => style.marks.superscript = true,
            "sub" => style.marks.subscript = true,
            _ => {}
        }
        style
    }

    /// The style within a node by what its `style` attribute says.
    pub(super) fn declared(&self, node: Handle<'_>) -> Self {
        let mut style = self.clone();
        if dom::attr(node, "style").is_none() {
            return style;
        }
        match shift(node) {
            Some(Shift::Up) => style.marks.superscript = true,
            Some(Shift::Down) => style.marks.subscript = true,
            None => {}
        }
        let lines = ["text-decoration", "text-decoration-line"];
        let mut lines = lines
            .iter()
            .filter_map(|property| dom::style(node, property));
        style.marks.strike |= lines.any(|lines| lines.contains("line-through"));
        style
    }
}

enum Shift {
    Up,
    Down,
}

/// Whether words are raised or lowered: by a word, by a length, or as LibreOffice does it, by moving small letters.
fn shift(node: Handle<'_>) -> Option<Shift> {
    let by = |up: f32| {
        if up > 0.0 {
            Some(Shift::Up)
        } else {
            (up < 0.0).then_some(Shift::Down)
        }
    };
    match dom::style(node, "vertical-align").as_deref() {
        Some("super") => return Some(Shift::Up),
        Some("sub") => return Some(Shift::Down),
        Some(length) if number(length).is_some_and(|up| up != 0.0) => {
            return number(length).and_then(by);
        }
        Some(_) | None => {}
    }
    let is_moved = dom::style(node, "position").as_deref() == Some("relative");
    let size = dom::style(node, "font-size").filter(|_| is_moved)?;
    let em = number(&size)?;
    let is_small = (size.ends_with("em") && em < 1.0) || (size.ends_with('%') && em < 100.0);
    let down = dom::style(node, "top").filter(|_| is_small)?;
    by(-number(&down)?)
}

/// The number of a length.
fn number(length: &str) -> Option<f32> {
    let is_sign = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+');
    let end = length.find(|sign| !is_sign(sign));
    length[..end.unwrap_or(length.len())].parse().ok()
}

/// White space that waits for a word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Space {
    #[default]
    None,
    Blank,
    /// With a line break in it.
    Line,
}

#[derive(Debug, Default)]
pub(super) struct Inline {
    text: RichText,
    space: Space,
    space_style: Style,
}

impl Inline {
    pub(super) fn push(&mut self, words: &str, style: &Style) {
        if style.pre {
            self.space = Space::None;
            return self.raw(words, style);
        }
        let mut rest = words;
        while let Some(first) = rest.chars().next() {
            let is_space = |sign: char| matches!(sign, ' ' | '\t' | '\n' | '\r' | '\x0C');
            if is_space(first) {
                let end = rest.find(|sign| !is_space(sign)).unwrap_or(rest.len());
                self.blank(rest[..end].contains('\n'), style);
                rest = &rest[end..];
            } else {
                let end = rest.find(is_space).unwrap_or(rest.len());
                self.flush(first);
                self.raw(&rest[..end], style);
                rest = &rest[end..];
            }
        }
    }

    /// Adds words in which each character counts.
    pub(super) fn raw(&mut self, words: &str, style: &Style) {
        self.text.push(words, style.marks, style.link.as_deref());
    }

    pub(super) fn line_break(&mut self) {
        self.space = Space::None;
        self.text.push("\n", TextMarks::default(), None);
    }

    fn last(&self) -> Option<char> {
        self.text.pieces.last()?.text.chars().last()
    }

    fn blank(&mut self, has_line: bool, style: &Style) {
        if self.last().is_none_or(|last| last == '\n') {
            return;
        }
        if self.space == Space::None {
            self.space_style = style.clone();
        }
        self.space = if has_line { Space::Line } else { Space::Blank };
    }

    fn flush(&mut self, next: char) {
        let space = std::mem::take(&mut self.space);
        // In Chinese text over several lines, no blank is wanted where the lines meet.
        let is_tight =
            space == Space::Line && is_unspaced(next) && self.last().is_some_and(is_unspaced);
        if space != Space::None && !is_tight {
            let style = std::mem::take(&mut self.space_style);
            self.raw(" ", &style);
        }
    }

    /// All that was collected.
    pub(super) fn take(&mut self) -> RichText {
        self.space = Space::None;
        trimmed(std::mem::take(&mut self.text))
    }
}
