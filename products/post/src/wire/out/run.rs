//! What the wire remembers of one run, and what its frames have in common.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{
    ArtifactProduced, Body, DecisionMade, RunStarted, StageClosed, StageOutcome, StageStarted,
    StagesReopened, StepCancelled, StepFailed, StepRequested, StepSucceeded,
};
use palimpsest::prelude::wire::{ArtifactId, GateId, Language, OpenRun, RunId, StepId};
use serde_json::Value;
use smol_str::SmolStr;

use super::frames::{Data, PostFrame};
use super::images::Image;
use super::tools::OpenTool;
use super::words::{BEST, END, PIPELINE, PostWords, ROUTE, WISHES};
use crate::pipeline::stage::{self, Stage};
pub(super) use palimpsest::prelude::wire::Now;

/// What was made, as far as later frames need it.
#[derive(Clone, Debug)]
pub(super) struct ProducedArtifact {
    pub(super) artifact: ArtifactId,
    pub(super) kind: SmolStr,
    pub(super) step: StepId,
    /// The content, where it is JSON and was available.
    pub(super) body: Option<Arc<Value>>,
    /// Of a picture: who drew it.
    pub(super) drawn: Option<String>,
}

impl ProducedArtifact {
    pub(super) fn of(e: &ArtifactProduced) -> Self {
        let body = match &e.body {
            Body::Event { json } => Some(Arc::clone(json)),
            Body::Blob { .. } => None,
        };
        Self {
            artifact: e.artifact.clone(),
            kind: e.kind.clone(),
            step: e.step.clone(),
            body,
            drawn: e.facts["drawn"].as_str().map(str::to_owned),
        }
    }
}

/// The attempt that has no outcome yet, and how many attempts there were since the step last counted as not done.
#[derive(Clone, Debug, Default)]
pub(super) struct Tried {
    pub(super) open: Option<u32>,
    pub(super) used: u32,
    /// The failure of the last attempt.
    pub(super) failure: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct RunState {
    /// Whether the run belongs to the pipeline of this wire.
    pub(super) own: bool,
    pub(super) language: PostWords,
    pub(super) attended: bool,
    fast: bool,
    /// How many attempts a step has.
    pub(super) attempts: u32,
    pub(super) brief: String,
    /// Whether the first node has begun.
    has_begun: bool,
    /// Stages whose node has begun and not ended.
    nodes: Vec<String>,
    /// By stage and item.
    pub(super) steps: BTreeMap<(SmolStr, SmolStr), Tried>,
    pub(super) images: BTreeMap<u32, Image>,
    /// The artifacts that count now, by kind and item.
    pub(super) current: BTreeMap<(SmolStr, SmolStr), ProducedArtifact>,
    /// The name of every gate.
    pub(super) gates: BTreeMap<GateId, String>,
    /// How often a person rejected at a gate with a name.
    pub(super) declined: BTreeMap<String, u32>,
    /// Calls of tools so far.
    pub(super) tools: u32,
    pub(super) open_tools: Vec<OpenTool>,
    /// What the system said.
    pub(super) said: Vec<String>,
    /// A supervisor's wishes, and what it told the node that it chose, by the name of the decision.
    wishes: BTreeMap<String, String>,
    /// Whether the intent was reported.
    pub(super) is_detected: bool,
    id: RunId,
}

impl OpenRun for RunState {
    fn is_own(&self) -> bool {
        self.own
    }
}

impl RunState {
    pub(super) fn new(e: &RunStarted) -> Self {
        Self {
            id: e.run,
            own: e.pipeline == PIPELINE,
            language: PostWords(Language::of(&e.settings.language)),
            attended: e.settings.attended,
            fast: e.input["fastMode"].as_bool().unwrap_or(false),
            attempts: e.settings.attempts.max(1),
            brief: e.brief.clone(),
            has_begun: false,
            nodes: vec![],
            steps: BTreeMap::new(),
            images: BTreeMap::new(),
            current: BTreeMap::new(),
            gates: BTreeMap::new(),
            declined: BTreeMap::new(),
            tools: 0,
            open_tools: vec![],
            said: vec![],
            wishes: BTreeMap::new(),
            is_detected: false,
        }
    }

    pub(super) fn id(&self) -> RunId {
        self.id
    }

    pub(super) fn frame(
        &self,
        name: &'static str,
        agent: Option<&'static str>,
        data: Data,
        content: Option<String>,
        now: Now<'_>,
    ) -> PostFrame {
        PostFrame {
            name,
            agent,
            run: None,
            data,
            content,
            timestamp: now.at,
            terminal: false,
        }
    }

    /// The content of the current artifact of this kind.
    pub(super) fn body(&self, kind: &str) -> Option<&Value> {
        let of_kind = self.current.iter().find(|((of, _), _)| of == kind);
        of_kind.and_then(|(_, made)| made.body.as_deref())
    }

    pub(super) fn take_over(&mut self, made: &ProducedArtifact) {
        let key = (made.kind.clone(), made.step.item.clone());
        self.current.insert(key, made.clone());
        self.image_kept(made);
    }

    pub(super) fn stage_started(
        &mut self,
        e: &StageStarted,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        let known = Stage::named(&e.stage);
        if let Some(agent) = node(&e.stage) {
            let data = if self.attended && !self.has_begun {
                let conversation_id = now.session.session.to_string();
                Data::Conversation { conversation_id }
            } else {
                Data::None {}
            };
            self.has_begun = true;
            let text = self.language.starts(agent);
            out.push(self.frame("agent_start", Some(agent), data, Some(text), now));
            self.nodes.push(e.stage.to_string());
        }
        if let Some(stage) = known {
            let part = self.part_before(stage);
            out.push(self.phase(stage, part, now));
        }
        if known == Some(Stage::Images) {
            self.queue_images(e.items, now, out);
        }
    }

    pub(super) fn stage_closed(&mut self, e: &StageClosed, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let known = Stage::named(&e.stage);
        if known == Some(Stage::Images) {
            self.images_closed(e.outcome, now, out);
        }
        self.end_node(&e.stage, Some(e.outcome), now, out);
        if known == Some(Stage::Post) && e.outcome == StageOutcome::Completed {
            out.push(self.phase(Stage::Post, 1.0, now));
        }
    }

    fn end_node(
        &mut self,
        stage: &str,
        outcome: Option<StageOutcome>,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        let place = self.nodes.iter().position(|open| open == stage);
        let (Some(place), Some(agent)) = (place, node(stage)) else {
            return;
        };
        self.cut_off_tools(|step| step.stage == stage, now, out);
        self.nodes.remove(place);
        let text = self.language.ends(agent, outcome);
        out.push(self.frame("agent_end", Some(agent), Data::None {}, Some(text), now));
    }

    /// Closes everything that is open: nothing more will follow.
    pub(super) fn close(&mut self, now: Now<'_>, out: &mut Vec<PostFrame>) {
        self.cut_off_tools(|_| true, now, out);
        for stage in self.nodes.clone() {
            self.end_node(&stage, None, now, out);
        }
    }

    fn phase(&self, stage: Stage, progress: f64, now: Now<'_>) -> PostFrame {
        let data = Data::Progress {
            phase: stage.name(),
            progress,
            current_agent: stage.agent(),
        };
        let text = self.language.stage(stage);
        self.frame(
            "workflow_progress",
            Some(stage.agent()),
            data,
            Some(text),
            now,
        )
    }

    /// The share of the stages that come before this one, rounded to the hundredth.
    fn part_before(&self, stage: Stage) -> f64 {
        let left_out = [Stage::Brief, Stage::Layout, Stage::Review];
        let counts = |one: &Stage| !(self.fast && left_out.contains(one));
        let all = Stage::ALL.into_iter().filter(counts).count();
        let before = Stage::ALL.into_iter().filter(counts);
        let before = before.filter(|one| *one < stage).count();
        (before as f64 / all as f64 * 100.0).round() / 100.0
    }

    pub(super) fn step_requested(
        &mut self,
        e: &StepRequested,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        let tried = self.tried(&e.step);
        tried.open = Some(e.attempt);
        tried.used += 1;
        let (used, failure) = (tried.used, tried.failure.take());
        if e.step.stage == Stage::Images.name() {
            self.image_requested(&e.step, now, out);
        } else if let (Some(failure), Some(agent)) = (failure, node(&e.step.stage)) {
            let text = self.language.tries_again(agent, used, &failure);
            out.push(self.frame("progress", Some(agent), Data::None {}, Some(text), now));
        }
    }

    pub(super) fn tried(&mut self, step: &StepId) -> &mut Tried {
        let key = (step.stage.clone(), step.item.clone());
        self.steps.entry(key).or_default()
    }

    pub(super) fn step_succeeded(
        &mut self,
        e: &StepSucceeded,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        if self.ends_attempt(&e.step, e.attempt) {
            self.cut_off_tools(|step| *step == e.step, now, out);
        }
    }

    pub(super) fn step_failed(&mut self, e: &StepFailed, now: Now<'_>, out: &mut Vec<PostFrame>) {
        if !self.ends_attempt(&e.step, e.attempt) {
            return;
        }
        let attempts = self.attempts;
        let tried = self.tried(&e.step);
        tried.failure = Some(e.message.clone());
        let is_final = !e.retryable || tried.used >= attempts;
        self.cut_off_tools(|step| *step == e.step, now, out);
        if is_final && e.step.stage == Stage::Images.name() {
            self.image_failed(&e.step, &e.message, now, out);
        }
    }

    pub(super) fn step_cancelled(
        &mut self,
        e: &StepCancelled,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        if self.ends_attempt(&e.step, e.attempt) {
            let tried = self.tried(&e.step);
            tried.used = tried.used.saturating_sub(1);
            self.cut_off_tools(|step| *step == e.step, now, out);
        }
    }

    fn ends_attempt(&mut self, step: &StepId, attempt: u32) -> bool {
        let tried = self.tried(step);
        let is_open = tried.open == Some(attempt);
        if is_open {
            tried.open = None;
        }
        is_open
    }

    /// Whether a step made this artifact; otherwise a person made it from an earlier version.
    pub(super) fn is_of_step(&self, e: &ArtifactProduced) -> bool {
        let key = (e.step.stage.clone(), e.step.item.clone());
        let tried = self.steps.get(&key);
        tried.is_some_and(|tried| tried.open == Some(e.attempt))
    }

    pub(super) fn stages_reopened(
        &mut self,
        e: &StagesReopened,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        self.cut_off_tools(|step| e.steps.contains(step), now, out);
        for step in &e.steps {
            *self.tried(step) = Tried::default();
        }
        self.current.retain(|_, made| !falls(&made.step, &e.steps));
        self.images_reopened(&e.steps);
        let mut agents: Vec<&'static str> = vec![];
        for stage in Stage::ALL {
            let is_among = e.stages.iter().any(|name| name == stage.name());
            if is_among && stage != Stage::Post && !agents.contains(&stage.agent()) {
                agents.push(stage.agent());
            }
        }
        if !agents.is_empty() {
            let text = self.language.goes_back(&agents, &e.reason);
            let agent = Some(stage::SUPERVISOR);
            out.push(self.frame("progress", agent, Data::None {}, Some(text), now));
        }
    }

    pub(super) fn decided(&mut self, e: &DecisionMade, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let agent = Some(stage::SUPERVISOR);
        if WISHES.iter().any(|wish| e.what.starts_with(wish)) {
            self.wishes.insert(e.what.clone(), e.choice.clone());
        } else if let Some(number) = e.what.strip_prefix(ROUTE) {
            let wish = |what: &str| self.wishes.get(&format!("{what}{number}"));
            // A wish that was not followed gave no instructions to any node.
            let [wished, context, focus] = WISHES;
            let followed = wish(wished) == Some(&e.choice);
            let focus = wish(focus).filter(|_| followed);
            let focus = focus.and_then(|areas| serde_json::from_str(areas).ok());
            let target = Stage::named(&e.choice).map(Stage::agent);
            let decision = target.unwrap_or(if e.choice == END { END } else { &e.choice });
            let data = Data::Decision {
                decision: decision.to_owned(),
                reason: e.reason.clone(),
                by: e.by.clone(),
                context_from_previous: wish(context).filter(|_| followed).cloned(),
                focus_areas: focus.unwrap_or_default(),
            };
            out.push(self.frame("supervisor_decision", agent, data, None, now));
        } else if e.what == BEST {
            let text = self.language.best(&e.choice);
            out.push(self.frame("progress", agent, Data::None {}, Some(text), now));
        }
    }

    pub(super) fn declined_at(&mut self, gate: &GateId) {
        if let Some(name) = self.gates.get(gate) {
            *self.declined.entry(name.clone()).or_default() += 1;
        }
    }
}

/// Whether a step is among these, even if it belongs to another run: what was taken over is invalidated, too.
fn falls(step: &StepId, fallen: &[StepId]) -> bool {
    let same = |one: &StepId| (&one.stage, &one.item) == (&step.stage, &step.item);
    fallen.iter().any(same)
}

/// The node of a stage; `None` for stages that are not shown to clients.
pub(super) fn node(name: &str) -> Option<&'static str> {
    if name.starts_with(stage::SUPERVISE) {
        return Some(stage::SUPERVISOR);
    }
    let stage = Stage::named(name)?;
    (stage != Stage::Post).then(|| stage.agent())
}
