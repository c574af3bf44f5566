//! The design index over a log in memory.

use std::sync::Arc;
use std::time::Duration;

use palimpsest::prelude::tool::ToolError;
use palimpsest::prelude::trial::{MasterKey, MemoryLog};
use palimpsest::prelude::wire::Clock;
use serde_json::Value;

use super::tools::Asking;
use super::*;
use crate::designs::Filter;

/// How long anything may take; this only ends what hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const PLATFORM: &str = "---\ntitle: Q3 data platform\n---\n# Metrics\n@type: stat_callout\n## Pipeline uptime reached 94 % in Q3\n@stat: 94% | Pipeline uptime\n@stat: 12 | Teams\n---\n# Plan\n@type: timeline\n## The migration ends in December\n@step: Oct | Copy\n@step: Nov | Switch\n";

struct DesignsFixture {
    collections: Collections,
    designs: Designs,
}

impl DesignsFixture {
    async fn new() -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        Self {
            collections: Collections::new(Arc::new(log), Clock::system()),
            designs: Designs::default(),
        }
    }

    async fn ingest(&self, owner: &str, text: &str, key: &str) -> DocumentId {
        let deck = NewDeck::read(text.as_bytes(), None, None, "old.sdsl").expect("a deck");
        let actor = Actor::person(owner);
        ingest(&self.collections, owner, &deck, key, actor)
            .await
            .expect("it is taken");
        deck.id
    }

    async fn best(&self, owner: &str, query: &str) -> Option<crate::designs::Hit> {
        let found = self.designs.search(
            &self.collections,
            None,
            owner,
            query.to_owned(),
            Filter::default(),
        );
        let found = found.await.expect("the log is read");
        assert_eq!(
            found.embedding,
            palimpsest::prelude::pipeline::vectors::EMBEDDING
        );
        found.hits.into_iter().next()
    }

    async fn said(
        &self,
        chunk: &str,
        signal: Signal,
        session: &str,
        key: &str,
    ) -> Result<(), String> {
        let feedback = Feedback {
            chunk_id: chunk.to_owned(),
            signal,
            session: Some(session.to_owned()),
            dsl: None,
            context: None,
        };
        let actor = Actor::person("ann");
        let said = self
            .designs
            .feedback(&self.collections, "ann", &feedback, key, actor)
            .await;
        said.map(|_| ()).map_err(|error| error.to_string())
    }

    fn asking<'a>(&'a self, session: &'a str, key: &'a str) -> Asking<'a> {
        Asking {
            designs: &self.designs,
            collections: &self.collections,
            embedder: None,
            owner: "ann",
            session,
            key,
        }
    }
}

fn given(outcome: Result<palimpsest::prelude::pipeline::ToolOutcome, ToolError>) -> Value {
    match outcome {
        Ok(outcome) => outcome.output,
        Err(ToolError::Refused { code, message, .. }) => panic!("{code}: {message}"),
        Err(ToolError::Stop(_)) => panic!("the log failed"),
    }
}

#[tokio::test]
async fn a_deck_comes_twice_goes_and_leaves_nothing() {
    let it = DesignsFixture::new().await;
    let id = it.ingest("ann", PLATFORM, "1").await;
    assert_eq!(it.ingest("ann", PLATFORM, "2").await, id);
    let hit = it
        .best("ann", "pipeline uptime")
        .await
        .expect("it is found");
    assert_eq!(
        (hit.deck_id.as_str(), hit.deck_title.as_str()),
        (id.as_str(), "Q3 data platform")
    );
    assert!(it.best("bob", "pipeline uptime").await.is_none());
    it.said(&hit.chunk_id, Signal::Keep, "s1", "3")
        .await
        .expect("it is counted");
    remove(&it.collections, "ann", &id, "4", Actor::person("ann"))
        .await
        .expect("it goes");
    assert!(it.best("ann", "pipeline uptime").await.is_none());
    for place in [decks(), votes(), remarks()] {
        let left = it.collections.get("ann", &place).await.expect("it is read");
        assert!(left.documents.is_empty(), "{}", place.kind.name);
    }
}

#[tokio::test]
async fn a_session_has_one_voice_and_nobody_votes_on_what_is_not_theirs() {
    let it = DesignsFixture::new().await;
    it.ingest("ann", PLATFORM, "1").await;
    let chunk = it
        .best("ann", "pipeline uptime")
        .await
        .expect("found")
        .chunk_id;
    for (signal, session, key) in [
        (Signal::Keep, "s1", "2"),
        (Signal::Keep, "s1", "3"),
        (Signal::Regen, "s2", "4"),
        (Signal::Keep, "s3", "5"),
    ] {
        it.said(&chunk, signal, session, key)
            .await
            .expect("it is counted");
    }
    let hit = it.best("ann", "pipeline uptime").await.expect("found");
    assert_eq!((hit.keep_count, hit.regen_count), (2, 1));
    let other = it.said("deck_x.123", Signal::Keep, "s1", "6").await;
    assert!(other.expect_err("there is none").contains("no such chunk"));
}

#[tokio::test]
async fn a_slide_that_was_edited_is_learned() {
    let it = DesignsFixture::new().await;
    it.ingest("ann", PLATFORM, "1").await;
    let chunk = it
        .best("ann", "pipeline uptime")
        .await
        .expect("found")
        .chunk_id;
    let feedback = Feedback {
        chunk_id: chunk.clone(),
        signal: Signal::Edit,
        session: Some("s1".to_owned()),
        dsl: Some("# Metrics\n@type: stat_callout\n## Warehouse freshness fell to 4 minutes\n@stat: 4 min | Freshness\n".to_owned()),
        context: None,
    };
    let edited = it
        .designs
        .feedback(&it.collections, "ann", &feedback, "2", Actor::person("ann"))
        .await
        .expect("it is taken");
    let hit = it.best("ann", "warehouse freshness").await.expect("found");
    assert_eq!(
        Some(hit.deck_id.as_str()),
        edited.as_ref().map(DocumentId::as_str)
    );
    assert_eq!((hit.keep_count, hit.edit_count), (1, 0));
    let index = it
        .designs
        .index(&it.collections, "ann")
        .await
        .expect("read");
    assert_eq!(index.counters(&chunk).edit_count, 1);
}

#[tokio::test]
async fn a_run_is_shown_what_fits_and_what_it_kept_is_counted() {
    let it = DesignsFixture::new().await;
    it.ingest("ann", PLATFORM, "1").await;
    let input =
        json!({ "query": "uptime of the pipeline", "is_used": true, "not_of_session": true });
    let found = given(
        it.asking("s1", "k1")
            .search(&input)
            .await
            .map(|(found, _)| found),
    );
    // The same call again does not add to the counts.
    let again = given(
        it.asking("s1", "k1")
            .search(&input)
            .await
            .map(|(found, _)| found),
    );
    assert_eq!(
        found["results"][0]["chunk_id"],
        again["results"][0]["chunk_id"]
    );
    let slide = found["results"]
        .as_array()
        .expect("results")
        .iter()
        .find(|hit| hit["slide_type"] == "stat_callout" && hit["chunk_type"] == "slide")
        .expect("a slide");
    let chunk = slide["chunk_id"].as_str().expect("an id").to_owned();
    let kept = given(
        it.asking("s1", "k2")
            .ingest(&json!({ "dsl": PLATFORM, "title": "New", "references": [chunk, "gone.1"] }))
            .await,
    );
    assert_eq!((&kept["slides"], &kept["kept"]), (&json!(2), &json!(1)));
    let index = it
        .designs
        .index(&it.collections, "ann")
        .await
        .expect("read");
    let counted = index.counters(&chunk);
    assert_eq!((counted.use_count, counted.keep_count), (1, 1));
    // References that were not shown in a prompt are counted when the deck that was made after them is put in.
    let searched = json!({ "query": "uptime of the pipeline", "not_of_session": true });
    let asking = it.asking("s2", "k4");
    given(asking.search(&searched).await.map(|(found, _)| found));
    let named = json!({ "dsl": PLATFORM, "references": [chunk], "is_used": true });
    given(it.asking("s2", "k5").ingest(&named).await);
    given(it.asking("s2", "k5").ingest(&named).await);
    let index = it
        .designs
        .index(&it.collections, "ann")
        .await
        .expect("read");
    let counted = index.counters(&chunk);
    assert_eq!((counted.use_count, counted.keep_count), (2, 2));
    // The session's own deck is not a reference for the session.
    let found = given(
        it.asking("s1", "k3")
            .search(&input)
            .await
            .map(|(found, _)| found),
    );
    let own = kept["deck_chunk_id"].as_str().expect("an id");
    let results = found["results"].as_array().expect("results");
    assert!(results.iter().all(|hit| hit["deck_id"] != own));
}

#[tokio::test]
async fn an_owner_whose_index_is_being_made_keeps_nobody_else_waiting() {
    let it = DesignsFixture::new().await;
    it.ingest("bob", PLATFORM, "1").await;
    let place = it.designs.owners.place("ann".to_owned());
    let making = place.lock().await;
    let found = tokio::time::timeout(PATIENCE, it.best("bob", "pipeline uptime"));
    assert!(found.await.expect("bob does not wait for ann").is_some());
    drop(making);
    assert!(it.best("ann", "pipeline uptime").await.is_none());
}
