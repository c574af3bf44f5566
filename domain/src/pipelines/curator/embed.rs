//! Has vectors made for the texts of a deck that have none.

use super::EMBEDDED;
use crate::carry::{Carry, TurnResult, Work};
use crate::embedding::{self, VectorStep};

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
