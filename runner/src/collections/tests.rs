//! Collections over a log in memory.

use std::sync::Arc;

use bytes::Bytes;
use commands::collection::CollectionRefusal;
use domain::collection::{CollectionId, Kind};
use domain::pipeline::Pipelines;
use domain::{Actor, DocumentId};
use serde_json::{Value, json};
use store::{Log, MasterKey, MemoryLog, StreamId};

use super::{Changed, CollectionError, Collections, NewDocument};
use crate::clock::Clock;
use crate::error::SendError;
use crate::{Engine, Parts};

async fn log() -> Arc<dyn Log> {
    Arc::new(MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await)
}

const SCRAPS: Kind = Kind {
    name: "scraps",
    documents_max: 1_000,
    document_bytes_max: 1024 * 1024,
    searched: None,
};

const SHELLS: Kind = Kind {
    name: "shells",
    ..SCRAPS
};

fn scrap(id: &str, content: &str) -> NewDocument {
    NewDocument {
        id: id.into(),
        name: format!("Scrap {id}"),
        media_type: "text/markdown".to_owned(),
        content: Bytes::from(content.to_owned()),
        facts: json!({ "lines": 1 }),
    }
}

struct CollectionFixture {
    collections: Collections,
    scraps: CollectionId,
}

impl CollectionFixture {
    fn new(log: &Arc<dyn Log>) -> Self {
        Self {
            collections: Collections::new(Arc::clone(log), Clock::system()),
            scraps: CollectionId::only(SCRAPS),
        }
    }

    async fn put(&self, document: NewDocument, key: &str) -> Result<Changed, CollectionError> {
        let actor = Actor::person("ann");
        self.collections
            .put("ann", &self.scraps, document, key, actor)
            .await
    }

    async fn content(&self, owner: &str, id: &str) -> Option<Bytes> {
        let found = self
            .collections
            .find(owner, &self.scraps, Some(id), None)
            .await;
        let entry = found.expect("reads")?;
        let content = self
            .collections
            .content(owner, &self.scraps, &entry.document)
            .await;
        Some(content.expect("it is there"))
    }

    async fn ids(&self, owner: &str) -> Vec<String> {
        let collection = self.collections.get(owner, &self.scraps).await;
        let collection = collection.expect("reads");
        collection
            .documents
            .keys()
            .map(ToString::to_string)
            .collect()
    }
}

#[tokio::test]
async fn a_document_of_any_size_comes_back_and_another_takes_its_place() {
    let log = log().await;
    let desk = CollectionFixture::new(&log);
    let large = "长".repeat(100_000);
    let put = desk.put(scrap("a", "# Small"), "k1").await.expect("put");
    assert_eq!((put.version, put.added, put.duplicate), (2, 1, false));
    let put = desk.put(scrap("a", &large), "k2").await.expect("put");
    assert_eq!((put.version, put.added), (3, 0));
    assert_eq!(desk.content("ann", "a").await, Some(Bytes::from(large)));
    // Another owner does not have the document, and another collection does not have it either.
    assert_eq!(desk.content("bob", "a").await, None);
    let shells = CollectionId::only(SHELLS);
    let other = desk.collections.get("ann", &shells).await;
    assert!(other.expect("reads").documents.is_empty());
    assert!(log.verify(0).await.expect("verifies").is_sound());
}

#[tokio::test]
async fn a_repetition_gets_the_first_answer_and_another_change_under_its_id_none() {
    let desk = CollectionFixture::new(&log().await);
    let first = desk.put(scrap("a", "1"), "k").await.expect("put");
    let again = desk.put(scrap("a", "1"), "k").await.expect("put");
    assert_eq!((again.version, again.duplicate), (first.version, true));
    let reused = CollectionError::Log(SendError::IdReused);
    assert_eq!(desk.put(scrap("a", "2"), "k").await, Err(reused));
    assert_eq!(desk.content("ann", "a").await, Some("1".into()));
}

#[tokio::test]
async fn documents_go_and_a_refusal_changes_nothing() {
    let desk = CollectionFixture::new(&log().await);
    let two = vec![scrap("a", "1"), scrap("b", "2")];
    let import = |documents, key: &'static str| {
        desk.collections.import(
            "ann",
            &desk.scraps,
            "from a folder",
            documents,
            key,
            Actor::person("ann"),
        )
    };
    assert_eq!(import(two, "k1").await.map(|c| c.added), Ok(2));
    let mut bad = scrap("c", "3");
    bad.name = String::new();
    let refused = import(vec![scrap("d", "4"), bad], "k2").await;
    let bad_name = CollectionRefusal::BadName {
        name: String::new(),
    };
    assert_eq!(refused, Err(CollectionError::Refused(bad_name)));
    assert_eq!(desk.ids("ann").await, ["a", "b"]);
    let ids = || vec![DocumentId::from("a"), DocumentId::from("z")];
    let remove = |key: &'static str| {
        let actor = Actor::person("ann");
        desk.collections
            .remove("ann", &desk.scraps, ids(), key, actor)
    };
    assert_eq!(remove("k3").await.map(|c| c.removed), Ok(1));
    let again = remove("k3").await.expect("answered");
    assert_eq!((again.removed, again.duplicate), (1, true));
    assert_eq!(remove("k4").await.map(|c| c.removed), Ok(0));
    assert_eq!(desk.ids("ann").await, ["b"]);
}

#[tokio::test]
async fn what_two_processes_put_at_the_same_time_is_all_there() {
    let log = log().await;
    let (one, two) = (CollectionFixture::new(&log), CollectionFixture::new(&log));
    let puts = (0..20).map(|n| {
        let desk = if n % 2 == 0 { &one } else { &two };
        let document = scrap(&format!("t{n:02}"), &n.to_string());
        async move { desk.put(document, &format!("k{n}")).await }
    });
    for put in futures::future::join_all(puts).await {
        assert_eq!(put.map(|put| put.added), Ok(1));
    }
    let all: Vec<String> = (0..20).map(|n| format!("t{n:02}")).collect();
    assert_eq!(one.ids("ann").await, all);
    assert_eq!(two.ids("ann").await, all);
}

#[tokio::test]
async fn thousands_of_small_documents_fit_into_a_few_imports() {
    let desk = CollectionFixture::new(&log().await);
    for batch in 0..2 {
        let documents = (0..500).map(|n| scrap(&format!("{batch}-{n}"), &"x".repeat(20_000)));
        let (key, actor) = (format!("k{batch}"), Actor::system());
        let imported = desk
            .collections
            .import("ann", &desk.scraps, "", documents.collect(), &key, actor)
            .await;
        assert_eq!(imported.map(|c| c.added), Ok(500));
    }
    let refused = desk.put(scrap("one more", "1"), "k").await;
    assert!(
        matches!(refused, Err(CollectionError::Refused(_))),
        "{refused:?}"
    );
    let mut more = scrap("more", "1");
    more.facts = Value::Null;
    let too_many = CollectionRefusal::TooMany {
        documents: 1_001,
        most: 1_000,
    };
    let refused = desk.put(more, "k").await;
    assert_eq!(refused, Err(CollectionError::Refused(too_many)));
    let last = desk.content("ann", "1-499").await;
    assert_eq!(last.map(|content| content.len()), Some(20_000));
}

#[tokio::test]
async fn an_erased_collection_is_gone_like_an_erased_session() {
    let log = log().await;
    let engine = Engine::start(Parts::new(Arc::clone(&log), Pipelines::new(vec![]))).await;
    let engine = engine.expect("starts");
    let desk = CollectionFixture {
        collections: engine.collections().clone(),
        scraps: CollectionId::only(SCRAPS),
    };
    desk.put(scrap("a", "1"), "k1").await.expect("put");
    let stream = StreamId::new("ann", desk.scraps.stream());
    let erased = engine
        .erase(&stream, false, "k2", Actor::person("ann"))
        .await
        .expect("erases");
    assert_eq!(erased.sessions, [desk.scraps.stream()]);
    let read = desk.collections.get("ann", &desk.scraps).await;
    assert_eq!(read, Err(SendError::Erased));
    let put = desk.put(scrap("b", "2"), "k3").await;
    assert_eq!(put, Err(CollectionError::Log(SendError::Erased)));
    assert!(log.verify(0).await.expect("verifies").is_sound());
    engine.stop().await;
}
