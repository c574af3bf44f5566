//! What a person writes by hand: the deck, as its text.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::{ByHand, Carry, Violation, Work, Written};
use serde::Deserialize;
use smol_str::SmolStr;

use super::ask::PERSON;
use super::generate;
use super::shape::DeckVersion;
use super::stage::{DECK, GENERATE};

/// What is written by hand: the text of the deck; all other fields follow from the text, or say where it came from.
pub(super) const WRITTEN: [ByHand; 1] = [(
    DECK,
    &[
        "slide_count",
        "confidence",
        "reasoning",
        "parse_errors",
        "remarks",
        "design_references",
        "injected_references",
        "written_by",
    ],
)];

/// No matter which stage left the deck last, the generating stage leaves a person's version: it is then drawn and inspected, but not
/// corrected.
pub(super) fn written_in(made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
    (made.kind == DECK).then(|| (GENERATE.name.into(), SmolStr::default()))
}

pub(super) fn carry(work: &Work, written: &Written) -> Carry {
    match version(work, written) {
        Ok(version) => Carry::Done(vec![generate::left(work, version, true)]),
        Err(found) => Carry::Reject(found),
    }
}

fn version(work: &Work, written: &Written) -> Result<DeckVersion, Vec<Violation>> {
    let wrong = |at: &str, says: String| vec![Violation::new(at, says)];
    let read = |body| DeckVersion::deserialize(body);
    let (given, was) = match (read(written.body.as_ref()), read(written.was.as_ref())) {
        (Ok(given), Ok(was)) => (given, was),
        (Err(cause), _) | (_, Err(cause)) => return Err(wrong("", cause.to_string())),
    };
    if written.kept.is_some() {
        let says = if work.is_chinese() {
            "这次修改涉及整份文稿"
        } else {
            "the change is about the whole deck"
        };
        return Err(wrong("", says.to_owned()));
    }
    if given.dsl_text == was.dsl_text {
        let says = "is as it was, and everything else follows from it".to_owned();
        return Err(wrong("/dsl_text", says));
    }
    let parsed = sdsl::read(given.dsl_text.as_bytes());
    let parsed = parsed.map_err(|cause| wrong("/dsl_text", cause.to_string()))?;
    if parsed.presentation.slides.is_empty() {
        return Err(wrong("/dsl_text", "has no slides".to_owned()));
    }
    // Errors that were there before the person's edit are not the person's to correct, so only new ones count.
    let before = sdsl::parse(&was.dsl_text);
    let known: BTreeSet<&str> = before.invalid().map(|it| it.message.as_str()).collect();
    let new = parsed
        .invalid()
        .filter(|it| !known.contains(it.message.as_str()));
    let lines = sdsl::Positions::new(&given.dsl_text);
    let new: Vec<String> = new
        .map(|it| format!("line {}: {}", lines.at(it.span.start).line, it.message))
        .collect();
    if !new.is_empty() {
        return Err(wrong("/dsl_text", new.join("; ")));
    }
    let deck = parsed.presentation;
    Ok(DeckVersion {
        dsl_text: given.dsl_text,
        design_references: was.design_references,
        injected_references: was.injected_references,
        ..generate::version(work, &deck, None, PERSON)
    })
}
