//! What benches and fuzzers of the repository drive directly.

use sdsl::Presentation;

pub use crate::designs::{Filter, Granularity, Index, NewDeck};
use crate::pages::{DeckAssets, pages};

/// Makes pages of a deck without files, for fuzzers.
pub fn make_pages(deck: &Presentation) {
    let _ = pages(deck, &DeckAssets::default(), None);
}
