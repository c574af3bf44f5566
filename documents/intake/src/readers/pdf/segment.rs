//! Text of a page at its place: runs of characters on a line without a wide gap.

use spec::source::{RichText, TextMarks};

use super::pictures::PlacedPicture;
use crate::readers::scripts::is_unspaced;

/// From this many widths of an em on, a gap separates two segments: cells of a row, or columns.
pub(super) const WIDE: f64 = 1.0;

#[derive(Debug, Default)]
pub(super) struct PageText {
    /// In the order in which the file draws them.
    pub(super) segments: Vec<Segment>,
    pub(super) height: f64,
    pub(super) pictures: Vec<PlacedPicture>,
    /// How many pictures are drawn.
    pub(super) drawn: usize,
    /// How many pictures are not taken.
    pub(super) untaken: usize,
    /// Characters for which the font gives no text.
    pub(super) unmapped: usize,
    pub(super) chars: usize,
    /// Characters after the limit.
    pub(super) beyond: usize,
}

impl PageText {
    pub(super) fn is_blank(&self) -> bool {
        self.segments.is_empty()
    }
}

/// Places are points from the left and the top of the page.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    pub(super) text: RichText,
    pub(super) x0: f64,
    pub(super) x1: f64,
    /// The baseline.
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) mono: bool,
    /// The quarter turn of its line: text that runs vertically has lines of its own.
    pub(super) turn: u8,
    /// The file says that it is a header, a footer or a page number.
    pub(super) artifact: bool,
    /// Where its first word ends.
    pub(super) first_word: Option<f64>,
}

impl Segment {
    /// A place on the same line as another.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.turn == other.turn && (self.y - other.y).abs() < 0.35 * self.size.min(other.size)
    }

    /// How wide its first word is.
    pub(super) fn word_width(&self) -> f64 {
        self.first_word.unwrap_or(self.x1) - self.x0
    }

    /// Adds what comes after it on its line.
    pub(super) fn join(&mut self, next: &Self) {
        let gap = next.x0 - self.x1;
        let end = self
            .text
            .pieces
            .last()
            .and_then(|piece| piece.text.chars().last());
        if gap > 0.115 * self.size && !end.is_some_and(char::is_whitespace) {
            self.text.push(" ", TextMarks::default(), None);
        }
        push_all(&mut self.text, &next.text);
        self.x1 = self.x1.max(next.x1);
        self.mono &= next.mono;
    }
}

pub(super) fn push_all(text: &mut RichText, more: &RichText) {
    for piece in &more.pieces {
        text.push(piece.text.as_str(), piece.marks, piece.link.as_deref());
    }
}

/// Adds the words of a next line. A hyphen at the end of a line stays: only a soft one is surely not of the word.
pub(super) fn push_line(text: &mut RichText, more: &RichText) {
    let before = text
        .pieces
        .last()
        .and_then(|piece| piece.text.chars().last());
    let after = more
        .pieces
        .first()
        .and_then(|piece| piece.text.chars().next());
    match (before, after) {
        (Some('\u{AD}'), _) => {
            if let Some(last) = text.pieces.last_mut() {
                last.text.pop();
            }
            text.pieces.pop_if(|last| last.text.is_empty());
        }
        (Some(before), Some(after)) => {
            let glued = is_unspaced(before) && is_unspaced(after)
                || before.is_whitespace()
                || matches!(before, '-' | '\u{2010}' | '\u{2011}') && after.is_alphanumeric();
            if !glued {
                let marks = text.pieces.last().map(|last| last.marks);
                let next = more.pieces.first().map(|first| first.marks);
                let both = if marks == next { marks } else { None };
                text.push(" ", both.unwrap_or_default(), None);
            }
        }
        (None, _) | (_, None) => {}
    }
    push_all(text, more);
}
