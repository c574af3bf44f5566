//! The product `deck`: a slide deck from a sentence or a text, and the index of designs that later decks take after. The folder has all of
//! it: the pipelines with their stages and shapes, decks as pages, the index, offline authors, the endpoints, the verb, and its views in
//! the console.

mod authors;
mod curator;
mod designs;
mod form;
mod index;
mod pages;
mod pipeline;
pub mod trial;
mod verbs;
mod wire;

use palimpsest::embedded_folder;
use palimpsest::prelude::Builder;
use palimpsest::prelude::resource::CuratedBy;

use curator::DesignCurator;
use designs::{DESIGN_REMARKS, DESIGN_VECTORS, DESIGN_VOTES, DESIGNS};
use index::Designs;
pub use pipeline::Deck;
use verbs::DeckVerb;
use wire::DeckProtocol;

/// The pipeline that summarises the decks of the design index after each change of the index.
const DESIGN_CURATOR: CuratedBy = CuratedBy {
    pipeline: "curator",
    covers_all: true,
};

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Deck)
        .pipeline(&DesignCurator)
        .prompts("deck", &embedded_folder!("../../prompts/deck/"))
        .prompts("curator", &embedded_folder!("../../prompts/curator/"))
        .authors(authors::authors())
        .tools(|_| Ok(index::tools(&Designs::default()).into()))
        .kind(DESIGNS)
        .kind(DESIGN_VOTES)
        .kind(DESIGN_REMARKS)
        .kind(DESIGN_VECTORS)
        .tag(
            "decks",
            "decks from a sentence or a text, and the index of designs",
        )
        .curator(DESIGNS.name, DESIGN_CURATOR)
        .protocol(&DeckProtocol)
        .console(palimpsest::console_folder!("deck", []))
        .form(form::HTML_WITHOUT_NOTES)
        .verb(&DeckVerb)
}
