//! Entries are added to a project, or replace their earlier versions: all of them or none.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::event::EntriesPut;
use domain::ids::EntryId;
use domain::project::{BATCH_MAX, ENTRIES_MAX, ENTRY_BYTES_MAX, Entry, NAME_CHARS_MAX, What};
use domain::{Event, Project};

use super::{ProjectRefusal, check_remark, shown};
use crate::collection::check_document_id;

/// Which state of an entry the caller has seen before changing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// Any state.
    #[default]
    Any,
    /// The entry does not exist yet.
    New,
    /// The state that this version of the project gave it.
    Seen(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PutEntries {
    pub entries: Vec<Entry>,
    /// Applies to every one of them.
    pub expected: Expected,
    pub why: String,
}

impl PutEntries {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if self.entries.len() > BATCH_MAX {
            return Err(ProjectRefusal::BatchTooLarge {
                entries: self.entries.len(),
                most: BATCH_MAX,
            });
        }
        check_remark("the reason", &self.why)?;
        let mut ids = BTreeSet::new();
        for entry in &self.entries {
            check(entry)?;
            if !ids.insert(entry.id.clone()) {
                return Err(ProjectRefusal::Twice {
                    id: entry.id.to_string(),
                });
            }
            check_place(project, entry, self.expected)?;
        }
        let is_new = |id: &&EntryId| !project.entries.contains_key(*id);
        let entries = project.entries.len() + ids.iter().filter(is_new).count();
        if entries > ENTRIES_MAX {
            return Err(ProjectRefusal::TooMany {
                entries,
                most: ENTRIES_MAX,
            });
        }
        let mut news = self.entries;
        news.retain(|entry| project.entry(&entry.id) != Some(entry));
        if news.is_empty() {
            return Ok(vec![]);
        }
        let put = EntriesPut {
            entries: news,
            why: self.why,
            at: now,
        };
        Ok(vec![put.into()])
    }
}

fn check_place(project: &Project, entry: &Entry, expected: Expected) -> Result<(), ProjectRefusal> {
    let kept = project.entries.get(&entry.id);
    let is = kept.map_or(0, |kept| kept.version);
    let as_seen = match expected {
        Expected::Any => true,
        Expected::New => kept.is_none(),
        Expected::Seen(seen) => is == seen,
    };
    if !as_seen {
        return Err(ProjectRefusal::Changed {
            id: entry.id.to_string(),
            is,
        });
    }
    let Some(kept) = kept else { return Ok(()) };
    let (is, wanted) = (kept.entry.what.kind(), entry.what.kind());
    if is != wanted {
        return Err(ProjectRefusal::OtherKind {
            id: entry.id.to_string(),
            is,
            wanted,
        });
    }
    Ok(())
}

pub(super) fn check(entry: &Entry) -> Result<(), ProjectRefusal> {
    check_document_id(entry.id.as_str()).map_err(|_| ProjectRefusal::BadId {
        id: shown(entry.id.as_str()),
    })?;
    let name = entry.what.name();
    // A character without a name or role is accepted. It becomes a finding, because a writer may not know these yet.
    let needs_name = !matches!(
        entry.what,
        What::Relationship(_) | What::StyleSample(_) | What::Character(_)
    );
    let bad = (needs_name && name.trim().is_empty())
        || name.chars().count() > NAME_CHARS_MAX
        || name.chars().any(char::is_control);
    if bad {
        return Err(ProjectRefusal::BadName {
            what: entry.what.kind(),
            name: shown(name),
        });
    }
    let bytes = serde_json::to_vec(entry).map_or(usize::MAX, |json| json.len());
    if bytes > ENTRY_BYTES_MAX {
        return Err(ProjectRefusal::EntryTooLarge {
            id: entry.id.to_string(),
            bytes,
            most: ENTRY_BYTES_MAX,
        });
    }
    Ok(())
}
