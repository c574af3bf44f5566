//! Entries and old versions are removed from a project. An entry that is not there is no reason to refuse: the result is as it was wanted.

use chrono::{DateTime, Utc};
use domain::event::{EntriesRemoved, VersionRemoved};
use domain::ids::EntryId;
use domain::project::BATCH_MAX;
use domain::{Event, Project};

use super::{ProjectRefusal, check_remark};

#[derive(Clone, Debug, PartialEq)]
pub struct RemoveEntries {
    pub ids: Vec<EntryId>,
    pub why: String,
}

impl RemoveEntries {
    pub(super) fn decide(
        mut self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if self.ids.len() > BATCH_MAX {
            return Err(ProjectRefusal::BatchTooLarge {
                entries: self.ids.len(),
                most: BATCH_MAX,
            });
        }
        check_remark("the reason", &self.why)?;
        self.ids.sort();
        self.ids.dedup();
        self.ids.retain(|id| project.entries.contains_key(id));
        for id in &self.ids {
            if project.chapter(id).is_some_and(|chapter| chapter.locked) {
                return Err(ProjectRefusal::Locked {
                    chapter: id.to_string(),
                });
            }
        }
        if self.ids.is_empty() {
            return Ok(vec![]);
        }
        let removed = EntriesRemoved {
            ids: self.ids,
            why: self.why,
            at: now,
        };
        Ok(vec![removed.into()])
    }
}

/// A version that is neither the draft nor accepted is removed.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveVersion {
    pub chapter: EntryId,
    pub version: u32,
}

impl RemoveVersion {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        let Some(prose) = project.prose.get(&self.chapter) else {
            return Ok(vec![]);
        };
        let version = self.version;
        if prose.accepted == Some(version) {
            let why = "the accepted one";
            return Err(ProjectRefusal::VersionInUse { version, why });
        }
        if prose.draft().is_some_and(|draft| draft.version == version) {
            let why = "the working draft";
            return Err(ProjectRefusal::VersionInUse { version, why });
        }
        if prose.version(version).is_none() {
            return Ok(vec![]);
        }
        let removed = VersionRemoved {
            chapter: self.chapter,
            version,
            at: now,
        };
        Ok(vec![removed.into()])
    }
}
