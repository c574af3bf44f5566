//! Vectors of the design index: made by the curator's run, over a log in memory, by a provider that a test scripts.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use palimpsest::prelude::pipeline::EMBEDDINGS_ROLE;
use palimpsest::prelude::pipeline::vectors::{EMBEDDING, Embedding as Vector};
use palimpsest::prelude::pipeline::{Pipelines, Run, Session, Settings};
use palimpsest::prelude::tool::{AnswerSink, ModelError, ModelErrorKind, ProviderLimits};
use palimpsest::prelude::trial::{Curator, Embedded, EmbeddingRequest, Embeddings};
use palimpsest::prelude::trial::{MasterKey, MemoryLog, Parts, Price};
use palimpsest::prelude::wire::Actor;
use palimpsest::prelude::wire::{Clock, Engine, Log};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::curator::DesignCurator;
use crate::designs::{DESIGNS, Filter};
use crate::index::curated::ingest_and_curate;
use crate::index::held::DesignHits;
use crate::index::{remove, tools};

const PLATFORM: &str = "---\ntitle: Q3 data platform\n---\n# Metrics\n@type: stat_callout\n## Pipeline uptime reached 94 % in Q3\n@stat: 94% | Pipeline uptime\n---\n# Team\n@type: bullet_points\n## Two engineers join in spring\n- One in Berlin\n- One in Lyon\n";

/// The deck with another second slide.
const CHANGED: &str = "---\ntitle: Q3 data platform\n---\n# Metrics\n@type: stat_callout\n## Pipeline uptime reached 94 % in Q3\n@stat: 94% | Pipeline uptime\n---\n# Team\n@type: bullet_points\n## Four engineers join in autumn\n- Two in Rome\n- Two in Graz\n";

const OTHER: &str = "---\ntitle: Tides\n---\n# Tides\n@type: bullet_points\n## The moon moves the sea\n- Twice a day\n";

/// A query that means the same as a slide but has none of its words.
const QUERY: &str = "reliability without outages";

/// A provider of vectors that knows two topics.
struct Scripted {
    name: &'static str,
    asked: Mutex<Vec<String>>,
    down: AtomicBool,
}

impl Scripted {
    fn named(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            name,
            asked: Mutex::default(),
            down: AtomicBool::new(false),
        })
    }

    /// What was asked since the last time, in order.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("nobody panics"))
    }
}

fn meaning(text: &str) -> Vector {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let numbers = if says(&["uptime", "reliability"]) {
        [1.0, 0.0, 0.1]
    } else if says(&["engineers", "hiring"]) {
        [0.0, 1.0, 0.1]
    } else {
        [0.1, 0.1, 1.0]
    };
    Vector::of(&numbers).expect("a direction")
}

#[async_trait]
impl Embeddings for Scripted {
    fn name(&self) -> &str {
        self.name
    }
    fn model(&self) -> &str {
        self.name
    }
    fn texts_max(&self) -> usize {
        4
    }
    async fn ask(
        &self,
        request: &EmbeddingRequest,
        _: &mut dyn AnswerSink,
        _: &CancellationToken,
    ) -> Result<bytes::Bytes, ModelError> {
        if self.down.load(Ordering::SeqCst) {
            // One that is not tried again, so that nobody waits.
            return Err(ModelError::new(ModelErrorKind::Auth, "the key is refused"));
        }
        let mut asked = self.asked.lock().expect("nobody panics");
        asked.extend(request.texts.iter().cloned());
        Ok(bytes::Bytes::from_static(b"{}"))
    }
    fn read(&self, request: &EmbeddingRequest, _: &[u8]) -> Result<Embedded, ModelError> {
        Ok(Embedded {
            vectors: request.texts.iter().map(|text| meaning(text)).collect(),
            tokens: request.texts.len() as u64,
        })
    }
}

/// An engine whose design index is curated.
struct Desk {
    log: Arc<dyn Log>,
    engine: Engine,
    designs: Designs,
}

impl Desk {
    async fn new(port: &Arc<Scripted>) -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        Self::over(Arc::new(log), port).await
    }

    async fn over(log: Arc<dyn Log>, port: &Arc<Scripted>) -> Self {
        let (designs, name) = (Designs::default(), port.name.to_owned());
        let mut settings = Settings::default();
        settings.ports.embeddings = true;
        settings
            .models
            .insert(EMBEDDINGS_ROLE.to_owned(), name.clone());
        let price = Price {
            input: 1_000_000,
            ..Price::default()
        };
        settings.prices.insert(name, price);
        let curator = Curator {
            pipeline: "curator".to_owned(),
            settings,
            covers_all: true,
        };
        let mut parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![&DesignCurator]));
        parts.tools = parts.tools.with(tools(&designs)).expect("names differ");
        parts.curators.insert(DESIGNS.name, curator);
        let (port, limits) = (Arc::clone(port), ProviderLimits::default());
        parts.embedder = Some(Embedder::new(port, limits, Clock::system()));
        let engine = Engine::start(parts).await.expect("an engine starts");
        Self {
            log,
            engine,
            designs,
        }
    }

    /// Puts a deck in, and gives the last run of the curator when it has ended.
    async fn ingest(&self, id: &str, text: &str, key: &str) -> Arc<Session> {
        ingest_and_curate(&self.engine, self.log.as_ref(), id, text, key).await
    }

    async fn search(&self, query: &str) -> DesignHits {
        let filter = Filter {
            min_score: 0.0,
            ..Filter::default()
        };
        let (collections, embedder) = (self.engine.collections(), self.engine.embedder());
        let query = query.to_owned();
        let found = self
            .designs
            .search(collections, embedder, "ann", query, filter);
        found.await.expect("the log is read")
    }

    /// The names of the vectors that are kept, a document each.
    async fn kept(&self) -> Vec<String> {
        let kept = self.engine.collections().get("ann", &vectors()).await;
        let kept = kept.expect("it is read");
        let name = |facts: &Value| facts["embedding"].as_str().expect("a name").to_owned();
        let entries = kept.documents.values();
        entries.map(|entry| name(&entry.document.facts)).collect()
    }
}

fn last(session: &Session) -> &Run {
    session.runs.values().next_back().expect("there is one")
}

fn scored_by(found: &DesignHits) -> BTreeSet<&str> {
    found
        .hits
        .iter()
        .map(|hit| hit.scored_by.as_str())
        .collect()
}

#[tokio::test]
async fn what_means_the_same_is_found_and_nothing_is_paid_again_after_a_restart() {
    let port = Scripted::named("e-1");
    let desk = Desk::new(&port).await;
    let session = desk.ingest("p", PLATFORM, "1").await;
    let asked = port.take();
    let distinct: BTreeSet<&String> = asked.iter().collect();
    assert!(
        asked.len() > 4 && distinct.len() == asked.len(),
        "{asked:#?}"
    );
    // The price is one millionth for a token, and each text has one token.
    let spent = last(&session).spent.cost_micros;
    assert_eq!(spent, asked.len() as u64);
    assert!(
        asked
            .iter()
            .any(|text| text.starts_with("Pipeline uptime reached 94 % in Q3")),
        "{asked:#?}"
    );
    let found = desk.search(QUERY).await;
    assert_eq!(
        (found.embedding.as_str(), found.remark.as_ref()),
        ("e-1", None)
    );
    assert_eq!(found.hits[0].slide_type.as_deref(), Some("stat_callout"));
    assert!(found.hits[0].semantic_score > 0.99, "{:#?}", found.hits[0]);
    assert_eq!(scored_by(&found), ["e-1"].into());
    assert_eq!(port.take(), [QUERY]);

    desk.engine.stop().await;
    let desk = Desk::over(desk.log, &port).await;
    let again = desk.search(QUERY).await;
    assert_eq!(again.hits, found.hits);
    assert_eq!(port.take(), [QUERY]);
    assert!(desk.log.verify(0).await.expect("verifies").is_sound());
    desk.engine.stop().await;
}

#[tokio::test]
async fn a_deck_that_changes_pays_for_its_new_texts_alone() {
    let port = Scripted::named("e-1");
    let desk = Desk::new(&port).await;
    desk.ingest("p", PLATFORM, "1").await;
    let first = port.take();
    desk.ingest("p", CHANGED, "2").await;
    let second = port.take();
    assert!(!second.is_empty());
    assert!(
        second.iter().all(|text| !first.contains(text)),
        "{second:#?}"
    );
    assert!(second.iter().any(|text| text.contains("Rome")));
    let found = desk.search(QUERY).await;
    assert_eq!(scored_by(&found), ["e-1"].into());
    desk.engine.stop().await;
}

#[tokio::test]
async fn a_provider_that_is_down_leaves_a_search_by_words_that_says_so() {
    let port = Scripted::named("e-1");
    let desk = Desk::new(&port).await;
    port.down.store(true, Ordering::SeqCst);
    let session = desk.ingest("p", PLATFORM, "1").await;
    assert!(!last(&session).is_active());
    let decided = last(&session).decision("embed:p").expect("it is decided");
    assert_eq!(decided.choice, "put_off");
    let found = desk.search("pipeline uptime").await;
    assert_eq!(found.embedding, EMBEDDING);
    assert_eq!(found.hits[0].slide_type.as_deref(), Some("stat_callout"));
    let remark = found.remark.expect("it is said");
    assert!(
        remark.contains("nothing of the index has a vector of `e-1` yet"),
        "{remark}"
    );

    // The run after the next change makes the vectors that were left out.
    port.down.store(false, Ordering::SeqCst);
    desk.ingest("t", OTHER, "2").await;
    assert!(port.take().iter().any(|text| text.contains("uptime")));
    port.down.store(true, Ordering::SeqCst);
    let found = desk.search(QUERY).await;
    assert_eq!(
        (found.embedding.as_str(), scored_by(&found)),
        (EMBEDDING, [EMBEDDING].into())
    );
    let remark = found.remark.expect("it is said");
    assert!(
        remark.contains("the key is refused") && remark.contains("PALIMPSEST_EMBEDDINGS_KEY"),
        "{remark}"
    );
    desk.engine.stop().await;
}

#[tokio::test]
async fn vectors_of_another_model_are_not_compared_and_are_made_anew() {
    let one = Scripted::named("e-1");
    let desk = Desk::new(&one).await;
    desk.ingest("p", PLATFORM, "1").await;
    let texts = one.take();
    desk.engine.stop().await;

    let other = Scripted::named("e-2");
    let desk = Desk::over(desk.log, &other).await;
    let found = desk.search(QUERY).await;
    assert_eq!(
        (found.embedding.as_str(), scored_by(&found)),
        (EMBEDDING, [EMBEDDING].into())
    );
    assert_eq!(other.take(), [""; 0]);
    desk.ingest("t", OTHER, "2").await;
    let asked = other.take();
    assert!(texts.iter().all(|text| asked.contains(text)), "{asked:#?}");
    assert_eq!(scored_by(&desk.search(QUERY).await), ["e-2"].into());
    let kept: BTreeSet<String> = desk.kept().await.into_iter().collect();
    assert_eq!(kept, ["e-2".to_owned()].into());
    desk.engine.stop().await;
}

#[tokio::test]
async fn a_deck_that_goes_takes_its_vectors_along() {
    let port = Scripted::named("e-1");
    let desk = Desk::new(&port).await;
    desk.ingest("p", PLATFORM, "1").await;
    desk.ingest("t", OTHER, "2").await;
    let both = desk.kept().await.len();
    let (collections, id) = (desk.engine.collections(), DocumentId::from("p"));
    let gone = remove(collections, "ann", &id, "3", Actor::person("ann")).await;
    assert_eq!(gone.expect("it goes").removed, 1);
    let left = desk.kept().await.len();
    assert!(left > 0 && left < both, "{left} of {both}");
    assert!(
        desk.search(QUERY)
            .await
            .hits
            .iter()
            .all(|hit| hit.deck_id == "t")
    );
    desk.engine.stop().await;
}
