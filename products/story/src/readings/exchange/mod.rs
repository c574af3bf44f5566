//! A whole project as one JSON document that can be imported again with the same result, and as one Markdown text for reading.
//!
//! The document is a storage format: `formatVersion` is raised when the meaning of a field changes.

mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::{BlobRef, EntryId};
use palimpsest::prelude::resource::project::{
    Description, Entry, Fact, Judged, Project, Prose, Reading, Settled, Trigger, Version,
    WholeChapter, WholeProject,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::prose::word_count;
pub(crate) use read::read;

/// The name of the format, which every document contains.
pub(crate) const FORMAT: &str = "palimpsest-story";

/// The version of the meaning of a document's fields.
pub(crate) const FORMAT_VERSION: u64 = 1;

/// Texts of versions of chapters.
pub(crate) type VersionTexts = BTreeMap<(EntryId, u32), Arc<str>>;

/// A project that was read from a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ProjectExchange {
    pub description: Description,
    pub entries: Vec<Entry>,
    pub chapters: Vec<ExchangedChapter>,
    pub findings: Vec<Settled>,
}

/// The prose of a chapter, with what was learned from it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExchangedChapter {
    pub id: EntryId,
    /// Oldest first.
    #[serde(default)]
    pub versions: Vec<ExchangedVersion>,
    pub accepted: Option<u32>,
    /// The version that the facts were taken from.
    pub extracted: Option<u32>,
    /// `rules`, or the model that read the facts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub extracted_by: String,
    /// What was not done or not taken over when the facts were read, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<ExchangedFact>,
}

/// The prose of a chapter as it was at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExchangedVersion {
    pub version: u32,
    /// Markdown.
    pub text: Arc<str>,
    #[serde(default)]
    pub trigger: Trigger,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub at: DateTime<Utc>,
}

/// A fact with what people decided about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExchangedFact {
    #[serde(flatten)]
    pub fact: Fact,
    #[serde(default)]
    pub judged: Judged,
}

/// The text of a version is missing, so that a document would be incomplete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text of version {version} of chapter `{chapter}` is missing")]
pub(crate) struct TextMissing {
    pub chapter: EntryId,
    pub version: u32,
}

/// The document of a project. `texts` has the text of every version.
pub(crate) fn export(project: &Project, texts: &VersionTexts) -> Result<Value, TextMissing> {
    let whole = WholeProject::of(project);
    let chapters = whole.chapters.into_iter();
    let chapters = chapters.map(|chapter| ExchangedChapter::of(chapter, texts));
    let chapters: Vec<ExchangedChapter> = chapters.collect::<Result<_, _>>()?;
    Ok(json!({
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "description": whole.description,
        "entries": whole.entries,
        "chapters": chapters,
        "findings": whole.findings,
    }))
}

impl ProjectExchange {
    /// The project of the document; the texts of its versions are named by their hashes.
    pub(crate) fn whole(self) -> WholeProject {
        let chapters = self.chapters.into_iter();
        WholeProject {
            description: self.description,
            entries: self.entries,
            chapters: chapters.map(ExchangedChapter::whole).collect(),
            findings: self.findings,
        }
    }
}

impl ExchangedChapter {
    fn of(chapter: WholeChapter, texts: &VersionTexts) -> Result<Self, TextMissing> {
        let WholeChapter { id, prose, facts } = chapter;
        let mut versions = vec![];
        for it in prose.versions {
            let missing = || TextMissing {
                chapter: id.clone(),
                version: it.version,
            };
            let text = texts.get(&(id.clone(), it.version)).ok_or_else(missing)?;
            versions.push(ExchangedVersion {
                version: it.version,
                text: text.clone(),
                trigger: it.trigger,
                description: it.description,
                at: it.at,
            });
        }
        let reading = prose.reading.unwrap_or_default();
        let facts = facts.into_iter();
        Ok(Self {
            id,
            versions,
            accepted: prose.accepted,
            extracted: prose.extracted,
            extracted_by: reading.by,
            remarks: reading.remarks,
            facts: facts
                .map(|(fact, judged)| ExchangedFact { fact, judged })
                .collect(),
        })
    }

    fn whole(self) -> WholeChapter {
        let versions = self.versions.into_iter().map(|it| Version {
            version: it.version,
            text: BlobRef::of(it.text.as_bytes()),
            words: word_count(&it.text),
            trigger: it.trigger,
            description: it.description,
            at: it.at,
        });
        let versions: Vec<Version> = versions.collect();
        let reading = self.extracted.map(|_| Reading {
            by: self.extracted_by,
            remarks: self.remarks,
        });
        let facts = self.facts.into_iter();
        WholeChapter {
            id: self.id,
            prose: Prose {
                saved: versions.last().map_or(0, |last| last.version),
                versions,
                accepted: self.accepted,
                extracted: self.extracted,
                reading,
            },
            facts: facts.map(|it| (it.fact, it.judged)).collect(),
        }
    }
}
