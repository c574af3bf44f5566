//! What a finished step leaves.

use std::fmt;

use bytes::Bytes;
use serde_json::Value;
use smol_str::SmolStr;

use crate::event::RULES;
use crate::event::{Body, Intent};
use crate::ids::{ArtifactId, RunId};

/// Something a finished step leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Artifact(NewArtifact),
    Intent(IntentOutput),
    /// A file of the session, which replaces one of the same path.
    File {
        path: String,
        file: File,
    },
    /// The session has no such file any longer.
    FileRemoved {
        path: String,
    },
    Decision {
        what: String,
        choice: String,
        reason: String,
        by: String,
    },
}

/// An artifact before it has an id and a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NewArtifact {
    pub kind: &'static str,
    /// First part of its id.
    pub id_prefix: &'static str,
    /// Where the step leaves several of this kind, which one it is; empty where it leaves one.
    pub part: String,
    pub title: String,
    pub content: Content,
    /// What the flow reads of the artifact; null where it reads nothing.
    pub facts: Value,
    pub shown: bool,
    pub from: Vec<ArtifactId>,
}

impl NewArtifact {
    /// The only artifact of its kind that a step leaves: shown to people, and without facts for the flow. `from` is its lineage, mostly
    /// [`Work::lineage`](super::Work::lineage).
    pub fn new(
        kind: &'static str,
        id_prefix: &'static str,
        title: impl Into<String>,
        content: Content,
        from: Vec<ArtifactId>,
    ) -> Self {
        Self {
            kind,
            id_prefix,
            part: String::new(),
            title: title.into(),
            content,
            facts: Value::Null,
            shown: true,
            from,
        }
    }

    /// The content, where that is JSON.
    pub fn json(&self) -> Option<&Value> {
        match &self.content {
            Content::Json(json) => Some(json),
            Content::File(_) | Content::Same(_) => None,
        }
    }
}

/// What an artifact holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Json(Value),
    /// Kept beside the events, however small it is: no event holds bytes.
    File(File),
    /// The body of an earlier artifact, referred to and not copied.
    Same(Body),
}

impl Content {
    /// A file with these bytes.
    pub fn file(media_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::File(File { media_type, bytes })
    }
}

/// A file that is not JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    pub media_type: &'static str,
    pub bytes: Bytes,
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes.len(), self.media_type)
    }
}

/// How the message of the run is meant.
#[derive(Clone, Debug, PartialEq)]
pub struct IntentOutput {
    pub intent: Intent,
    pub target: Option<SmolStr>,
    /// The items of the target that a change is about; empty where it is about all of it.
    pub items: Vec<String>,
    /// The items after a change of their order, in the new order; empty where it is about something else.
    pub order: Vec<String>,
    /// The run to which the session goes back, so that it becomes the head; nothing is made.
    pub back_to: Option<RunId>,
    /// The tag of the language into which a change wants the existing content put.
    pub language: Option<String>,
    pub confidence: f64,
    pub by: String,
    pub reason: String,
    pub reply: Option<String>,
}

impl IntentOutput {
    /// A message that is answered with a text, and nothing is made.
    pub fn refused(reply: String) -> Self {
        let reason = "the message asks for what takes a model, and none is configured";
        Self {
            reply: Some(reply),
            ..Self::by_rules(Intent::Irrelevant, reason)
        }
    }

    /// What rules say for certain, without a target and a reply.
    pub fn by_rules(intent: Intent, reason: impl Into<String>) -> Self {
        Self {
            intent,
            target: None,
            items: vec![],
            order: vec![],
            back_to: None,
            language: None,
            confidence: 1.0,
            by: RULES.to_owned(),
            reason: reason.into(),
            reply: None,
        }
    }
}
