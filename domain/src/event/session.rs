//! The beginning, the forks and the end of a stream; what is said in it, and its files.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use crate::hash::BlobRef;
use crate::ids::{MessageId, RunId, SessionId};
use crate::settings::Settings;

family! {
    /// What happened to a session itself, to its conversation and to its files. `SessionErased` also ends a collection.
    #[expect(clippy::large_enum_variant, reason = "an event is as large as the largest of all families wherever it stands")]
    SessionEvent in Session {
        SessionOpened = 1,
        SessionTitled = 1,
        SessionForked = 1,
        SessionErased = 1,
        MessageReceived = 1,
        MessageQueued = 1,
        MessageWithdrawn = 1,
        MessageSent = 1,
        FilePut = 1,
        FileRemoved = 1,
    }
}

/// A session begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOpened {
    /// What a message of this session starts unless it says otherwise.
    pub pipeline: SmolStr,
    /// For lists: the start of the first message.
    pub title: String,
}

/// What the session is called in lists from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTitled {
    pub title: String,
}

/// A session branches off another one: its history is the parent's up to `at`, then its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionForked {
    pub parent: SessionId,
    /// The last version taken from the parent.
    pub at: u64,
}

/// A session ends for good; its data key is destroyed with this append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionErased {
    pub reason: String,
}

/// A person said something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageReceived {
    pub message: MessageId,
    pub text: String,
    /// Paths of session files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    /// The run that works on this message, started now or queued.
    pub run: RunId,
    /// When the message came; absent where the program that recorded it did not say.
    #[serde(
        with = "chrono::serde::ts_microseconds_option",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<i64>")]
    pub at: Option<DateTime<Utc>>,
}

/// A message came while a run was busy; its run starts when that one has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageQueued {
    pub message: MessageId,
    pub run: RunId,
    pub pipeline: SmolStr,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    pub settings: Settings,
}

/// A queued message is no longer wanted. It keeps its place in the queue, so that runs begin and end in the order of their numbers. When
/// its turn comes, its run is cancelled in the same append that starts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageWithdrawn {
    pub message: MessageId,
    pub run: RunId,
    pub reason: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// The system said something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageSent {
    pub message: MessageId,
    pub run: RunId,
    pub text: String,
}

/// The session has a new file, or a file has new content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilePut {
    /// Relative, with `/` between segments, without `.` and `..`.
    pub path: String,
    pub blob: BlobRef,
    pub media_type: String,
}

/// The session has no file of this path any longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileRemoved {
    pub path: String,
}
