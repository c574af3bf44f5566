//! The owner who asks, and the owner's projects. Everything that these resources read and change goes through here, so that no owner sees a
//! project of another one.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use bytes::Bytes;
use palimpsest::prelude::pipeline::{BlobRef, EntryId, Sha256};
use palimpsest::prelude::resource::project::{BATCH_MAX, Entry, Kept, Project, What};
use palimpsest::prelude::resource::project_commands::{
    Expected, ProjectCommand, ProjectRefusal, PutEntries, RemoveEntries,
};
use palimpsest::prelude::resource::{ProjectChanged, ProjectError, check_document_id};
use palimpsest::prelude::wire::{
    Actor, ApiError, App, Owner, SendError, fresh_id, idempotency_key,
};
use serde_json::{Map, Value};

use super::answers::seen;
use super::fields::Form;
use super::limits::CHANGE_TRIES;
use crate::readings::book::Book;
use crate::tools::books::{Edition, read_book};
use crate::tools::searched::{SearchedStory, searched_story};
use crate::tools::searching::StoryQuestion;

/// The owner of a request, the name that its sender gave it, and the version that its sender has seen.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) app: App,
    pub(super) owner: Owner,
    /// The version that a caller has seen of what is to be changed.
    pub(super) seen: Option<u64>,
    key: Option<String>,
}

impl FromRequestParts<App> for Desk {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Ok(Self {
            owner: Owner::from_request_parts(parts, app).await?,
            app: app.clone(),
            seen: seen(&parts.headers)?,
            key: idempotency_key(&parts.headers)?,
        })
    }
}

/// An entry with the project that it is in.
pub(super) struct Found {
    pub(super) id: String,
    pub(super) project: Arc<Project>,
    pub(super) kept: Kept,
}

impl Desk {
    /// A project of the owner.
    pub(super) async fn project(&self, id: &str) -> Result<Arc<Project>, ApiError> {
        check_id(id)?;
        let project = self.app.engine.projects().get(&self.owner.0, id).await;
        let project = project.map_err(ProjectError::from)?;
        if project.exists() {
            Ok(project)
        } else {
            Err(ProjectRefusal::NoProject.into())
        }
    }

    /// A project of the owner with its prose.
    pub(super) async fn book(&self, id: &str, edition: Edition) -> Result<Book, ApiError> {
        self.project(id).await?;
        let book = read_book(self.app.engine.projects(), &self.owner.0, id, edition).await;
        Ok(book.map_err(ProjectError::from)?)
    }

    /// A project of the owner for a search, with the question to it.
    pub(super) async fn ask(
        &self,
        id: &str,
        question: &str,
    ) -> Result<(SearchedStory, StoryQuestion), ApiError> {
        check_id(id)?;
        let engine = &self.app.engine;
        let (projects, collections) = (engine.projects(), engine.collections());
        let story = searched_story(projects, collections, &self.owner.0, id).await;
        let story = story.map_err(ProjectError::from)?;
        let story = story.ok_or(ProjectRefusal::NoProject)?;
        let question = StoryQuestion::of(&story, engine.embedder(), question).await;
        Ok((story, question))
    }

    /// The same for a search in the project itself, which needs the texts only if somebody makes vectors.
    pub(super) async fn ask_nearness(
        &self,
        id: &str,
        question: &str,
    ) -> Result<(SearchedStory, StoryQuestion), ApiError> {
        if self.app.engine.embedder().is_some() {
            return self.ask(id, question).await;
        }
        let story = SearchedStory {
            project: self.project(id).await?,
            ..SearchedStory::default()
        };
        let question = StoryQuestion::of(&story, None, question).await;
        Ok((story, question))
    }

    /// The prose of a version.
    pub(super) async fn text(&self, project: &str, text: &BlobRef) -> Result<Arc<str>, ApiError> {
        let text = self
            .app
            .engine
            .projects()
            .text(&self.owner.0, project, text);
        Ok(text.await?)
    }

    /// The owner's projects that are not erased, the newest first.
    pub(super) async fn projects(&self) -> Result<Vec<(String, Arc<Project>)>, ApiError> {
        let all = self.app.engine.projects();
        let mut found = vec![];
        for id in all.list(&self.owner.0).await? {
            match all.get(&self.owner.0, &id).await {
                Ok(project) if project.exists() && !project.erased => found.push((id, project)),
                Ok(_) | Err(SendError::Erased) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(found)
    }

    /// An entry of a project.
    pub(super) async fn entry(
        &self,
        project: &str,
        id: &str,
        what: &'static str,
    ) -> Result<Found, ApiError> {
        let state = self.project(project).await?;
        let kept = kept_of(&state, id, what).cloned();
        let kept = kept.ok_or_else(|| no_entry(what, id))?;
        Ok(Found {
            id: project.to_owned(),
            project: state,
            kept,
        })
    }

    /// An entry by its id, in any project of the owner or only in the given one. Front ends name most entries by their ids alone.
    pub(super) async fn find(
        &self,
        id: &str,
        what: &'static str,
        project: Option<&str>,
    ) -> Result<Found, ApiError> {
        if let Some(project) = project {
            return self.entry(project, id, what).await;
        }
        let mut found: Option<Found> = None;
        for (project, state) in self.projects().await? {
            let Some(kept) = kept_of(&state, id, what).cloned() else {
                continue;
            };
            if let Some(other) = &found {
                let message = format!(
                    "there is a {what} `{id}` in the projects {} and {project}",
                    other.id
                );
                return Err(ApiError::new(StatusCode::CONFLICT, "ambiguous_id", message)
                    .hint("say which project is meant: `?projectId=`"));
            }
            found = Some(Found {
                id: project,
                project: state,
                kept,
            });
        }
        found.ok_or_else(|| no_entry(what, id))
    }

    /// Changes a project of the owner.
    pub(super) async fn change(
        &self,
        project: &str,
        command: ProjectCommand,
        texts: Vec<Bytes>,
    ) -> Result<ProjectChanged, ApiError> {
        Ok(self.try_change(project, command, texts).await?)
    }

    /// The same for callers that can handle a refusal.
    pub(super) async fn try_change(
        &self,
        project: &str,
        command: ProjectCommand,
        texts: Vec<Bytes>,
    ) -> Result<ProjectChanged, ProjectError> {
        let key = self.key.clone().unwrap_or_else(fresh_id);
        let actor = Actor::person(&self.owner.0);
        let projects = self.app.engine.projects();
        projects
            .change(&self.owner.0, project, command, texts, &key, actor)
            .await
    }

    /// Changes an entry. If the caller did not say which version it has seen, the change is tried again on a newer version.
    pub(super) async fn update(
        &self,
        found: Found,
        change: impl Fn(&Project, &Kept) -> Result<Entry, ApiError>,
    ) -> Result<Found, ApiError> {
        let Found {
            id,
            mut project,
            mut kept,
        } = found;
        let what = kept.entry.what.kind();
        let name = kept.entry.id.clone();
        for _ in 0..CHANGE_TRIES {
            let seen = Expected::Seen(self.seen.unwrap_or(kept.version));
            let command = put(vec![change(&project, &kept)?], seen);
            match self.try_change(&id, command, vec![]).await {
                Ok(changed) => {
                    return self
                        .entry(&id, name.as_str(), what)
                        .await
                        .map(|found| Found {
                            project: changed.project,
                            ..found
                        });
                }
                Err(ProjectError::Refused(ProjectRefusal::Changed { .. }))
                    if self.seen.is_none() =>
                {
                    let found = self.entry(&id, name.as_str(), what).await?;
                    (project, kept) = (found.project, found.kept);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(ApiError::busy())
    }

    /// Creates an entry of what a front end sends.
    pub(super) async fn create(
        &self,
        project: &str,
        form: Form,
        body: &Map<String, Value>,
    ) -> Result<Found, ApiError> {
        let id = self.new_id(form.kind);
        let command = put(vec![form.read(&id, body)?], Expected::New);
        self.change(project, command, vec![]).await?;
        self.entry(project, &id, form.kind).await
    }

    /// The id of something that this request creates: a repetition gets the same id.
    pub(super) fn new_id(&self, of: &str) -> String {
        match &self.key {
            Some(key) => {
                let parts = [self.owner.0.as_bytes(), key.as_bytes(), of.as_bytes()];
                Sha256::of_parts(parts).hex()[..NEW_ID_DIGITS].to_owned()
            }
            None => fresh_id(),
        }
    }

    /// Whether a request of this name was carried out before on this project.
    pub(super) async fn is_repetition(&self, project: &str) -> Result<bool, ApiError> {
        if self.key.is_none() {
            return Ok(false);
        }
        // A command that changes nothing is recorded nowhere, and is answered with what was done under its name.
        let nothing = ProjectCommand::All(vec![]);
        Ok(self.change(project, nothing, vec![]).await?.duplicate)
    }
}

/// Hexadecimal digits of such an id; fresh ids have as many.
const NEW_ID_DIGITS: usize = 32;

/// Refuses ids that no project can have.
fn check_id(project: &str) -> Result<(), ApiError> {
    check_document_id(project).map_err(|_| ProjectRefusal::NoProject.into())
}

fn kept_of<'a>(project: &'a Project, id: &str, what: &str) -> Option<&'a Kept> {
    let kept = project.entries.get(&EntryId::from(id))?;
    (what == ANY || kept.entry.what.kind() == what).then_some(kept)
}

/// An entry of whatever kind.
pub(super) const ANY: &str = "entry";

pub(super) fn no_entry(what: &'static str, id: &str) -> ApiError {
    let id = id.to_owned();
    ProjectRefusal::NoEntry { what, id }.into()
}

/// Puts entries, divided into parts of the size that one command may have.
pub(super) fn put_all(entries: Vec<Entry>, expected: Expected) -> ProjectCommand {
    let parts = entries.chunks(BATCH_MAX);
    ProjectCommand::All(parts.map(|part| put(part.to_vec(), expected)).collect())
}

pub(super) fn put(entries: Vec<Entry>, expected: Expected) -> ProjectCommand {
    let why = String::new();
    ProjectCommand::Put(PutEntries {
        entries,
        expected,
        why,
    })
}

pub(super) fn remove(ids: Vec<EntryId>) -> ProjectCommand {
    let why = String::new();
    ProjectCommand::Remove(RemoveEntries { ids, why })
}

/// The same entry with other data of its kind.
pub(super) fn with_what(entry: &Entry, what: What) -> Entry {
    Entry {
        what,
        ..entry.clone()
    }
}
