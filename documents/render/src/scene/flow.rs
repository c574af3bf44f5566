//! Paragraphs below each other in one box: what an editor takes for one text.

use super::{Rect, Text};

/// Paragraphs below each other, some with a mark before them.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowNode {
    /// As wide as the widest paragraph may be; the paragraphs' boxes lie in it.
    pub rect: Rect,
    pub kind: FlowKind,
    pub paragraphs: Vec<Paragraph>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowKind {
    /// Running text and lists.
    Passage,
    /// Each paragraph is a line of code.
    Code,
}

/// A paragraph with its box; the boxes are in the coordinates of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Paragraph {
    /// What stands before it, on its first line.
    pub mark: Option<Text>,
    pub text: Text,
    /// How deep it is indented, from 0.
    pub level: u32,
}

impl FlowNode {
    /// The texts in the order of reading.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let each = self.paragraphs.iter();
        each.flat_map(|paragraph| paragraph.mark.iter().chain([&paragraph.text]))
    }
}
