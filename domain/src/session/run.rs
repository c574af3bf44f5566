//! One execution of a pipeline: its stages, steps, gates, budget and clock, and what flows ask about it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use super::gate::{Gate, GateAnswer};
use super::step::{Step, StepState};
use crate::event::{
    ArtifactEdited, ArtifactProduced, BUDGET_GATE, DecisionMade, IntentClassified,
    RefinementRequested, Reserve,
};
use crate::ids::{ArtifactId, GateId, MessageId, RunId, StepId};
use crate::settings::{Budget, Settings};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum End {
    Completed {
        final_artifact: Option<ArtifactId>,
        partial: bool,
    },
    Failed {
        code: String,
        message: String,
    },
    Cancelled {
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageState {
    Open,
    Completed,
    Failed,
    Cancelled,
    Reopened,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    pub state: StageState,
    pub items: u32,
    /// How often it was reopened.
    pub reopened: u32,
}

/// What a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: u64,
    /// Milliseconds that calls took, added up also where calls were made at the same time. The time between calls does not count, such as
    /// the time in which a person thinks, in which the machine is off, or which has passed since the point that was forked from.
    pub working_ms: u64,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cost_micros += other.cost_micros;
        self.working_ms += other.working_ms;
    }
}

/// One execution of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub pipeline: SmolStr,
    pub base_run: Option<RunId>,
    pub message: Option<MessageId>,
    pub brief: String,
    pub input: Value,
    pub settings: Arc<Settings>,
    pub started_at: DateTime<Utc>,
    pub end: Option<End>,
    pub intent: Option<IntentClassified>,
    pub refinement: Option<RefinementRequested>,
    /// What a person wrote, where the run is an edit by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<Arc<ArtifactEdited>>,
    pub stages: IndexMap<SmolStr, Stage>,
    /// By stage and item.
    pub steps: BTreeMap<SmolStr, BTreeMap<SmolStr, Step>>,
    pub gates: IndexMap<GateId, Gate>,
    pub decisions: Vec<DecisionMade>,
    /// The artifacts that count now, by kind and item: made here, or taken over and not redone.
    pub current: BTreeMap<SmolStr, BTreeMap<SmolStr, Arc<ArtifactProduced>>>,
    /// The answers that were given in earlier runs of the session to questions that are not about an artifact, by the gate's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answered_before: BTreeMap<String, GateAnswer>,
    /// The names of such questions that were asked in earlier runs, answered or not.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asked_before: BTreeSet<String>,
    /// What a reopened stage is told.
    pub feedback: BTreeMap<SmolStr, String>,
    pub budget: Budget,
    pub spent: Spent,
    /// Answers of models that were rejected.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rejected: u64,
    /// Whether the models of this run wrote so little that was accepted that what follows is asked for once: a rejection costs another call,
    /// and the next answer is no better. What is left is then accepted as far as it can be, with what is wrong with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_once: bool,
    /// Models that cannot work at present, each with the time until which it is not asked if there is another model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub closed_models: BTreeMap<SmolStr, DateTime<Utc>>,
}

/// The rejected answers from which on a run asks once where they are half of all: two for each of two steps.
const REJECTED_MAX: u64 = 4;

/// Whether so many of these calls were rejected that a run asks once; see [`Run::asks_once`].
pub fn mostly_rejected(rejected: u64, calls: u64) -> bool {
    rejected >= REJECTED_MAX && rejected * 2 >= calls
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The choice that leaves an item out, and the choice that takes the item in again.
pub const SKIP: &str = "skip";
pub const DO: &str = "do";

/// What the decisions about leaving items out begin with.
const SKIPPING: &str = "skip:";

/// What the decision about leaving an item out is called.
pub fn skipping(stage: &str, item: &str) -> String {
    format!("{SKIPPING}{stage}:{item}")
}

impl Run {
    pub fn is_active(&self) -> bool {
        self.end.is_none()
    }

    /// Whether the run ended before everything was made: failed, cancelled, or complete only in part.
    pub fn stopped_early(&self) -> bool {
        match &self.end {
            None => false,
            Some(End::Completed { partial, .. }) => *partial,
            Some(End::Failed { .. } | End::Cancelled { .. }) => true,
        }
    }

    pub fn step(&self, stage: &str, item: &str) -> Option<&Step> {
        self.steps.get(stage)?.get(item)
    }

    pub fn stage(&self, stage: &str) -> Option<&Stage> {
        self.stages.get(stage)
    }

    /// Whether the artifact that this item of the stage makes was taken over from the base run.
    pub fn took_over(&self, stage: &str, item: &str) -> bool {
        self.step(stage, item).is_none() && self.has_what_it_makes(stage, item)
    }

    /// Whether an artifact that counts now comes from this item of the stage, in whatever run.
    pub(crate) fn has_what_it_makes(&self, stage: &str, item: &str) -> bool {
        let of_it = |a: &Arc<ArtifactProduced>| a.step.stage == stage && a.step.item == item;
        self.artifacts().any(of_it)
    }

    /// What a person wrote for this step to leave.
    pub fn written_for(&self, stage: &str, item: &str) -> Option<&ArtifactEdited> {
        let edit = self.edit.as_deref()?;
        ((edit.step.stage.as_str(), edit.step.item.as_str()) == (stage, item)).then_some(edit)
    }

    /// Whether this step needs nothing more: it succeeded, or its work was taken over.
    pub fn has_step(&self, stage: &str, item: &str) -> bool {
        match self.step(stage, item) {
            Some(step) => step.state == StepState::Succeeded,
            None => self.has_what_it_makes(stage, item),
        }
    }

    /// All artifacts that count now.
    pub fn artifacts(&self) -> impl Iterator<Item = &Arc<ArtifactProduced>> {
        self.current.values().flat_map(BTreeMap::values)
    }

    /// The ids of all artifacts that count now.
    pub fn artifact_ids(&self) -> Vec<ArtifactId> {
        self.artifacts().map(|a| a.artifact.clone()).collect()
    }

    /// The artifact of this kind that counts now; the first item's where there are several.
    pub fn artifact(&self, kind: &str) -> Option<&Arc<ArtifactProduced>> {
        self.current.get(kind)?.values().next()
    }

    /// All artifacts of this kind that count now, by item.
    pub fn artifacts_of<'a>(
        &'a self,
        kind: &str,
    ) -> impl Iterator<Item = (&'a str, &'a Arc<ArtifactProduced>)> {
        self.current
            .get(kind)
            .into_iter()
            .flatten()
            .map(|(item, artifact)| (item.as_str(), artifact))
    }

    /// What a flow may read of the content of the artifact of this kind. The content itself is not part of the state, since it may be
    /// stored beside the log.
    pub fn facts(&self, kind: &str) -> Option<&Value> {
        self.artifact(kind).map(|artifact| &artifact.facts)
    }

    /// Steps that have been requested and have no outcome.
    pub fn open_steps(&self) -> impl Iterator<Item = (&str, &str, &Step)> {
        let steps = self.steps.iter();
        steps.flat_map(|(stage, items)| {
            items
                .iter()
                .filter(|(_, step)| step.is_open())
                .map(move |(item, step)| (stage.as_str(), item.as_str(), step))
        })
    }

    /// Whether the run waits only for a person: every open step has a question of its own.
    pub fn is_waiting(&self) -> bool {
        let waits = |stage: &str, item: &str| {
            let asks = |step: &StepId| step.stage == stage && step.item == item;
            self.open_gates()
                .any(|gate| gate.opened.step.as_ref().is_some_and(asks))
        };
        self.is_active()
            && self.open_gates().next().is_some()
            && self.open_steps().all(|(stage, item, _)| waits(stage, item))
    }

    /// Questions that steps have asked in this run.
    pub fn asked_by_steps(&self) -> usize {
        let gates = self.gates.values();
        gates.filter(|gate| gate.opened.step.is_some()).count()
    }

    /// The gate of this name about this subject that was opened last. If a person edited the subject when confirming it, the gate is also
    /// found by the edited version.
    pub fn gate(&self, name: &str, subject: Option<&ArtifactId>) -> Option<&Gate> {
        let is_about = |gate: &&Gate| {
            let edited = match &gate.answer {
                Some(GateAnswer::Confirmed { edits, .. }) => edits.as_ref(),
                Some(GateAnswer::Declined { .. } | GateAnswer::Given { .. }) | None => None,
            };
            gate.opened.name == name
                && (gate.opened.subject.as_ref() == subject
                    || edited.is_some() && edited == subject)
        };
        self.gates.values().rev().find(is_about)
    }

    /// The answers to questions that are not about an artifact, by the gate's name: in earlier runs of the session, then in this one.
    pub fn questions(&self) -> impl Iterator<Item = (&str, &GateAnswer)> {
        let before = self.answered_before.iter();
        let before = before.map(|(name, answer)| (name.as_str(), answer));
        before.chain(self.questions_here())
    }

    /// The last answer to a question of this name that is not about an artifact.
    pub fn answer_to(&self, name: &str) -> Option<&GateAnswer> {
        let named = self.questions().filter(|(of, _)| *of == name);
        named.map(|(_, answer)| answer).last()
    }

    fn questions_here(&self) -> impl Iterator<Item = (&str, &GateAnswer)> {
        let asked = self.asked_here();
        asked.filter_map(|gate| Some((gate.opened.name.as_str(), gate.answer.as_ref()?)))
    }

    fn asked_here(&self) -> impl Iterator<Item = &Gate> {
        let asked = self.gates.values();
        asked.filter(|gate| gate.opened.subject.is_none() && gate.opened.name != BUDGET_GATE)
    }

    /// The names of the questions not about an artifact that were asked in the session up to the end of this run.
    pub fn asked_so_far(&self) -> BTreeSet<String> {
        let here = self.asked_here().map(|gate| gate.opened.name.clone());
        self.asked_before.iter().cloned().chain(here).collect()
    }

    /// How often a person declined what this gate asks about.
    pub fn times_declined(&self, name: &str) -> usize {
        let gates = self.gates.values().filter(|gate| gate.opened.name == name);
        gates
            .filter(|gate| matches!(gate.answer, Some(GateAnswer::Declined { .. })))
            .count()
    }

    /// Whether a person said that this item of the stage is to be left out.
    pub fn is_skipped(&self, stage: &str, item: &str) -> bool {
        let names = |what: &str| {
            let of_stage = what.strip_prefix(SKIPPING)?.strip_prefix(stage)?;
            Some(of_stage.strip_prefix(':')? == item)
        };
        let mut latest_first = self.decisions.iter().rev();
        let said = latest_first.find(|decision| names(&decision.what) == Some(true));
        said.is_some_and(|decision| decision.choice == SKIP)
    }

    /// The stages and items that a person wants left out.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &str)> {
        let skips = self.decisions.iter().filter(|d| d.choice == SKIP);
        let items = skips.filter_map(|d| d.what.strip_prefix(SKIPPING)?.split_once(':'));
        items.filter(|(stage, item)| self.is_skipped(stage, item))
    }

    pub fn open_gates(&self) -> impl Iterator<Item = &Gate> {
        self.gates.values().filter(|gate| gate.answer.is_none())
    }

    pub fn decision(&self, what: &str) -> Option<&DecisionMade> {
        self.decisions.iter().rev().find(|d| d.what == what)
    }

    /// What a person wants changed at this stage: the feedback of a refinement whose target is this stage or an earlier
    /// one, which is every stage that is redone; or the feedback of a reopening.
    pub fn feedback_for(&self, stage: &str) -> Option<&str> {
        let refinement = || self.refinement.as_ref().map(|r| r.feedback.as_str());
        self.feedback
            .get(stage)
            .map(String::as_str)
            .or_else(refinement)
    }

    /// What open steps hold back from the budget.
    pub fn reserved(&self) -> Reserve {
        let mut total = Reserve::default();
        for (_, _, step) in self.open_steps() {
            total += step.reserve;
        }
        total
    }

    /// Whether the budget allows this much more, in addition to what was used and what is held back, and working time is left.
    pub fn can_afford(&self, more: Reserve) -> bool {
        let held = self.reserved();
        let tokens = self.spent.input_tokens + self.spent.output_tokens;
        self.spent.calls + held.calls + more.calls <= self.budget.calls
            && tokens + held.tokens + more.tokens <= self.budget.tokens
            && self.spent.cost_micros + held.cost_micros + more.cost_micros
                <= self.budget.cost_micros
            && self.spent.working_ms < self.budget.working_ms
    }
}
