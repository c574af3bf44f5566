//! A session begins, branches off, ends; what is said in it, and its files.

use domain::hash::Sha256;
use domain::settings::Settings;
use domain::{MessageId, RunId, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

/// A session begins.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionOpened {
    /// What a message of this session starts unless it says otherwise.
    pub pipeline: SmolStr,
    /// For lists.
    pub title: String,
}

/// What the session is called in lists from now on.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionTitled {
    pub title: String,
}

/// The session branched off another one. What came before is that one's; gates that were open there are none here.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionForked {
    pub parent: SessionId,
    /// The last version taken from the parent.
    pub at: u64,
}

/// The session ended for good; nothing of it can be read any longer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionErased {
    pub reason: String,
}

/// A person said something.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MessageReceived {
    pub message: MessageId,
    /// The run that takes it up, started now or queued.
    pub run: RunId,
    pub text: String,
    /// Paths of session files that came with it.
    pub attachments: Vec<String>,
}

/// A message came while a run was busy; its own run starts when that one has ended.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MessageQueued {
    pub message: MessageId,
    pub run: RunId,
    pub pipeline: SmolStr,
    /// What was said beside the message.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub input: Value,
    pub settings: Settings,
}

/// Nobody wants what a queued message asks for any longer. It keeps its turn; its run is cancelled when that comes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MessageWithdrawn {
    pub message: MessageId,
    pub run: RunId,
    pub reason: String,
}

/// The system said something.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MessageSent {
    pub message: MessageId,
    pub run: RunId,
    pub text: String,
}

/// A file of the session came to be, or has new content.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FilePut {
    /// Relative, with `/` between segments.
    pub path: String,
    pub sha256: Sha256,
    /// Bytes.
    pub size: u64,
    pub media_type: String,
}

/// The session has no file of this path any longer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileRemoved {
    pub path: String,
}
