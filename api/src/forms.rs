//! Forms of an artifact's content that are made on request, beside the content as it is: a client asks for one by its name (`?as=html`).
//! A program names those that it has.

use std::sync::Arc;

use domain::Session;
use domain::event::ArtifactProduced;
use futures::future::BoxFuture;
use serde_json::Value;
use store::{Log, StreamId};

use crate::error::ApiError;
use crate::read::{self, Content};

/// A form of the contents of a kind.
#[derive(Clone, Copy)]
pub struct ContentForm {
    /// The kind of the artifacts that have it.
    pub kind: &'static str,
    /// The name that `?as=` asks for.
    pub name: &'static str,
    /// What a browser may do with it as a page of its own: the value of `Content-Security-Policy`.
    pub policy: &'static str,
    pub make: MakeForm,
}

/// Makes a form of an artifact.
pub type MakeForm = for<'a> fn(FormSource<'a>) -> BoxFuture<'a, Result<Content, ApiError>>;

/// What a form is made of: an artifact and the session that it belongs to.
#[derive(Clone, Copy)]
pub struct FormSource<'a> {
    /// The artifact that is asked for.
    pub artifact: &'a ArtifactProduced,
    log: &'a dyn Log,
    stream: &'a StreamId,
}

impl<'a> FormSource<'a> {
    pub(crate) fn new(
        artifact: &'a ArtifactProduced,
        log: &'a dyn Log,
        stream: &'a StreamId,
    ) -> Self {
        Self {
            artifact,
            log,
            stream,
        }
    }

    /// The session.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn session(&self) -> Result<Session, ApiError> {
        read::session(self.log, self.stream, None).await
    }

    /// The content of an artifact of the session.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn content(&self, artifact: &ArtifactProduced) -> Result<Content, ApiError> {
        read::content(self.log, self.stream, artifact).await
    }

    /// The same as JSON; `None` if it is something else.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn json(&self, artifact: &ArtifactProduced) -> Result<Option<Arc<Value>>, ApiError> {
        read::json(self.log, self.stream, artifact).await
    }
}

/// The forms of a program.
#[derive(Clone, Default)]
pub struct Forms(Vec<ContentForm>);

impl Forms {
    pub(crate) fn push(&mut self, form: ContentForm) {
        self.0.push(form);
    }

    /// The form of this name that artifacts of this kind have.
    pub(crate) fn find(&self, kind: &str, name: &str) -> Option<&ContentForm> {
        self.of_kind(kind).find(|form| form.name == name)
    }

    /// The forms that artifacts of this kind have.
    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = &ContentForm> {
        self.0.iter().filter(move |form| form.kind == kind)
    }

    /// The first of two forms of one kind and name.
    pub(crate) fn twice(&self) -> Option<&ContentForm> {
        let mut seen = vec![];
        self.0.iter().find(|form| {
            let name = (form.kind, form.name);
            let is_known = seen.contains(&name);
            seen.push(name);
            is_known
        })
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    const PAGE: ContentForm = ContentForm {
        kind: "poem",
        name: "html",
        policy: "default-src 'none'",
        make: |source| async move { source.content(source.artifact).await }.boxed(),
    };

    #[test]
    fn a_form_is_found_by_its_kind_and_name_and_two_of_both_are_seen() {
        let mut forms = Forms::default();
        forms.push(PAGE);
        forms.push(ContentForm {
            name: "txt",
            ..PAGE
        });
        assert!(forms.find("poem", "txt").is_some());
        assert!(forms.find("song", "txt").is_none());
        assert!(forms.twice().is_none());
        forms.push(PAGE);
        assert_eq!(forms.twice().map(|form| form.name), Some("html"));
    }
}
