//! Somebody states that findings are corrected, or that the text is right as it is.

use chrono::{DateTime, Utc};
use domain::event::FindingsSettled;
use domain::project::{BATCH_MAX, Settled};
use domain::{Event, Project};

use super::{ProjectRefusal, check_remark};

#[derive(Clone, Debug, PartialEq)]
pub struct SettleFindings {
    pub findings: Vec<Settled>,
}

impl SettleFindings {
    pub(super) fn decide(
        mut self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if self.findings.len() > BATCH_MAX {
            return Err(ProjectRefusal::BatchTooLarge {
                entries: self.findings.len(),
                most: BATCH_MAX,
            });
        }
        for settled in &self.findings {
            if settled.waived && settled.reason.trim().is_empty() {
                return Err(ProjectRefusal::NoReason);
            }
            check_remark("the reason", &settled.reason)?;
        }
        self.findings
            .retain(|settled| project.settled.get(&settled.key) != Some(settled));
        if self.findings.is_empty() {
            return Ok(vec![]);
        }
        let settled = FindingsSettled {
            findings: self.findings,
            at: now,
        };
        Ok(vec![settled.into()])
    }
}
