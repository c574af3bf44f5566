//! The pages of a version of the deck, measured, and as pictures for people and for models that accept pictures.

use serde_json::json;

use super::ask::VISION;
use super::shape::{DeckLayout, PNG_TYPE};
use super::stage::{LAYOUT, PAGE};
use super::{ask, pages};
use crate::asking::json_of;
use crate::carry::{Carry, Content, NewArtifact, Output, TurnResult, Work};

/// Width of a page that a model looks at: small type can be read, and a page takes some hundred kilobytes.
const SEEN_PX: u32 = 1_024;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let made = match pages::of(work, &deck.dsl_text, turns) {
        Ok(made) => made,
        Err(carry) => return *carry,
    };
    let Some(drawn) = pages::drawn(turns) else {
        let sees = work.settings.model_of(VISION).is_some();
        return made.job(work, sees.then_some(SEEN_PX)).into();
    };
    let layout = DeckLayout {
        report: drawn.files.report.clone(),
        slide_of: drawn.slide_of.clone(),
        remarks: made.pages.remarks,
    };
    let title = if work.is_chinese() {
        "版面"
    } else {
        "Layout"
    };
    let measured = NewArtifact {
        facts: json!({ "pages": layout.report.pages }),
        shown: false,
        ..NewArtifact::new(
            LAYOUT,
            "art_layout_",
            title,
            Content::Json(json_of(&layout)),
            work.lineage(),
        )
    };
    let pictures = drawn
        .files
        .thumbnails
        .iter()
        .map(|(number, png)| NewArtifact {
            part: number.to_string(),
            shown: false,
            ..NewArtifact::new(
                PAGE,
                "art_page_",
                format!("{number}"),
                Content::file(PNG_TYPE, png.clone()),
                work.lineage(),
            )
        });
    let all = std::iter::once(measured).chain(pictures);
    Carry::Done(all.map(Output::Artifact).collect())
}
