//! The product `deck`: everything that a program which makes decks registers.

use domain::designs::{DESIGN_REMARKS, DESIGN_VECTORS, DESIGN_VOTES, DESIGNS};
use domain::pipelines::curator::DesignCurator;
use domain::pipelines::deck::Deck;
use include_dir::{Dir, include_dir};
use tools::designs::Designs;

use super::DeckProtocol;
use super::verbs::DeckVerb;
use crate::server::{Builder, CuratedBy};

/// The pipeline that summarises the decks of the design index after each change of the index.
const DESIGN_CURATOR: CuratedBy = CuratedBy {
    pipeline: "curator",
    covers_all: true,
};

static PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/deck");
static CURATOR_PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/curator");

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Deck)
        .pipeline(&DesignCurator)
        .prompts("deck", &PROMPTS)
        .prompts("curator", &CURATOR_PROMPTS)
        .authors(offline::deck::authors())
        .tools(|_| Ok(tools::designs::tools(&Designs::default()).into()))
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
        .console(super::console::FOLDER)
        .verb(&DeckVerb)
}
