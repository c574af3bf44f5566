//! What the wire remembers of one run, and what its frames have in common.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{
    ArtifactProduced, DecisionMade, RunStarted, StageClosed, StageOutcome, StageStarted,
    StagesReopened, StepRequested,
};
use palimpsest::prelude::wire::{
    ArtifactId, GateId, Language, NextAttempt, Now, RunBook, StepId, held_content,
};
use serde_json::Value;
use smol_str::SmolStr;

use super::ends::LeftPost;
use super::fold::Out;
use super::frames::{Data, PostFrame};
use super::images::Image;
use super::words::{BEST, PIPELINE, PostWords, ROUTE, WISHES};
use crate::pipeline::stage::{self, PostAgent, Stage};

/// What was made, as far as later frames need it.
#[derive(Clone, Debug)]
pub(crate) struct ProducedArtifact {
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
        Self {
            artifact: e.artifact.clone(),
            kind: e.kind.clone(),
            step: e.step.clone(),
            body: held_content(e).cloned(),
            drawn: e.facts["drawn"].as_str().map(str::to_owned),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    pub(super) book: RunBook,
    pub(super) language: PostWords,
    fast: bool,
    pub(super) brief: String,
    /// Whether the first node has begun.
    has_begun: bool,
    /// Stages whose node has begun and not ended.
    nodes: Vec<String>,
    pub(super) images: BTreeMap<u32, Image>,
    /// The artifacts that count now, by kind and item.
    pub(super) current: BTreeMap<(SmolStr, SmolStr), ProducedArtifact>,
    /// The name of every gate.
    pub(super) gates: BTreeMap<GateId, String>,
    /// How often a person rejected at a gate with a name.
    pub(super) declined: BTreeMap<String, u32>,
    /// What the system said.
    pub(super) said: Vec<String>,
    /// What the session has when the run ends: its own post, or the one from before where it made none.
    pub(super) standing: Option<LeftPost>,
    /// A supervisor's wishes, and what it told the node that it chose, by the name of the decision.
    wishes: BTreeMap<String, String>,
    /// Whether the intent was reported.
    pub(super) is_detected: bool,
}

impl RunState {
    pub(super) fn new(e: &RunStarted) -> Self {
        Self {
            book: RunBook::new(e, e.pipeline == PIPELINE),
            language: PostWords(Language::of(&e.settings.language)),
            fast: e.input["fastMode"].as_bool().unwrap_or(false),
            brief: e.brief.clone(),
            ..Self::default()
        }
    }

    pub(super) fn frame(
        &self,
        name: &'static str,
        agent: Option<PostAgent>,
        data: Data,
        content: Option<String>,
        now: Now<'_>,
    ) -> PostFrame {
        PostFrame {
            name,
            agent: agent.map(|agent| agent.name),
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

    pub(super) fn stage_started(&mut self, e: &StageStarted, out: &mut Out<'_>) {
        let known = Stage::named(&e.stage);
        if let Some(agent) = node(&e.stage) {
            let data = if self.book.attended && !self.has_begun {
                let conversation_id = out.now.session.session.to_string();
                Data::Conversation { conversation_id }
            } else {
                Data::None {}
            };
            self.has_begun = true;
            let text = self.language.starts(agent);
            out.push(self.frame("agent_start", Some(agent), data, Some(text), out.now));
            self.nodes.push(e.stage.to_string());
        }
        if let Some(stage) = known {
            let part = Stage::share(self.fast, |before| before < stage);
            out.push(self.phase(stage, part, out.now));
        }
        if known == Some(Stage::Images) {
            self.queue_images(e.items, out);
        }
    }

    pub(super) fn stage_closed(&mut self, e: &StageClosed, out: &mut Out<'_>) {
        let known = Stage::named(&e.stage);
        if known == Some(Stage::Images) {
            self.images_closed(e.outcome, out);
        }
        self.end_node(&e.stage, Some(e.outcome), out);
        if known == Some(Stage::Post) && e.outcome == StageOutcome::Completed {
            out.push(self.phase(Stage::Post, 1.0, out.now));
        }
    }

    fn end_node(&mut self, stage: &str, outcome: Option<StageOutcome>, out: &mut Out<'_>) {
        let place = self.nodes.iter().position(|open| open == stage);
        let (Some(place), Some(agent)) = (place, node(stage)) else {
            return;
        };
        self.cut_off_tools(|step| step.stage == stage, out);
        self.nodes.remove(place);
        let text = self.language.ends(agent, outcome);
        out.push(self.frame("agent_end", Some(agent), Data::None {}, Some(text), out.now));
    }

    /// Closes everything that is open: nothing more will follow.
    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        for stage in self.nodes.clone() {
            self.end_node(&stage, None, out);
        }
    }

    fn phase(&self, stage: Stage, progress: f64, now: Now<'_>) -> PostFrame {
        let data = Data::Progress {
            phase: stage.name,
            progress,
            current_agent: stage.agent().name,
        };
        let (agent, text) = (Some(stage.agent()), self.language.stage(stage));
        self.frame("workflow_progress", agent, data, Some(text), now)
    }

    pub(super) fn step_requested(
        &mut self,
        e: &StepRequested,
        retry: NextAttempt,
        out: &mut Out<'_>,
    ) {
        if e.step.stage == Stage::Images.name {
            self.image_requested(&e.step, out);
        } else if let (Some(failure), Some(agent)) = (retry.failure, node(&e.step.stage)) {
            let text = self
                .language
                .tries_again(agent, retry.tries, &failure.message);
            out.push(self.frame("progress", Some(agent), Data::None {}, Some(text), out.now));
        }
    }

    pub(super) fn stages_reopened(&mut self, e: &StagesReopened, out: &mut Out<'_>) {
        self.cut_off_tools(|step| e.steps.contains(step), out);
        self.current.retain(|_, made| !falls(&made.step, &e.steps));
        self.images_reopened(&e.steps);
        let mut agents: Vec<PostAgent> = vec![];
        for stage in Stage::ALL {
            let is_among = e.stages.iter().any(|name| name == stage.name);
            if is_among && stage != Stage::Post && !agents.contains(&stage.agent()) {
                agents.push(stage.agent());
            }
        }
        if !agents.is_empty() {
            let text = self.language.goes_back(&agents, &e.reason);
            let agent = Some(stage::SUPERVISOR);
            out.push(self.frame("progress", agent, Data::None {}, Some(text), out.now));
        }
    }

    pub(super) fn decided(&mut self, e: &DecisionMade, out: &mut Out<'_>) {
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
            let target = Stage::named(&e.choice).map(|stage| stage.agent().name);
            let decision = target.unwrap_or(&e.choice);
            let data = Data::Decision {
                decision: decision.to_owned(),
                reason: e.reason.clone(),
                by: e.by.clone(),
                context_from_previous: wish(context).filter(|_| followed).cloned(),
                focus_areas: focus.unwrap_or_default(),
            };
            out.push(self.frame("supervisor_decision", agent, data, None, out.now));
        } else if e.what == BEST {
            let text = self.language.best(&e.choice);
            out.push(self.frame("progress", agent, Data::None {}, Some(text), out.now));
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
pub(super) fn node(name: &str) -> Option<PostAgent> {
    if name.starts_with(stage::SUPERVISE) {
        return Some(stage::SUPERVISOR);
    }
    let stage = Stage::named(name)?;
    (stage != Stage::Post).then(|| stage.agent())
}
