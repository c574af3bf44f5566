//! A presentation as the shapes on its slides, in addition to its blocks.

use std::ops::Range;

use crate::source::{RichText, SourceDocument};

/// A presentation, read with its shapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnPresentation {
    pub document: SourceDocument,
    /// How many slides there are.
    pub slides: usize,
    /// The text of the deck that the file was made of, where it carries one.
    pub written: Option<String>,
    /// In the order in which they were read.
    pub shapes: Vec<DrawnShape>,
}

/// A shape that has a text, a table, a chart or a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnShape {
    /// Counted from 1.
    pub slide: usize,
    pub name: String,
    pub kind: DrawnKind,
    /// The kind of its placeholder, such as `title`, if it stands in one.
    pub holder: Option<String>,
    /// The paragraphs of a text in their order, including empty ones.
    pub paragraphs: Vec<DrawnParagraph>,
    /// The blocks of the document that the shape was read as.
    pub blocks: Range<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawnKind {
    #[default]
    Text,
    /// A table, a chart, or an object of another program.
    Frame,
    Picture,
    /// The notes of the slide.
    Notes,
}

/// A paragraph of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnParagraph {
    pub text: RichText,
    /// Counted from 0.
    pub level: u8,
}
