//! The page of a deck without its speaker notes.

use futures::FutureExt as _;
use palimpsest::prelude::verb::{Content, ContentForm, FormSource};
use palimpsest::prelude::wire::ApiError;

use crate::pipeline::stage::HTML;

/// What a reader is given: the deck as it is presented, and nothing that is said to it.
pub(crate) const HTML_WITHOUT_NOTES: ContentForm = ContentForm {
    kind: HTML,
    name: "html_without_notes",
    policy: render::DECK_POLICY,
    make: |source| html(source).boxed(),
};

async fn html(source: FormSource<'_>) -> Result<Content, ApiError> {
    let content = source.content(source.artifact).await?;
    let html = render::without_notes(&String::from_utf8_lossy(&content.bytes));
    Ok(Content::of(html.into(), "text/html; charset=utf-8"))
}
