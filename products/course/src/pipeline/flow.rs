//! What is needed next: the stages in the order of the contract, the theme at the same time as the scripts, and several pages at once.

use palimpsest::prelude::pipeline::{
    ArtifactId, Flow, GateAnswer, GateSpec, Run, by_hand, complete_run, need, need_each,
    need_together, need_understanding, numbered_items, pass_gate, reopen_stages, work_on,
};
use serde_json::{Value, json};

use super::pages::REFUSED;
use super::stage::{PPT_HTML, SLIDE_SCRIPTS, Stage, VIDEO_OUTLINE};

/// The step of the last stage that puts the pages together.
pub(super) const DOCUMENT: &str = "document";
/// The step of the first stage that searches the web.
pub(super) const SEARCH: &str = "search";
/// How many pages the scripts are for, in the facts of that artifact.
pub(super) const PAGES: &str = "pages";

pub(super) fn flow(run: &Run) -> Flow {
    need_understanding(run)?;
    analyze(run)?;
    need(run, &Stage::Config)?;
    need(run, &Stage::Outline)?;
    confirm_outline(run)?;
    need_together([need(run, &Stage::Scripts), need(run, &Stage::Theme)])?;
    let pages = work_on(numbered_items(run, SLIDE_SCRIPTS, PAGES)?).closing(DOCUMENT);
    need_each(run, &Stage::Slides, &pages)?;
    need(run, &Stage::Export)?;
    let mut pages = run.artifacts_of(PPT_HTML);
    if pages.any(|(_, page)| page.facts[REFUSED] == true) {
        return complete_run(true);
    }
    Flow::Continue(())
}

/// The gate about the outline, where the input wants one.
pub(super) const CONFIRM_OUTLINE: &str = "outline";

/// The outline is shown before anything is made from it. The person is not asked about an outline that was confirmed before or that a
/// person wrote.
fn confirm_outline(run: &Run) -> Flow {
    let is_wanted = run.settings.attended && run.input["confirmOutline"] == true;
    let Some(outline) = run.artifact(VIDEO_OUTLINE).filter(|_| is_wanted) else {
        return Flow::Continue(());
    };
    if by_hand::is_by_hand(outline) || run.took_over(Stage::Outline.name, "") {
        return Flow::Continue(());
    }
    let subject = Some(outline.artifact.clone());
    let spec = || outline_question(run, subject.clone());
    match pass_gate(run, &spec, CONFIRM_OUTLINE, subject.as_ref())? {
        GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => Flow::Continue(()),
        GateAnswer::Declined { feedback, .. } => reopen_stages(
            &[Stage::Outline.name],
            feedback.clone(),
            "the person wants another outline",
        ),
    }
}

fn outline_question(run: &Run, subject: Option<ArtifactId>) -> GateSpec {
    let question = if run.settings.language.starts_with("zh") {
        "大纲是否可以？确认后开始制作页面，也可以修改或退回。"
    } else {
        "Will this outline do? Confirm it and the pages are made; change it, or send it back with a word."
    };
    GateSpec {
        schema: answer_schema(),
        ..GateSpec::confirm(CONFIRM_OUTLINE, subject, question)
    }
}

fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "confirm": { "type": "boolean" },
            "feedback": { "type": "string" },
            "edits": {
                "description": "the fields of the outline that are different",
                "type": ["object", "null"]
            }
        },
        "required": ["confirm"],
        "additionalProperties": false
    })
}

/// The search is a step of its own before the analysis: people see its results at once, and it is not repeated when the analysis is made
/// again. If it fails, an analysis without results is better than none.
fn analyze(run: &Run) -> Flow {
    let stage = Stage::Analyze;
    if run.settings.ports.search && !run.has_step(stage.name, "") {
        return need_each(run, &stage, &work_on([SEARCH]).tolerant().closing(""));
    }
    need(run, &stage)
}
