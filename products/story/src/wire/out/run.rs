//! What the wire remembers of one run, and the frames of its stages, steps and pauses.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::event::{
    BUDGET_GATE, GateOpened, ModelCalled, RunStarted, StageClosed, StageOutcome, StageStarted,
    StagesReopened, StepFailed, StepRequested, ToolCalled, ToolReturned,
};
use palimpsest::prelude::wire::{GateId, Now, OpenTool, RunBook, StepId};
use serde_json::Value;
use smol_str::SmolStr;

use super::fold::Out;
use super::frames::{AskOption, ChainOutput, Data, SkillName, StoryFrame, ThoughtStage};
use super::lanes::run_name;
use super::words::{PIPELINE, StoryWords, status_of};
use crate::pipeline::shape::{Input, Route};
use crate::pipeline::stage::Stage;
use crate::readings::routing::{Agent, Workflow, skills};

/// A stage in which an agent works.
#[derive(Clone, Debug)]
struct AgentAtWork {
    agent: Agent,
    stage: Stage,
    since: DateTime<Utc>,
}

/// Everything that a thought may say in addition to its stage and its words.
#[derive(Clone, Debug, Default)]
pub(super) struct Details {
    pub(super) agent: Option<Agent>,
    pub(super) step: Option<u32>,
    pub(super) task: Option<SmolStr>,
    pub(super) task_count: Option<u32>,
    pub(super) status: Option<&'static str>,
    pub(super) latency_ms: Option<i64>,
    pub(super) attempt: Option<u32>,
    pub(super) skills: Vec<SkillName>,
    pub(super) selection: Value,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    pub(super) book: RunBook,
    pub(super) language: StoryWords,
    brief: String,
    input: Input,
    pub(super) route: Option<Route>,
    /// Why the last attempt of a stage failed.
    pub(super) failures: BTreeMap<Stage, String>,
    /// The agent that works.
    at_work: Option<AgentAtWork>,
    /// What the search found, as the writer's skills are chosen by it.
    pub(super) found: Vec<String>,
    /// What the agents of a chain made, in their order.
    pub(super) outputs: BTreeMap<Stage, ChainOutput>,
    /// The options among which a person may choose.
    pub(super) options: Vec<AskOption>,
    pub(super) is_checked: bool,
    pub(super) is_proposed: bool,
    named_unknown_skills: bool,
    /// Pauses that have not ended.
    gates: Vec<GateId>,
    is_paused: bool,
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    /// The time since when it is at work, and the milliseconds of work before its last pause.
    since: DateTime<Utc>,
    worked_ms: i64,
}

impl RunState {
    pub(super) fn new(e: &RunStarted, now: Now<'_>) -> Self {
        Self {
            book: RunBook::new(e, e.pipeline == PIPELINE),
            language: StoryWords::of(&e.settings.language),
            brief: e.brief.clone(),
            // An input that does not fit was refused before, so nothing is said about it here.
            input: Input::read(&e.input).unwrap_or_default(),
            since: now.at,
            ..Self::default()
        }
    }

    pub(super) fn frame(&self, name: &'static str, data: Data, now: Now<'_>) -> StoryFrame {
        StoryFrame {
            name,
            data,
            run: run_name(now.session.session.as_str(), self.book.id),
            timestamp: now.at,
            terminal: false,
        }
    }

    pub(super) fn thought(
        &self,
        stage: ThoughtStage,
        message: String,
        details: Details,
        now: Now<'_>,
    ) -> StoryFrame {
        let kind = match stage {
            ThoughtStage::WorkflowPreprocessing | ThoughtStage::PreprocessingTaskCompleted => "rag",
            ThoughtStage::SkillsActivated => "skill",
            ThoughtStage::Routing
            | ThoughtStage::AgentStarted
            | ThoughtStage::AttemptStarted
            | ThoughtStage::AgentCompleted
            | ThoughtStage::OutlineRangePlanned
            | ThoughtStage::Selection => "thinking",
        };
        let data = Data::Thought {
            stage,
            kind,
            agent: details.agent,
            message,
            step: details.step,
            task: details.task,
            task_count: details.task_count,
            status: details.status,
            latency_ms: details.latency_ms,
            attempt: details.attempt,
            skills: details.skills,
            selection: details.selection,
        };
        self.frame("thought", data, now)
    }

    pub(super) fn warning(
        &self,
        kind: &'static str,
        message: String,
        task: Option<SmolStr>,
        now: Now<'_>,
    ) -> StoryFrame {
        let data = Data::Warning {
            kind,
            message,
            task,
        };
        self.frame("warning", data, now)
    }

    /// The milliseconds in which it was at work so far.
    pub(super) fn worked_ms(&self, now: Now<'_>) -> i64 {
        if self.is_paused {
            return self.worked_ms;
        }
        self.worked_ms + between_ms(self.since, now.at)
    }

    fn workflow(&self) -> Option<Workflow> {
        self.route.as_ref().map(|route| route.workflow)
    }

    /// Whether its preprocessing is sent.
    fn tells_preprocessing(&self) -> bool {
        self.workflow() != Some(Workflow::SimpleAgent)
    }

    /// Who works in this stage.
    pub(super) fn agent_of(&self, stage: Stage) -> Option<Agent> {
        if stage == Stage::Check {
            return Some(Agent::Consistency);
        }
        let place = stage.place_of_agent()?;
        self.route.as_ref()?.agents.get(place).copied()
    }

    pub(super) fn stage_started(&mut self, e: &StageStarted, out: &mut Out<'_>) {
        let Some(stage) = Stage::named(&e.stage) else {
            return;
        };
        match stage {
            Stage::Prepare if self.tells_preprocessing() => {
                let details = Details {
                    task_count: Some(e.items),
                    ..Details::default()
                };
                let text = self.language.prepares(e.items);
                out.push(self.thought(ThoughtStage::WorkflowPreprocessing, text, details, out.now));
            }
            Stage::Act | Stage::Write => self.agent_started(stage, out),
            Stage::Check => {
                let data = Data::Checking {
                    agent: Agent::Consistency,
                    message: self.language.checking(),
                };
                self.is_checked = false;
                out.push(self.frame("processing_check", data, out.now));
            }
            Stage::Route | Stage::Prepare | Stage::Keep | Stage::Deliver => {}
        }
    }

    fn agent_started(&mut self, stage: Stage, out: &mut Out<'_>) {
        let Some(agent) = self.agent_of(stage) else {
            return;
        };
        self.tell_skills(agent, out);
        self.at_work = Some(AgentAtWork {
            agent,
            stage,
            since: out.now.at,
        });
        let passage = self.route.as_ref().and_then(|route| route.passage);
        let details = Details {
            agent: Some(agent),
            step: Some(step_number(stage)),
            task: passage.map(|task| task.as_str().into()),
            ..Details::default()
        };
        let text = self.language.agent_starts(agent);
        out.push(self.thought(ThoughtStage::AgentStarted, text, details, out.now));
    }

    /// Sends the skills of the writer, chosen as the pipeline chooses them, and the names from the client that are not skills.
    fn tell_skills(&mut self, agent: Agent, out: &mut Out<'_>) {
        let scene = self.input.scene_type.as_deref();
        let chosen = skills(&self.brief, scene, &self.found, &self.input.skills);
        if !self.named_unknown_skills {
            self.named_unknown_skills = true;
            for name in &chosen.unknown {
                let text = self.language.unknown_skill(name);
                out.push(self.warning("skill", text, None, out.now));
            }
        }
        if agent != Agent::Writer || chosen.active.is_empty() {
            return;
        }
        let chinese = self.language.is_chinese();
        let skills: Vec<SkillName> = chosen
            .active
            .iter()
            .map(|active| SkillName {
                id: active.skill.id,
                name: active.skill.name(chinese),
                trigger: active.trigger,
            })
            .collect();
        let names: Vec<&str> = skills.iter().map(|skill| skill.name).collect();
        let text = self.language.skills(&names);
        let details = Details {
            agent: Some(agent),
            skills,
            ..Details::default()
        };
        out.push(self.thought(ThoughtStage::SkillsActivated, text, details, out.now));
    }

    pub(super) fn stage_closed(&mut self, e: &StageClosed, out: &mut Out<'_>) {
        let Some(stage) = Stage::named(&e.stage) else {
            return;
        };
        match stage {
            Stage::Act | Stage::Write => self.agent_ended(stage, Some(e.outcome), out),
            Stage::Check => self.check_closed(e.outcome, out),
            Stage::Keep if !self.is_proposed && e.outcome != StageOutcome::Cancelled => {
                let why = self.failure(Stage::Keep);
                let text = self.language.not_proposed(&why);
                out.push(self.warning("proposal", text, None, out.now));
            }
            Stage::Route | Stage::Prepare | Stage::Keep | Stage::Deliver => {}
        }
    }

    /// Why this stage made nothing.
    pub(super) fn failure(&self, stage: Stage) -> String {
        let known = self.failures.get(&stage).cloned();
        known.unwrap_or_else(|| self.language.no_reason().to_owned())
    }

    fn agent_ended(&mut self, stage: Stage, outcome: Option<StageOutcome>, out: &mut Out<'_>) {
        let is_its = |at_work: &AgentAtWork| at_work.stage == stage;
        let Some(ended) = self.at_work.take_if(|at_work| is_its(at_work)) else {
            return;
        };
        for tool in self.book.cut_off_tools(|step| step.stage == stage.name) {
            self.tool_cut_off(tool, out);
        }
        let agent = ended.agent;
        if outcome == Some(StageOutcome::Failed) {
            let failed = ChainOutput {
                agent_name: agent,
                content: String::new(),
                success: false,
                error_message: Some(self.failure(stage)),
                executed_at: out.now.ms(),
                structure: Value::Null,
            };
            self.outputs.insert(stage, failed);
        }
        let details = Details {
            agent: Some(agent),
            status: Some(status_of(outcome)),
            latency_ms: Some(between_ms(ended.since, out.now.at)),
            ..Details::default()
        };
        let text = self.language.agent_ends(agent, outcome);
        out.push(self.thought(ThoughtStage::AgentCompleted, text, details, out.now));
    }

    /// Closes what is open: nothing more will follow.
    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        if let Some(stage) = self.at_work.as_ref().map(|at_work| at_work.stage) {
            self.agent_ended(stage, None, out);
        }
    }

    pub(super) fn stages_reopened(&mut self, e: &StagesReopened) {
        for step in &e.steps {
            if let Some(stage) = Stage::named(&step.stage) {
                self.outputs.remove(&stage);
                self.failures.remove(&stage);
            }
        }
    }

    pub(super) fn step_requested(&mut self, e: &StepRequested, out: &mut Out<'_>) {
        let Some(stage) = Stage::named(&e.step.stage) else {
            return;
        };
        let failure = self.failures.remove(&stage);
        if let (Some(agent), Some(why)) = (self.agent_of(stage), failure)
            && stage != Stage::Check
        {
            let details = Details {
                agent: Some(agent),
                attempt: Some(e.attempt),
                ..Details::default()
            };
            let text = self.language.agent_tries_again(agent, e.attempt, &why);
            out.push(self.thought(ThoughtStage::AttemptStarted, text, details, out.now));
        }
    }

    pub(super) fn model_called(&mut self, e: &ModelCalled) {
        self.prompt_tokens += e.usage.input;
        self.completion_tokens += e.usage.output;
    }

    pub(super) fn tool_called(&mut self, e: &ToolCalled, out: &mut Out<'_>) {
        let number = self.book.count_tool();
        let id = format!("{}_t{number}", self.book.id);
        let data = Data::ToolStart {
            agent: self.agent_of_step(&e.step),
            tool: e.tool.clone(),
            tool_call_id: id.clone(),
            parameters: e.input.clone(),
        };
        self.book.open_tools.push(OpenTool::new(e, id));
        out.push(self.frame("tool_start", data, out.now));
    }

    pub(super) fn tool_returned(&mut self, e: &ToolReturned, out: &mut Out<'_>) {
        let is_it = |open: &OpenTool| open.step == e.step && open.turn == e.turn;
        let Some(open) = self.book.take_tool(is_it) else {
            return;
        };
        let (status, message) = match &e.error {
            None => ("ok", e.summary.clone()),
            Some(error) => ("error", error.message.clone()),
        };
        self.tool_ended(open, status, e.latency_ms, message, out);
    }

    fn agent_of_step(&self, step: &StepId) -> Option<Agent> {
        Stage::named(&step.stage).and_then(|stage| self.agent_of(stage))
    }

    /// The call will not get an answer any more.
    pub(super) fn tool_cut_off(&self, open: OpenTool, out: &mut Out<'_>) {
        self.tool_ended(open, "cancelled", 0, String::new(), out);
    }

    fn tool_ended(
        &self,
        open: OpenTool,
        status: &'static str,
        duration_ms: u64,
        message: String,
        out: &mut Out<'_>,
    ) {
        let data = Data::ToolEnd {
            agent: self.agent_of_step(&open.step),
            tool: open.tool,
            tool_call_id: open.id,
            status,
            duration_ms,
            message,
        };
        out.push(self.frame("tool_end", data, out.now));
    }

    pub(super) fn step_succeeded(&mut self, step: &StepId, out: &mut Out<'_>) {
        if step.stage == Stage::Prepare.name && self.tells_preprocessing() {
            self.task_completed(step, "completed", out);
        }
        self.pause_if_quiet(out);
    }

    pub(super) fn step_failed(&mut self, e: &StepFailed, out: &mut Out<'_>) {
        if e.step.stage == Stage::Prepare.name {
            if self.tells_preprocessing() {
                self.task_completed(&e.step, "failed", out);
            }
            let text = self.language.not_prepared(&e.step.item, &e.message);
            let task = Some(e.step.item.clone());
            out.push(self.warning("preprocessing", text, task, out.now));
        } else if let Some(stage) = Stage::named(&e.step.stage) {
            self.failures.insert(stage, e.message.clone());
        }
        self.pause_if_quiet(out);
    }

    fn task_completed(&self, step: &StepId, status: &'static str, out: &mut Out<'_>) {
        let since = self.book.requested_at(step).unwrap_or(out.now.at);
        let latency_ms = between_ms(since, out.now.at);
        let details = Details {
            task: Some(step.item.clone()),
            status: Some(status),
            latency_ms: Some(latency_ms),
            ..Details::default()
        };
        let text = self.language.prepared(&step.item, latency_ms);
        out.push(self.thought(
            ThoughtStage::PreprocessingTaskCompleted,
            text,
            details,
            out.now,
        ));
    }

    /// A question that nobody is there to answer is not sent: its default answer is used.
    pub(super) fn gate_opened(&mut self, e: &GateOpened, out: &mut Out<'_>) {
        if !self.book.attended {
            return;
        }
        let is_budget = e.name == BUDGET_GATE;
        let named = |id: &String| AskOption {
            id: id.clone(),
            title: id.clone(),
            summary: String::new(),
        };
        let options = if is_budget || self.options.is_empty() {
            e.options.iter().map(named).collect()
        } else {
            self.options.clone()
        };
        self.gates.push(e.gate.clone());
        let data = Data::Asked {
            pause: e.gate.clone(),
            kind: if is_budget { "budget" } else { "selection" },
            message: e.question.clone(),
            options,
            allow_custom_input: !is_budget,
            custom_input_placeholder: (!is_budget).then(|| self.language.own_words()),
        };
        out.push(self.frame("user_input_required", data, out.now));
        self.pause_if_quiet(out);
    }

    /// Ends the stream here if nothing else is at work beside the question.
    fn pause_if_quiet(&mut self, out: &mut Out<'_>) {
        if self.is_paused || self.book.has_open_step() {
            return;
        }
        let Some(gate) = self.gates.last().cloned() else {
            return;
        };
        self.worked_ms = self.worked_ms(out.now);
        self.is_paused = true;
        out.push(self.paused(gate, out.now));
    }

    pub(super) fn answered(&mut self, gate: &GateId, answer: Option<&Value>, out: &mut Out<'_>) {
        let Some(place) = self.gates.iter().position(|open| open == gate) else {
            return;
        };
        self.gates.remove(place);
        if self.is_paused {
            self.is_paused = false;
            self.since = out.now.at;
        }
        let given = answer.map(|answer| {
            let chosen = [&answer["selection"], &answer["choice"]];
            let chosen = chosen.into_iter().find(|chosen| !chosen.is_null());
            chosen.unwrap_or(answer).clone()
        });
        let selection = given.unwrap_or_default();
        let is_option = |option: &&AskOption| Some(option.id.as_str()) == selection.as_str();
        let title = self.options.iter().find(is_option);
        let said = title.map_or_else(
            || selection.as_str().unwrap_or_default().to_owned(),
            |option| option.title.clone(),
        );
        let text = self.language.selected(&said);
        let details = Details {
            selection,
            ..Details::default()
        };
        out.push(self.thought(ThoughtStage::Selection, text, details, out.now));
    }
}

/// The number of the agent of a chain that works in this stage, from 1.
pub(super) fn step_number(stage: Stage) -> u32 {
    if stage == Stage::Write { 2 } else { 1 }
}

fn between_ms(from: DateTime<Utc>, to: DateTime<Utc>) -> i64 {
    (to - from).num_milliseconds().max(0)
}
