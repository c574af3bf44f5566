//! Whether a deck is good enough. Geometry, rules of writing and requirements are always checked; a model checks the text and, where one
//! that accepts pictures is configured, the pages.

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{
    Carry, Content, ModelTurn, NewArtifact, Output, Picture, RULES, TurnResult, Work, asking,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::ask;
use super::ask::{LIST_TOKENS, PERSON, REVIEWER, VISION, json_of, vars};
use super::flow::TO_MEND;
use super::generate::requirements_of;
use super::shape::{DeckLayout, DeckVersion};
use super::stage::{INSPECTION, LAYOUT, PAGE};
use crate::pages::{InspectionReport, Issue, IssueCategory, IssueSeverity, Verdict};

/// Pages that a model is shown at once.
const PAGES_SHOWN_MAX: usize = 30;

/// What a model says of a deck.
#[derive(Deserialize, JsonSchema)]
struct Looked {
    #[serde(default)]
    issues: Vec<LookedIssue>,
    #[serde(default)]
    summary: String,
}

#[derive(Deserialize, JsonSchema)]
struct LookedIssue {
    /// Counted from 1.
    slide: usize,
    /// The part of the slide that the issue is about, such as `heading`; empty where it is about the whole page.
    #[serde(default)]
    element: String,
    category: String,
    severity: String,
    description: String,
    #[serde(default)]
    suggested_fix: String,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let report = match measured(work) {
        Ok(report) => report,
        Err(carry) => return *carry,
    };
    if work.settings.ports.is_offline() {
        return Carry::Done(vec![left(work, report)]);
    }
    let sees = work.settings.model_of(VISION).is_some();
    let pictures = if sees { pictures(work) } else { vec![] };
    let schema = schemars::schema_for!(Looked).to_value();
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let more = json!({
        "deck": deck.dsl_text,
        "requirements": work.body(super::stage::REQUIREMENTS).map(asking::text),
        "found": asking::text(&report.issues),
        "pictures": pictures.len(),
    });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let role = if pictures.is_empty() {
            REVIEWER
        } else {
            VISION
        };
        let mut turn = ModelTurn::new(role, "deck/inspect", vars(work, more), LIST_TOKENS);
        turn.pictures = pictures;
        return turn.structured("inspection", schema).into();
    };
    match asking::read::<Looked>(answer, &schema) {
        Ok(looked) => Carry::Done(vec![left(work, with(report, looked, !pictures.is_empty()))]),
        // The model is asked only once: an answer that cannot be read counts as no verdict.
        Err(_) => Carry::Done(vec![left(work, report)]),
    }
}

/// What the step leaves when no model can be asked: what can be measured, and a note that nothing else was checked.
pub(super) fn without_model(work: &Work) -> Option<Vec<Output>> {
    Some(vec![left(work, measured(work).ok()?)])
}

/// What can be found without a model.
fn measured(work: &Work) -> Result<InspectionReport, Box<Carry>> {
    let deck = ask::deck(work)?;
    let layout: DeckLayout = work.read(LAYOUT)?;
    let parsed = sdsl::parse(&deck.dsl_text).presentation;
    let mut report =
        InspectionReport::new(&parsed, &layout.remarks, &layout.report, &layout.slide_of);
    let gaps = requirements_of(work).issues(&parsed);
    report.verdicts.requirements = verdict(&gaps);
    report.add(gaps);
    Ok(report)
}

fn verdict(issues: &[Issue]) -> Verdict {
    let critical = |issue: &Issue| issue.severity == IssueSeverity::Critical;
    if issues.iter().any(critical) {
        Verdict::Failed
    } else {
        Verdict::Passed
    }
}

/// The report with what a model said. Unknown categories are replaced by the nearest known one.
fn with(mut report: InspectionReport, looked: Looked, saw: bool) -> InspectionReport {
    let slides = report.slides.max(1);
    let issues: Vec<Issue> = looked
        .issues
        .into_iter()
        .map(|issue| Issue {
            slide: issue.slide.clamp(1, slides),
            element: match issue.element.trim() {
                "" => "page".to_owned(),
                element => element.to_owned(),
            },
            category: IssueCategory::read(&issue.category),
            severity: IssueSeverity::read(&issue.severity),
            evidence: issue.description,
            suggested_fix: issue.suggested_fix,
        })
        .collect();
    if saw {
        report.verdicts.vision = verdict(&issues);
    }
    report.add(issues);
    if !looked.summary.trim().is_empty() {
        report.summary = format!("{}. {}", report.summary, looked.summary.trim());
    }
    report
}

/// The pages as they are now, in their order.
fn pictures(work: &Work) -> Vec<Picture> {
    let rendered = work.inputs.get(LAYOUT).and_then(|inputs| inputs.first());
    let stage = rendered.map(|input| input.artifact.step.stage.clone());
    let of_now = |artifact: &ArtifactProduced| Some(&artifact.step.stage) == stage.as_ref();
    let pages = work.inputs.get(PAGE).into_iter().flatten();
    let pages = pages.filter(|input| of_now(&input.artifact));
    let pictures = pages.filter_map(|input| match &input.artifact.body {
        Body::Blob { blob, media_type } => Some(Picture {
            blob: blob.clone(),
            media_type: media_type.clone(),
        }),
        Body::Event { .. } => None,
    });
    pictures.take(PAGES_SHOWN_MAX).collect()
}

fn left(work: &Work, report: InspectionReport) -> Output {
    let title = if work.is_chinese() {
        "检查"
    } else {
        "Inspection"
    };
    // What a person wrote word for word is theirs, and slides that were only moved are to stay as they are: what is wrong is told.
    let stays = |deck: DeckVersion| deck.written_by == PERSON || deck.written_by == RULES;
    let stays = ask::deck(work).is_ok_and(stays);
    let to_mend = !report.passed && !work.settings.ports.is_offline() && !stays;
    Output::Artifact(NewArtifact {
        facts: json!({ "passed": report.passed, TO_MEND: to_mend, "issues": report.issues.len() }),
        ..NewArtifact::new(
            INSPECTION,
            "art_qa_",
            title,
            Content::Json(json_of(&report)),
            work.lineage(),
        )
    })
}
