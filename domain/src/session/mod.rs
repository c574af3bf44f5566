//! What follows from the events of one session. `evolve` folds them, sees only payloads and never consults a pipeline: a
//! changed pipeline cannot make an old log unreadable.

mod branch;
mod evolve;
mod gate;
mod run;
mod step;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use branch::{Branch, Change};
pub use gate::{Gate, GateAnswer};
pub use run::{DO, End, Run, SKIP, Spent, Stage, StageState, mostly_rejected, skipping};
pub use step::{FailedTry, Step, StepState, Turn, TurnAnswer, input_hash};

use crate::event::{ArtifactProduced, FilePut, Intent, MessageQueued};
use crate::ids::{ArtifactId, GateId, MessageId, RunId, SessionId};

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Person,
    System,
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub message: MessageId,
    pub speaker: Speaker,
    pub text: String,
    pub attachments: Vec<String>,
    /// The attachments as they were when the message came.
    pub files: Vec<FilePut>,
    pub run: RunId,
    /// When a person said it, where the event has the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<chrono::DateTime<chrono::Utc>>,
}

/// The state of a session: the fold of its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Events folded so far, those of the parent before a fork included.
    pub version: u64,
    pub pipeline: SmolStr,
    pub title: String,
    pub forked_from: Option<(SessionId, u64)>,
    /// The version up to which this session's events come from the session that it was forked from; 0 if it was not forked.
    pub inherited: u64,
    pub erased: bool,
    pub messages: Vec<Message>,
    pub files: BTreeMap<String, FilePut>,
    pub runs: BTreeMap<RunId, Run>,
    /// The run that has not ended, if there is one.
    pub active: Option<RunId>,
    /// The run whose artifacts are the current ones.
    pub head: Option<RunId>,
    pub queue: VecDeque<MessageQueued>,
    /// The runs of queued messages that were withdrawn, and why. They are cancelled when their turn comes.
    pub withdrawn: BTreeMap<RunId, String>,
    pub artifacts: BTreeMap<ArtifactId, Arc<ArtifactProduced>>,
    /// The last run id given out, to queued messages too.
    pub last_run: RunId,
}

impl Session {
    /// Whether anything has happened yet.
    pub fn exists(&self) -> bool {
        self.version > 0
    }

    pub fn run(&self, run: RunId) -> Option<&Run> {
        self.runs.get(&run)
    }

    /// A gate with its run.
    pub fn gate(&self, gate: &GateId) -> Option<(&Run, &Gate)> {
        let mut runs = self.runs.values();
        runs.find_map(|run| Some((run, run.gates.get(gate)?)))
    }

    pub fn active_run(&self) -> Option<&Run> {
        self.active.and_then(|run| self.runs.get(&run))
    }

    /// The message that waits for its turn with this run, unless it was withdrawn.
    pub fn queued(&self, run: RunId) -> Option<&MessageQueued> {
        let mut queue = self.queue.iter();
        let queued = queue.find(|queued| queued.run == run);
        queued.filter(|queued| !self.withdrawn.contains_key(&queued.run))
    }

    /// The id that the next run gets.
    pub fn next_run(&self) -> RunId {
        RunId(self.last_run.0 + 1)
    }

    /// The number that the next version of this kind of artifact gets, for this item.
    pub fn next_number(&self, kind: &str, item: &str) -> u32 {
        let last = self
            .artifacts
            .values()
            .filter(|a| a.kind == kind && a.item() == item)
            .map(|a| a.number)
            .max();
        last.unwrap_or(0) + 1
    }

    /// The run that a message such as "go on" continues: the latest run before this one that was asked to make something, if it failed, was
    /// cancelled, or left parts out.
    pub fn resumable(&self, before: RunId) -> Option<&Run> {
        let mut earlier = self.runs.range(..before).rev().map(|(_, run)| run);
        let last = earlier.find(|run| {
            let intent = run.intent.as_ref().map(|intent| intent.intent);
            intent.is_some_and(|intent| intent != Intent::Irrelevant)
        })?;
        last.stopped_early().then_some(last)
    }

    /// The latest run that has something to refine: the head, else the latest that made an artifact.
    pub fn refinable(&self) -> Option<RunId> {
        self.head.or_else(|| {
            self.runs
                .values()
                .rev()
                .find(|run| !run.current.is_empty())
                .map(|run| run.id)
        })
    }
}
