//! A whole project begins from one that was taken out of another log: every version of every chapter, and what was said about them.

use chrono::{DateTime, Utc};
use domain::project::WholeProject;
use domain::{Event, Project};

use super::put::check;
use super::{DescribeProject, ProjectRefusal};

/// A project to begin with. The texts of its versions are kept by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeWhole {
    pub project: WholeProject,
}

impl TakeWhole {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if project.exists() {
            return Err(ProjectRefusal::ProjectExists);
        }
        let begins = DescribeProject {
            description: self.project.description.clone(),
            expected: None,
            why: String::new(),
        };
        begins.decide(project, now)?;
        for entry in &self.project.entries {
            check(entry)?;
        }
        Ok(self.project.events(now))
    }
}
