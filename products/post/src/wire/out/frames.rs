//! The shape of every frame: flat objects with `type` and `timestamp`, and mostly `agent` and `content`.

use std::sync::Arc;

use chrono::serde::ts_milliseconds;
use chrono::{DateTime, Utc};
use palimpsest::prelude::wire::{FrameData, GateId, RunId};
use serde::Serialize;
use serde_json::{Map, Value};
use smol_str::SmolStr;

use crate::pipeline::shape::Verdict;

/// One frame of the protocol.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PostFrame {
    /// The event name.
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    /// The node that sends it.
    pub(crate) agent: Option<&'static str>,
    /// Of the last frame of a run: which one it was.
    #[serde(rename = "runId")]
    pub(crate) run: Option<RunId>,
    #[serde(flatten)]
    pub(crate) data: Data,
    /// For people, in the language of the run.
    pub(crate) content: Option<String>,
    /// Milliseconds since 1970.
    #[serde(serialize_with = "ts_milliseconds::serialize")]
    pub(crate) timestamp: DateTime<Utc>,
    #[serde(skip)]
    pub(crate) terminal: bool,
}

impl FrameData for PostFrame {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_terminal(&self) -> bool {
        self.terminal
    }
}

/// What a frame holds in addition to its words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum Data {
    None {},
    /// The first `agent_start` of a run.
    Conversation {
        conversation_id: String,
    },
    ToolCall {
        tool: SmolStr,
        tool_call_id: String,
        tool_input: Value,
    },
    ToolResult {
        tool: SmolStr,
        tool_call_id: String,
        /// The output of the tool; a line about it where the output is large.
        tool_output: Value,
    },
    Decision {
        /// A node, or `END`.
        decision: String,
        reason: String,
        /// `rules`, `person` or the model.
        by: String,
        /// What a supervisor told the node, under the names of its own answer.
        #[serde(
            rename = "context_from_previous",
            skip_serializing_if = "Option::is_none"
        )]
        context_from_previous: Option<String>,
        #[serde(rename = "focus_areas", skip_serializing_if = "Vec::is_empty")]
        focus_areas: Vec<String>,
    },
    State {
        changes: String,
    },
    /// Fields of an artifact under the names of the contract.
    Fields(Map<String, Value>),
    Brief {
        brief: Arc<Value>,
    },
    Image {
        /// From 1.
        task_id: u32,
        status: &'static str,
        /// 0 to 1.
        progress: f64,
        url: Option<String>,
        /// For a picture that exists: `provider`, or `local` where it was drawn here, without a picture from a provider.
        #[serde(skip_serializing_if = "Option::is_none")]
        drawn: Option<String>,
        error_message: Option<String>,
    },
    Prompt {
        task_id: u32,
        final_prompt_hash: String,
        final_prompt_preview: String,
        final_prompt_path: Option<String>,
    },
    Progress {
        /// A stage.
        phase: &'static str,
        /// 0 to 1.
        progress: f64,
        current_agent: &'static str,
    },
    Quality {
        quality_scores: QualityScores,
        review: Verdict,
        approved: bool,
        checked_by: Value,
    },
    Ask {
        question: String,
        options: Vec<AskOption>,
        /// `single`, `multiple` or `none`.
        selection_type: &'static str,
        allow_custom_input: bool,
        context: Box<AskContext>,
        thread_id: String,
        gate_id: GateId,
    },
    Paused {
        thread_id: String,
        gate_id: GateId,
    },
    Complete {
        title: String,
        body: String,
        tags: Vec<String>,
        image_asset_ids: Vec<u64>,
        /// Absent where the session has no post.
        #[serde(skip_serializing_if = "Option::is_none")]
        creative_id: Option<u64>,
        review: Verdict,
        passed: bool,
        /// Task ids of pictures that are missing.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        missing: Vec<u32>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
    },
    Failed {
        error_message: String,
        /// For programs.
        error_code: String,
    },
    Cancelled {
        reason: String,
    },
}

/// 0 to 1 each; null where no score was given.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QualityScores {
    pub(crate) scores: Value,
    pub(crate) overall: Value,
    pub(crate) fail_reasons: Value,
}

/// An answer that is offered.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct AskOption {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) description: Option<String>,
    #[serde(rename = "imageUrl")]
    pub(crate) image_url: Option<String>,
}

/// What a question is about; the first field says which kind of question it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum AskContext {
    /// The person is asked to approve something that was made.
    Hitl {
        #[serde(rename = "__hitl")]
        hitl: bool,
        kind: &'static str,
        data: Value,
        gate_id: GateId,
        regeneration_count: u32,
    },
    /// The supervisor does not know what is wanted.
    Clarification {
        #[serde(rename = "__clarification")]
        clarification: bool,
        kind: &'static str,
        key: String,
        missing_dimensions: Vec<String>,
        /// The beginning of the requirement.
        requirement: String,
        clarity_score: Value,
        clarity_level: Value,
        gate_id: GateId,
    },
    /// A node does not know what it needs.
    AgentClarification {
        #[serde(rename = "__agent_clarification")]
        clarification: bool,
        kind: &'static str,
        agent: String,
        key: String,
        /// The beginning of the requirement.
        requirement: String,
        gate_id: GateId,
        /// What a model adds to its question.
        #[serde(flatten)]
        more: Map<String, Value>,
    },
    /// The run has used up its budget.
    Budget {
        #[serde(rename = "__budget")]
        budget: bool,
        kind: &'static str,
        gate_id: GateId,
    },
}
