//! The deck of a course as one HTML file.

use std::sync::Arc;

use futures::{FutureExt as _, TryFutureExt as _};
use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::verb::{Content, ContentForm, FormSource};
use palimpsest::prelude::wire::{ApiError, Session};
use serde_json::Value;
use spec::{PptHtmlDocument, Theme};

use crate::pipeline::stage::{PPT_HTML_DOC, PRESENTATION_THEME};

pub(super) const HTML: ContentForm = ContentForm {
    kind: PPT_HTML_DOC,
    name: "html",
    policy: render::DECK_POLICY,
    make: |source| html(source).map_ok(as_page).boxed(),
};

/// The same without the scripts that are spoken to its pages, to be handed on.
pub(super) const HTML_WITHOUT_NOTES: ContentForm = ContentForm {
    name: "html_without_notes",
    make: |source| {
        let html = html(source).map_ok(|html| render::without_notes(&html));
        html.map_ok(as_page).boxed()
    },
    ..HTML
};

/// The whole deck as one HTML file that needs nothing else.
async fn html(source: FormSource<'_>) -> Result<String, ApiError> {
    let artifact = source.artifact;
    let document = source.json(artifact).await?.unwrap_or_default();
    let document: PptHtmlDocument = serde_json::from_value(Value::clone(&document))
        .map_err(|error| ApiError::internal("reading a deck", error))?;
    let session = source.session().await?;
    let theme = match theme_of(&session, artifact) {
        Some(theme) => source.json(&theme).await?,
        None => None,
    };
    // This theme only colours the frame in the browser; the pages carry their own theme.
    let theme = theme.and_then(|theme| serde_json::from_value::<Theme>(Value::clone(&theme)).ok());
    let theme = theme.unwrap_or_else(|| {
        spec::builtin_themes()
            .into_iter()
            .next()
            .expect("there are themes")
    });
    let settings = session
        .run(artifact.step.run)
        .map(|run| Arc::clone(&run.settings))
        .unwrap_or_default();
    let meta = render::DeckMeta {
        language: settings.language.clone(),
        offline: settings.ports.is_offline(),
    };
    Ok(render::deck_html(&document, &theme, &meta))
}

fn as_page(html: String) -> Content {
    Content::of(html.into(), "text/html; charset=utf-8")
}

/// The theme that a deck was made from; that of its run if the deck's lineage has none.
fn theme_of(session: &Session, deck: &ArtifactProduced) -> Option<Arc<ArtifactProduced>> {
    let by_lineage = deck
        .from
        .iter()
        .filter_map(|id| session.artifacts.get(id))
        .find(|a| a.kind == PRESENTATION_THEME);
    let by_run = || {
        session
            .run(deck.step.run)
            .and_then(|run| run.artifact(PRESENTATION_THEME))
    };
    by_lineage.or_else(by_run).cloned()
}
