//! Projects of fiction. Commands to them are decided, and their events are appended. Prose is in blobs of the project's stream.

mod derived;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
pub use commands::project as changes;
use commands::project::{ProjectCommand, ProjectRefusal};
use domain::event::{Event, ProjectEvent};
use domain::hash::{Blob, BlobRef};
use domain::pipeline::Pipelines;
use domain::project::{self, Project};
use domain::streams::{PROJECT, work_session};
use domain::{Actor, SessionId};
use store::{Append, AppendError, Log, StreamId};
use tokio_util::sync::CancellationToken;

use self::derived::Derived;
use crate::clock::Clock;
use crate::error::SendError;
use crate::sessions::blobs::{blob, keep_all};
use crate::sessions::{Applied, Request, Sessions, client_command};
use crate::streams::{Appender, Curator, LiveAggregate, Mailboxes, Streams, append_curated};

/// How many entries and versions take as much memory as one small project: some hundred kilobytes.
const ENTRIES_OF_WEIGHT: usize = 200;

/// Why a project was not read or changed. Nothing has happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProjectError {
    #[error(transparent)]
    Refused(#[from] ProjectRefusal),
    #[error(transparent)]
    Log(#[from] SendError),
}

impl From<AppendError> for ProjectError {
    fn from(error: AppendError) -> Self {
        Self::Log(error.into())
    }
}

impl LiveAggregate for Project {
    type Error = ProjectError;

    const OPTIMISTIC: bool = false;

    /// An event may hold five hundred entries of 2 KB.
    const READ_EVENTS: usize = 64;

    /// The weight that is kept: this many small projects, which are those of the people who are at work now; a series of thousands of
    /// entries counts for twenty.
    const KEPT: usize = 64;

    const SLACK: usize = 0;

    fn weight(&self) -> usize {
        let versions: usize = self.prose.values().map(|prose| prose.versions.len()).sum();
        1 + (self.entries.len() + self.facts.len() + versions) / ENTRIES_OF_WEIGHT
    }
}

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectChanged {
    /// The project as it is now.
    pub project: Arc<Project>,
    /// The version of the project that has the change.
    pub version: u64,
    /// It had been made before under this id.
    pub duplicate: bool,
    /// The events of the change; empty where everything was already as it is wanted.
    pub events: Vec<ProjectEvent>,
}

/// The projects of a log. Cheap to clone.
#[derive(Clone)]
pub struct Projects {
    inner: Arc<Inner>,
    /// The session whose step makes the changes, where one does.
    within: Option<SessionId>,
}

struct Inner {
    projects: Streams<Project>,
    /// The curator that reads what is accepted, and the sessions in which it works.
    curation: Option<(Curator, Arc<dyn Sessions>)>,
    derived: Derived,
}

impl std::fmt::Debug for Projects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Projects")
    }
}

impl Projects {
    /// Projects whose accepted chapters begin no runs.
    pub fn new(log: Arc<dyn Log>, clock: Clock) -> Self {
        Self::with(log, clock, None)
    }

    /// Projects in which accepting a version begins a run of the one of these curators that is for projects.
    pub(crate) fn curated(
        log: Arc<dyn Log>,
        clock: Clock,
        curators: &BTreeMap<&'static str, Curator>,
        sessions: Arc<dyn Sessions>,
    ) -> Self {
        let curator = curators.get(project::CURATED).cloned();
        Self::with(log, clock, curator.map(|curator| (curator, sessions)))
    }

    fn with(
        log: Arc<dyn Log>,
        clock: Clock,
        curation: Option<(Curator, Arc<dyn Sessions>)>,
    ) -> Self {
        let projects = Streams {
            log,
            clock,
            pipelines: Pipelines::new(vec![]),
            // Several of these may be in one process.
            shared: true,
            stop: CancellationToken::new(),
            mailboxes: Mailboxes::default(),
        };
        Self {
            inner: Arc::new(Inner {
                projects,
                curation,
                derived: Derived::default(),
            }),
            within: None,
        }
    }

    /// The same projects for a step of this session. Changes that a curator makes to the project that it works on ask for no further work.
    pub(crate) fn within(&self, session: &SessionId) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            within: Some(session.clone()),
        }
    }

    fn log(&self) -> &dyn Log {
        self.inner.projects.log.as_ref()
    }

    /// The ids of an owner's projects, the newest first.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn list(&self, owner: &str) -> Result<Vec<String>, SendError> {
        let streams = self.log().streams(owner, PROJECT).await?;
        let ids = streams.iter().filter_map(|stream| {
            let id = stream.as_str().strip_prefix(PROJECT)?;
            // A name with a slash is that of the session for the work on a project.
            (!id.contains('/')).then(|| id.to_owned())
        });
        Ok(ids.collect())
    }

    /// A project as it is now; a project that does not exist is empty.
    ///
    /// # Errors
    ///
    /// [`SendError::Erased`], or the log cannot be read.
    pub async fn get(&self, owner: &str, project: &str) -> Result<Arc<Project>, SendError> {
        let stream = StreamId::new(owner, project::stream(project));
        let projects = &self.inner.projects;
        let mailbox = projects.mailboxes.of(&stream);
        let mut state = mailbox.state.lock().await;
        let current = projects.current(&stream, &mut state).await?;
        if state.is_some() {
            projects.mailboxes.settle(&mailbox, &current);
        } else {
            projects.mailboxes.forget(&stream);
        }
        Ok(current)
    }

    /// The prose of a version.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the text is missing there.
    pub async fn text(
        &self,
        owner: &str,
        project: &str,
        text: &BlobRef,
    ) -> Result<Arc<str>, SendError> {
        let stream = StreamId::new(owner, project::stream(project));
        let bytes = blob(self.log(), &stream, &text.sha256).await?;
        Ok(String::from_utf8_lossy(&bytes).into())
    }

    /// What is derived from these projects and kept with them, such as an index: the same value for all who ask for this type. How much
    /// is kept is the type's own business.
    #[must_use]
    pub fn derived<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.inner.derived.of()
    }

    /// Changes a project. `texts` are those that the command names; `client_id` is the same for a repetition.
    ///
    /// # Errors
    ///
    /// [`ProjectRefusal`] where it is not done. [`SendError::IdReused`] is never returned: an id that was used for another change cannot be
    /// told apart from a repetition, and gets the first answer.
    pub async fn change(
        &self,
        owner: &str,
        project: &str,
        command: ProjectCommand,
        texts: Vec<Bytes>,
        client_id: &str,
        actor: Actor,
    ) -> Result<ProjectChanged, ProjectError> {
        let stream = StreamId::new(owner, project::stream(project));
        let projects = &self.inner.projects;
        let request = Request {
            claim: None,
            command,
            id: client_command(&stream, client_id),
            actor,
            expected_version: None,
            blobs: vec![],
            content: None,
        };
        let mut appender = ProjectAppender {
            projects: self,
            texts: &texts,
            along: None,
        };
        let applied = match projects.find(&stream, &request).await? {
            Some(before) => Applied {
                duplicate: true,
                ..before
            },
            None => projects.process(&stream, &request, &mut appender).await?,
        };
        let events = applied.events.iter().filter_map(|recorded| {
            if let Event::Project(event) = &recorded.event {
                Some(event.clone())
            } else {
                None
            }
        });
        Ok(ProjectChanged {
            version: applied.version,
            duplicate: applied.duplicate,
            events: events.collect(),
            project: self.get(owner, project).await?,
        })
    }

    /// The curator that reads what is accepted by this change, and the sessions in which it works.
    fn curator(&self, append: &Append) -> Option<(&Curator, &dyn Sessions)> {
        let (curator, sessions) = self.inner.curation.as_ref()?;
        let accepts = append
            .events
            .iter()
            .any(|event| matches!(event, Event::Project(ProjectEvent::VersionAccepted(_))));
        let is_own = self.within.as_ref() == Some(&work_session(&append.stream.session));
        (accepts && !is_own).then_some((curator, sessions.as_ref()))
    }
}

/// Appends a change with its texts, and the message to the curator that reads what it accepts.
struct ProjectAppender<'a> {
    projects: &'a Projects,
    texts: &'a [Bytes],
    /// Texts that go with the append; they are set once it is known that they are accepted.
    along: Option<Vec<Blob>>,
}

impl Appender<Project> for ProjectAppender<'_> {
    async fn append(&mut self, mut append: Append) -> Result<Option<Applied>, ProjectError> {
        let projects = self.projects;
        append.blobs = match &self.along {
            Some(along) => along.clone(),
            None => {
                let kept = keep_all(projects.log(), &append.stream, self.texts).await?;
                self.along.insert(kept).clone()
            }
        };
        let curator = projects.curator(&append);
        Ok(append_curated(projects.log(), curator, append).await?)
    }
}
