//! The envelope of every frame, and the shapes of contents and metadata.

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::Budget;
use palimpsest::prelude::wire::event::Body;
use palimpsest::prelude::wire::{ArtifactId, FrameData, RunId, SessionId};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::contents::{
    Calls, FileMade, HeldContent, Metrics, Piece, PlanContext, Solved, SolverResult, TaskRef,
};

/// A frame as it is sent. Frames of a connection have neither `seq` nor `event_id`, and `session_id` once there is one.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Envelope<'a, C, M> {
    pub(crate) event: &'a str,
    /// RFC 3339.
    pub(crate) timestamp: String,
    pub(crate) session_id: Option<&'a str>,
    pub(crate) step_id: Option<&'a str>,
    pub(crate) content: Option<C>,
    pub(crate) show_content: Option<&'a str>,
    pub(crate) seq: Option<u64>,
    pub(crate) event_id: Option<String>,
    /// An object. It stays the last field, see [`on_connection`].
    pub(crate) metadata: M,
}

/// The id of the frame with this number in a session.
pub(crate) fn event_id(session: &SessionId, wire_version: u32, seq: u64) -> String {
    format!("{session}-v{wire_version}-{seq}")
}

/// A time as this wire says it.
pub(crate) fn rfc3339(at: DateTime<Utc>) -> String {
    palimpsest::prelude::wire::rfc3339(at)
}

/// A frame of this wire with the connection's id in it and in its metadata. The frame is not parsed: it is an object whose last field is
/// the metadata, which is an object, too.
///
/// # Panics
/// Where the text is not a frame of this wire.
pub(crate) fn on_connection(frame: &RawValue, connection_id: &str) -> String {
    let open = frame.get().strip_suffix("}}");
    let open = open.expect("a frame of this wire ends with its metadata");
    let comma = if open.ends_with('{') { "" } else { "," };
    let id = Value::from(connection_id);
    format!("{open}{comma}\"connection_id\":{id}}},\"connection_id\":{id}}}")
}

/// One frame of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReportFrame {
    /// The event name.
    pub(crate) event: &'static str,
    pub(crate) at: DateTime<Utc>,
    pub(crate) step_id: Option<String>,
    pub(crate) content: Content,
    /// For people, in the language of the run.
    pub(crate) show_content: String,
    pub(crate) metadata: Stamped,
    pub(crate) terminal: bool,
}

impl FrameData for ReportFrame {
    fn name(&self) -> &'static str {
        self.event
    }

    fn is_terminal(&self) -> bool {
        self.terminal
    }
}

/// In wires without an envelope, `FrameData` is what is serialised; here it is only the content.
impl Serialize for ReportFrame {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.content.serialize(serializer)
    }
}

/// The content of a frame.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    /// `plan.start`.
    Question {
        question: String,
    },
    /// `plan.completed`; without `tasks` where clients are not to get them.
    Plan {
        tasks: Option<Piece>,
        plan_summary: Option<Piece>,
    },
    /// `plan.cancelled`.
    Reason {
        reason: String,
    },
    /// `agent.user_confirm`; `tasks` where it is about a plan.
    Confirm {
        message: String,
        tasks: Option<Piece>,
    },
    /// `solver.start`.
    Start {
        id: u32,
        title: String,
        task: TaskRef,
    },
    /// `solver.completed`.
    Solved {
        id: u32,
        title: String,
        summary: Option<String>,
        task: TaskRef,
        result: SolverResult,
    },
    /// `solver.failed`.
    Failed {
        id: u32,
        title: String,
        task: TaskRef,
        error: String,
        /// For programs.
        code: String,
    },
    /// `solver.cancelled` and `solver.restarted`.
    Task {
        task: TaskRef,
    },
    /// `agent.tool_call`.
    Args {
        args: Value,
    },
    /// `agent.tool_result`: one of them.
    Result {
        output: Option<String>,
        error: Option<String>,
        system: Option<String>,
    },
    /// `aggregate.start`, `aggregate.completed`, `pipeline.completed`.
    Report {
        context: Box<PlanContext>,
        solver_results: Vec<Solved>,
        output: Option<HeldContent>,
        aggregate_output: Option<HeldContent>,
    },
}

/// The metadata of a frame, with the run that it is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Stamped {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<RunId>,
    #[serde(flatten)]
    pub(crate) metadata: Metadata,
}

/// The part of a frame that is meant for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Metadata {
    None {},
    /// `agent.session_created`.
    Session {
        /// The pipeline of the session.
        agent_name: SmolStr,
    },
    /// `plan.completed`, `solver.completed`.
    Statistics {
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<u32>,
        statistics: Calls,
        metrics: Metrics,
    },
    /// The other frames of a solver.
    Task {
        task_id: u32,
    },
    /// `agent.user_confirm`.
    Confirm {
        scope: String,
        requires_confirmation: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        plan_summary: Option<Piece>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tasks: Option<Piece>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// RFC 3339.
        #[serde(skip_serializing_if = "Option::is_none")]
        deadline: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<i64>,
    },
    /// `agent.thinking`.
    Thinking {
        /// `plan` or `section`.
        scope: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<u32>,
        /// `planner` or `solver`.
        agent: &'static str,
        /// Which answer of the agent in this attempt it is, from 1.
        step: usize,
        /// False: a thought is sent once, as a whole.
        streaming: bool,
    },
    /// `agent.tool_call`.
    ToolCall {
        /// `plan` or `section`.
        scope: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<u32>,
        tool: SmolStr,
        args: Value,
        /// `running`.
        status: &'static str,
    },
    /// `agent.tool_result`.
    ToolResult {
        /// `plan` or `section`.
        scope: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<u32>,
        tool: SmolStr,
        /// `success` or `failed`.
        status: &'static str,
        /// The error code; null where nothing went wrong.
        error: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_ms: Option<u64>,
    },
    /// `aggregate.completed`.
    Gaps {
        partial: bool,
        missing: Vec<u32>,
    },
    /// `pipeline.completed`.
    Pipeline {
        statistics: Calls,
        metrics: Metrics,
        partial: bool,
        missing: Vec<u32>,
    },
    /// `agent.final_answer`.
    Answer {
        #[serde(skip_serializing_if = "Option::is_none")]
        artifact_id: Option<ArtifactId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        vfs_path: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileMade>,
        partial: bool,
        missing: Vec<u32>,
    },
    /// `agent.error` of a run.
    Error {
        /// For programs.
        code: String,
    },
    /// `agent.interrupted`.
    Reason {
        reason: String,
    },
    /// `system.notice` of an accepted control.
    Control {
        #[serde(flatten)]
        flat: Control,
        control: Control,
    },
    /// `system.notice` of a further attempt.
    Retry {
        retry: Retry,
    },
    /// `system.notice` of a question that nobody has to answer any more.
    Confirmed {
        confirm: Confirm,
    },
    /// `system.notice` of a budget that was raised.
    Budget {
        budget: Budget,
    },
}

/// The result of a control event.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Control {
    /// The client event without `user.`.
    pub(crate) action: &'static str,
    pub(crate) ok: bool,
    pub(crate) task_id: Option<u32>,
    /// `in_run`, or `restart` where a new run carries it out.
    pub(crate) mode: Option<&'static str>,
    /// Present and true where what was asked for is done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) done: bool,
    /// Present and true where not all of it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) partial: bool,
    /// The ids of the tasks that were not solved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<u32>,
}

impl Control {
    pub(crate) fn into_metadata(self) -> Metadata {
        Metadata::Control {
            flat: self.clone(),
            control: self,
        }
    }
}

/// A step is tried again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Retry {
    /// The attempt that failed, from 1.
    pub(crate) attempt: u32,
    pub(crate) total_attempts: u32,
    pub(crate) next_attempt: u32,
    pub(crate) retry_delay_seconds: f64,
    /// For programs.
    pub(crate) error_type: String,
    pub(crate) error: String,
    pub(crate) stage: SmolStr,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<u32>,
}

/// The result of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Confirm {
    pub(crate) step_id: String,
    pub(crate) scope: String,
    /// `timed_out` or `superseded`.
    pub(crate) status: &'static str,
}

/// Bytes of a file; `None` for a content that is in the event.
pub(crate) fn size_of_body(body: &Body) -> Option<(u64, &str)> {
    match body {
        Body::Event { .. } => None,
        Body::Blob { blob, media_type } => Some((blob.size, media_type)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw(value: &Value) -> Box<RawValue> {
        serde_json::value::to_raw_value(value).expect("a value is JSON")
    }

    #[test]
    fn a_connection_puts_its_id_into_a_frame_and_its_metadata() {
        for metadata in [json!({}), json!({ "args": {} }), json!({ "tool": "a}}" })] {
            let frame = json!({ "event": "agent.tool_call", "seq": 3, "metadata": metadata });
            let sent = on_connection(&raw(&frame), "c\"1");
            let sent: Value = serde_json::from_str(&sent).expect("still JSON");
            let mut expected = frame.clone();
            expected["connection_id"] = json!("c\"1");
            expected["metadata"]["connection_id"] = json!("c\"1");
            assert_eq!(sent, expected);
        }
    }
}
