//! Frames for what was made: the route, the results of the preprocessing, texts, the check, and what was added to the bible.

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, StageOutcome};
use palimpsest::prelude::wire::{Now, held_content};
use serde::Deserialize;
use serde_json::Value;
use smol_str::SmolStr;

use super::fold::Out;
use super::frames::{AskOption, ChainOutput, CheckWarning, Data, ThoughtStage};
use super::lanes::client_session;
use super::run::{Details, RunState, step_number};
use super::words::{PREFLIGHT, SEARCH};
use crate::pipeline::passage;
use crate::pipeline::shape::{CheckResult, CheckStatus, Outcome, Route};
use crate::pipeline::stage::{
    CHECK, OUTCOME, OUTLINE_PART, PREPARED, PROPOSED, ROUTING, Stage, WRITTEN,
};
use crate::readings::routing::{Agent, PhaseWarning};

/// What was made, as far as a later run may take it over.
#[derive(Clone, Debug)]
pub(crate) struct ProducedArtifact {
    kind: SmolStr,
    facts: Value,
    body: Option<Arc<Value>>,
}

/// For each frame about the bible: its name, and the kinds of entries that it reports.
const UPDATES: [(&str, &[&str]); 3] = [
    (
        "relationship_update",
        &["character", "relationship", "archetype"],
    ),
    ("structure_update", &["volume", "chapter", "plot_loop"]),
    (
        "knowledge_update",
        &["world", "item", "place", "style_sample"],
    ),
];

impl RunState {
    /// Sends the frames for what was made, and returns what a later run may take over.
    pub(super) fn made(
        &mut self,
        e: &ArtifactProduced,
        out: &mut Out<'_>,
    ) -> Option<ProducedArtifact> {
        let body = held_content(e).cloned();
        let said = body.as_deref().cloned().unwrap_or_default();
        match e.kind.as_str() {
            ROUTING => self.routed(&e.facts, &said, out),
            PREPARED => self.prepared(&e.part, &said["result"], out),
            OUTLINE_PART => self.range_planned(&e.facts, out),
            OUTCOME => self.text_made(Stage::Act, e.attempt, &said, out),
            WRITTEN => self.text_made(Stage::Write, e.attempt, &said, out),
            CHECK => {
                let result = CheckResult::deserialize(&said);
                let result = result.unwrap_or_else(|_| self.not_checked());
                self.tell_check(result, out);
            }
            PROPOSED => self.proposed(&e.facts, &said, out),
            _ => return None,
        }
        let is_taken_over = [ROUTING, PREPARED, OUTCOME, WRITTEN].contains(&e.kind.as_str());
        is_taken_over.then(|| ProducedArtifact {
            kind: e.kind.clone(),
            facts: e.facts.clone(),
            body,
        })
    }

    pub(super) fn take_over(&mut self, made: &ProducedArtifact, out: &mut Out<'_>) {
        let said = made.body.as_deref().cloned().unwrap_or_default();
        match made.kind.as_str() {
            ROUTING => self.routed(&made.facts, &said, out),
            PREPARED if said["task"] == SEARCH => self.take_found(&said["result"]),
            OUTCOME => {
                self.take_output(Stage::Act, &said, out.now);
            }
            WRITTEN => {
                self.take_output(Stage::Write, &said, out.now);
            }
            _ => {}
        }
    }

    fn routed(&mut self, facts: &Value, said: &Value, out: &mut Out<'_>) {
        self.route = Route::deserialize(facts).ok();
        let intent = facts["intent"].as_str().unwrap_or_default();
        let percent = (said["confidence"].as_f64().unwrap_or(0.0) * 100.0).round();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a confidence is between 0 and 1"
        )]
        let message = self.language.routed(intent, percent as i64);
        let data = Data::Routing {
            stage: ThoughtStage::Routing,
            kind: "thinking",
            message,
            intent: facts["intent"].clone(),
            confidence: said["confidence"].clone(),
            source: said["source"].clone(),
            alternatives: said["alternatives"].clone(),
            phase: said["phase"].clone(),
            workflow: facts["workflow"].clone(),
            agents: facts["agents"].clone(),
            session_id: client_session(out.now.session.session.as_str()).to_owned(),
        };
        out.push(self.frame("thought", data, out.now));
        if let Ok(warning) = PhaseWarning::deserialize(&said["phaseWarning"]) {
            let text = warning.message(self.language.is_chinese());
            out.push(self.warning("phase", text, None, out.now));
        }
        for number in list(&said["missingChapters"]) {
            let text = self
                .language
                .missing_chapter(number.as_u64().unwrap_or_default());
            out.push(self.warning("missing_chapter", text, None, out.now));
        }
    }

    fn prepared(&mut self, task: &str, result: &Value, out: &mut Out<'_>) {
        if task == SEARCH {
            self.take_found(result);
        }
        if task == PREFLIGHT {
            let issues = list(&result["issues"]);
            let can_proceed = result["canProceed"].as_bool().unwrap_or(issues.is_empty());
            let data = Data::Preflight {
                can_proceed,
                passed: can_proceed,
                issue_count: issues.len(),
                warnings: issues.iter().map(warning_of).collect(),
                issues,
            };
            out.push(self.frame("preflight_result", data, out.now));
        }
    }

    fn range_planned(&mut self, facts: &Value, out: &mut Out<'_>) {
        let number = |name: &str| facts[name].as_u64().unwrap_or_default();
        let text = self.language.range_planned(number("first"), number("last"));
        let details = Details {
            agent: self.agent_of(Stage::Act),
            ..Details::default()
        };
        out.push(self.thought(ThoughtStage::OutlineRangePlanned, text, details, out.now));
    }

    fn take_found(&mut self, result: &Value) {
        let text = result["text"].as_str();
        self.found = text.map(str::to_owned).into_iter().collect();
    }

    fn text_made(&mut self, stage: Stage, attempt: u32, said: &Value, out: &mut Out<'_>) {
        let Some(outcome) = self.take_output(stage, said, out.now) else {
            return;
        };
        let data = Data::Content {
            content: outcome.text.clone(),
            agent: outcome.agent,
            step: step_number(stage),
            attempt,
            offset: 0,
            passage: outcome.data[passage::DATA].clone(),
        };
        out.push(self.frame("content", data, out.now));
        for remark in &outcome.remarks {
            out.push(self.warning("remark", remark.clone(), None, out.now));
        }
        if outcome.agent == Agent::Consistency
            && let Ok(result) = CheckResult::deserialize(&outcome.data)
        {
            self.tell_check(result, out);
        }
    }

    fn take_output(&mut self, stage: Stage, said: &Value, now: Now<'_>) -> Option<Outcome> {
        let outcome = Outcome::deserialize(said).ok()?;
        let option = |option: &Value| {
            let text = |field: &str| option[field].as_str().unwrap_or_default().to_owned();
            AskOption {
                id: text("id"),
                title: text("title"),
                summary: text("summary"),
            }
        };
        if stage == Stage::Act {
            self.options = list(&outcome.data["options"]).iter().map(option).collect();
        }
        let output = ChainOutput {
            agent_name: outcome.agent,
            content: outcome.text.clone(),
            success: true,
            error_message: None,
            executed_at: now.ms(),
            structure: outcome.data.clone(),
        };
        self.outputs.insert(stage, output);
        Some(outcome)
    }

    fn tell_check(&mut self, result: CheckResult, out: &mut Out<'_>) {
        self.is_checked = true;
        let data = Data::Checked {
            kind: "consistency_check",
            agent: Agent::Consistency,
            status: result.status,
            message: result.content,
            warnings: result.issues.iter().map(warning_of).collect(),
            issues: result.issues,
            not_checked: result.not_checked,
        };
        out.push(self.frame("check_result", data, out.now));
    }

    /// The result of a check that could not be carried out.
    fn not_checked(&self) -> CheckResult {
        let why = self.failure(Stage::Check);
        CheckResult {
            status: CheckStatus::NotChecked,
            content: self.language.check_failed(&why),
            issues: vec![],
            not_checked: vec![why],
        }
    }

    pub(super) fn check_closed(&mut self, outcome: StageOutcome, out: &mut Out<'_>) {
        match outcome {
            StageOutcome::Completed | StageOutcome::Failed if !self.is_checked => {
                let result = self.not_checked();
                self.tell_check(result, out);
            }
            StageOutcome::Completed
            | StageOutcome::Failed
            | StageOutcome::Cancelled
            | StageOutcome::Reopened => {}
        }
    }

    fn proposed(&mut self, facts: &Value, said: &Value, out: &mut Out<'_>) {
        self.is_proposed = true;
        let entries = list(&said["entries"]);
        for (kind, kinds) in UPDATES {
            let is_its = |entry: &&Value| {
                let of = entry["kind"].as_str();
                of.is_some_and(|of| kinds.contains(&of))
            };
            let entries: Vec<Value> = entries.iter().filter(is_its).cloned().collect();
            if entries.is_empty() {
                continue;
            }
            let data = Data::Update {
                kind,
                agent: facts["agent"].clone(),
                status: "proposed",
                project: said["project"].clone(),
                version: said["version"].clone(),
                message: self.language.proposed(kind, entries.len()),
                entries,
            };
            out.push(self.frame(kind, data, out.now));
        }
        for remark in list(&said["remarks"]).iter().filter_map(Value::as_str) {
            out.push(self.warning("remark", remark.to_owned(), None, out.now));
        }
    }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// An issue of the rules or of a model as the front end shows it.
fn warning_of(issue: &Value) -> CheckWarning {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let said = &issue["said"];
    let passage = if said["passage"].is_object() {
        &said["passage"]
    } else {
        said
    };
    let location = text(&issue["location"])
        .or_else(|| text(&passage["sentence"]))
        .or_else(|| text(&issue["quote"]));
    let level = issue["severity"].as_str().unwrap_or("warning");
    CheckWarning {
        level: level.to_lowercase(),
        message: text(&issue["description"]).unwrap_or_default(),
        location: location.unwrap_or_default(),
    }
}
