//! What is needed next: the stages in the order of the contract, the theme beside the scripts, the pages several at once.

use crate::flow::{Flow, each, need, need_each, together, understand};
use crate::session::Run;

use super::stage::{SLIDE_SCRIPTS, Stage};

/// The step of the last stage that puts the pages together.
pub(super) const DOCUMENT: &str = "document";

pub(super) fn flow(run: &Run) -> Flow {
    let attempts = run.settings.attempts;
    let stage = |stage: Stage| need(run, stage.name(), attempts);
    understand(run, attempts)?;
    stage(Stage::Analyze)?;
    stage(Stage::Config)?;
    stage(Stage::Outline)?;
    together([stage(Stage::Scripts), stage(Stage::Theme)])?;
    let pages = each(page_numbers(run))
        .width(run.settings.width)
        .attempts(attempts)
        .closing(DOCUMENT);
    need_each(run, Stage::Slides.name(), &pages)
}

/// `1` to the number of scripts.
fn page_numbers(run: &Run) -> Vec<String> {
    let scripts = run
        .body(SLIDE_SCRIPTS)
        .and_then(|scripts| scripts.as_array());
    (1..=scripts.map_or(0, Vec::len))
        .map(|page| page.to_string())
        .collect()
}
