//! A project begins, or what it is changes.

use chrono::{DateTime, Utc};
use domain::event::ProjectDescribed;
use domain::project::{Description, NAME_CHARS_MAX, Phase};
use domain::{Event, Project};

use super::{ProjectRefusal, check_remark, shown};

/// Bytes of everything that a description holds, as JSON.
const DESCRIPTION_BYTES_MAX: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeProject {
    pub description: Description,
    /// The version of the project that had the description which the caller has seen; `None` where this does not matter.
    pub expected: Option<u64>,
    pub why: String,
}

impl DescribeProject {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        let description = self.description;
        let title = &description.title;
        let characters = title.chars().count();
        if title.trim().is_empty()
            || characters > NAME_CHARS_MAX
            || title.chars().any(char::is_control)
        {
            return Err(ProjectRefusal::BadName {
                what: "the title",
                name: shown(title),
            });
        }
        let is_phase = |phase: &Phase| phase.as_str() == description.phase;
        if !Phase::ALL.iter().any(is_phase) {
            return Err(ProjectRefusal::BadValue {
                value: shown(&description.phase),
                expected: "a phase: IDEA, WORLDBUILDING, CHARACTER, OUTLINE, WRITING, REVISION or COMPLETED",
            });
        }
        check_remark("the reason", &self.why)?;
        let json = serde_json::to_vec(&description).map_or(usize::MAX, |json| json.len());
        if json > DESCRIPTION_BYTES_MAX {
            return Err(ProjectRefusal::EntryTooLarge {
                id: "the description".to_owned(),
                bytes: json,
                most: DESCRIPTION_BYTES_MAX,
            });
        }
        if self.expected.is_some_and(|seen| seen != project.described) {
            return Err(ProjectRefusal::Changed {
                id: "the description".to_owned(),
                is: project.described,
            });
        }
        if project.exists() && project.description == description {
            return Ok(vec![]);
        }
        let described = ProjectDescribed {
            description: Box::new(description),
            why: self.why,
            at: now,
        };
        Ok(vec![described.into()])
    }
}
