//! Laws 6 and 7 over an engine that is driven at random: what was carried out once is not carried out again, and after a
//! cancel no call starts.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names what it is about"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use commands::{Cancel, Command, Refine, SendMessage};
use domain::carry::{Answer, Carry, Content, ModelTurn, NewArtifact, Output, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, need, need_each, work_on};
use domain::ids::MessageId;
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::Run;
use domain::settings::{OnBusy, Ports, Settings};
use domain::{Actor, StepId};
use proptest::prelude::*;
use serde_json::{Value, json};
use store::{MasterKey, MemoryLog, StreamId};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::ports::{
    AnswerSink, Model, ModelAnswer, ModelError, ModelErrorKind, ModelRequest, ProviderLimits, Usage,
};
use crate::prompts::Prompts;
use crate::{Engine, EngineLimits, Envelope, Parts, SendError};

/// One step, then three in parallel, then one more; each makes two calls.
pub(crate) struct Fan;

const CALLS: usize = 2;

const STAGES: [StageSpec; 3] = [
    StageSpec::named("first").makes(&["first"]).attempts(2),
    StageSpec::named("many")
        .makes(&["many"])
        .sees(&["first"])
        .attempts(2),
    StageSpec::named("last")
        .makes(&["last"])
        .sees(&["many"])
        .attempts(2),
];

impl Pipeline for Fan {
    fn name(&self) -> &'static str {
        "fan"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "fan",
            delivers: "last",
            input_schema: json!(true),
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }
    fn flow(&self, run: &Run) -> Flow {
        let [first, many, last] = &STAGES;
        need(run, first)?;
        let items = (1..=3).map(|item| item.to_string());
        need_each(run, many, &work_on(items).width(3))?;
        need(run, last)
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve {
            calls: 2,
            tokens: 100,
            cost_micros: 0,
        }
    }
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        if turns.len() < CALLS {
            return Carry::Model(Box::new(ModelTurn::new(
                "writer",
                "fan/step",
                json!({ "step": work.step }),
                10,
            )));
        }
        let row = self.row(&work.step.stage, &work.step.item);
        let kind = row.expect("a step of a stage").name;
        let said = turns.iter().map(|turn| match turn {
            TurnResult::Model {
                answer: Answer::Text(text),
                ..
            } => text.clone(),
            _ => String::new(),
        });
        Carry::Done(vec![Output::Artifact(NewArtifact::new(
            kind,
            "art_",
            String::new(),
            Content::Json(said.collect()),
            work.lineage(),
        ))])
    }
}

/// Counts the calls that begin, by run, and answers when the test allows it.
#[derive(Default)]
struct Counting {
    begun: Mutex<BTreeMap<String, usize>>,
    answers: Option<Arc<Semaphore>>,
}

impl Counting {
    fn of(&self, run: &str) -> usize {
        let begun = self.begun.lock().expect("nothing panics here");
        begun.get(run).copied().unwrap_or_default()
    }
}

#[async_trait]
impl Model for Counting {
    async fn call(
        &self,
        request: &ModelRequest,
        _: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        let step: StepId = request.messages[1].content.trim().parse().expect("a step");
        *self
            .begun
            .lock()
            .expect("nothing panics here")
            .entry(step.run.to_string())
            .or_default() += 1;
        let answers = self.answers.as_ref().expect("set at the start");
        let let_go = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::new(ModelErrorKind::Cancelled, "cancelled")),
            let_go = answers.acquire() => let_go,
        };
        let_go.expect("it stays open").forget();
        Ok(ModelAnswer {
            text: "an answer".to_owned(),
            model: "m".to_owned(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage::default()),
            raw: Bytes::from_static(
                b"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"an answer\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            ),
            ..ModelAnswer::default()
        })
    }
}

/// One action on a session, and how long others may work after it.
#[derive(Clone, Debug)]
enum Push {
    Say(OnBusy),
    Cancel,
    Refine,
    Answer(usize),
    /// Sends an earlier command again.
    Again(usize),
    /// Drops the cached state of the session, as happens when other sessions are busier.
    Forget,
}

fn pushes() -> impl Strategy<Value = Vec<(Push, usize)>> {
    let push = prop_oneof![
        2 => prop_oneof![Just(OnBusy::Enqueue), Just(OnBusy::Refuse), Just(OnBusy::Interrupt)].prop_map(Push::Say),
        3 => Just(Push::Cancel),
        1 => Just(Push::Refine),
        8 => (1..6_usize).prop_map(Push::Answer),
        3 => any::<usize>().prop_map(Push::Again),
        2 => Just(Push::Forget),
    ];
    proptest::collection::vec((push, 0..40_usize), 1..25)
}

fn settings() -> Settings {
    let ports = Ports {
        model: "m".to_owned(),
        search: false,
        images: false,
        embeddings: false,
    };
    Settings {
        ports,
        models: [("default".to_owned(), "m".to_owned())].into(),
        width: 3,
        ..Settings::default()
    }
}

fn envelope(push: &Push, n: usize) -> Envelope {
    let command = match push {
        Push::Say(on_busy) => Command::SendMessage(Box::new(SendMessage {
            message: MessageId::new(format!("m{n}")),
            text: format!("number {n}"),
            files: vec![],
            pipeline: Some("fan".to_owned()),
            input: Value::Null,
            settings: settings(),
            on_busy: *on_busy,
        })),
        Push::Refine => Command::Refine(Refine {
            base_run: None,
            stage: "many".into(),
            items: vec![],
            feedback: "shorter".to_owned(),
            settings: settings(),
        }),
        Push::Cancel | Push::Answer(_) | Push::Again(_) | Push::Forget => Command::Cancel(Cancel {
            run: None,
            reason: "enough".to_owned(),
        }),
    };
    Envelope {
        command,
        client_id: format!("c{n}"),
        actor: Actor::person("p"),
        expected_version: None,
        blobs: vec![],
        content: None,
    }
}

struct Driven {
    engine: Engine,
    stream: StreamId,
    model: Arc<Counting>,
    answers: Arc<Semaphore>,
    /// What was carried out, with the version it had then.
    sent: Vec<(Envelope, u64)>,
    /// How many calls a run had begun when it was over.
    over: BTreeMap<String, usize>,
}

impl Driven {
    async fn start() -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let answers = Arc::new(Semaphore::new(0));
        let model = Arc::new(Counting {
            answers: Some(Arc::clone(&answers)),
            ..Counting::default()
        });
        let mut prompts = Prompts::empty();
        let text =
            "---\nrole: writer\n---\n<!-- system -->\nWrite.\n<!-- user -->\n{{ step | safe }}\n";
        prompts.add("fan/step", text).expect("a well-formed prompt");
        // Fewer seats than a stage is wide: some calls are waiting for one when they are cancelled.
        let provider = ProviderLimits {
            concurrency: 2,
            requests_per_minute: None,
            tokens_per_minute: None,
        };
        let parts = Parts {
            prompts,
            model: Some(Arc::clone(&model) as Arc<dyn Model>),
            limits: EngineLimits {
                provider,
                ..EngineLimits::default()
            },
            ..Parts::new(Arc::new(log), Pipelines::new(vec![&Fan]))
        };
        Self {
            engine: Engine::start(parts).await.expect("an engine starts"),
            stream: StreamId::new("p", "s".into()),
            model,
            answers,
            sent: vec![],
            over: BTreeMap::new(),
        }
    }

    /// Runs that are over by now keep the number of calls that they have begun.
    async fn note_ends(&mut self) {
        let Ok(session) = self.engine.session(&self.stream).await else {
            return;
        };
        for run in session.runs.values().filter(|run| !run.is_active()) {
            let run = run.id.to_string();
            let begun = self.model.of(&run);
            self.over.entry(run).or_insert(begun);
        }
    }

    async fn push(&mut self, push: &Push, n: usize) {
        match push {
            Push::Answer(count) => self.answers.add_permits(*count),
            Push::Again(_) if self.sent.is_empty() => {}
            Push::Forget => self.engine.0.sessions.mailboxes.forget(&self.stream),
            Push::Again(which) => self.again(which % self.sent.len()).await,
            Push::Say(_) | Push::Cancel | Push::Refine => {
                let envelope = envelope(push, n);
                match self.engine.send(&self.stream, envelope.clone()).await {
                    Ok(applied) if !applied.events.is_empty() => {
                        assert!(!applied.duplicate);
                        self.sent.push((envelope, applied.version));
                    }
                    Ok(_) | Err(SendError::Refused(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// Law 6.
    async fn again(&self, which: usize) {
        let (envelope, version) = self.sent[which].clone();
        let applied = self.engine.send(&self.stream, envelope.clone()).await;
        let applied = applied.expect("what was carried out has an answer");
        assert!(applied.duplicate, "carried out twice: {envelope:?}");
        assert_eq!(applied.version, version, "another answer: {envelope:?}");
    }

    /// Lets everything come to its end.
    async fn finish(&mut self) {
        self.answers.add_permits(10_000);
        let mut changes = self.engine.log().watch_stream(&self.stream);
        while let Ok(session) = self.engine.session(&self.stream).await {
            if session.active.is_none() {
                break;
            }
            changes.changed().await.expect("the log is open");
        }
        self.note_ends().await;
    }
}

fn drive(all: &[(Push, usize)]) -> Driven {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut driven = Driven::start().await;
        driven.push(&Push::Say(OnBusy::Enqueue), 1_000).await;
        for (n, (push, pause)) in all.iter().enumerate() {
            driven.push(push, n).await;
            driven.note_ends().await;
            for _ in 0..*pause {
                tokio::task::yield_now().await;
            }
        }
        driven.finish().await;
        for which in 0..driven.sent.len() {
            let before = *driven.engine.log().head().borrow();
            driven.again(which).await;
            assert_eq!(
                *driven.engine.log().head().borrow(),
                before,
                "something was appended"
            );
        }
        driven.engine.stop().await;
        driven
    })
}

/// A command that opens a session can be sent to one that exists and that this engine has not seen. The engine takes it for a new session
/// at first, and nothing of that can be noticed.
#[tokio::test]
async fn a_session_that_was_not_seen_goes_on_where_it_is() {
    let mut driven = Driven::start().await;
    driven.push(&Push::Say(OnBusy::Enqueue), 0).await;
    let unseen = |driven: &Driven| driven.engine.0.sessions.mailboxes.forget(&driven.stream);

    unseen(&driven);
    let refused = envelope(&Push::Say(OnBusy::Refuse), 1);
    let refused = driven.engine.send(&driven.stream, refused).await;
    assert!(
        matches!(
            refused,
            Err(SendError::Refused(commands::Refusal::Busy { .. }))
        ),
        "{refused:?}"
    );
    driven.finish().await;

    unseen(&driven);
    driven.again(0).await;
    let head = driven.engine.log().version(&driven.stream).await;
    let head = head.expect("reads").expect("it is there");
    for (expected, n) in [(0, 2), (head, 3)] {
        unseen(&driven);
        let expecting = Envelope {
            expected_version: Some(expected),
            ..envelope(&Push::Say(OnBusy::Enqueue), n)
        };
        let answer = driven.engine.send(&driven.stream, expecting).await;
        if expected == head {
            assert!(answer.expect("is taken").version > head);
        } else {
            let stale = SendError::Stale {
                expected,
                actual: head,
            };
            assert_eq!(
                answer.expect_err("it is not new").to_string(),
                stale.to_string()
            );
        }
    }
    driven.finish().await;
    let session = driven.engine.session(&driven.stream).await;
    assert_eq!(session.expect("it is there").runs.len(), 2);
    driven.engine.stop().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law 6, asserted on the way, and law 7: a run that is over begins no call.
    #[test]
    fn what_is_over_begins_no_call_and_nothing_is_carried_out_twice(all in pushes()) {
        let driven = drive(&all);
        for (run, begun) in &driven.over {
            prop_assert_eq!(driven.model.of(run), *begun, "{} began a call after its end", run);
        }
    }
}
