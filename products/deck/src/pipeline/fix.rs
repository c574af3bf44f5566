//! A better deck, with as few changes as possible. If the answer is not better, the deck stays as it was.

use palimpsest::prelude::pipeline::{Carry, Output, TurnResult, Work, asking};
use sdsl::Parsed;
use serde_json::json;

use super::ask::prompt_vars;
use super::generate::{faults, left, only_named, said, version};
use super::shape::DeckVersion;
use super::stage::{FIX, INSPECTION};
use super::template::RunTemplate;
use super::{ask, order, template};
use crate::pages::{InspectionReport, Issue, IssueCategory, IssueSeverity};

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let report: InspectionReport = match work.read(INSPECTION) {
        Ok(report) => report,
        Err(carry) => return *carry,
    };
    let front = template::front_of(&deck.dsl_text);
    let template = match template::of(work, front.as_deref(), turns) {
        Ok(template) => template,
        Err(carry) => return *carry,
    };
    let more = json!({
        "grammar": sdsl::grammar::reference(),
        "deck": deck.dsl_text,
        "issues": asking::json_text(&ordered(report.issues)),
    });
    let Some((model, answer)) = turns.iter().find_map(TurnResult::answer) else {
        return FIX.turn(prompt_vars(work, more)).into();
    };
    let written = said(answer).ok();
    let written = written.map(|(text, _)| sdsl::parse(&text));
    Carry::Done(vec![mended(work, deck, model, written, template.as_ref())])
}

/// What the step leaves when no model can be asked: the deck as it is.
pub(super) fn without_model(work: &Work) -> Option<Vec<Output>> {
    Some(vec![left(work, ask::deck(work).ok()?, false)])
}

/// The deck of the answer, if it can be read and nothing in it is invalid; otherwise the deck before it.
fn mended(
    work: &Work,
    deck: DeckVersion,
    model: &str,
    written: Option<Parsed>,
    template: Option<&RunTemplate<'_>>,
) -> Output {
    let better = written.filter(|parsed| parsed.invalid().next().is_none());
    let Some(better) = better else {
        return left(work, deck, false);
    };
    let before = sdsl::parse(&deck.dsl_text).presentation;
    let mut now = better.presentation;
    // The front matter belongs to the person, so it is not changed.
    now.meta = before.meta.clone();
    // Of a change that only adds slides, nothing but these is mended.
    let added = order::new_places(&work.order);
    let meant = if work.order.is_empty() {
        &work.only
    } else {
        &added
    };
    only_named(&mut now, &deck.dsl_text, meant);
    if let Some(template) = template {
        template.stand(work, &mut now, Some(&before));
    }
    let faults_of = |it| faults(work, it, Some(&deck.dsl_text)).len();
    if now == before || faults_of(&now) > faults_of(&before) {
        return left(work, deck, false);
    }
    let better = version(work, &now, Some(&deck.dsl_text), model);
    let better = DeckVersion {
        dsl_text: better.dsl_text,
        slide_count: better.slide_count,
        confidence: better.confidence,
        written_by: better.written_by,
        ..deck
    };
    left(work, better, true)
}

/// Content gaps first, then what is critical on the pages, then warnings.
fn ordered(mut issues: Vec<Issue>) -> Vec<Issue> {
    let rank = |issue: &Issue| {
        let gap = matches!(
            issue.category,
            IssueCategory::RequirementGap
                | IssueCategory::MissingKeyMessage
                | IssueCategory::ContentMissing
        );
        match (issue.severity, gap) {
            (IssueSeverity::Critical, true) => 0,
            (IssueSeverity::Critical, false) => 1,
            (IssueSeverity::Warning, _) => 2,
            (IssueSeverity::Minor, _) => 3,
        }
    };
    issues.retain(|issue| issue.severity != IssueSeverity::Minor);
    issues.sort_by_key(rank);
    issues
}
