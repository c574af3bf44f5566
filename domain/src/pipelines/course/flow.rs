//! What is needed next: the stages in the order of the contract, the theme beside the scripts, the pages several at once.

use crate::flow::{Flow, each, need, need_each, numbered, together, understand};
use crate::session::Run;

use super::stage::{SLIDE_SCRIPTS, Stage};

/// The step of the last stage that puts the pages together.
pub(super) const DOCUMENT: &str = "document";
/// The step of the first stage that searches the web.
pub(super) const SEARCH: &str = "search";
/// How many pages the scripts are for, in the facts of that artifact.
pub(super) const PAGES: &str = "pages";

pub(super) fn flow(run: &Run) -> Flow {
    let attempts = run.settings.attempts;
    let stage = |stage: Stage| need(run, stage.name(), attempts);
    understand(run, attempts)?;
    analyze(run)?;
    stage(Stage::Config)?;
    stage(Stage::Outline)?;
    together([stage(Stage::Scripts), stage(Stage::Theme)])?;
    let pages = each(numbered(run, SLIDE_SCRIPTS, PAGES)?)
        .width(run.settings.width)
        .attempts(attempts)
        .closing(DOCUMENT);
    need_each(run, Stage::Slides.name(), &pages)?;
    stage(Stage::Export)
}

/// The search is a step of its own before the analysis: what it gave is seen at once, and is not looked for again when the
/// analysis is made again. An analysis without it is better than none.
fn analyze(run: &Run) -> Flow {
    let (stage, attempts) = (Stage::Analyze.name(), run.settings.attempts);
    if run.settings.ports.search && !run.has_step(stage, "") {
        let search = each([SEARCH.to_owned()]).attempts(attempts);
        return need_each(run, stage, &search.tolerant().closing(""));
    }
    need(run, stage, attempts)
}
