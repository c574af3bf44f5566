//! What a person writes by hand: the plan, and sections.

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::{ByHand, Carry, Violation, Work, Written};
use serde::Deserialize;
use smol_str::SmolStr;

use super::{plan, section};
use crate::shapes::{Plan, Section};
use crate::stages::{PLAN, SECTION};

/// Characters of a section: some thirty pages, more than any section of a report.
const SECTION_CHARS: usize = 60_000;

const PERSON: &str = "person";

/// What is written by hand. Headings and their ids come from the template and cannot be written.
pub(crate) const WRITTEN: [ByHand; 2] = [
    (PLAN, &["planned_by"]),
    (
        SECTION,
        &["id", "title", "unsupported", "left_out", "written_by"],
    ),
];

pub(crate) fn written_in(made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
    let is_written = WRITTEN.iter().any(|(kind, _)| *kind == made.kind);
    is_written.then(|| (made.step.stage.clone(), made.step.item.clone()))
}

pub(crate) fn carry(work: &Work, written: &Written) -> Carry {
    let made = match written.before.kind.as_str() {
        PLAN => plan_of(written).map(|plan| plan::artifact(&plan, work.lineage())),
        _ => section_of(work, written).map(|section| section::artifact(work, &section)),
    };
    match made {
        Ok(made) => Carry::from(made),
        Err(found) => Carry::Reject(found),
    }
}

fn unreadable(cause: &serde_json::Error) -> Vec<Violation> {
    vec![Violation::new("", cause.to_string())]
}

/// A plan as a person wrote it. The template decides which sections there are; the person decides what each is to contain.
fn plan_of(written: &Written) -> Result<Plan, Vec<Violation>> {
    let read = |body| Plan::deserialize(body).map_err(|cause| unreadable(&cause));
    let (mut plan, was) = (read(written.body.as_ref())?, read(written.was.as_ref())?);
    let named = |plan: &Plan| -> Vec<(u32, String)> {
        let tasks = plan.tasks.iter();
        tasks.map(|task| (task.id, task.title.clone())).collect()
    };
    if named(&plan) != named(&was) {
        let says = "has other sections than the template, which gives their order, ids and headings: change the template";
        return Err(vec![Violation::new("/tasks", says)]);
    }
    PERSON.clone_into(&mut plan.planned_by);
    Ok(plan)
}

fn section_of(work: &Work, written: &Written) -> Result<Section, Vec<Violation>> {
    let section = Section::deserialize(written.body.as_ref());
    let mut section = section.map_err(|cause| unreadable(&cause))?;
    let mut found = vec![];
    let chars = section.content.chars().count();
    if section.content.trim().is_empty() {
        let says = "is empty; a section is left out by a change, in words";
        found.push(Violation::new("/content", says));
    }
    if chars > SECTION_CHARS {
        let says = format!("has {chars} characters; a section has at most {SECTION_CHARS}");
        found.push(Violation::new("/content", says));
    }
    if written.kept.is_some() {
        let tasks = work.read::<Plan>(PLAN).map(|plan| plan.tasks);
        let mut tasks = tasks.unwrap_or_default().into_iter();
        if !tasks.any(|task| task.id == section.id && task.title == section.title) {
            let says = if work.is_chinese() {
                "模版里现在没有这一章节"
            } else {
                "the template has no such section now"
            };
            found.push(Violation::new("", says));
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    // A person is responsible for their own words, so the numbers in them are not checked.
    if written.kept.is_none() {
        PERSON.clone_into(&mut section.written_by);
        section.unsupported.clear();
        section.left_out.clear();
    }
    Ok(section)
}
