//! Has vectors made for the texts of a deck that have none.

use palimpsest::prelude::pipeline::embedding::VectorStep;
use palimpsest::prelude::pipeline::{Carry, TurnResult, Work, embedding};

use super::EMBEDDED;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = work.step.item.as_str();
    let step = VectorStep {
        missing: "designsWithoutVectors",
        embed: "embedDesign",
        field: "deck",
        about: deck,
        kind: EMBEDDED,
        part: deck,
    };
    embedding::carry(&step, turns)
}
