//! What a project of fiction knows, and how it came to know it.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hash::BlobRef;
use crate::ids::EntryId;
use crate::project::{Description, Entry, Fact, Settled, Trigger};

family! {
    /// What happened to a project.
    ProjectEvent in Project {
        ProjectDescribed = 1,
        EntriesPut = 1,
        EntriesRemoved = 1,
        VersionSaved = 1,
        VersionRemoved = 1,
        VersionAccepted = 1,
        FactsFound = 1,
        FactsJudged = 1,
        FindingsSettled = 1,
    }
}

/// What the project is. The first event of this kind begins the project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectDescribed {
    pub description: Box<Description>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Entries were added or changed. An entry whose id is known replaces the one with that id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntriesPut {
    pub entries: Vec<Entry>,
    /// The reason, in the words of the one who made the change; or the run that planned the entries, where a run did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Entries are not wanted any longer. When a chapter is removed, its versions and the facts learned from them are removed too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntriesRemoved {
    pub ids: Vec<EntryId>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// The prose of a chapter was written or changed. The newest version is the working draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VersionSaved {
    pub chapter: EntryId,
    /// Counted from 1 within the chapter.
    pub version: u32,
    /// The text, UTF-8 Markdown.
    pub text: BlobRef,
    /// The number of Chinese characters and of words in other scripts.
    pub words: u64,
    pub trigger: Trigger,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// A version that is neither the draft nor accepted is not wanted any longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VersionRemoved {
    pub chapter: EntryId,
    pub version: u32,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// A version becomes the accepted text of the story. The facts learned from the accepted version before it no longer count; what this one
/// says is not known yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VersionAccepted {
    pub chapter: EntryId,
    pub version: u32,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// The facts that were read in an accepted version. None of them counts before somebody takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactsFound {
    pub chapter: EntryId,
    pub version: u32,
    pub facts: Vec<Fact>,
    /// `rules`, or the model that read it.
    pub by: String,
    /// What was not done or not taken over, in words for the author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Somebody took some of what was found, and refused some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactsJudged {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Somebody said what is to become of findings: mended, or right as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingsSettled {
    pub findings: Vec<Settled>,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}
