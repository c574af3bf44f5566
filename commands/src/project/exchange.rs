//! A whole project begins from a document that was exported from another one: every version of every chapter, and what was said about them.

use chrono::{DateTime, Utc};
use domain::story::exchange::ProjectExchange;
use domain::{Event, Project};

use super::put::check;
use super::{DescribeProject, ProjectRefusal};

/// The project that a document holds. The texts of its versions are kept by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeExchange {
    pub exchange: ProjectExchange,
}

impl TakeExchange {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if project.exists() {
            return Err(ProjectRefusal::ProjectExists);
        }
        let begins = DescribeProject {
            description: self.exchange.description.clone(),
            expected: None,
            why: String::new(),
        };
        begins.decide(project, now)?;
        for entry in &self.exchange.entries {
            check(entry)?;
        }
        Ok(self.exchange.events(now))
    }
}
