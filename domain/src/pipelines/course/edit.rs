//! Changes that are about some pages only: what the others are stays as it is, and where pages are only left out or put in another
//! order, nothing is asked at all.

use serde::Deserialize;
use serde_json::{Value, json};

use super::flow::PAGES;
use super::pages::{count, fail, made_page};
use super::shape::{CourseConfig, PAGES_MIN, Page, SlideScript};
use super::stage::{
    COURSE_CONFIG, PPT_HTML, PRESENTATION_THEME, SLIDE_SCRIPTS, Stage, VIDEO_OUTLINE,
};
use super::{ask, flow};
use crate::carry::{Carry, Input, NewArtifact, TurnResult, Work};
use crate::session::Run;

/// What a step does where the change is about some pages only; nothing where it does what it always does.
pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Option<Carry> {
    let stage = Stage::named(&work.step.stage)?;
    if work.order.is_empty() {
        return of_scripts(work, stage, turns);
    }
    match stage {
        Stage::Config => Some(config(work)),
        Stage::Outline => as_it_was(work, VIDEO_OUTLINE, "art_video_outline_"),
        Stage::Theme => as_it_was(work, PRESENTATION_THEME, "art_theme_"),
        Stage::Scripts => Some(scripts(work)),
        Stage::Slides if work.step.item != flow::DOCUMENT => page(work, turns),
        Stage::Analyze | Stage::Slides | Stage::Export => None,
    }
}

/// A change of the scripts of some pages: the look of all stays, and so do the other pages.
fn of_scripts(work: &Work, stage: Stage, turns: &[TurnResult]) -> Option<Carry> {
    if work.only.is_empty() || !is_of_scripts(work) {
        return None;
    }
    match stage {
        Stage::Theme => as_it_was(work, PRESENTATION_THEME, "art_theme_"),
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

/// Whether a change of some pages leaves this step nothing to ask.
pub(super) fn asks_nobody(run: &Run, stage: &str, item: &str) -> bool {
    let Some((refinement, stage)) = run.refinement.as_ref().zip(Stage::named(stage)) else {
        return false;
    };
    if !refinement.order.is_empty() {
        return stage != Stage::Analyze;
    }
    let is_meant = refinement.items.iter().any(|page| page == item);
    refinement.stage == Stage::Scripts.name()
        && !refinement.items.is_empty()
        && (stage == Stage::Theme || (stage == Stage::Slides && !is_meant))
}

fn is_of_scripts(work: &Work) -> bool {
    let scripts = Stage::Scripts.name();
    let last = work.changes.last();
    last.is_some_and(|change| change.stages.iter().any(|stage| stage == scripts))
}

/// The scripts that a change is not about, as they were. With other pages than before, none is the same.
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
        return fail("page_count_out_of_bounds", message);
    }
    let Some(mut config) = work.previous_as::<CourseConfig>(COURSE_CONFIG) else {
        return missing(COURSE_CONFIG);
    };
    config.expected_page_count = pages;
    Carry::from(ask::artifact(
        work,
        COURSE_CONFIG,
        "art_course_config_",
        ask::json(&config),
    ))
}

fn missing(kind: &str) -> Carry {
    let message = format!(
        "the `{kind}` that the pages were made from cannot be used, so their order cannot be changed alone"
    );
    fail("input_missing", message)
}

/// An artifact of the version before, as it is.
fn as_it_was(work: &Work, kind: &'static str, id_prefix: &'static str) -> Option<Carry> {
    let before = work.previous(kind)?;
    let body: Value = before.body.as_ref().clone();
    let facts = before.artifact.facts.clone();
    Some(Carry::from(NewArtifact {
        facts,
        ..ask::artifact(work, kind, id_prefix, body)
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
    let made = ask::artifact(
        work,
        SLIDE_SCRIPTS,
        "art_slide_scripts_",
        ask::json(&scripts),
    );
    Carry::from(NewArtifact { facts, ..made })
}

/// The places of the pages before, counted from 0, in their new order.
fn places(work: &Work) -> impl Iterator<Item = usize> {
    let places = work.order.iter();
    places.map(|page| {
        page.parse::<usize>()
            .ok()
            .and_then(|page| page.checked_sub(1))
            .unwrap_or(usize::MAX)
    })
}

/// The page that comes to stand here, drawn with its new number.
fn page(work: &Work, turns: &[TurnResult]) -> Option<Carry> {
    let place = work.step.item.parse::<usize>().ok()?.checked_sub(1)?;
    let was = work.order.get(place)?;
    let input = work
        .beside
        .iter()
        .find(|page| page.artifact.kind == PPT_HTML && page.artifact.item() == was)?;
    again(work, turns, input)
}

/// A page of before, drawn at the place of this step; one that cannot be read is made anew.
fn again(work: &Work, turns: &[TurnResult], input: &Input) -> Option<Carry> {
    let page = Page::deserialize(input.body.as_ref()).ok()?;
    Some(made_page(work, turns, page, input.artifact.facts.clone()))
}
