//! What follows from the events of one project of fiction: the bible. The state knows every entry, where the prose of each version
//! is, and what was learned from accepted chapters; the prose is in blobs.

mod coming;
pub mod entry;
mod fact;
mod limits;
mod phase;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use coming::{ComingText, WholeChapter, WholeProject};
pub use entry::{
    Absence, Age, Archetype, Chapter, Character, Death, Entry, Item, LoopStatus, Place, PlotLoop,
    Relationship, Standing, StyleSample, Travel, Volume, What, WorldEntry, WorldRule,
};
pub use fact::{BY_RULES, Fact, Judged, Quote, Says};
pub use limits::*;
pub use phase::Phase;

use crate::event::{Event, ProjectEvent, SessionEvent, VersionSaved};
use crate::hash::{BlobRef, Sha256};
use crate::ids::{EntryId, SessionId};
use crate::streams;

/// What a project is, beside what is in it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Description {
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The language of the prose, `zh` or `en` or another tag of BCP 47.
    pub language: String,
    pub cover_url: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// `IDEA`, `WORLDBUILDING`, `CHARACTER`, `OUTLINE`, `WRITING`, `REVISION` or `COMPLETED`.
    pub phase: String,
    /// How days are counted; our own calendar where absent.
    pub calendar: Option<Calendar>,
    /// What a front end keeps with the project; the program does not look into it.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub metadata: serde_json::Value,
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub world_settings: serde_json::Value,
}

/// The calendar of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Calendar {
    pub months: Vec<Month>,
    /// In their order; the first is the day with which the year 1 begins. There are none where weeks do not matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weekdays: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Month {
    pub name: String,
    pub days: u32,
}

/// Why a version was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Trigger {
    #[default]
    Manual,
    AutoSave,
    AiEdit,
    Restore,
    Import,
}

/// The prose of a chapter as it was at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Version {
    pub version: u32,
    pub text: BlobRef,
    pub words: u64,
    pub trigger: Trigger,
    pub description: String,
    pub at: DateTime<Utc>,
}

/// What has become of the prose of a chapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prose {
    /// Oldest first; the last is the working draft.
    pub versions: Vec<Version>,
    /// How many versions there have ever been, since no number is given twice.
    pub saved: u32,
    /// The version that is the accepted text of the story.
    pub accepted: Option<u32>,
    /// The version that facts were taken from. Where it is not the accepted one, the chapter is `not_extracted`.
    pub extracted: Option<u32>,
    /// How that version was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

/// How a version was read for facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// `rules`, or the model that read it.
    pub by: String,
    /// What was not done or not taken over, in words for the author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl Prose {
    /// The working draft.
    pub fn draft(&self) -> Option<&Version> {
        self.versions.last()
    }

    /// The version of this number.
    pub fn version(&self, version: u32) -> Option<&Version> {
        self.versions.iter().find(|it| it.version == version)
    }

    /// The version that is the accepted text of the story.
    pub fn accepted(&self) -> Option<&Version> {
        self.accepted.and_then(|version| self.version(version))
    }

    /// Whether there is an accepted version whose facts are not known yet.
    pub fn is_unread(&self) -> bool {
        self.accepted.is_some() && self.extracted != self.accepted
    }
}

/// What became of a finding, whose key is made from the rule, the entries that it concerns and the sentences, so that the key survives
/// other changes of the chapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    pub key: String,
    /// The finding is right as the text stands: it is not shown any longer.
    pub waived: bool,
    /// Why it is waived, or how it was mended.
    pub reason: String,
}

/// An entry, with the version and the time of its last change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub entry: Entry,
    /// The version of the project in which the entry was last changed: its `ETag`.
    pub version: u64,
    pub created: DateTime<Utc>,
    pub changed: DateTime<Utc>,
}

/// A fact with what was said of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    pub fact: Fact,
    pub chapter: EntryId,
    pub version: u32,
    /// `rules`, or the model that found it.
    pub by: String,
    pub judged: Judged,
}

/// The state of a project: the fold of its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Events folded so far.
    pub version: u64,
    pub erased: bool,
    pub description: Description,
    pub created: DateTime<Utc>,
    pub changed: DateTime<Utc>,
    /// The version in which the description was last changed.
    pub described: u64,
    pub entries: BTreeMap<EntryId, Kept>,
    pub prose: BTreeMap<EntryId, Prose>,
    /// By their ids.
    pub facts: BTreeMap<String, Learned>,
    /// By the key of the finding.
    pub settled: BTreeMap<String, Settled>,
}

/// The name of the curator of projects, which reads what is accepted.
pub const CURATED: &str = "project";

/// The name of a project's stream within its owner: `project:<id>`.
pub fn stream(project: &str) -> SessionId {
    SessionId::new(format!("{}{project}", streams::PROJECT))
}

impl Project {
    /// Whether anything has happened yet.
    pub fn exists(&self) -> bool {
        self.version > 0
    }

    /// The entry of this id.
    pub fn entry(&self, id: &EntryId) -> Option<&Entry> {
        self.entries.get(id).map(|kept| &kept.entry)
    }

    /// The chapter of this id.
    pub fn chapter(&self, id: &EntryId) -> Option<&Chapter> {
        self.entry(id)?.what.as_chapter()
    }

    /// The chapters as they are read: volume after volume, those without one first, each by its order.
    pub fn chapters(&self) -> Vec<(&EntryId, &Chapter)> {
        let mut chapters: Vec<_> = self
            .entries
            .iter()
            .filter_map(|(id, kept)| {
                let chapter = kept.entry.what.as_chapter()?;
                Some((self.volume_of(chapter), id, chapter))
            })
            .collect();
        chapters.sort_by_key(|(volume, id, chapter)| (*volume, chapter.order, *id));
        chapters
            .into_iter()
            .map(|(_, id, chapter)| (id, chapter))
            .collect()
    }

    /// The first thing that chapters are sorted by: the order of their volume, with its id.
    fn volume_of<'a>(&self, chapter: &'a Chapter) -> Option<(u32, &'a EntryId)> {
        let id = chapter.volume.as_ref()?;
        let volume = self.entry(id)?.what.as_volume()?;
        Some((volume.order, id))
    }

    /// The place of a chapter among all chapters, counted from 1.
    pub fn number(&self, chapter: &EntryId) -> Option<usize> {
        let at = self.chapters().iter().position(|(id, _)| *id == chapter);
        at.map(|at| at + 1)
    }

    /// A hash of everything that the accepted book is made from: it stays the same while drafts are written and facts are judged.
    pub fn accepted_hash(&self) -> Sha256 {
        let entries = self.entries.iter();
        let entries = entries.map(|(id, kept)| format!("{id} {}", kept.version));
        let prose = self.prose.iter();
        let accepted = prose.filter_map(|(id, prose)| {
            let version = prose.accepted()?;
            Some(format!("{id} {} {}", version.version, version.text.sha256))
        });
        let parts: Vec<String> = entries.chain(accepted).collect();
        Sha256::of_parts(parts.iter().map(String::as_bytes))
    }

    /// Takes one more event into account.
    pub fn evolve(&mut self, event: &Event) {
        self.version += 1;
        match event {
            Event::Project(event) => self.on(event),
            Event::Session(SessionEvent::SessionErased(_)) => {
                *self = Self {
                    version: self.version,
                    erased: true,
                    ..Self::default()
                };
            }
            // These events belong to the other aggregates; no project has them.
            Event::Session(_)
            | Event::Run(_)
            | Event::Step(_)
            | Event::Gate(_)
            | Event::Collection(_) => {}
        }
    }

    fn on(&mut self, event: &ProjectEvent) {
        match event {
            ProjectEvent::ProjectDescribed(e) => {
                if self.version == 1 {
                    self.created = e.at;
                }
                self.described = self.version;
                self.description = (*e.description).clone();
                self.changed = e.at;
            }
            ProjectEvent::EntriesPut(e) => {
                for entry in &e.entries {
                    self.put(entry, e.at);
                }
                self.changed = e.at;
            }
            ProjectEvent::EntriesRemoved(e) => {
                for id in &e.ids {
                    self.entries.remove(id);
                    self.prose.remove(id);
                    self.facts.retain(|_, learned| learned.chapter != *id);
                }
                self.changed = e.at;
            }
            ProjectEvent::VersionSaved(e) => self.saved(e),
            ProjectEvent::VersionRemoved(e) => {
                if let Some(prose) = self.prose.get_mut(&e.chapter) {
                    prose.versions.retain(|it| it.version != e.version);
                }
                self.changed = e.at;
            }
            ProjectEvent::VersionAccepted(e) => {
                let prose = self.prose.entry(e.chapter.clone()).or_default();
                prose.accepted = Some(e.version);
                self.changed = e.at;
            }
            ProjectEvent::FactsFound(e) => {
                let prose = self.prose.entry(e.chapter.clone()).or_default();
                prose.extracted = Some(e.version);
                prose.reading = Some(Reading {
                    by: e.by.clone(),
                    remarks: e.remarks.clone(),
                });
                self.found(&e.chapter, e.version, &e.by, &e.facts);
                self.changed = e.at;
            }
            ProjectEvent::FactsJudged(e) => {
                for (ids, judged) in [(&e.taken, Judged::Taken), (&e.refused, Judged::Refused)] {
                    for id in ids {
                        if let Some(learned) = self.facts.get_mut(id) {
                            learned.judged = judged;
                        }
                    }
                }
                self.changed = e.at;
            }
            ProjectEvent::FindingsSettled(e) => {
                for settled in &e.findings {
                    self.settled.insert(settled.key.clone(), settled.clone());
                }
                self.changed = e.at;
            }
        }
    }

    fn put(&mut self, entry: &Entry, at: DateTime<Utc>) {
        let before = self.entries.get(&entry.id);
        let kept = Kept {
            entry: entry.clone(),
            version: self.version,
            created: before.map_or(at, |before| before.created),
            changed: at,
        };
        self.entries.insert(entry.id.clone(), kept);
    }

    fn saved(&mut self, e: &VersionSaved) {
        let prose = self.prose.entry(e.chapter.clone()).or_default();
        prose.saved = prose.saved.max(e.version);
        prose.versions.push(Version {
            version: e.version,
            text: e.text.clone(),
            words: e.words,
            trigger: e.trigger,
            description: e.description.clone(),
            at: e.at,
        });
        self.changed = e.at;
    }

    /// The old facts of a chapter are removed. A new fact that says the same in the same words keeps the judgement of the old one.
    fn found(&mut self, chapter: &EntryId, version: u32, by: &str, facts: &[Fact]) {
        let mut before = BTreeMap::new();
        self.facts.retain(|_, learned| {
            let falls = learned.chapter == *chapter;
            if falls {
                let said = (learned.fact.says.clone(), learned.fact.quote.text.clone());
                before.insert(said, learned.judged);
            }
            !falls
        });
        for fact in facts {
            let said = (fact.says.clone(), fact.quote.text.clone());
            let known = before.get(&said);
            let learned = Learned {
                fact: fact.clone(),
                chapter: chapter.clone(),
                version,
                by: fact.by.clone().unwrap_or_else(|| by.to_owned()),
                judged: known.copied().unwrap_or_default(),
            };
            self.facts.insert(fact.id.clone(), learned);
        }
    }
}
