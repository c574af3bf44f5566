//! Runs of the curator over a log in memory, with a model that a test scripts.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use palimpsest::Server;
use palimpsest::prelude::pipeline::{Pipelines, Session, Settings};
use palimpsest::prelude::tool::{AnswerSink, ModelError, ModelErrorKind};
use palimpsest::prelude::trial::{Curator, MasterKey, MemoryLog, Parts};
use palimpsest::prelude::trial::{Model, ModelAnswer, ModelRequest, Usage};
use palimpsest::prelude::wire::{Clock, Engine, Log};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::designs::{DESIGNS, Filter, Hit};
use crate::index::curated::ingest_and_curate;
use crate::index::{Designs, tools};

/// Four decks, each with a title of its own and a slide of figures.
const NAMES: [&str; 4] = ["Alpha", "Beta", "Gamma", "Delta"];

fn deck(name: &str) -> String {
    format!(
        "---\ntitle: {name} review\n---\n# Metrics\n@type: stat_callout\n## {name} reached 94 % uptime\n@stat: 94% | Uptime\n"
    )
}

/// A model that always answers the same.
struct Fixed {
    /// The answer, or the kind of error that each call ends with.
    answer: Result<String, ModelErrorKind>,
    /// The decks that it was asked about, in order.
    asked: Mutex<Vec<&'static str>>,
}

#[async_trait]
impl Model for Fixed {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
        _: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        let shows = |name: &&str| {
            let mut messages = request.messages.iter();
            messages.any(|message| message.content.contains(*name))
        };
        let about = NAMES.into_iter().find(shows).expect("a deck");
        self.asked.lock().expect("nobody panics").push(about);
        let text = match &self.answer {
            Ok(text) => text.clone(),
            Err(kind) => return Err(ModelError::new(*kind, "it is down")),
        };
        sink.text(&text);
        let chunk = json!({
            "model": "m",
            "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }],
        });
        Ok(ModelAnswer {
            text,
            model: "m".to_owned(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage::default()),
            raw: Bytes::from(format!("data: {chunk}\n\ndata: [DONE]\n\n")),
            ..ModelAnswer::default()
        })
    }
}

struct Desk {
    log: Arc<dyn Log>,
    engine: Engine,
    designs: Designs,
    model: Arc<Fixed>,
}

impl Desk {
    async fn answering(answer: Result<String, ModelErrorKind>) -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let log: Arc<dyn Log> = Arc::new(log);
        let (designs, asked) = (Designs::default(), Mutex::default());
        let model = Arc::new(Fixed { answer, asked });
        let mut settings = Settings::default();
        settings.ports.model = "openai".to_owned();
        settings.models.insert("default".to_owned(), "m".to_owned());
        let curator = crate::DESIGN_CURATOR;
        let curator = Curator {
            pipeline: curator.pipeline.to_owned(),
            settings,
            covers_all: curator.covers_all,
        };
        let mut parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![&DesignCurator]));
        let server = Server::builder().add(crate::add).build();
        parts.prompts = server.expect("it goes together").prompts().clone();
        parts.tools = parts.tools.with(tools(&designs)).expect("names differ");
        parts.curators.insert(DESIGNS.name, curator);
        parts.model = Some(Arc::clone(&model) as Arc<dyn Model>);
        // A call that fails is not tried again within its turn, so that nobody waits.
        parts.limits.retry.max_tries = 1;
        let engine = Engine::start(parts).await.expect("an engine starts");
        Self {
            log,
            engine,
            designs,
            model,
        }
    }

    /// Puts a deck in, and gives the session of the curator when its run has ended.
    async fn ingest(&self, name: &str) -> Arc<Session> {
        ingest_and_curate(&self.engine, self.log.as_ref(), name, &deck(name), name).await
    }

    /// The slide of a deck as the index finds it.
    async fn slide(&self, name: &str) -> Hit {
        let collections = self.engine.collections();
        let query = format!("{name} reached uptime");
        let found = self
            .designs
            .search(collections, None, "ann", query, Filter::default());
        let found = found.await.expect("the log is read");
        let mut hits = found.hits.into_iter();
        hits.find(|hit| hit.deck_id == name).expect("it is found")
    }

    /// The decks that were asked about since the last time.
    fn take_asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.model.asked.lock().expect("nobody panics"))
    }
}

fn last(session: &Session) -> &Run {
    session.runs.values().next_back().expect("there is one")
}

#[tokio::test]
async fn a_deck_is_asked_about_once_whatever_comes_back() {
    let of_slide = |domain: Value| {
        json!({
            "deck": { "narrative_summary": "How it went.", "audience": "Board", "purpose": "Review" },
            "slides": [{ "slide": 1, "semantic_summary": "Uptime of 94 %.", "content_domain": domain }],
        })
    };
    for (answer, choice, by) in [
        ("I would rather not.".to_owned(), "by_rules", "rules"),
        (String::new(), "unanswered", "rules"),
        ("{}".to_owned(), "by_rules", "rules"),
        ("[]".to_owned(), "by_rules", "rules"),
        (of_slide(json!("weather")).to_string(), "", "model"),
        (of_slide(Value::Null).to_string(), "", "model"),
        (
            json!({ "slides": [{ "topic_tags": ["Uptime"] }] }).to_string(),
            "partly_by_rules",
            "model",
        ),
    ] {
        let desk = Desk::answering(Ok(answer.clone())).await;
        for name in NAMES {
            let session = desk.ingest(name).await;
            assert_eq!(desk.take_asked(), [name], "{answer}");
            let decided = last(&session).decision(&format!("enrich:{name}"));
            let decided = decided.map_or("", |decided| decided.choice.as_str());
            assert_eq!(decided, choice, "{answer}");
            let slide = desk.slide(name).await;
            assert_eq!(slide.enriched_by, by, "{answer}");
            assert!(!slide.semantic_summary.is_empty(), "{answer}");
        }
        desk.engine.stop().await;
    }
}

#[tokio::test]
async fn a_deck_whose_calls_fail_is_asked_about_after_two_further_changes_and_no_more() {
    for kind in [ModelErrorKind::Server, ModelErrorKind::Auth] {
        let desk = Desk::answering(Err(kind)).await;
        let mut asked = vec![];
        for name in NAMES {
            desk.ingest(name).await;
            asked.push(desk.take_asked());
        }
        for asked in &mut asked {
            asked.sort_unstable();
        }
        let [one, two, three, four] = NAMES;
        let expected = [
            vec![one],
            vec![one, two],
            // In the order of the alphabet.
            vec![one, two, three],
            vec![two, four, three],
        ];
        assert_eq!(asked, expected, "{kind:?}");
        assert_eq!(desk.slide(one).await.enriched_by, "rules");
        desk.engine.stop().await;
    }
}
