//! What is needed next: the stages in the order of the contract, the theme beside the scripts, the pages several at once.

use crate::flow::{Flow, each, need, need_each, numbered, together, understand};
use crate::session::Run;

use super::stage::{SLIDE_SCRIPTS, Stage};

/// The step of the last stage that puts the pages together.
pub(super) const DOCUMENT: &str = "document";
/// How many pages the scripts are for, in the facts of that artifact.
pub(super) const PAGES: &str = "pages";

pub(super) fn flow(run: &Run) -> Flow {
    let attempts = run.settings.attempts;
    let stage = |stage: Stage| need(run, stage.name(), attempts);
    understand(run, attempts)?;
    stage(Stage::Analyze)?;
    stage(Stage::Config)?;
    stage(Stage::Outline)?;
    together([stage(Stage::Scripts), stage(Stage::Theme)])?;
    let pages = each(numbered(run, SLIDE_SCRIPTS, PAGES)?)
        .width(run.settings.width)
        .attempts(attempts)
        .closing(DOCUMENT);
    need_each(run, Stage::Slides.name(), &pages)
}
