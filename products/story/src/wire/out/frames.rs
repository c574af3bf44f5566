//! The shape of every frame: flat objects with `type`, `runId` and `timestamp`.

use chrono::serde::ts_milliseconds;
use chrono::{DateTime, Utc};
use palimpsest::prelude::wire::{FrameData, GateId};
use serde::Serialize;
use serde_json::Value;
use smol_str::SmolStr;

use crate::pipeline::shape::CheckStatus;
use crate::readings::routing::{Agent, SkillTrigger};

/// One frame of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct StoryFrame {
    /// The event name.
    #[serde(rename = "type")]
    pub name: &'static str,
    #[serde(flatten)]
    pub data: Data,
    /// The run that it belongs to.
    #[serde(rename = "runId")]
    pub run: String,
    /// Milliseconds since 1970.
    #[serde(serialize_with = "ts_milliseconds::serialize")]
    pub timestamp: DateTime<Utc>,
    #[serde(skip)]
    pub terminal: bool,
}

impl FrameData for StoryFrame {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_terminal(&self) -> bool {
        self.terminal
    }
}

/// What a thought is about, in its field `stage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ThoughtStage {
    Routing,
    WorkflowPreprocessing,
    PreprocessingTaskCompleted,
    SkillsActivated,
    AgentStarted,
    AttemptStarted,
    AgentCompleted,
    OutlineRangePlanned,
    Selection,
}

/// What a frame holds beside its type and time.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(
    clippy::large_enum_variant,
    reason = "an event gives a few frames, which are written at once"
)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum Data {
    /// `thought` of the stage `routing`.
    Routing {
        stage: ThoughtStage,
        kind: &'static str,
        message: String,
        intent: Value,
        /// 0 to 1.
        confidence: Value,
        /// `FAST_PATH`, `RULE_ENGINE`, `LLM` or `DEFAULT`.
        source: Value,
        alternatives: Value,
        phase: Value,
        workflow: Value,
        agents: Value,
        session_id: String,
    },
    /// Any other `thought`.
    Thought {
        stage: ThoughtStage,
        /// `thinking`, `rag`, `skill` or `tool`, as the front end shows it.
        kind: &'static str,
        agent: Option<Agent>,
        message: String,
        /// For `agent_started`: the number of the agent in its chain, from 1.
        step: Option<u32>,
        /// Of a task of the preprocessing: its name. Of an agent that works on a passage: what it is to do with it.
        task: Option<SmolStr>,
        /// How many tasks there are.
        task_count: Option<u32>,
        status: Option<&'static str>,
        latency_ms: Option<i64>,
        /// Which attempt begins, from 2.
        attempt: Option<u32>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        skills: Vec<SkillName>,
        /// What a person chose.
        #[serde(skip_serializing_if = "Value::is_null")]
        selection: Value,
    },
    Content {
        content: String,
        agent: Agent,
        /// The number of the agent in its chain, from 1.
        step: u32,
        attempt: u32,
        /// Characters of the text that come before.
        offset: u64,
        /// For a text that belongs to a passage: its place, and what is put there if a person accepts it.
        #[serde(skip_serializing_if = "Value::is_null")]
        passage: Value,
    },
    ToolStart {
        agent: Option<Agent>,
        tool: SmolStr,
        tool_call_id: String,
        parameters: Value,
    },
    ToolEnd {
        agent: Option<Agent>,
        tool: SmolStr,
        tool_call_id: String,
        /// `ok`, `error` or `cancelled`.
        status: &'static str,
        duration_ms: u64,
        message: String,
    },
    /// `processing_check`.
    Checking {
        agent: Agent,
        message: String,
    },
    Checked {
        kind: &'static str,
        agent: Agent,
        status: CheckStatus,
        message: String,
        issues: Vec<Value>,
        warnings: Vec<CheckWarning>,
        not_checked: Vec<String>,
    },
    /// `relationship_update`, `structure_update` and `knowledge_update`.
    Update {
        kind: &'static str,
        agent: Value,
        /// Always `proposed`: only a person makes it a fact.
        status: &'static str,
        project: Value,
        /// The version of the project that has it.
        version: Value,
        message: String,
        entries: Vec<Value>,
    },
    Asked {
        pause: GateId,
        /// `selection` or `budget`.
        kind: &'static str,
        message: String,
        options: Vec<AskOption>,
        allow_custom_input: bool,
        custom_input_placeholder: Option<&'static str>,
    },
    /// `chain_summary`.
    Chain {
        execution_id: String,
        agent_count: usize,
        success_count: usize,
        failure_count: usize,
        summary: String,
        outputs: Vec<ChainOutput>,
    },
    /// `preflight_result`.
    Preflight {
        can_proceed: bool,
        passed: bool,
        issue_count: usize,
        issues: Vec<Value>,
        warnings: Vec<CheckWarning>,
    },
    Warning {
        /// `phase`, `missing_chapter`, `skill`, `preprocessing`, `remark` or `proposal`.
        kind: &'static str,
        message: String,
        task: Option<SmolStr>,
    },
    Error {
        code: String,
        message: String,
    },
    Done {
        /// `completed`, `paused`, `failed` or `cancelled`.
        status: &'static str,
        session_id: String,
        pause: Option<GateId>,
        /// Why it was cancelled.
        reason: Option<String>,
        /// Something is missing in what was made.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
        /// The tokens of all calls so far, input and output.
        tokens: u64,
        usage: Usage,
        latency_ms: i64,
    },
}

/// Tokens of all calls of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
}

/// A skill that is given to the writer, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SkillName {
    pub id: &'static str,
    pub name: &'static str,
    pub trigger: SkillTrigger,
}

/// An option that a person may choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct AskOption {
    pub id: String,
    pub title: String,
    pub summary: String,
}

/// A finding as the front end shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CheckWarning {
    /// `error`, `warning` or `info`.
    pub level: String,
    pub message: String,
    pub location: String,
}

/// The output of an agent of a chain, or why it has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainOutput {
    pub agent_name: Agent,
    /// All of it; empty where it failed.
    pub content: String,
    pub success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds since 1970.
    pub executed_at: i64,
    /// The structure that the agent was asked for; absent where it wrote prose.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub structure: Value,
}
