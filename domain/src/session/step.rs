//! One unit of work and its turns.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use crate::event::{CallError, Guidance, PromptRef, Reserve, Violation};
use crate::hash::{BlobRef, Sha256};
use crate::ids::ArtifactId;

/// Where a step stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum StepState {
    /// Requested, without an outcome.
    Open,
    Succeeded,
    Failed {
        code: String,
        message: String,
        retryable: bool,
    },
    Cancelled,
    /// Done once, and then invalidated.
    Reopened,
}

/// What a finished turn gave. The body is in the log's blobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum TurnAnswer {
    Model {
        response: BlobRef,
        model: SmolStr,
        /// The question, and the prompt that it was written by.
        request: BlobRef,
        prompt: Option<PromptRef>,
    },
    Tool {
        output: BlobRef,
        tool: SmolStr,
    },
}

impl TurnAnswer {
    /// The bytes that were given.
    pub fn body(&self) -> &BlobRef {
        match self {
            Self::Model { response, .. } => response,
            Self::Tool { output, .. } => output,
        }
    }
}

/// The hash by which the input of a tool is recognised in a later attempt.
pub fn input_hash(input: &Value) -> Sha256 {
    Sha256::of(input.to_string().as_bytes())
}

/// One model call or tool call of the open attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Exchanges so far that gave no answer, in their order.
    pub failed: Vec<FailedTry>,
    /// What a tool was given, as its hash.
    pub input: Option<Sha256>,
    /// The first answer that came, whichever process recorded it.
    pub answer: Option<TurnAnswer>,
}

/// An exchange that gave no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedTry {
    pub model: SmolStr,
    pub error: CallError,
}

/// The state of one step over all its attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub state: StepState,
    /// The latest attempt, counted from 1 over the whole run.
    pub attempt: u32,
    /// Attempts since the step was first asked for or last reopened; the limit on attempts counts these.
    pub used: u32,
    /// Whether there is no further attempt, although the limit allows it: see [`super::Run::asks_once`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_last: bool,
    pub due: DateTime<Utc>,
    pub guidance: Guidance,
    pub reserve: Reserve,
    /// What was wrong with the output of the latest attempt, if it was rejected.
    pub violations: Vec<Violation>,
    /// The last answer of the attempt before, if its output was rejected: whoever mends it wants to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<TurnAnswer>,
    /// Turns of the latest attempt, by number.
    pub turns: Vec<Turn>,
    pub artifacts: Vec<ArtifactId>,
}

impl Step {
    pub fn is_open(&self) -> bool {
        self.state == StepState::Open
    }

    /// What a model answered last, where the output was rejected.
    pub(super) fn rejected_answer(&self) -> Option<TurnAnswer> {
        let answers = self.turns.iter().filter_map(|turn| turn.answer.as_ref());
        let mut of_models = answers.filter(|answer| matches!(answer, TurnAnswer::Model { .. }));
        let is_rejected = !self.violations.is_empty();
        of_models.next_back().filter(|_| is_rejected).cloned()
    }

    /// The turn of this number, which is created if it is the next one.
    pub(super) fn turn_mut(&mut self, turn: u32) -> &mut Turn {
        let index = turn as usize;
        if self.turns.len() <= index {
            self.turns.resize_with(index + 1, Turn::default);
        }
        &mut self.turns[index]
    }
}
