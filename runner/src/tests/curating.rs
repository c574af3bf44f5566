//! Work on the changes of a collection: a run in the session that is named after it, asked for by the append that makes the
//! change.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use domain::Actor;
use domain::carry::{Carry, ToolOutcome, TurnResult, Work};
use domain::collection::{Collection, CollectionId, Kind};
use domain::event::{CollectionOpened, Reserve, SessionTitled};
use domain::flow::{Flow, need};
use domain::ids::RunId;
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::{Run, Session};
use domain::settings::Settings;
use domain::streams::work_session;
use serde_json::{Value, json};
use store::{Append, CommandId, Log, MasterKey, MemoryLog, StreamId};
use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::streams::append_with_work;
use crate::tools::{Tool, ToolContext, ToolError};
use crate::{Changed, CollectionError, Curator, Engine, NewDocument, Parts, SendError};

const SCRAPS: Kind = Kind {
    name: "scraps",
    documents_max: 100,
    document_bytes_max: 1_000,
    searched: None,
};

/// One call of the tool `count`, with what the run was asked for.
struct Curate;

const STAGE: StageSpec = StageSpec::named("look").attempts(1);

impl Pipeline for Curate {
    fn name(&self) -> &'static str {
        "curate"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "curate",
            input_schema: json!(true),
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &[STAGE]
    }
    fn flow(&self, run: &Run) -> Flow {
        need(run, &STAGE)
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match turns {
            [] => Carry::tool("count", work.input.clone()),
            _ => Carry::Done(vec![]),
        }
    }
}

/// Adds a document beside those that were changed, as soon as the test allows it.
struct Count(Arc<Semaphore>);

#[async_trait]
impl Tool for Count {
    fn name(&self) -> &'static str {
        "count"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }
    async fn call(&self, context: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
        self.0.acquire().await.expect("it stays open").forget();
        let (owner, scraps) = (context.owner(), CollectionId::only(SCRAPS));
        let collections = context.collections();
        let counted = collections.get(owner, &scraps).await?.documents.len();
        let count = document("count", &counted.to_string());
        let (key, actor) = (context.key(), Actor::system());
        collections.put(owner, &scraps, count, &key, actor).await?;
        Ok(ToolOutcome::gave(json!(counted), "counted"))
    }
}

fn document(id: &str, content: &str) -> NewDocument {
    NewDocument {
        id: id.into(),
        name: format!("Scrap {id}"),
        media_type: "text/markdown".to_owned(),
        content: Bytes::from(content.to_owned()),
        facts: Value::Null,
    }
}

fn scraps() -> StreamId {
    StreamId::new("ann", CollectionId::only(SCRAPS).stream())
}

fn work() -> StreamId {
    StreamId::new("ann", work_session(&scraps().session))
}

fn curator() -> Curator {
    Curator {
        pipeline: "curate".to_owned(),
        settings: Settings::default(),
        covers_all: false,
    }
}

/// An engine whose scraps are worked on, over a log in memory.
struct Desk {
    log: Arc<dyn Log>,
    engine: Engine,
    /// How many runs may go on.
    leave: Arc<Semaphore>,
}

impl Desk {
    async fn new() -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        Self::over(Arc::new(log)).await
    }

    async fn over(log: Arc<dyn Log>) -> Self {
        let leave = Arc::new(Semaphore::new(0));
        let mut parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![&Curate]));
        let count: Arc<dyn Tool> = Arc::new(Count(Arc::clone(&leave)));
        parts.tools = parts.tools.with([count]).expect("its name is new");
        parts.curators.insert(SCRAPS.name, curator());
        let engine = Engine::start(parts).await.expect("an engine starts");
        Self { log, engine, leave }
    }

    async fn put(&self, document: NewDocument, key: &str) -> Result<Changed, CollectionError> {
        let (collections, actor) = (self.engine.collections(), Actor::person("ann"));
        let scraps = CollectionId::only(SCRAPS);
        collections.put("ann", &scraps, document, key, actor).await
    }

    /// The versions of both streams.
    async fn versions(&self) -> (Option<u64>, Option<u64>) {
        let version = async |stream| self.log.version(&stream).await.expect("reads");
        (version(scraps()).await, version(work()).await)
    }

    async fn scraps(&self) -> Arc<Collection> {
        let scraps = CollectionId::only(SCRAPS);
        let read = self.engine.collections().get("ann", &scraps).await;
        read.expect("reads")
    }

    /// The session of the work when nothing is left to do there.
    async fn finished(&self) -> Arc<Session> {
        let mut changes = self.log.watch_stream(&work());
        loop {
            let session = self.engine.session(&work()).await.expect("a session");
            if session.active.is_none() {
                return session;
            }
            changes.changed().await.expect("the log is open");
        }
    }

    /// Everything in the log: the name of the stream, and that of the event.
    async fn recorded(&self) -> Vec<(String, &'static str)> {
        let page = self.log.read_all(0, 1_000).await.expect("reads");
        let events = page.events.iter();
        events
            .map(|(stream, recorded)| (stream.session.to_string(), recorded.event.name()))
            .collect()
    }
}

#[tokio::test]
async fn a_change_begins_a_run_in_the_same_append_and_the_run_is_carried_out() {
    let desk = Desk::new().await;
    let put = desk.put(document("a", "1"), "k").await.expect("put");
    assert_eq!((put.version, put.added), (2, 1));
    let recorded = desk.recorded().await;
    let (of, by) = ("collection:scraps", "collection:scraps/work");
    let expected = [
        (of, "CollectionOpened"),
        (of, "DocumentsImported"),
        (by, "SessionOpened"),
        (by, "MessageReceived"),
        (by, "RunStarted"),
        (by, "StageStarted"),
        (by, "StepRequested"),
    ];
    let expected = expected.map(|(stream, event)| (stream.to_owned(), event));
    assert_eq!(recorded[..expected.len()], expected);

    desk.leave.add_permits(9);
    let session = desk.finished().await;
    let run = session.run(RunId(1)).expect("it was begun");
    assert!(!run.is_active() && session.runs.len() == 1, "{run:?}");
    let input = json!({ "stream": of, "after": 0, "version": 2 });
    assert_eq!(run.input, input);
    // What the run itself has put there asked for no other run, and no client sees where it was done.
    assert_eq!(desk.scraps().await.documents.len(), 2);
    assert_eq!(desk.log.sessions("ann", None, 9).await, Ok(vec![]));
    assert!(desk.log.verify(0).await.expect("verifies").is_sound());
    desk.engine.stop().await;
}

#[tokio::test]
async fn a_repetition_of_a_change_begins_no_second_run() {
    let desk = Desk::new().await;
    let first = desk.put(document("a", "1"), "k").await.expect("put");
    let before = desk.versions().await;
    let again = desk.put(document("a", "1"), "k").await.expect("put");
    assert_eq!((again.version, again.duplicate), (first.version, true));
    // Another process that did not look before.
    let change = Append::new(
        scraps(),
        2,
        crate::sessions::client_command(&scraps(), "k"),
        vec![titled()],
    );
    let repeated = append_with_work(&desk.engine, &curator(), change).await;
    let repeated = repeated.map(|committed| (committed.version, committed.duplicate));
    assert_eq!(repeated, Ok((2, true)));
    assert_eq!(desk.versions().await, before);
    desk.leave.add_permits(9);
    assert_eq!(desk.finished().await.runs.len(), 1);
    desk.engine.stop().await;
}

/// An event that any stream takes.
fn titled() -> domain::Event {
    let title = "Another".to_owned();
    SessionTitled { title }.into()
}

#[tokio::test]
async fn a_change_that_is_refused_or_too_late_leaves_nothing_in_either_stream() {
    let desk = Desk::new().await;
    let mut bad = document("a", "1");
    bad.name = String::new();
    let refused = desk.put(bad, "k0").await;
    assert!(matches!(refused, Err(CollectionError::Refused(_))));
    assert_eq!(desk.versions().await, (None, None));

    let opened = CollectionOpened {
        kind: SCRAPS.name.to_owned(),
        name: String::new(),
    };
    let late = CommandId::of(&scraps(), "late");
    let late = Append::new(scraps(), 5, late, vec![opened.into()]);
    let stale = append_with_work(&desk.engine, &curator(), late).await;
    let (expected, actual) = (5, 0);
    assert_eq!(stale, Err(SendError::Stale { expected, actual }));
    assert_eq!(desk.versions().await, (None, None));

    // As many messages as may wait: the last of them by another process, which this one learns of from the log.
    let change = |n: usize| (document("a", &n.to_string()), format!("k{n}"));
    for n in 1..=commands::QUEUED_MAX {
        let (document, key) = change(n);
        let put = desk.put(document, &key).await;
        assert_eq!(put.map(|put| put.duplicate), Ok(false), "change {n}");
    }
    let other = Desk::over(Arc::clone(&desk.log)).await;
    let (document, key) = change(commands::QUEUED_MAX + 1);
    other.put(document, &key).await.expect("it is the last");
    let before = desk.versions().await;
    let (document, key) = change(commands::QUEUED_MAX + 2);
    let refused = desk.put(document, &key).await;
    let full = commands::Refusal::QueueFull {
        queued: commands::QUEUED_MAX,
        most: commands::QUEUED_MAX,
    };
    assert_eq!(refused, Err(CollectionError::Log(SendError::Refused(full))));
    assert_eq!(desk.versions().await, before);
    other.engine.stop().await;
    desk.engine.stop().await;
}

#[tokio::test]
async fn a_change_that_meets_another_in_the_session_of_its_work_is_made_once() {
    let desk = Desk::new().await;
    desk.put(document("a", "1"), "k1").await.expect("put");
    let (of, by) = desk.versions().await;
    let (of, by) = (of.expect("it is there"), by.expect("it is there"));
    // Another process has appended, and this one does not know it yet.
    let other = CommandId::of(&work(), "other");
    let other = Append::new(work(), by, other, vec![titled()]);
    desk.log.append(other).await.expect("appends");
    desk.put(document("b", "1"), "k2").await.expect("put");
    // The message waits for the first run: it was received, and queued.
    assert_eq!(desk.versions().await, (Some(of + 1), Some(by + 3)));
    desk.leave.add_permits(9);
    assert_eq!(desk.finished().await.runs.len(), 2);
    assert_eq!(desk.scraps().await.documents.len(), 3);
    desk.engine.stop().await;
}

#[tokio::test]
async fn work_that_a_process_did_not_finish_is_taken_up_by_the_next() {
    let desk = Desk::new().await;
    desk.put(document("a", "1"), "k").await.expect("put");
    desk.engine.stop().await;
    let next = Desk::over(Arc::clone(&desk.log)).await;
    next.leave.add_permits(9);
    let session = next.finished().await;
    assert_eq!(session.runs.len(), 1);
    assert_eq!(next.scraps().await.documents.len(), 2);
    next.engine.stop().await;
}

#[tokio::test]
async fn an_engine_does_not_start_with_a_curator_that_it_has_no_pipeline_for() {
    let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
    let mut parts = Parts::new(Arc::new(log), Pipelines::new(vec![]));
    parts.curators.insert(SCRAPS.name, curator());
    let refused = Engine::start(parts).await.err().map(|e| e.to_string());
    let expected = "`curate` is to work on the changes of `scraps`, and there is no such pipeline";
    assert_eq!(refused.as_deref(), Some(expected));
}
