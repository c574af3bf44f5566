//! The design index: decks that an owner keeps, taken apart into pieces that can serve as examples for later decks. A deck, each of its
//! slides and each element of a slide is a *chunk*. Everything here is computed from two collections: the decks as they were given, and
//! what people and runs did with their slides; the index can be made anew from them at any time.

mod asked;
mod by_rules;
mod chunks;
mod enrichment;
mod kinds;
mod rank;
mod texts;
mod vector;
mod votes;

#[cfg(test)]
mod tests;

use palimpsest::prelude::pipeline::{BlobRef, DocumentId, Sha256};
use palimpsest::prelude::resource::Document;

pub(crate) use asked::QUERY_CHARS_MAX;
pub(crate) use chunks::IndexedDeck;
pub(crate) use enrichment::{DeckEnrichment, Enrichment, NOT_ENRICHED, SlideEnrichment};
pub(crate) use kinds::{DESIGN_REMARKS, DESIGN_VECTORS, DESIGN_VOTES, DESIGNS};
pub use rank::{Filter, Granularity, Index};
pub(crate) use rank::{Found, Hit, MIN_SCORE};
pub(crate) use texts::texts_of;
pub(crate) use votes::{Counters, Signal, Vote, Votes};

/// The media type of a deck as it is kept.
pub(crate) const MEDIA_TYPE: &str = "text/x-slidedsl";

/// The most characters of a deck's name: as many as a document's name may have.
const NAME_CHARS_MAX: usize = 200;

/// Digits of a hash in the id of a deck that was given no id, and in the id of a slide: enough to tell ten thousand slides of one owner
/// apart with a chance of one in a thousand million that two are taken for one.
const ID_DIGITS: usize = 16;
const SLIDE_DIGITS: usize = 12;

/// Why something cannot be a deck of the index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDeck {
    #[error(transparent)]
    Unreadable(#[from] sdsl::FileError),
    #[error("it has no slides: a deck of the index needs at least one block with `# Name`")]
    NoSlides,
}

/// A deck that is to be put into the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeck {
    pub id: DocumentId,
    /// What people call it.
    pub title: String,
    pub dsl: String,
    pub slides: usize,
    /// The file that the deck came in; empty where it did not come in a file.
    pub source_file: String,
}

impl NewDeck {
    /// A deck from its text. Without an id, the deck gets an id made from its text, so that the same deck is stored once however often it
    /// comes.
    ///
    /// # Errors
    ///
    /// [`BadDeck`] where it cannot be read or has no slides.
    pub fn read(
        dsl: &[u8],
        id: Option<DocumentId>,
        title: Option<&str>,
        source_file: &str,
    ) -> Result<Self, BadDeck> {
        let deck = sdsl::read(dsl)?.presentation;
        if deck.slides.is_empty() {
            return Err(BadDeck::NoSlides);
        }
        let given = title.map(str::trim).filter(|title| !title.is_empty());
        let own = deck.meta.title.as_ref().map(sdsl::Line::as_str);
        let heading = deck.slides.iter().find_map(|slide| slide.heading.as_ref());
        let title = given.or(own).or(heading.map(sdsl::Line::as_str));
        let title: String = title
            .unwrap_or(sdsl::UNTITLED)
            .chars()
            .filter(|c| !c.is_control())
            .take(NAME_CHARS_MAX)
            .collect();
        // The text was read above, so it is UTF-8.
        let dsl = String::from_utf8_lossy(dsl).into_owned();
        Ok(Self {
            id: id.unwrap_or_else(|| Self::id_of(&dsl)),
            title,
            slides: deck.slides.len(),
            dsl,
            source_file: source_file.to_owned(),
        })
    }

    fn id_of(dsl: &str) -> DocumentId {
        let hash = Sha256::of(dsl.as_bytes());
        DocumentId::from(format!("deck_{}", &hash.hex()[..ID_DIGITS]).as_str())
    }

    /// What the collection stores of the deck beside its text.
    pub(crate) fn document(&self) -> Document {
        Document {
            id: self.id.clone(),
            name: self.title.clone(),
            media_type: MEDIA_TYPE.to_owned(),
            blob: BlobRef::of(self.dsl.as_bytes()),
            facts: serde_json::json!({ "slides": self.slides, "source_file": self.source_file }),
        }
    }
}
