//! Forms of an artifact's content that are made when they are asked for, beside the content as it is. A kind that has one has a
//! line in the list below; what makes it is in a file of its product.

mod course;

use domain::event::ArtifactProduced;
use futures::future::BoxFuture;
use store::{Log, StreamId};

use crate::error::ApiError;
use crate::read::Content;

/// A form of the contents of a kind.
pub struct ContentForm {
    kind: &'static str,
    /// What it is asked for by: `?as=`.
    name: &'static str,
    /// What a browser may do with it as a page of its own.
    pub policy: &'static str,
    make: Make,
}

type Make = for<'a> fn(
    &'a dyn Log,
    &'a StreamId,
    &'a ArtifactProduced,
) -> BoxFuture<'a, Result<Content, ApiError>>;

const ALL: [ContentForm; 1] = [course::HTML];

/// The form of this name that artifacts of this kind have.
pub fn find(kind: &str, name: &str) -> Option<ContentForm> {
    ALL.into_iter()
        .find(|form| form.kind == kind && form.name == name)
}

impl ContentForm {
    pub async fn make(
        &self,
        log: &dyn Log,
        stream: &StreamId,
        artifact: &ArtifactProduced,
    ) -> Result<Content, ApiError> {
        (self.make)(log, stream, artifact).await
    }
}
