//! Changes that are about some pages only: the other pages stay as they are. Where pages are only left out or put in another order, no
//! model is asked at all.

use palimpsest::prelude::pipeline::understanding::items::NEW_ITEM;
use palimpsest::prelude::pipeline::{Carry, Input, NewArtifact, Run, TurnResult, Work};
use serde::Deserialize;
use serde_json::{Value, json};

use super::flow::PAGES;
use super::pages::{count, fail_step, made_page};
use super::shape::{CourseConfig, PAGES_MAX, PAGES_MIN, Page, ScriptKind, SlideScript};
use super::stage::{COURSE_CONFIG, PPT_HTML, SLIDE_SCRIPTS, Stage};
use super::{ask, flow, written};

/// What a step does where the change is about some pages only; `None` where the step does its usual work.
pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Option<Carry> {
    let stage = Stage::named(&work.step.stage)?;
    if work.order.is_empty() {
        return of_scripts(work, stage, turns);
    }
    match stage {
        Stage::Config => Some(config(work)),
        Stage::Outline => as_it_was(work, stage),
        Stage::Theme => as_it_was(work, stage),
        Stage::Scripts if adds(&work.order) => None,
        Stage::Scripts => Some(scripts(work)),
        Stage::Slides if work.step.item != flow::DOCUMENT => page(work, turns),
        Stage::Analyze | Stage::Slides | Stage::Export => None,
    }
}

/// A change of the scripts of some pages: the look of the deck stays as it is, and so do the other pages.
fn of_scripts(work: &Work, stage: Stage, turns: &[TurnResult]) -> Option<Carry> {
    let by_hand = written::is_of_scripts(work);
    let in_words = !work.only.is_empty() && is_of_scripts(work);
    if !by_hand && !in_words {
        return None;
    }
    match stage {
        Stage::Theme => as_it_was(work, stage),
        Stage::Slides
            if work.step.item != flow::DOCUMENT
                && !work.only.iter().any(|page| *page == work.step.item) =>
        {
            again(work, turns, work.previous(PPT_HTML)?)
        }
        Stage::Analyze
        | Stage::Config
        | Stage::Outline
        | Stage::Scripts
        | Stage::Slides
        | Stage::Export => None,
    }
}

/// Whether, in a change of some pages, this step needs no model.
pub(super) fn asks_nobody(run: &Run, stage: &str, item: &str) -> bool {
    let Some(stage) = Stage::named(stage) else {
        return false;
    };
    if let Some(edit) = &run.edit {
        return edit.kind == SLIDE_SCRIPTS
            && stage == Stage::Slides
            && !edit.items.iter().any(|page| page == item);
    }
    let Some(refinement) = &run.refinement else {
        return false;
    };
    let order = &refinement.order;
    if !order.is_empty() {
        return match stage {
            Stage::Analyze => false,
            Stage::Scripts => !adds(order),
            Stage::Slides => !is_new(order, item),
            Stage::Config | Stage::Outline | Stage::Theme | Stage::Export => true,
        };
    }
    let is_meant = refinement.items.iter().any(|page| page == item);
    refinement.stage == Stage::Scripts.name
        && !refinement.items.is_empty()
        && (stage == Stage::Theme || (stage == Stage::Slides && !is_meant))
}

fn is_of_scripts(work: &Work) -> bool {
    let scripts = Stage::Scripts.name;
    let last = work.changes.last();
    last.is_some_and(|change| change.stages.iter().any(|stage| stage == scripts))
}

/// Restores the scripts that a change is not about. If the number of pages changed, none is restored.
pub(super) fn keep_others(work: &Work, scripts: &mut [SlideScript]) {
    if !is_of_scripts(work) {
        return;
    }
    if let Some(before) = work.previous_as(SLIDE_SCRIPTS) {
        work.keep_others(scripts, before);
    }
}

fn config(work: &Work) -> Carry {
    let pages = count(work.order.len());
    if pages < PAGES_MIN {
        let message = format!(
            "a deck has at least {PAGES_MIN} pages, and {pages} would be left: leave fewer of them out"
        );
        return fail_step("page_count_out_of_bounds", message);
    }
    if pages > PAGES_MAX {
        let message = format!(
            "a deck has at most {PAGES_MAX} pages, and it would have {pages}: leave some out, or ask for a deck of its own"
        );
        return fail_step("page_count_out_of_bounds", message);
    }
    let Some(mut config) = work.previous_as::<CourseConfig>(COURSE_CONFIG) else {
        return missing(COURSE_CONFIG);
    };
    config.expected_page_count = pages;
    Carry::from(ask::artifact(work, Stage::Config, ask::json(&config)))
}

fn missing(kind: &str) -> Carry {
    let message = format!(
        "the `{kind}` that the pages were made from cannot be used, so their order cannot be changed alone"
    );
    fail_step("input_missing", message)
}

/// Leaves the artifact of the version before unchanged.
fn as_it_was(work: &Work, stage: Stage) -> Option<Carry> {
    let before = work.previous(stage.kind())?;
    let body: Value = before.body.as_ref().clone();
    let facts = before.artifact.facts.clone();
    Some(Carry::from(NewArtifact {
        facts,
        ..ask::artifact(work, stage, body)
    }))
}

fn scripts(work: &Work) -> Carry {
    let Some(before) = work.previous_as::<Vec<SlideScript>>(SLIDE_SCRIPTS) else {
        return missing(SLIDE_SCRIPTS);
    };
    let Some(mut scripts) = places(work)
        .map(|place| before.get(place).cloned())
        .collect::<Option<Vec<_>>>()
    else {
        return missing(SLIDE_SCRIPTS);
    };
    for (place, script) in scripts.iter_mut().enumerate() {
        script.slide_index = count(place);
    }
    let facts = json!({ PAGES: scripts.len() });
    let made = ask::artifact(work, Stage::Scripts, ask::json(&scripts));
    Carry::from(NewArtifact { facts, ..made })
}

/// The places that the pages had before, counted from 0, in the new order.
fn places(work: &Work) -> impl Iterator<Item = usize> {
    let places = work.order.iter();
    places.map(|page| {
        page.parse::<usize>()
            .ok()
            .and_then(|page| page.checked_sub(1))
            .unwrap_or(usize::MAX)
    })
}

fn adds(order: &[String]) -> bool {
    order.iter().any(|page| page == NEW_ITEM)
}

/// Whether the page of this number is a new one.
fn is_new(order: &[String], item: &str) -> bool {
    let place = item
        .parse::<usize>()
        .ok()
        .and_then(|page| page.checked_sub(1));
    place
        .and_then(|place| order.get(place))
        .is_some_and(|page| page == NEW_ITEM)
}

/// The scripts of a change that adds pages: the scripts of the old pages stay as they were, and only the new scripts are taken from the
/// answer.
pub(super) fn with_new(work: &Work, scripts: &mut Vec<SlideScript>) {
    let before = work.previous_as::<Vec<SlideScript>>(SLIDE_SCRIPTS);
    let Some(before) = before.filter(|_| adds(&work.order)) else {
        return;
    };
    let written: Vec<SlideScript> = std::mem::take(scripts);
    // The new scripts may be anywhere in the answer. They are recognised by their headings, which none of the pages that stay has.
    let stays: Vec<&SlideScript> = places(work).filter_map(|place| before.get(place)).collect();
    let is_known = |script: &SlideScript| stays.iter().any(|was| was.title == script.title);
    let mut new = written.iter().filter(|script| !is_known(script));
    for (place, entry) in work.order.iter().enumerate() {
        let was = entry
            .parse::<usize>()
            .ok()
            .and_then(|page| page.checked_sub(1));
        let script = match was.and_then(|page| before.get(page)) {
            Some(was) => Some(was.clone()),
            None => new.next().or(written.get(place)).map(|script| SlideScript {
                kind: ScriptKind::Content,
                ..script.clone()
            }),
        };
        scripts.extend(script.map(|script| SlideScript {
            slide_index: count(place),
            ..script
        }));
    }
}

/// The page that is moved to this place, drawn with its new number.
fn page(work: &Work, turns: &[TurnResult]) -> Option<Carry> {
    if is_new(&work.order, &work.step.item) {
        // The page that was at this place before is a different one.
        let mut blank = work.clone();
        blank.previous.clear();
        return Some(super::pages::page(&blank, turns));
    }
    let place = work.step.item.parse::<usize>().ok()?.checked_sub(1)?;
    let was = work.order.get(place)?;
    let input = work
        .beside
        .iter()
        .find(|page| page.artifact.kind == PPT_HTML && page.artifact.item() == was)?;
    again(work, turns, input)
}

/// A page of the version before, drawn at the place of this step; one that cannot be read is made anew.
fn again(work: &Work, turns: &[TurnResult], input: &Input) -> Option<Carry> {
    let page = Page::deserialize(input.body.as_ref()).ok()?;
    Some(made_page(work, turns, page, input.artifact.facts.clone()))
}
