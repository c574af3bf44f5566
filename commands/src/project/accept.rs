//! A version of a chapter becomes part of the story.

use chrono::{DateTime, Utc};
use domain::event::VersionAccepted;
use domain::ids::EntryId;
use domain::{Event, Project};

use super::ProjectRefusal;

#[derive(Clone, Debug, PartialEq)]
pub struct AcceptVersion {
    pub chapter: EntryId,
    /// The working draft where there is none.
    pub version: Option<u32>,
}

impl AcceptVersion {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if project.chapter(&self.chapter).is_none() {
            return Err(ProjectRefusal::NoEntry {
                what: "chapter",
                id: self.chapter.to_string(),
            });
        }
        let prose = project.prose.get(&self.chapter);
        let draft = prose.and_then(|prose| prose.draft()).map(|it| it.version);
        let version = self.version.or(draft).unwrap_or(0);
        let Some(prose) = prose.filter(|prose| prose.version(version).is_some()) else {
            return Err(ProjectRefusal::NoVersion {
                chapter: self.chapter.to_string(),
                version,
            });
        };
        if prose.accepted == Some(version) {
            return Ok(vec![]);
        }
        let accepted = VersionAccepted {
            chapter: self.chapter,
            version,
            at: now,
        };
        Ok(vec![accepted.into()])
    }
}
