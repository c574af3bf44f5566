//! Decks that tests put into an index whose curator works.

use std::sync::Arc;

use palimpsest::prelude::pipeline::{DocumentId, Session};
use palimpsest::prelude::resource::work_session;
use palimpsest::prelude::wire::{Actor, Engine, Log, StreamId};

use super::{decks, ingest};
use crate::designs::NewDeck;

/// Puts a deck in, and gives the session of the curator when its run has ended.
pub(crate) async fn ingest_and_curate(
    engine: &Engine,
    log: &dyn Log,
    id: &str,
    text: &str,
    key: &str,
) -> Arc<Session> {
    let id = Some(DocumentId::from(id));
    let deck = NewDeck::read(text.as_bytes(), id, None, "").expect("a deck");
    let (collections, actor) = (engine.collections(), Actor::person("ann"));
    let came = ingest(collections, "ann", &deck, key, actor).await;
    came.expect("it is taken");
    let work = StreamId::new("ann", work_session(&decks().stream()));
    let mut changes = log.watch_stream(&work);
    loop {
        let session = engine.session(&work).await.expect("a session");
        if session.active.is_none() {
            return session;
        }
        changes.changed().await.expect("the log is open");
    }
}
