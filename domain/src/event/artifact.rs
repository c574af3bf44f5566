//! What was made, and the files of the session.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::BlobRef;
use crate::ids::{ArtifactId, StepId};

/// Where the content of an artifact is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "in")]
pub enum Body {
    /// In the event itself.
    Event { json: Arc<Value> },
    /// Beside the events, by content hash.
    Blob { blob: BlobRef, media_type: String },
}

/// A step, or a person, made something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactProduced {
    pub artifact: ArtifactId,
    pub kind: String,
    /// Which one it is, where its step leaves several of this kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Counts the versions of this kind and item in the session, from 1.
    pub number: u32,
    pub title: String,
    pub step: StepId,
    pub attempt: u32,
    pub body: Body,
    /// What the flow of the pipeline reads of the content: a few numbers and names, in the event wherever the content is,
    /// so that what is asked for next never depends on how large the content is.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<ArtifactId>,
    /// Whether a client should turn to it.
    pub shown: bool,
}

impl ArtifactProduced {
    /// What tells it from others of its kind in a run: its part, else the item of its step.
    pub fn item(&self) -> &str {
        if self.part.is_empty() {
            &self.step.item
        } else {
            &self.part
        }
    }
}

/// The session has no file of this path any longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileRemoved {
    pub path: String,
}

/// A file of the session came to be, or has new content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilePut {
    /// Relative, with `/` between segments, without `.` and `..`.
    pub path: String,
    pub blob: BlobRef,
    pub media_type: String,
}
