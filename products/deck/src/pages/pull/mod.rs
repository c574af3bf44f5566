//! Brings what people changed in a PowerPoint file, which was drawn from a deck, back into the deck's text.
//!
//! It is a merge of three versions. The *base* is the deck as it was when the file was drawn, which the file carries ([`carried`]);
//! *theirs* is the file as it is now; *ours* is the deck's text as it is now. What only one side changed is taken; what both changed in
//! different ways is a conflict, which is written into the text as version control shows it.
//!
//! Theirs is made from the base: each shape has the name of the piece that it shows, and a piece whose shape still has the text that the
//! base shows keeps its text from the base. So the marks of an unchanged text stay, and so does what no page shows. The alternative was to
//! draw the base again and to compare two files. That needs the same pictures, the same fonts and the same program, and after a few months
//! none of these is the same. Names in the shapes need only the file.
//!
//! Places, sizes, colours and fonts do not come back, since a deck does not contain them.

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

use palimpsest::prelude::pipeline::Sha256;
use sdsl::Presentation;
use spec::drawn::DrawnPresentation;
use spec::source::SourceFormat;
use thiserror::Error;

use super::DeckAssets;
use super::import::{ImportedPicture, LeftOver};
pub(super) use shown::{byline, origin};

/// Digits of the hash by which shapes name their deck: enough to tell the decks of one organisation apart.
const DECK_DIGITS: usize = 8;

/// The first digits of the hash of bytes.
fn first_digits(bytes: &[u8]) -> String {
    let digits = Sha256::of(bytes).to_string();
    digits.chars().take(DECK_DIGITS).collect()
}

/// The text of a deck as its files contain it: without comments, which are for the people who write the deck, and not for those who receive
/// it.
#[must_use]
pub(crate) fn carried(deck: &Presentation) -> String {
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

/// The mark by which shapes name the deck that they were drawn from.
#[must_use]
pub(crate) fn mark_of(carried: &str) -> String {
    first_digits(carried.as_bytes())
}

/// What the changes of a file are brought into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PullInto<'a> {
    /// The deck as it was when the file was drawn; where absent, the deck that the file contains.
    pub(crate) base: Option<&'a str>,
    /// The deck as it is now; the base where there is none.
    pub(crate) ours: Option<&'a str>,
    /// What the two sides are called in a conflict.
    pub(crate) names: (&'a str, &'a str),
    /// The tables that the base names, and those of its pictures that exist.
    pub(crate) assets: &'a DeckAssets,
}

/// A deck with the changes from a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pulled {
    pub(crate) text: String,
    /// The deck that the text contains; where there is a conflict, with our side.
    pub(crate) deck: Presentation,
    pub(crate) conflicts: Vec<Conflict>,
    /// What the file contains and the deck does not take over, or takes over in another form.
    pub(crate) left: Vec<LeftOver>,
    /// Pictures of new slides.
    pub(crate) pictures: Vec<ImportedPicture>,
}

/// What both sides changed in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The name of the slide; `None` for the order of slides.
    pub(crate) slide: Option<String>,
    pub(crate) what: String,
}

/// Why the changes of a file cannot be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum PullError {
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

/// The deck that a file was drawn from, as the file contains it.
///
/// # Errors [`PullError`], for a file that this program did not make, or that has lost the text.
pub(crate) fn base_of(drawn: &DrawnPresentation) -> Result<&str, PullError> {
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
pub(crate) fn named_deck(drawn: &DrawnPresentation) -> Option<String> {
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
    language: String,
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

/// What is found while the file is read.
#[derive(Default)]
struct Found {
    left: Vec<LeftOver>,
    pictures: Vec<ImportedPicture>,
}

/// Brings what was changed in a file into the deck.
///
/// # Errors [`PullError`], if this program did not make the file, or if the deck still has the conflicts of another merge.
pub(crate) fn pull(drawn: &DrawnPresentation, into: &PullInto<'_>) -> Result<Pulled, PullError> {
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
