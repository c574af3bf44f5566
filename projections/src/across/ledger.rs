//! What everything cost: sums of all sessions, by session, pipeline, and what was called. A fold of the whole log.

use std::collections::{BTreeMap, HashMap};

use domain::event::{Event, ModelCalled, RunEvent, SessionEvent, StepEvent};
use domain::{Recorded, RunId};
use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;
use ts_rs::TS;

use crate::wire::SessionRef;

/// What a pipeline spent on one model, or on one tool that costs something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, TS)]
pub struct CostRow {
    pub pipeline: SmolStr,
    /// The model, or the tool.
    pub model: SmolStr,
    #[serde(flatten)]
    pub sums: Sums,
}

/// Exchanges, those without an answer included, and what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, TS)]
pub struct Sums {
    pub calls: u64,
    pub failed: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the input, what the provider had kept.
    pub cached_tokens: u64,
    /// Millionths of the currency of the prices.
    pub cost_micros: u64,
    /// Milliseconds, those at the same time added up.
    pub latency_ms: u64,
}

impl Sums {
    /// One exchange with a model.
    pub(crate) fn of(called: &ModelCalled) -> Self {
        Self {
            calls: 1,
            failed: u64::from(called.error.is_some()),
            input_tokens: called.usage.input,
            output_tokens: called.usage.output,
            cached_tokens: called.usage.cached,
            cost_micros: called.cost_micros,
            latency_ms: called.latency_ms,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
        self.cost_micros += other.cost_micros;
        self.latency_ms += other.latency_ms;
    }
}

/// Of each session what it spent itself: a fork pays for nothing that it inherited.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    owners: HashMap<String, HashMap<String, Account>>,
}

#[derive(Clone, Debug, Default)]
struct Account {
    /// The pipeline of each run.
    runs: BTreeMap<RunId, SmolStr>,
    /// By pipeline and model.
    spent: BTreeMap<(SmolStr, SmolStr), Sums>,
}

impl Ledger {
    /// Takes one more event into account; they come in the order of the log.
    pub fn push(&mut self, session: &SessionRef, recorded: &Recorded) {
        match &recorded.event {
            Event::Session(SessionEvent::SessionForked(e)) => {
                let parent = SessionRef {
                    owner: session.owner.clone(),
                    session: e.parent.clone(),
                };
                let inherited = self.account(&parent).runs.clone();
                self.account(session).runs = inherited;
            }
            Event::Session(SessionEvent::SessionErased(_)) => {
                if let Some(sessions) = self.owners.get_mut(&session.owner) {
                    sessions.remove(session.session.as_str());
                }
            }
            Event::Run(RunEvent::RunStarted(e)) => {
                self.account(session).runs.insert(e.run, e.pipeline.clone());
            }
            Event::Step(event) => self.on_step(session, event),
            Event::Session(_)
            | Event::Run(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => {}
        }
    }

    /// What a step calls costs something.
    fn on_step(&mut self, session: &SessionRef, event: &StepEvent) {
        match event {
            StepEvent::ModelCalled(e) => {
                self.spend(session, e.step.run, &e.model, &Sums::of(e));
            }
            StepEvent::ToolReturned(e) if e.cost_micros > 0 => {
                let sums = Sums {
                    calls: 1,
                    failed: u64::from(e.error.is_some()),
                    cost_micros: e.cost_micros,
                    latency_ms: e.latency_ms,
                    ..Sums::default()
                };
                self.spend(session, e.step.run, &e.tool, &sums);
            }
            StepEvent::ToolReturned(_)
            | StepEvent::StepRequested(_)
            | StepEvent::ToolCalled(_)
            | StepEvent::OutputRejected(_)
            | StepEvent::ArtifactProduced(_)
            | StepEvent::StepSucceeded(_)
            | StepEvent::StepFailed(_)
            | StepEvent::StepCancelled(_) => {}
        }
    }

    fn account(&mut self, session: &SessionRef) -> &mut Account {
        let sessions = self.owners.entry(session.owner.clone()).or_default();
        sessions.entry(session.session.to_string()).or_default()
    }

    fn spend(&mut self, session: &SessionRef, run: RunId, model: &str, sums: &Sums) {
        let account = self.account(session);
        let pipeline = account.runs.get(&run).cloned().unwrap_or_default();
        let row = account.spent.entry((pipeline, model.into()));
        row.or_default().add(sums);
    }

    /// What an owner's sessions spent, by pipeline and model; the dearest first.
    pub fn costs(&self, owner: &str) -> Vec<CostRow> {
        let mut rows: BTreeMap<&(SmolStr, SmolStr), Sums> = BTreeMap::new();
        for account in self.owners.get(owner).into_iter().flat_map(HashMap::values) {
            for (key, sums) in &account.spent {
                rows.entry(key).or_default().add(sums);
            }
        }
        let mut rows: Vec<_> = rows
            .into_iter()
            .map(|((pipeline, model), sums)| CostRow {
                pipeline: pipeline.clone(),
                model: model.clone(),
                sums,
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.sums.cost_micros, row.sums.calls)));
        rows
    }

    /// What a session spent, in millionths of the currency of the prices.
    pub fn spent(&self, session: &SessionRef) -> u64 {
        let sessions = self.owners.get(&session.owner);
        let account = sessions.and_then(|sessions| sessions.get(session.session.as_str()));
        account.map_or(0, |account| {
            account.spent.values().map(|sums| sums.cost_micros).sum()
        })
    }
}
