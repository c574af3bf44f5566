//! Deciding, by example: a session that is driven by commands, and a pipeline that is small enough to be understood at a glance.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the events that it is about"
)]

mod branches;
mod control;
mod edits;
mod laws;
mod leaving_out;
mod messages;
mod opening;
mod runs;

use chrono::TimeDelta;
use domain::Event;
use domain::carry::{Carry, TurnResult, Work};
use domain::event::{ArtifactProduced, Body, Reserve, RunEvent, StepEvent};
use domain::flow::{
    Flow, GateSpec, need, need_each, need_understanding, numbered_items, pass_gate, work_on,
};
use domain::hash::BlobRef;
use domain::ids::{ArtifactId, RunId, StepId};
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::{GateAnswer, Run};
use domain::settings::OnBusy;
use serde_json::{Value, json};
use smol_str::SmolStr;
use std::sync::Arc;

pub(crate) use crate::trial::SessionFixture;
use crate::{Command, Finished, NewBody, Refusal};

/// A plan, a gate when attended, as many parts as the plan says (two at a time, with a closing step), then a letter.
struct Letter;

const PARTS: u32 = 3;

const STAGES: [StageSpec; 3] = [
    StageSpec::named("plan").makes(&["plan"]).revises(&["plan"]),
    StageSpec::named("parts")
        .makes(&["part"])
        .sees(&["plan"])
        .revises(&["part"]),
    StageSpec::named("letter")
        .makes(&["letter"])
        .sees(&["part"])
        .revises(&["letter"]),
];

impl Pipeline for Letter {
    fn name(&self) -> &'static str {
        "letter"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "letter",
            title: "",
            description: "",
            delivers: "letter",
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }
    fn flow(&self, run: &Run) -> Flow {
        let [plan, parts, letter] = &STAGES;
        need_understanding(run)?;
        need(run, plan)?;
        let plan = run.artifact("plan").map(|plan| plan.artifact.clone());
        if run.settings.attended {
            let answer = pass_gate(
                run,
                &|| confirm_plan(plan.clone()),
                "confirm_plan",
                plan.as_ref(),
            )?;
            if matches!(answer, GateAnswer::Declined { .. }) {
                return domain::flow::complete_run(false);
            }
        }
        need_each(
            run,
            parts,
            &work_on(numbered_items(run, "plan", "parts")?).closing("whole"),
        )?;
        need(run, letter)
    }
    fn reserve(&self, _: &Run, stage: &str, _: &str) -> Reserve {
        // The parts are put into an envelope, which costs nothing.
        if stage == "letter" {
            return Reserve::default();
        }
        Reserve {
            calls: 1,
            tokens: 100,
            cost_micros: 0,
        }
    }
    fn carry(&self, _: &Work, _: &[TurnResult]) -> Carry {
        Carry::Done(vec![])
    }
    fn written_in(&self, made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
        let is_written = ["plan", "part"].contains(&made.kind.as_str());
        is_written.then(|| (made.step.stage.clone(), made.step.item.clone()))
    }
    fn skippable(&self, run: &Run, stage: &str) -> Vec<String> {
        if stage == "parts" && run.artifact("plan").is_some() {
            (1..=PARTS).map(|part| part.to_string()).collect()
        } else {
            vec![]
        }
    }
}

fn confirm_plan(subject: Option<ArtifactId>) -> GateSpec {
    GateSpec {
        name: "confirm_plan".into(),
        subject,
        question: "is this the plan?".into(),
        schema: Value::Null,
        options: vec![],
        open_for: Some(TimeDelta::minutes(5)),
        default: json!({ "confirm": false }),
    }
}

impl SessionFixture {
    pub(crate) fn new() -> Self {
        Self::of(Pipelines::new(vec![&Letter]))
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<Vec<Event>, Refusal> {
        self.say_with(text, OnBusy::Enqueue)
    }

    pub(crate) fn say_with(&mut self, text: &str, on_busy: OnBusy) -> Result<Vec<Event>, Refusal> {
        self.send("letter", &format!("m-{text}"), text, on_busy)
    }

    /// The step makes one artifact of this kind out of what its run has of `from`.
    pub(crate) fn make(&mut self, step: &str, kind: &str, from: &str) -> Vec<Event> {
        self.make_with(step, kind, from, Value::Null)
    }

    /// The same, and the step reports what became of what a person wrote.
    fn make_told(&mut self, step: &str, kind: &str, from: &str) {
        self.told = true;
        self.make_with(step, kind, from, Value::Null);
        self.told = false;
    }

    /// The same with further facts in addition to its own.
    fn make_with(&mut self, step: &str, kind: &str, from: &str, beside: Value) -> Vec<Event> {
        let id: StepId = step.parse().unwrap();
        let from = self.session.runs[&id.run]
            .artifacts_of(from)
            .map(|(_, a)| a.artifact.clone())
            .collect();
        // A plan is large and lies beside the log: what follows from it may not depend on that.
        let body = if kind == "plan" {
            Body::Blob {
                blob: BlobRef::of(step.as_bytes()),
                media_type: "application/json".into(),
            }
        } else {
            Body::Event {
                json: Arc::new(json!({ "made": if self.same { &step[2..] } else { step } })),
            }
        };
        let mut facts = beside;
        if kind == "plan" {
            facts["parts"] = json!(PARTS);
        }
        let told = (format!("by_hand:{}:{}", id.stage, id.item), "kept", "kept");
        let told = (
            told.0,
            told.1.to_owned(),
            told.2.to_owned(),
            "rules".to_owned(),
        );
        let new = NewBody {
            part: "".into(),
            kind: kind.into(),
            id_prefix: "art_",
            title: "".into(),
            body,
            facts,
            shown: true,
            from,
        };
        self.finish(
            step,
            Finished::Done {
                files: vec![],
                artifacts: vec![new],
                intent: None,
                decisions: if self.told { vec![told] } else { vec![] },
            },
        )
        .unwrap()
    }

    /// A run from its message to its end.
    pub(crate) fn complete_run(&mut self, text: &str) -> RunId {
        let run = self.session.next_run();
        self.say(text).unwrap();
        self.understood(run, domain::event::Intent::Initial, None);
        self.make(&format!("{run}/plan"), "plan", "");
        self.finish_parts(run);
        run
    }

    pub(crate) fn finish_parts(&mut self, run: RunId) {
        for part in 1..=PARTS {
            self.make(&format!("{run}/parts/{part}"), "part", "plan");
        }
        self.make(&format!("{run}/parts/whole"), "whole", "part");
        self.make(&format!("{run}/letter"), "letter", "part");
    }
}

/// Events as short words: what happened, in which order.
pub(crate) fn words(events: &[Event]) -> Vec<String> {
    events.iter().map(word).collect()
}

fn word(event: &Event) -> String {
    match event {
        Event::Run(RunEvent::StageStarted(e)) => format!("open {}", e.stage),
        Event::Run(RunEvent::StageClosed(e)) => {
            format!("close {} {:?}", e.stage, e.outcome).to_lowercase()
        }
        Event::Step(StepEvent::StepRequested(e)) => format!("ask {}#{}", e.step, e.attempt),
        Event::Step(StepEvent::StepSucceeded(e)) => format!("done {}", e.step),
        Event::Step(StepEvent::StepFailed(e)) => format!("failed {}", e.step),
        Event::Step(StepEvent::StepCancelled(e)) => format!("cancelled {} {}", e.step, e.reason),
        Event::Step(StepEvent::ArtifactProduced(e)) => format!("made {} {}", e.kind, e.number),
        other => other.name().to_owned(),
    }
}
