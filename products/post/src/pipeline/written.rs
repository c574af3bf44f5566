//! What a person writes by hand: the text of the post, its layout, and the plan of its pictures. It is checked in the same way as what a
//! person changes at a gate.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::{
    ByHand, Carry, Content, NewArtifact, Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

use super::edits;
use super::stage::{CONTENT, IMAGE_PLAN, LAYOUT, Stage};

/// What is written by hand.
pub(super) const WRITTEN: [ByHand; 3] = [
    (CONTENT, &["bodyBlocks", "offline"]),
    (LAYOUT, &["offline"]),
    (IMAGE_PLAN, &["offline"]),
];

/// For each kind, the fields that are not read-only, and their names in the edits of a gate.
const FIELDS: [(&str, &[(&str, &str)]); 3] = [
    (
        CONTENT,
        &[("title", "title"), ("body", "body"), ("tags", "tags")],
    ),
    (
        LAYOUT,
        &[
            ("layoutSpec", "layoutSpec"),
            ("layoutPreference", "layoutPreference"),
        ],
    ),
    (
        IMAGE_PLAN,
        &[
            ("plans", "imagePlans"),
            ("paragraphImageBindings", "paragraphImageBindings"),
            ("textOverlayPlan", "textOverlayPlan"),
        ],
    ),
];

pub(super) fn written_in(made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
    let is_written = FIELDS.iter().any(|(kind, _)| *kind == made.kind);
    is_written.then(|| (made.step.stage.clone(), made.step.item.clone()))
}

pub(super) fn carry(work: &Work, written: &Written) -> Carry {
    let Some(stage) = Stage::named(&work.step.stage) else {
        return Carry::Reject(vec![Violation::new("", "no stage of posts leaves this")]);
    };
    let made = match written.kept {
        Some(_) => Ok(as_it_is(work, stage, written)),
        None => edited(work, written),
    };
    match made {
        Ok(made) => Carry::from(made),
        Err(found) => Carry::Reject(found),
    }
}

fn as_it_is(work: &Work, stage: Stage, written: &Written) -> NewArtifact {
    NewArtifact {
        facts: written.before.facts.clone(),
        ..stage.made(
            written.before.title.to_string(),
            Content::Json(written.body.as_ref().clone()),
            work.lineage(),
        )
    }
}

fn edited(work: &Work, written: &Written) -> Result<NewArtifact, Vec<Violation>> {
    let kind = written.before.kind.as_str();
    let fields = FIELDS.iter().find(|(of, _)| *of == kind);
    let fields = fields.map_or(&[][..], |(_, fields)| fields);
    let (body, was) = (&*written.body, &*written.was);
    let changed = |field: &str| body.get(field) != was.get(field);
    let edits = fields.iter().filter(|(field, _)| changed(field));
    let edits = edits.map(|(field, name)| ((*name).to_owned(), body[*field].clone()));
    let edits = Value::Object(edits.collect());
    let mut seen = BTreeMap::from([(kind.to_owned(), was.clone())]);
    if let Some(text) = work.body(CONTENT).filter(|_| kind != CONTENT) {
        seen.insert(CONTENT.to_owned(), text.clone());
    }
    let edited = edits::edit("", &seen, &edits)?;
    let mut made = edited.others.into_iter().map(|(_, _, made)| made);
    let made = made.find(|made| made.kind == kind);
    let made = made.ok_or_else(|| vec![Violation::new("", "nothing of it is changed")])?;
    let from = work.lineage();
    Ok(NewArtifact { from, ..made })
}
