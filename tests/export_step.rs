//! The export of a deck as the engine carries it out: alone after a failure, ended by a cancel, not at all for a document
//! that did not change, and never in an event.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use commands::{Cancel, Command, Refine, RestartStep, Resume, SendMessage};
use domain::Actor;
use domain::event::{ArtifactProduced, Body, Event, RunEvent, StepEvent};
use domain::ids::{MessageId, RunId};
use domain::session::{End, Session};
use domain::settings::{OnBusy, Settings};
use domain::typeset::RenderJob;
use domain::typeset::Typeset;
use serde_json::Value;
use store::{MasterKey, MemoryLog, StreamId};
use tokio::sync::Notify;

use runner::clock::Clock;
use runner::ports::{TypesetError, Typesetter};
use runner::{Engine, Envelope, FontTypesetter, Parts};

const EXPORT: &str = "export_deck";

/// What happens to an export.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    ArtifactPrint,
    Fails,
    /// Goes on until it is given up.
    Lasts,
}

/// The real typesetter, whose exports are counted and end as `fate` says.
struct Fateful {
    real: FontTypesetter,
    fate: Mutex<Fate>,
    exports: AtomicUsize,
    begun: Notify,
    given_up: AtomicBool,
}

impl Fateful {
    fn meets(&self, fate: Fate) {
        *self.fate.lock().expect("nothing panics here") = fate;
    }

    fn exports(&self) -> usize {
        self.exports.load(Ordering::SeqCst)
    }
}

impl Typesetter for Fateful {
    fn typeset(&self, job: RenderJob, go_on: &dyn Fn() -> bool) -> Result<Typeset, TypesetError> {
        if matches!(job, RenderJob::Slides(_)) {
            self.exports.fetch_add(1, Ordering::SeqCst);
            self.begun.notify_one();
            let fate = *self.fate.lock().expect("nothing panics here");
            match fate {
                Fate::ArtifactPrint => {}
                Fate::Fails => {
                    let cause = "the file would be broken".to_owned();
                    return Err(TypesetError::Failed { cause });
                }
                Fate::Lasts => {
                    while go_on() {
                        std::thread::yield_now();
                    }
                    self.given_up.store(true, Ordering::SeqCst);
                    return Err(TypesetError::GivenUp);
                }
            }
        }
        self.real.typeset(job, go_on)
    }
}

struct ExportFixture {
    engine: Engine,
    stream: StreamId,
    typesetter: Arc<Fateful>,
}

impl ExportFixture {
    async fn new() -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let typesetter = Arc::new(Fateful {
            real: FontTypesetter::new(render::Fonts::embedded()),
            fate: Mutex::new(Fate::ArtifactPrint),
            exports: AtomicUsize::new(0),
            begun: Notify::new(),
            given_up: AtomicBool::new(false),
        });
        let program = palimpsest_program::built_in().build();
        let program = program.expect("it goes together");
        let parts = Parts {
            prompts: program.prompts().clone(),
            authors: program.authors().clone(),
            typesetter: Arc::clone(&typesetter) as Arc<dyn Typesetter>,
            ..Parts::new(Arc::new(log), program.pipelines().clone())
        };
        Self {
            engine: Engine::start(parts).await.expect("an engine starts"),
            stream: StreamId::new("p", "s".into()),
            typesetter,
        }
    }

    async fn send(&self, id: &str, command: Command) {
        let envelope = Envelope {
            command,
            client_id: id.to_owned(),
            actor: Actor::person("p"),
            expected_version: None,
            blobs: vec![],
            content: None,
        };
        let sent = self.engine.send(&self.stream, envelope).await;
        sent.unwrap_or_else(|error| panic!("{id}: {error}"));
    }

    async fn ask(&self, brief: &str) {
        let message = SendMessage {
            message: MessageId::new("m1"),
            text: brief.to_owned(),
            files: vec![],
            pipeline: Some("course".to_owned()),
            input: Value::Null,
            settings: settings(brief),
            on_busy: OnBusy::Enqueue,
        };
        self.send("ask", Command::SendMessage(Box::new(message)))
            .await;
    }

    async fn refine(&self, stage: &str) {
        let refine = Refine {
            base_run: None,
            stage: stage.into(),
            items: vec![],
            feedback: "please make all of it look nicer".to_owned(),
            settings: settings("please make all of it look nicer"),
        };
        self.send("refine", Command::Refine(refine)).await;
    }

    /// The session once nothing is being made.
    async fn rest(&self) -> Arc<Session> {
        let mut changes = self.engine.log().watch_stream(&self.stream);
        loop {
            let session = self.engine.session(&self.stream).await.expect("a session");
            if session.active.is_none() {
                return session;
            }
            changes.changed().await.expect("the log is open");
        }
    }

    async fn events(&self) -> Vec<Event> {
        let read = self.engine.log().read(&self.stream, 0, 10_000).await;
        let read = read.expect("read");
        read.iter().map(|recorded| recorded.event.clone()).collect()
    }

    async fn bytes(&self, artifact: &ArtifactProduced) -> Bytes {
        let Body::Blob { blob, .. } = &artifact.body else {
            panic!("{} is in its event", artifact.kind)
        };
        let found = self.engine.log().get_blob(&self.stream, &blob.sha256).await;
        found.expect("read").expect("kept")
    }
}

fn settings(text: &str) -> Settings {
    Settings {
        language: domain::text::language_of(text).unwrap_or("en").to_owned(),
        ..Settings::default()
    }
}

const BRIEF: &str = "Tides for beginners, 4 pages";

fn final_artifact(session: &Session, run: u32) -> Arc<ArtifactProduced> {
    let run = session.run(RunId(run)).expect("a run");
    let Some(End::Completed {
        final_artifact: Some(id),
        partial: false,
    }) = &run.end
    else {
        panic!("not delivered: {:?}", run.end)
    };
    Arc::clone(&session.artifacts[id])
}

fn stages_of(events: &[Event], run: u32) -> Vec<String> {
    let started = events.iter().filter_map(|event| {
        let Event::Run(RunEvent::StageStarted(e)) = event else {
            return None;
        };
        (e.run == RunId(run)).then(|| e.stage.to_string())
    });
    started.collect()
}

fn decisions(session: &Session, run: u32) -> Vec<(String, String)> {
    let run = session.run(RunId(run)).expect("a run");
    let all = run.decisions.iter();
    all.map(|d| (d.choice.clone(), d.reason.clone())).collect()
}

#[tokio::test]
async fn a_course_ends_with_its_powerpoint_file() {
    let desk = ExportFixture::new().await;
    desk.ask(BRIEF).await;
    let session = desk.rest().await;
    let pptx = final_artifact(&session, 1);
    assert_eq!(pptx.kind, "pptx");
    assert!(desk.bytes(&pptx).await.starts_with(b"PK"));
    let run = session.run(RunId(1)).expect("a run");
    let dsl = run.artifact("dsl").expect("the document stays");
    assert!(pptx.from.contains(&dsl.artifact));
    let pages: Vec<_> = run
        .artifacts_of("thumbnail")
        .map(|(item, _)| item)
        .collect();
    assert_eq!(pages, ["1", "2", "3", "4"]);
    let pdf = run.artifact("pdf").expect("Latin is drawn");
    assert!(desk.bytes(pdf).await.starts_with(b"%PDF"));
    for (_, thumbnail) in run.artifacts_of("thumbnail") {
        assert!(desk.bytes(thumbnail).await.starts_with(b"\x89PNG"));
    }
}

#[tokio::test]
async fn no_event_holds_a_file() {
    let desk = ExportFixture::new().await;
    desk.ask(BRIEF).await;
    desk.rest().await;
    let mut files = 0;
    for event in desk.events().await {
        let payload = event.encode();
        // How PNG, ZIP and PDF begin in base64.
        for beginning in ["iVBORw0KGgo", "UEsDBB", "JVBERi0"] {
            let found = payload
                .windows(beginning.len())
                .any(|window| window == beginning.as_bytes());
            assert!(!found, "{} holds {beginning}", event.name());
        }
        if let Event::Step(StepEvent::ArtifactProduced(e)) = &event
            && ["pptx", "pdf", "handout", "thumbnail"].contains(&e.kind.as_str())
        {
            assert!(matches!(e.body, Body::Blob { .. }), "{}", e.kind);
            assert!(payload.len() < 4_000, "{}: {} bytes", e.kind, payload.len());
            files += 1;
        }
    }
    assert_eq!(files, 7);
}

#[tokio::test]
async fn a_failed_export_is_made_again_alone() {
    let desk = ExportFixture::new().await;
    desk.typesetter.meets(Fate::Fails);
    desk.ask(BRIEF).await;
    let session = desk.rest().await;
    let run = session.run(RunId(1)).expect("a run");
    let Some(End::Failed { code, message }) = &run.end else {
        panic!("not failed: {:?}", run.end)
    };
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "stage_failed",
            "stage `export_deck` failed: the file would be broken"
        )
    );
    assert_eq!(desk.typesetter.exports(), 1, "the same would fail again");
    assert!(run.artifact("dsl").is_some(), "what was made is kept");
    desk.typesetter.meets(Fate::ArtifactPrint);
    let resume = Resume {
        run: None,
        settings: settings(BRIEF),
    };
    desk.send("resume", Command::Resume(resume)).await;
    let session = desk.rest().await;
    assert_eq!(stages_of(&desk.events().await, 2), [EXPORT]);
    assert_eq!(final_artifact(&session, 2).kind, "pptx");
}

#[tokio::test]
async fn a_cancel_ends_an_export_and_nothing_of_it_is_kept() {
    let desk = ExportFixture::new().await;
    desk.typesetter.meets(Fate::Lasts);
    desk.ask(BRIEF).await;
    desk.typesetter.begun.notified().await;
    let cancel = Cancel {
        run: None,
        reason: "enough".to_owned(),
    };
    desk.send("cancel", Command::Cancel(cancel)).await;
    let session = desk.rest().await;
    let run = session.run(RunId(1)).expect("a run");
    assert!(matches!(run.end, Some(End::Cancelled { .. })));
    assert!(run.artifact("pptx").is_none());
    while !desk.typesetter.given_up.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    desk.engine.stop().await;
}

#[tokio::test]
async fn an_unchanged_document_is_exported_once() {
    let desk = ExportFixture::new().await;
    desk.ask(BRIEF).await;
    desk.rest().await;
    // The offline author does not understand this feedback, and makes the same pages again.
    desk.refine("generate_slides").await;
    let session = desk.rest().await;
    assert_eq!(desk.typesetter.exports(), 1);
    let (first, second) = (final_artifact(&session, 1), final_artifact(&session, 2));
    assert_ne!(first.artifact, second.artifact);
    assert_eq!(first.body, second.body);
    assert_eq!(second.number, 2);
    let run = session.run(RunId(2)).expect("a run");
    let dsl = run.artifact("dsl").expect("a document");
    assert!(
        second.from.contains(&dsl.artifact),
        "of this run's document"
    );
    assert_eq!(run.artifacts_of("thumbnail").count(), 4);
    assert_eq!(
        decisions(&session, 2),
        [(
            "reused".to_owned(),
            "the document has not changed since run r1".to_owned()
        )]
    );
}

#[tokio::test]
async fn an_export_that_a_person_wants_again_is_made_again() {
    let desk = ExportFixture::new().await;
    desk.ask(BRIEF).await;
    let first = final_artifact(&*desk.rest().await, 1);
    let restart = RestartStep {
        run: None,
        stage: EXPORT.to_owned(),
        item: String::new(),
        feedback: None,
        settings: settings(BRIEF),
    };
    desk.send("restart", Command::RestartStep(restart)).await;
    let session = desk.rest().await;
    assert_eq!(desk.typesetter.exports(), 2);
    assert_eq!(stages_of(&desk.events().await, 2), [EXPORT]);
    let second = final_artifact(&session, 2);
    assert_eq!(first.body, second.body, "the same document, the same bytes");
}

#[tokio::test]
async fn without_fonts_the_powerpoint_file_is_delivered_and_the_log_says_what_is_missing() {
    let desk = ExportFixture::new().await;
    desk.ask("潮汐入门，4 页").await;
    let session = desk.rest().await;
    assert_eq!(final_artifact(&session, 1).kind, "pptx");
    let run = session.run(RunId(1)).expect("a run");
    assert!(run.artifact("layout_report").is_some());
    assert!(run.artifact("pdf").is_none());
    assert!(run.artifact("thumbnail").is_none());
    let decisions = decisions(&session, 1);
    assert_eq!(decisions[0].0, "pptx_only");
    assert!(decisions[0].1.contains("fonts-noto-cjk"), "{decisions:?}");
}
