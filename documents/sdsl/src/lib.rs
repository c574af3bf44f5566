//! SlideDSL: a deck as text. The language has its reference in `docs/slidedsl.md`.
//!
//! [`parse`] reads any text as a deck and says what looked wrong; [`format`] writes a deck so that it is read as the same one
//! again. Nothing that was read is lost: what has no meaning is kept beside what has.

mod changes;
mod content;
mod diagnostic;
mod file;
mod format;
mod front;
pub mod grammar;
mod json;
mod layers;
mod lines;
mod model;
mod parse;
mod patch;
mod slide;
mod text;
mod words;

pub use changes::{SlideChange, TextMark, changes, kept_order, same_slides};
pub use diagnostic::{Code, Diagnostic, Mode, Position, Positions, Severity};
pub use file::{DECK_BYTES_MAX, FileError, SLIDES_MAX, read};
pub use format::{format, format_slide};
pub use model::{
    Action, Brand, Bullet, Chart, Column, Extra, Key, Meta, MetaExtra, MetaKey, Presentation,
    Slide, Stat, Step, Table, UNTITLED,
};
pub use parse::{Parsed, parse};
pub use patch::{conflicting, patched};
pub use text::{Cell, Cells, Comment, Hex, Line, Prose, ProseBlock};
pub use words::{Background, ChartKind, Closed, DslVersion, Output, SlideType, Value, Word};
