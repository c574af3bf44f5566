//! The prose of a chapter is written or changed: this makes a new version, which becomes the working draft.

use chrono::{DateTime, Utc};
use domain::event::{VersionRemoved, VersionSaved};
use domain::hash::BlobRef;
use domain::ids::EntryId;
use domain::project::{CHAPTER_BYTES_MAX, Prose, Trigger, VERSIONS_MAX};
use domain::{Event, Project};

use super::{ProjectRefusal, check_remark};

#[derive(Clone, Debug, PartialEq)]
pub struct SaveVersion {
    pub chapter: EntryId,
    /// The version that was changed; `None` where whatever is there may be replaced, and 0 where nothing was written yet.
    pub base: Option<u32>,
    /// Its bytes are kept by the caller.
    pub text: BlobRef,
    pub words: u64,
    pub trigger: Trigger,
    pub description: String,
}

impl SaveVersion {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        let chapter = project.chapter(&self.chapter);
        let chapter = chapter.ok_or_else(|| ProjectRefusal::NoEntry {
            what: "chapter",
            id: self.chapter.to_string(),
        })?;
        if chapter.locked {
            return Err(ProjectRefusal::Locked {
                chapter: self.chapter.to_string(),
            });
        }
        let (bytes, most) = (self.text.size, CHAPTER_BYTES_MAX);
        if bytes > most {
            return Err(ProjectRefusal::TextTooLarge { bytes, most });
        }
        check_remark("the description", &self.description)?;
        let nothing = Prose::default();
        let prose = project.prose.get(&self.chapter).unwrap_or(&nothing);
        let is = prose.draft().map_or(0, |draft| draft.version);
        let is_same = prose.draft().is_some_and(|draft| draft.text == self.text);
        if is_same && self.trigger == Trigger::AutoSave {
            return Ok(vec![]);
        }
        // Writing the same text again takes nothing away from anybody.
        if let Some(base) = self.base.filter(|base| *base != is && !is_same) {
            return Err(ProjectRefusal::StaleText {
                chapter: self.chapter.to_string(),
                base,
                is,
            });
        }
        let mut events = vec![];
        if prose.versions.len() >= VERSIONS_MAX
            && let Some(version) = oldest_unmarked(prose)
        {
            let removed = VersionRemoved {
                chapter: self.chapter.clone(),
                version,
                at: now,
            };
            events.push(removed.into());
        }
        let saved = VersionSaved {
            chapter: self.chapter,
            version: prose.saved + 1,
            text: self.text,
            words: self.words,
            trigger: self.trigger,
            description: self.description,
            at: now,
        };
        events.push(saved.into());
        Ok(events)
    }
}

fn oldest_unmarked(prose: &Prose) -> Option<u32> {
    let versions = prose.versions.iter();
    let mut unmarked = versions.filter(|version| {
        version.description.is_empty() && prose.accepted != Some(version.version)
    });
    unmarked.next().map(|version| version.version)
}
