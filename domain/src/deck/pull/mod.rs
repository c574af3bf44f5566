//! The way back: what people changed in a PowerPoint file that was drawn from a deck, brought into the deck's text.
//!
//! It is a merge of three versions. The *base* is the deck as it was when the file was drawn, which the file carries
//! ([`carried`]); *theirs* is the file as it is now; *ours* is the deck's text as it is now. What only one side changed is taken,
//! what both changed in different ways is a conflict that stands in the text as version control shows one.
//!
//! Theirs is made from the base: each shape has the name of the piece that it shows, and a piece whose shape still says what
//! the base shows keeps its text of the base. So the marks of a text that nobody touched stay, and so does what no page
//! shows. Drawing the base again to compare two files was the alternative: it needs the same pictures, the same fonts and the
//! same program, and after a few months none of them is the same. Names in the shapes need nothing but the file.
//!
//! Places, sizes, colours and fonts do not come back: a deck has none.

mod edited;
mod element;
mod formulas;
mod frames;
mod lists;
mod merge;
mod pages;
mod shown;
#[cfg(test)]
mod tests;
mod text;
mod theirs;
mod words;

use std::collections::BTreeMap;

use sdsl::Presentation;
use spec::drawn::DrawnPresentation;
use spec::source::SourceFormat;
use thiserror::Error;

use super::DeckAssets;
use super::import::{ImportedPicture, LeftOver};
use crate::hash::Sha256;

pub(super) use shown::{byline, origin};

/// Digits of the hash by which shapes name their deck: enough that two decks of one house differ.
const DECK_DIGITS: usize = 8;

/// The first digits of the hash of bytes.
fn first_digits(bytes: &[u8]) -> String {
    let digits = Sha256::of(bytes).to_string();
    digits.chars().take(DECK_DIGITS).collect()
}

/// The text of a deck as its files carry it: without comments, which are for those who write the deck and not for those who are
/// sent it.
#[must_use]
pub fn carried(deck: &Presentation) -> String {
    sdsl::format(&uncommented(deck))
}

fn uncommented(deck: &Presentation) -> Presentation {
    let mut deck = deck.clone();
    deck.meta.comments = Vec::new();
    for slide in &mut deck.slides {
        slide.comments = Vec::new();
    }
    deck
}

/// By what shapes name the deck that they were drawn from.
#[must_use]
pub fn mark_of(carried: &str) -> String {
    first_digits(carried.as_bytes())
}

/// What a file is brought back into.
#[derive(Clone, Copy, Debug)]
pub struct PullInto<'a> {
    /// The deck as it was drawn, if it is not to be what the file carries.
    pub base: Option<&'a str>,
    /// The deck as it is now; the base where there is none.
    pub ours: Option<&'a str>,
    /// What the two sides are called in a conflict.
    pub names: (&'a str, &'a str),
    /// Tables that the base names, and those of its pictures that there are.
    pub assets: &'a DeckAssets,
}

/// A deck with what came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulled {
    pub text: String,
    /// The deck that the text is; where there is a conflict, with our side of it.
    pub deck: Presentation,
    pub conflicts: Vec<Conflict>,
    /// What stands in the file and does not come back, or as something else.
    pub left: Vec<LeftOver>,
    /// Pictures of new slides.
    pub pictures: Vec<ImportedPicture>,
}

/// What both sides changed in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The name of the slide; `None` for the order of slides.
    pub slide: Option<String>,
    pub what: String,
}

/// Why nothing comes back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PullError {
    #[error("it is a {0}: give the .pptx file that was drawn from the deck")]
    OtherFormat(&'static str),
    #[error(
        "it was not drawn from a deck by this program: `palimpsest deck import` reads presentations of others"
    )]
    NotOurs,
    #[error(
        "it does not carry the deck that it was drawn from any more: give the deck as it was then with `--base`"
    )]
    NoBase,
    #[error("the deck still has the marks of a conflict in line {line}: decide it first")]
    OpenConflict { line: usize },
}

/// The deck that a file was drawn from, as the file carries it.
///
/// # Errors
/// [`PullError`], for a file that is not of this program or has lost the text.
pub fn base_of(drawn: &DrawnPresentation) -> Result<&str, PullError> {
    let format = drawn.document.format;
    if format != SourceFormat::Pptx {
        return Err(PullError::OtherFormat(format.title()));
    }
    drawn
        .written
        .as_deref()
        .ok_or_else(|| match named_deck(drawn) {
            Some(_) => PullError::NoBase,
            None => PullError::NotOurs,
        })
}

/// The deck that most shapes of a file name.
#[must_use]
pub fn named_deck(drawn: &DrawnPresentation) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for shape in &drawn.shapes {
        if let Some(name) = element::ShapeName::parse(&shape.name) {
            *counts.entry(name.deck).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(deck, _)| deck.to_owned())
}

/// What stands around the content of the base's pages, and what its slides name.
struct Around<'a> {
    chinese: bool,
    footer: Option<String>,
    confidentiality: Option<String>,
    byline: Option<String>,
    tables: &'a BTreeMap<String, Result<Vec<Vec<String>>, String>>,
    assets: &'a DeckAssets,
}

impl Around<'_> {
    fn has_picture(&self, path: &str) -> bool {
        matches!(self.assets.pictures.get(path), Some(Ok(_)))
    }
}

/// What is found on the way.
#[derive(Default)]
struct Found {
    left: Vec<LeftOver>,
    pictures: Vec<ImportedPicture>,
}

/// Brings what was changed in a file into the deck.
///
/// # Errors
/// [`PullError`], where the file is not of this program, or the deck is in the middle of another merge.
pub fn pull(drawn: &DrawnPresentation, into: &PullInto<'_>) -> Result<Pulled, PullError> {
    let carried_text = match into.base {
        Some(text) => text,
        None => base_of(drawn)?,
    };
    if drawn.document.format != SourceFormat::Pptx {
        return Err(PullError::OtherFormat(drawn.document.format.title()));
    }
    let base = uncommented(&sdsl::parse(carried_text).presentation);
    let ours_text = into.ours.unwrap_or(carried_text);
    let open = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
    if let Some(at) = ours_text.lines().position(open) {
        return Err(PullError::OpenConflict { line: at + 1 });
    }
    let mut found = Found::default();
    let theirs = theirs::theirs(drawn, &base, into, &mut found);
    let ours = sdsl::parse(ours_text);
    let (text, deck, conflicts) = text::merged(&base, &theirs, ours_text, &ours, into.names);
    Ok(Pulled {
        text,
        deck,
        conflicts,
        left: found.left,
        pictures: found.pictures,
    })
}
