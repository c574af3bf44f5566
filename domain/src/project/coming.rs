//! What a project takes over from elsewhere, by its own types: the prose of chapters, or another project as a whole.

use chrono::{DateTime, Utc};

use super::{BATCH_MAX, Description, Entry, Fact, Judged, Project, Prose, Settled};
use crate::event::{
    EntriesPut, Event, FactsFound, FactsJudged, FindingsSettled, ProjectDescribed, VersionAccepted,
    VersionSaved,
};
use crate::ids::EntryId;

/// The prose of a chapter that is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComingText {
    pub chapter: EntryId,
    pub text: String,
    /// The words of the text, as whoever brings it counts them.
    pub words: u64,
    /// Whether it is accepted.
    pub is_accepted: bool,
}

/// A whole project: every version of every chapter, and what was said about them. The texts of the versions are kept beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeProject {
    pub description: Description,
    pub entries: Vec<Entry>,
    pub chapters: Vec<WholeChapter>,
    pub findings: Vec<Settled>,
}

/// The prose of a chapter, with what was learned from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeChapter {
    pub id: EntryId,
    pub prose: Prose,
    /// The facts of the version that was read, with what people decided about them.
    pub facts: Vec<(Fact, Judged)>,
}

impl WholeProject {
    /// A project as it is now.
    pub fn of(project: &Project) -> Self {
        let chapters = project.prose.iter().map(|(id, prose)| {
            let own = project.facts.values().filter(|it| it.chapter == *id);
            WholeChapter {
                id: id.clone(),
                prose: prose.clone(),
                facts: own.map(|it| (it.fact.clone(), it.judged)).collect(),
            }
        });
        let entries = project.entries.values().map(|kept| kept.entry.clone());
        Self {
            description: project.description.clone(),
            entries: entries.collect(),
            chapters: chapters.collect(),
            findings: project.settled.values().cloned().collect(),
        }
    }

    /// The events that create this project. Versions keep the times at which they were written; everything else has the present time. The
    /// events refer to the texts of the versions.
    pub fn events(self, at: DateTime<Utc>) -> Vec<Event> {
        let why = String::new;
        let begins = ProjectDescribed {
            description: Box::new(self.description),
            why: why(),
            at,
        };
        let mut events: Vec<Event> = vec![begins.into()];
        for entries in self.entries.chunks(BATCH_MAX) {
            let entries = entries.to_vec();
            let why = why();
            events.push(EntriesPut { entries, why, at }.into());
        }
        for chapter in self.chapters {
            chapter.events(at, &mut events);
        }
        if !self.findings.is_empty() {
            let findings = self.findings;
            events.push(FindingsSettled { findings, at }.into());
        }
        events
    }
}

impl WholeChapter {
    fn events(self, at: DateTime<Utc>, events: &mut Vec<Event>) {
        let chapter = || self.id.clone();
        for it in self.prose.versions {
            let saved = VersionSaved {
                chapter: chapter(),
                version: it.version,
                text: it.text,
                words: it.words,
                trigger: it.trigger,
                description: it.description,
                at: it.at,
            };
            events.push(saved.into());
        }
        if let Some(version) = self.prose.accepted {
            let accepted = VersionAccepted {
                chapter: chapter(),
                version,
                at,
            };
            events.push(accepted.into());
        }
        if let Some(version) = self.prose.extracted {
            let reading = self.prose.reading.unwrap_or_default();
            let found = FactsFound {
                chapter: chapter(),
                version,
                facts: self.facts.iter().map(|(fact, _)| fact.clone()).collect(),
                by: reading.by,
                remarks: reading.remarks,
                at,
            };
            events.push(found.into());
        }
        let ids = |wanted: Judged| -> Vec<String> {
            let chosen = self.facts.iter().filter(|(_, judged)| *judged == wanted);
            chosen.map(|(fact, _)| fact.id.clone()).collect()
        };
        let (taken, refused) = (ids(Judged::Taken), ids(Judged::Refused));
        if !taken.is_empty() || !refused.is_empty() {
            events.push(FactsJudged { taken, refused, at }.into());
        }
    }
}
