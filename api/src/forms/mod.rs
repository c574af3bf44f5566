//! Forms of an artifact's content that are made on request, beside the content as it is. Each form of a kind has a line in the list below;
//! the code that makes it is in a file named after the product.

mod course;

use domain::event::ArtifactProduced;
use futures::future::BoxFuture;
use store::{Log, StreamId};

use crate::error::ApiError;
use crate::read::Content;

/// A form of the contents of a kind.
pub struct ContentForm {
    kind: &'static str,
    /// The name that `?as=` asks for.
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
