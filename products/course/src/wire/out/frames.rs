//! The shape of each frame, and of the artifact that frames and the initial answer share. Times are milliseconds since
//! 1970.

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{BlobRef, Sha256};
use palimpsest::prelude::wire::{ArtifactId, FrameData, JSON, RunId, content_path, file_name};
use serde::Serialize;
use serde_json::Value;
use smol_str::SmolStr;

/// `message:start`: the assistant begins to speak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MessageStart {
    pub(crate) id: String,
    /// `assistant`.
    pub(crate) role: &'static str,
    /// Empty; the text comes as chunks.
    pub(crate) content: &'static str,
}

/// `message:chunk`: a whole block of text of that message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MessageChunk {
    pub(crate) id: String,
    pub(crate) chunk: String,
}

/// `tool:message:start` and `tool:start`: a stage begins.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolStart {
    pub(crate) id: String,
    /// `assistant`.
    pub(crate) role: &'static str,
    /// `tool`.
    pub(crate) kind: &'static str,
    /// `in_progress`.
    pub(crate) status: &'static str,
    /// The stage.
    pub(crate) tool_name: String,
    pub(crate) title: String,
    /// Empty so far.
    pub(crate) content: &'static str,
    pub(crate) progress_text: String,
    /// The assistant's message of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_message_id: Option<String>,
    pub(crate) run_id: RunId,
    pub(crate) timestamp: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogLevel {
    Info,
    Warning,
    Error,
}

/// `tool:log`: a line about the work of a stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolLog {
    pub(crate) id: String,
    /// The tool message it belongs to.
    pub(crate) message_id: String,
    pub(crate) tool_name: String,
    pub(crate) level: LogLevel,
    pub(crate) message: String,
    /// What a client may show beside the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_id: Option<ArtifactId>,
    pub(crate) timestamp: i64,
}

/// `progress`: never less than before within a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Progress {
    pub(crate) status: &'static str,
    /// Percent.
    pub(crate) progress: u32,
    /// From 1.
    pub(crate) current: u32,
    pub(crate) total: u32,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_id: Option<ArtifactId>,
    pub(crate) run_id: RunId,
}

/// The kinds of artifacts that the contract has: a client checks `type` against them.
pub(crate) const KINDS: [&str; 12] = [
    "plan",
    "dsl",
    "ppt_html",
    "ppt_html_doc",
    "pptx",
    "search_result",
    "web_page",
    "requirement_analysis",
    "course_config",
    "video_outline",
    "slide_scripts",
    "presentation_theme",
];

/// `tool:artifact`: the stage made something.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolArtifact {
    /// The tool message it belongs to.
    pub(crate) message_id: String,
    /// Whether the client's canvas should show it.
    pub(crate) show_in_canvas: bool,
    pub(crate) artifact: Artifact,
}

/// The status of a tool message. The two families use different words for failure; only this type knows both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolStatus {
    InProgress,
    Completed,
    Failed,
}

impl ToolStatus {
    /// As `tool:update` says it.
    pub(crate) fn in_update(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// As `tool:message:complete` says it.
    pub(crate) fn in_message(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "error",
        }
    }
}

fn in_update<S: serde::Serializer>(status: &ToolStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.in_update())
}

fn in_message<S: serde::Serializer>(status: &ToolStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.in_message())
}

/// `tool:update`: the stage is over.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolUpdate {
    pub(crate) id: String,
    /// `completed` or `failed`.
    #[serde(serialize_with = "in_update")]
    pub(crate) status: ToolStatus,
    /// One line: that it is done, or why not.
    pub(crate) content: String,
    pub(crate) artifact_ids: Vec<ArtifactId>,
    pub(crate) timestamp: i64,
}

/// `tool:message:complete`: the same for the other family.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolComplete {
    pub(crate) id: String,
    /// `completed` or `error`.
    #[serde(serialize_with = "in_message")]
    pub(crate) status: ToolStatus,
    pub(crate) artifact_ids: Vec<ArtifactId>,
    pub(crate) timestamp: i64,
}

/// `completion`: the run is over.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completion {
    pub(crate) success: bool,
    pub(crate) run_id: RunId,
    /// For people; `cancelled` where the run was cancelled.
    pub(crate) error: Option<String>,
    /// For programs.
    pub(crate) error_code: Option<String>,
    /// The deliverable; absent after a message that asked for none.
    pub(crate) final_artifact_id: Option<ArtifactId>,
    /// Present and true where something of the deliverable is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) partial: bool,
}

/// An artifact with its content; where the content is too large for a frame, with a summary instead, and the content is fetched. The
/// content of a file is described by [`FileContent`].
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact {
    pub(crate) id: ArtifactId,
    #[serde(rename = "type")]
    pub(crate) kind: SmolStr,
    pub(crate) title: SmolStr,
    /// `v` and its number among the artifacts of its kind and item.
    pub(crate) version: String,
    pub(crate) timestamp: i64,
    pub(crate) content: Option<Arc<Value>>,
    #[serde(flatten)]
    pub(crate) summary: Option<Summary>,
}

/// Takes the place of a content that has to be fetched.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) url: String,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) media_type: String,
}

/// Takes the place of a file in frames; the file itself has to be fetched.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileContent {
    pub(crate) media_type: String,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) sha256: Sha256,
    pub(crate) url: String,
    pub(crate) file_name: String,
}

impl FileContent {
    fn of(event: &ArtifactProduced, blob: &BlobRef, media_type: &str) -> Value {
        let file = Self {
            media_type: media_type.to_owned(),
            size: blob.size,
            sha256: blob.sha256,
            url: content_path(&event.artifact),
            file_name: file_name(event, media_type),
        };
        serde_json::to_value(file).expect("text and numbers are JSON")
    }
}

impl Artifact {
    pub(super) fn of(event: &ArtifactProduced, timestamp: i64) -> Self {
        let (content, summary) = match &event.body {
            Body::Event { json } => (Some(Arc::clone(json)), None),
            Body::Blob { blob, media_type } if media_type == JSON => {
                let summary = Summary {
                    url: content_path(&event.artifact),
                    size: blob.size,
                    media_type: media_type.clone(),
                };
                (None, Some(summary))
            }
            Body::Blob { blob, media_type } => {
                let file = FileContent::of(event, blob, media_type);
                (Some(Arc::new(file)), None)
            }
        };
        Self {
            id: event.artifact.clone(),
            kind: event.kind.clone(),
            title: event.title.clone(),
            version: format!("v{}", event.number),
            timestamp,
            content,
            summary,
        }
    }
}

/// One frame of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum CourseFrame {
    MessageStart(MessageStart),
    MessageChunk(MessageChunk),
    ToolMessageStart(ToolStart),
    ToolStart(ToolStart),
    ToolLog(ToolLog),
    Progress(Progress),
    ToolArtifact(ToolArtifact),
    ToolUpdate(ToolUpdate),
    ToolMessageComplete(ToolComplete),
    Completion(Completion),
}

impl FrameData for CourseFrame {
    fn name(&self) -> &'static str {
        match self {
            Self::MessageStart(_) => "message:start",
            Self::MessageChunk(_) => "message:chunk",
            Self::ToolMessageStart(_) => "tool:message:start",
            Self::ToolStart(_) => "tool:start",
            Self::ToolLog(_) => "tool:log",
            Self::Progress(_) => "progress",
            Self::ToolArtifact(_) => "tool:artifact",
            Self::ToolUpdate(_) => "tool:update",
            Self::ToolMessageComplete(_) => "tool:message:complete",
            Self::Completion(_) => "completion",
        }
    }

    fn is_terminal(&self) -> bool {
        matches!(self, Self::Completion(_))
    }
}
