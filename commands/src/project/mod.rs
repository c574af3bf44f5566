//! What can be asked of a project of fiction, one file a verb. The same form as for sessions: a pure function of the state, the
//! command and the time.

mod accept;
mod describe;
mod facts;
mod import;
#[cfg(test)]
mod laws_tests;
mod put;
mod refusal;
mod remove;
mod save;
mod settle;
#[cfg(test)]
mod tests;
mod whole;

use chrono::{DateTime, Utc};
use domain::{Event, Project};

pub use accept::AcceptVersion;
pub use describe::DescribeProject;
pub use facts::{JudgeFacts, TellFacts};
pub use import::{as_project, brought_in};
pub use put::{Expected, PutEntries};
pub use refusal::ProjectRefusal;
pub use remove::{RemoveEntries, RemoveVersion};
pub use save::SaveVersion;
pub use settle::SettleFindings;
pub use whole::TakeWhole;

/// Everything that can be asked of a project.
#[derive(Clone, Debug, PartialEq)]
pub enum ProjectCommand {
    Describe(Box<DescribeProject>),
    Put(PutEntries),
    Remove(RemoveEntries),
    Save(SaveVersion),
    RemoveVersion(RemoveVersion),
    Accept(AcceptVersion),
    TellFacts(TellFacts),
    Judge(JudgeFacts),
    Settle(SettleFindings),
    TakeWhole(Box<TakeWhole>),
    /// Several commands in one append, each decided on the result of those before it: all of them or none.
    All(Vec<ProjectCommand>),
}

impl ProjectCommand {
    /// Whether a project may begin with it.
    pub(crate) fn may_open(&self) -> bool {
        match self {
            Self::Describe(_) | Self::TakeWhole(_) => true,
            Self::All(all) => all.first().is_some_and(Self::may_open),
            Self::Put(_)
            | Self::Remove(_)
            | Self::Save(_)
            | Self::RemoveVersion(_)
            | Self::Accept(_)
            | Self::TellFacts(_)
            | Self::Judge(_)
            | Self::Settle(_) => false,
        }
    }

    /// Decides it; the events are folded into the state already.
    pub(crate) fn decide(
        self,
        project: &mut Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        if project.erased {
            return Err(ProjectRefusal::Erased);
        }
        let events = match self {
            Self::Describe(command) => command.decide(project, now)?,
            Self::Put(command) => command.decide(project, now)?,
            Self::Remove(command) => command.decide(project, now)?,
            Self::Save(command) => command.decide(project, now)?,
            Self::RemoveVersion(command) => command.decide(project, now)?,
            Self::Accept(command) => command.decide(project, now)?,
            Self::TellFacts(command) => command.decide(project, now)?,
            Self::Judge(command) => command.decide(project, now)?,
            Self::Settle(command) => command.decide(project, now)?,
            Self::TakeWhole(command) => command.decide(project, now)?,
            Self::All(commands) => {
                let mut events = vec![];
                for command in commands {
                    events.extend(command.decide(project, now)?);
                }
                return Ok(events);
            }
        };
        for event in &events {
            project.evolve(event);
        }
        Ok(events)
    }
}

/// As much of a text from outside as a refusal shows.
fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Whether a remark is as short as it must be.
fn check_remark(what: &'static str, text: &str) -> Result<(), ProjectRefusal> {
    let (characters, most) = (text.chars().count(), domain::project::REMARK_CHARS_MAX);
    if characters > most {
        return Err(ProjectRefusal::TooLong {
            what,
            characters,
            most,
        });
    }
    Ok(())
}
