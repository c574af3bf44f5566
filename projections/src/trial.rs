//! Logs for tests of wires and views, written like a story:
//! `LogFixture::of("letter", "To Ada").message("...", settings()).understood().stage("plan", 1)`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::event::{
    AnswerGiven, ArtifactProduced, Body, CallError, GateOpened, Guidance, Intent, IntentClassified,
    MessageReceived, ModelCalled, OutputRejected, PromptRef, Reserve, RunCancelled, RunCompleted,
    RunEvent, RunFailed, RunStarted, SessionOpened, StageClosed, StageOutcome, StageStarted,
    StepCancelled, StepEvent, StepFailed, StepRequested, StepSucceeded, Usage, Violation,
};
use domain::hash::{BlobRef, Sha256};
use domain::settings::{Ports, Settings};
use domain::{Actor, ArtifactId, Event, EventId, GateId, MessageId, Recorded, RunId, StepId};
use serde_json::{Value, json};
use smol_str::SmolStr;

pub use crate::laws::wire_laws;
use crate::wire::{Fold, Frame, SessionRef, Wire};

/// Events of one session, a second apart.
#[derive(Clone, Debug, Default)]
pub struct LogFixture {
    pub events: Vec<Recorded>,
    /// The run that events are of.
    pub run: RunId,
    /// The pipeline of the next run.
    pub pipeline: &'static str,
    /// What was made: the artifact, its kind, its stage.
    pub artifacts: Vec<(ArtifactId, String, String)>,
}

impl LogFixture {
    /// A session that was opened for a pipeline.
    pub fn of(pipeline: &'static str, title: &str) -> Self {
        let log = Self {
            pipeline,
            ..Self::default()
        };
        log.then(SessionOpened {
            pipeline: pipeline.into(),
            title: title.to_owned(),
        })
    }

    /// The following runs belong to another pipeline.
    pub fn with_runs_of(mut self, pipeline: &'static str) -> Self {
        self.pipeline = pipeline;
        self
    }

    /// One more event.
    pub fn then(mut self, event: impl Into<Event>) -> Self {
        self.record(event);
        self
    }

    /// Records one more event.
    pub fn record(&mut self, event: impl Into<Event>) {
        let event = event.into();
        let version = self.events.len() as u64 + 1;
        if let Event::Step(StepEvent::ArtifactProduced(e)) = &event {
            self.artifacts.push((
                e.artifact.clone(),
                e.kind.to_string(),
                e.step.stage.to_string(),
            ));
        }
        self.events.push(Recorded {
            position: 1_000 + version,
            version,
            event_id: EventId(u128::from(version).to_be_bytes()),
            recorded_at: at(version),
            actor: Actor::system(),
            event,
        });
    }

    /// The first events of a log.
    pub fn cut(&self, at: usize) -> Self {
        Self {
            events: self.events[..at].to_vec(),
            ..self.clone()
        }
    }

    /// When the next event is recorded.
    pub fn now(&self) -> DateTime<Utc> {
        at(self.events.len() as u64 + 1)
    }

    /// A person speaks, and the next run takes it up.
    pub fn message(self, text: &str, settings: Settings) -> Self {
        self.message_with(text, Value::Null, settings)
    }

    /// The same, with something given beside the words.
    pub fn message_with(mut self, text: &str, input: Value, settings: Settings) -> Self {
        self.run = RunId(self.run.0 + 1);
        let run = self.run;
        let message = MessageId::new(format!("user_{run}"));
        self.record(MessageReceived {
            at: None,
            message: message.clone(),
            text: text.to_owned(),
            attachments: vec![],
            run,
        });
        let at = self.now();
        let started = RunStarted {
            run,
            pipeline: self.pipeline.into(),
            base_run: None,
            message: Some(message),
            brief: text.to_owned(),
            input,
            settings,
            at,
        };
        self.then(started)
    }

    /// How the message of the run was understood.
    pub fn intent(
        self,
        intent: Intent,
        target: Option<&str>,
        base_run: Option<RunId>,
        kept: Vec<ArtifactId>,
    ) -> Self {
        let run = self.run;
        self.then(IntentClassified {
            language: None,
            run,
            intent,
            target: target.map(Into::into),
            base_run,
            kept,
            steps: vec![],
            confidence: 1.0,
            by: "rules".to_owned(),
            reason: "because".to_owned(),
            reply: None,
        })
    }

    /// The stage `understand`, which ends with this intent.
    pub fn understood_as(self, intent: Intent) -> Self {
        let log = self
            .stage("understand", 1)
            .request("understand", "", 1)
            .intent(intent, None, None, vec![]);
        log.succeed("understand", "", 1, vec![])
            .close("understand", StageOutcome::Completed)
    }

    /// The same for a message that begins something.
    pub fn understood(self) -> Self {
        self.understood_as(Intent::Initial)
    }

    /// A stage begins.
    pub fn stage(self, stage: &str, items: u32) -> Self {
        let run = self.run;
        self.then(StageStarted {
            run,
            stage: stage.into(),
            items,
        })
    }

    /// A stage ends.
    pub fn close(self, stage: &str, outcome: StageOutcome) -> Self {
        let run = self.run;
        self.then(StageClosed {
            run,
            stage: stage.into(),
            outcome,
        })
    }

    /// A step of the run.
    pub fn step(&self, stage: &str, item: &str) -> StepId {
        StepId::new(self.run, stage, item)
    }

    /// A step is asked for.
    pub fn request(self, stage: &str, item: &str, attempt: u32) -> Self {
        let (step, at) = (self.step(stage, item), self.now());
        let (guidance, reserve) = (Guidance::default(), Reserve::default());
        self.then(StepRequested {
            step,
            attempt,
            due: at,
            guidance,
            reserve,
            at,
        })
    }

    /// A step called a model.
    pub fn called(self, stage: &str, item: &str, attempt: u32, error: Option<CallError>) -> Self {
        let step = self.step(stage, item);
        self.then(model_call(step, attempt, 1, error))
    }

    /// The output of a step is rejected.
    pub fn reject(self, stage: &str, item: &str, attempt: u32, violations: Vec<Violation>) -> Self {
        let step = self.step(stage, item);
        self.then(OutputRejected {
            step,
            attempt,
            violations,
        })
    }

    /// A step fails.
    pub fn fail(
        self,
        stage: &str,
        item: &str,
        attempt: u32,
        message: &str,
        retryable: bool,
    ) -> Self {
        let (step, at, message) = (self.step(stage, item), self.now(), message.to_owned());
        self.then(StepFailed {
            step,
            attempt,
            code: "rejected".to_owned(),
            message,
            retryable,
            at,
        })
    }

    /// A step is cancelled.
    pub fn cancel_step(self, stage: &str, item: &str, attempt: u32, reason: &str) -> Self {
        let (step, at) = (self.step(stage, item), self.now());
        self.then(StepCancelled {
            step,
            attempt,
            reason: reason.to_owned(),
            at,
        })
    }

    /// A step makes an artifact.
    pub fn make(
        mut self,
        stage: &str,
        item: &str,
        attempt: u32,
        kind: &str,
        shown: bool,
        body: Body,
    ) -> Self {
        let event = self.artifact(stage, item, attempt, kind, shown, body);
        self.record(event);
        self
    }

    /// What a step makes, as the next event would say it.
    pub fn artifact(
        &self,
        stage: &str,
        item: &str,
        attempt: u32,
        kind: &str,
        shown: bool,
        body: Body,
    ) -> ArtifactProduced {
        let number = self
            .events
            .iter()
            .filter(|r| is_version_of(&r.event, kind, item))
            .count();
        let number = u32::try_from(number).expect("a log is short") + 1;
        let mark = if item.is_empty() {
            String::new()
        } else {
            format!("_{item}")
        };
        ArtifactProduced {
            artifact: ArtifactId::new(format!("art_{kind}{mark}_{number}")),
            kind: kind.into(),
            part: SmolStr::default(),
            number,
            title: kind.into(),
            step: self.step(stage, item),
            attempt,
            body,
            facts: Value::Null,
            from: vec![],
            shown,
        }
    }

    /// A step succeeds.
    pub fn succeed(
        self,
        stage: &str,
        item: &str,
        attempt: u32,
        artifacts: Vec<ArtifactId>,
    ) -> Self {
        let (step, at) = (self.step(stage, item), self.now());
        self.then(StepSucceeded {
            step,
            attempt,
            artifacts,
            at,
        })
    }

    /// The artifact that was made last.
    pub fn last_artifact(&self) -> ArtifactId {
        self.artifacts
            .last()
            .expect("an artifact was made")
            .0
            .clone()
    }

    /// A person is asked.
    pub fn opens_gate(
        self,
        gate: &str,
        name: &str,
        subject: Option<ArtifactId>,
        options: &[&str],
    ) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(GateOpened {
            step: None,
            run,
            gate: GateId::new(gate),
            name: name.to_owned(),
            subject,
            question: "is it right?".to_owned(),
            schema: json!({ "type": "object" }),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            deadline: None,
            default: json!({}),
            at,
        })
    }

    /// A person answers.
    pub fn answers(self, gate: &str, answer: Value) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(AnswerGiven {
            run,
            gate: GateId::new(gate),
            answer,
            by: "person".to_owned(),
            at,
        })
    }

    /// The run is over.
    pub fn completed(self, final_artifact: Option<ArtifactId>) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunCompleted {
            run,
            final_artifact,
            partial: false,
            at,
        })
    }

    /// The run fails.
    pub fn failed(self, code: &str, message: &str) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunFailed {
            run,
            code: code.to_owned(),
            message: message.to_owned(),
            at,
        })
    }

    /// The run is cancelled.
    pub fn cancelled(self) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunCancelled {
            run,
            reason: "a person asked for it".to_owned(),
            at,
        })
    }

    /// The frames of a wire.
    pub fn frames_of<W: Wire>(&self) -> Vec<Frame> {
        let mut fold = Fold::<W>::new(session());
        let events = self.events.iter();
        events.flat_map(|recorded| fold.push(recorded)).collect()
    }

    /// What a client of this wire reads, frame by frame, with what is changed in the data first.
    pub fn read_frames<W: Wire>(&self, change: impl Fn(&Frame, &mut Value)) -> Value {
        let line = |frame: &Frame| {
            let mut data = data(frame);
            change(frame, &mut data);
            let end = if frame.terminal { " (terminal)" } else { "" };
            json!({ "frame": format!("{} {}{end}", frame.cursor, frame.name), "data": data })
        };
        self.frames_of::<W>().iter().map(line).collect()
    }
}

fn is_version_of(event: &Event, kind: &str, item: &str) -> bool {
    matches!(event, Event::Step(StepEvent::ArtifactProduced(e)) if e.kind == kind && e.step.item == item)
}

/// What a frame says.
pub fn data(frame: &Frame) -> Value {
    serde_json::from_str(frame.data.get()).expect("frames are JSON")
}

/// The run that an event ends.
pub fn end_of(event: &Event) -> Option<RunId> {
    if let Event::Run(RunEvent::RunCompleted(e)) = event {
        Some(e.run)
    } else if let Event::Run(RunEvent::RunFailed(e)) = event {
        Some(e.run)
    } else if let Event::Run(RunEvent::RunCancelled(e)) = event {
        Some(e.run)
    } else {
        None
    }
}

/// The session of these logs.
pub fn session() -> SessionRef {
    SessionRef {
        owner: "ada".to_owned(),
        session: "s1".into(),
    }
}

/// The settings of a run that nobody attends, with the offline author.
pub fn settings() -> Settings {
    Settings {
        attended: false,
        ..Settings::default()
    }
}

/// The settings of a run with a model.
pub fn with_model(search: bool) -> Settings {
    let models = [("default".to_owned(), "gpt-x".to_owned())].into();
    Settings {
        ports: Ports {
            model: "openai".to_owned(),
            search,
            images: false,
            embeddings: false,
        },
        models,
        ..settings()
    }
}

/// When the event with this version is recorded.
pub fn at(version: u64) -> DateTime<Utc> {
    let start = DateTime::from_timestamp(1_735_689_600, 0).expect("a time");
    start + TimeDelta::seconds(i64::try_from(version).expect("a log is short"))
}

/// What is wrong at a place of an output.
pub fn violation(path: &str, message: &str) -> Violation {
    Violation {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}

/// A body that is in its event.
pub fn inline(json: Value) -> Body {
    Body::Event {
        json: Arc::new(json),
    }
}

/// A body beside the log.
pub fn blob(bytes: &[u8], media_type: &str) -> Body {
    Body::Blob {
        blob: BlobRef::of(bytes),
        media_type: media_type.to_owned(),
    }
}

/// A failed call.
pub fn call_error(code: &str, retryable: bool) -> CallError {
    CallError::new(code, format!("it was {code}"), retryable)
}

/// A call of a model.
pub fn model_call(
    step: StepId,
    attempt: u32,
    try_number: u32,
    error: Option<CallError>,
) -> ModelCalled {
    ModelCalled {
        step,
        attempt,
        turn: 0,
        try_number,
        role: "writer".into(),
        model: "gpt-x".into(),
        prompt: Some(PromptRef {
            id: "writer/write".into(),
            sha256: Sha256::of(b"template"),
        }),
        request: BlobRef::of(b"request"),
        response: error.is_none().then(|| BlobRef::of(b"response")),
        finish_reason: error.is_none().then(|| "stop".into()),
        thought: None,
        usage: Usage {
            input: 100,
            output: 20,
            ..Usage::default()
        },
        cost_micros: 7,
        latency_ms: 250,
        learned: vec![],
        error,
    }
}
