//! The audit: how each output came about and what it cost, one row for each call and one sum for each run and model.

use std::collections::BTreeMap;

use domain::event::{
    CallError, Event, ModelCalled, PromptRef, SessionEvent, StepEvent, ToolCalled, ToolReturned,
    Usage,
};
use domain::hash::BlobRef;
use domain::{Recorded, RunId, StepId};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

use crate::ledger::Sums;
use crate::rfc3339;

/// One turn: a question to a model or a call of a tool, with all exchanges that it took.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, TS)]
pub struct CallRow {
    pub step: StepId,
    pub run: RunId,
    pub stage: SmolStr,
    /// Empty for a stage with a single step.
    pub item: SmolStr,
    pub attempt: u32,
    pub turn: u32,
    /// The version of the event that spoke of it first, and its time.
    pub version: u64,
    pub at: String,
    #[serde(flatten)]
    pub call: Call,
    /// Exchanges, those without an answer included.
    pub tries: u32,
    /// Why exchanges gave no answer, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub errors: Vec<CallError>,
    /// Of all exchanges together, in milliseconds.
    pub latency_ms: u64,
    /// Whether there is an answer, which is then never asked for again.
    pub answered: bool,
}

/// What was called.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case", tag = "call")]
#[ts(optional_fields)]
pub enum Call {
    Model {
        role: SmolStr,
        model: SmolStr,
        prompt: Option<PromptRef>,
        /// Of the last exchange.
        request: BlobRef,
        response: Option<BlobRef>,
        finish_reason: Option<SmolStr>,
        /// Of all exchanges together.
        usage: Usage,
        /// Of all exchanges together, in millionths of the currency of the prices.
        cost_micros: u64,
    },
    Tool {
        tool: SmolStr,
        #[schemars(description = "What the tool was given.")]
        #[ts(type = "unknown")]
        input: Value,
        output: Option<BlobRef>,
        summary: Option<String>,
    },
}

/// What a run spent on one model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, TS)]
pub struct LedgerRow {
    pub run: RunId,
    pub model: SmolStr,
    #[serde(flatten)]
    pub sums: Sums,
}

/// Step, attempt and turn: what is paid once.
type Turn = (StepId, u32, u32);

/// The audit of a session, as far as it was folded.
#[derive(Clone, Debug, Default)]
pub struct History {
    calls: IndexMap<Turn, CallRow>,
    ledger: BTreeMap<(RunId, SmolStr), Sums>,
}

impl History {
    /// Takes one more event into account. Late effects of ended runs count: they were paid for.
    pub fn push(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::Step(event) => self.on_step(recorded, event),
            Event::Session(SessionEvent::SessionErased(_)) => *self = Self::default(),
            Event::Session(_)
            | Event::Run(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => {}
        }
    }

    fn on_step(&mut self, recorded: &Recorded, event: &StepEvent) {
        match event {
            StepEvent::ModelCalled(e) => {
                self.enter(e);
                self.model_called(recorded, e);
            }
            StepEvent::ToolCalled(e) => self.tool_called(recorded, e),
            StepEvent::ToolReturned(e) => self.tool_returned(recorded, e),
            StepEvent::StepRequested(_)
            | StepEvent::OutputRejected(_)
            | StepEvent::ArtifactProduced(_)
            | StepEvent::StepSucceeded(_)
            | StepEvent::StepFailed(_)
            | StepEvent::StepCancelled(_) => {}
        }
    }

    /// In the order in which they began.
    pub fn calls(&self) -> impl Iterator<Item = &CallRow> {
        self.calls.values()
    }

    /// By run, then by model.
    pub fn ledger(&self) -> impl Iterator<Item = LedgerRow> {
        self.ledger.iter().map(|((run, model), sums)| LedgerRow {
            run: *run,
            model: model.clone(),
            sums: *sums,
        })
    }

    fn enter(&mut self, e: &ModelCalled) {
        let row = self.ledger.entry((e.step.run, e.model.clone()));
        row.or_default().add(&Sums::of(e));
    }

    fn model_called(&mut self, recorded: &Recorded, e: &ModelCalled) {
        let blank = || {
            let call = Call::Model {
                role: e.role.clone(),
                model: e.model.clone(),
                prompt: e.prompt.clone(),
                request: e.request.clone(),
                response: None,
                finish_reason: None,
                usage: Usage::default(),
                cost_micros: 0,
            };
            row(recorded, &e.step, e.attempt, e.turn, call)
        };
        let row = self
            .calls
            .entry((e.step.clone(), e.attempt, e.turn))
            .or_insert_with(blank);
        row.tries += 1;
        row.latency_ms += e.latency_ms;
        row.errors.extend(e.error.clone());
        row.answered |= e.error.is_none() && e.response.is_some();
        if let Call::Model {
            model,
            prompt,
            request,
            response,
            finish_reason,
            usage,
            cost_micros,
            ..
        } = &mut row.call
        {
            model.clone_from(&e.model);
            prompt.clone_from(&e.prompt);
            request.clone_from(&e.request);
            response.clone_from(&e.response);
            finish_reason.clone_from(&e.finish_reason);
            usage.input += e.usage.input;
            usage.output += e.usage.output;
            usage.cached += e.usage.cached;
            *cost_micros += e.cost_micros;
        }
    }

    fn tool_called(&mut self, recorded: &Recorded, e: &ToolCalled) {
        let call = Call::Tool {
            tool: e.tool.clone(),
            input: e.input.clone(),
            output: None,
            summary: None,
        };
        let blank = || row(recorded, &e.step, e.attempt, e.turn, call);
        self.calls
            .entry((e.step.clone(), e.attempt, e.turn))
            .or_insert_with(blank)
            .tries += 1;
    }

    fn tool_returned(&mut self, recorded: &Recorded, e: &ToolReturned) {
        let blank = || {
            let call = Call::Tool {
                tool: e.tool.clone(),
                input: Value::Null,
                output: None,
                summary: None,
            };
            CallRow {
                tries: 1,
                ..row(recorded, &e.step, e.attempt, e.turn, call)
            }
        };
        let row = self
            .calls
            .entry((e.step.clone(), e.attempt, e.turn))
            .or_insert_with(blank);
        row.latency_ms += e.latency_ms;
        row.errors.extend(e.error.clone());
        row.answered |= e.error.is_none();
        if let Call::Tool {
            output, summary, ..
        } = &mut row.call
        {
            *output = Some(e.output.clone());
            *summary = Some(e.summary.clone());
        }
    }
}

fn row(recorded: &Recorded, step: &StepId, attempt: u32, turn: u32, call: Call) -> CallRow {
    CallRow {
        step: step.clone(),
        run: step.run,
        stage: step.stage.clone(),
        item: step.item.clone(),
        attempt,
        turn,
        version: recorded.version,
        at: rfc3339(recorded.recorded_at),
        call,
        tries: 0,
        errors: vec![],
        latency_ms: 0,
        answered: false,
    }
}
