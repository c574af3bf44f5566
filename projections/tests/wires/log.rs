//! Logs, written like a story: `Log::new().message("...").started(settings()).understood()...`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::event::*;
use domain::event::{RunEvent, StepEvent};
use domain::hash::{BlobRef, Sha256};
use domain::pipelines::course::export::{PDF_TYPE, PNG_TYPE, PPTX_TYPE};
use domain::settings::{Ports, Settings};
use domain::{Actor, ArtifactId, Event, EventId, MessageId, Recorded, RunId, StepId};
use projections::wire::built_in;
use projections::{Frame, SessionRef};
use serde_json::{Value, json};
use smol_str::SmolStr;

pub(crate) const ANALYZE: &str = "analyze_topic";
pub(crate) const CONFIG: &str = "generate_course_config";
pub(crate) const OUTLINE: &str = "generate_video_outline";
pub(crate) const SCRIPTS: &str = "generate_slide_scripts";
pub(crate) const THEME: &str = "generate_presentation_theme";
pub(crate) const SLIDES: &str = "generate_slides";
pub(crate) const EXPORT: &str = "export_deck";
pub(crate) const STAGES: [&str; 7] = [ANALYZE, CONFIG, OUTLINE, SCRIPTS, THEME, SLIDES, EXPORT];

/// The main artifact of a stage; for the slides that of a page.
pub(crate) fn kind_of(stage: &str) -> &'static str {
    match stage {
        ANALYZE => "requirement_analysis",
        CONFIG => "course_config",
        OUTLINE => "video_outline",
        SCRIPTS => "slide_scripts",
        THEME => "presentation_theme",
        EXPORT => "pptx",
        _ => "ppt_html",
    }
}

/// What a frame says.
pub(crate) fn data(frame: &Frame) -> Value {
    serde_json::from_str(frame.data.get()).unwrap()
}

/// The run that an event ends.
pub(crate) fn end_of(event: &Event) -> Option<RunId> {
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

/// Events of one session, a second apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) events: Vec<Recorded>,
    pub(crate) run: RunId,
    pipeline: &'static str,
    artifacts: Vec<(ArtifactId, String, String)>,
}

pub(crate) fn session() -> SessionRef {
    SessionRef {
        owner: "ada".to_owned(),
        session: "s1".into(),
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        attended: false,
        ..Settings::default()
    }
}

pub(crate) fn with_model(search: bool) -> Settings {
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

pub(crate) fn at(version: u64) -> DateTime<Utc> {
    let start = DateTime::from_timestamp(1_735_689_600, 0).unwrap();
    start + TimeDelta::seconds(i64::try_from(version).unwrap())
}

pub(crate) fn violation(path: &str, message: &str) -> Violation {
    Violation {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}

impl Log {
    pub(crate) fn new() -> Self {
        Self::of("course", "光合作用")
    }

    pub(crate) fn of(pipeline: &'static str, title: &str) -> Self {
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
    pub(crate) fn with_runs_of(mut self, pipeline: &'static str) -> Self {
        self.pipeline = pipeline;
        self
    }

    pub(crate) fn then(mut self, event: impl Into<Event>) -> Self {
        self.record(event);
        self
    }

    pub(crate) fn record(&mut self, event: impl Into<Event>) {
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
    pub(crate) fn cut(&self, at: usize) -> Self {
        Self {
            events: self.events[..at].to_vec(),
            ..self.clone()
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        at(self.events.len() as u64 + 1)
    }

    /// A person speaks, and the next run takes it up.
    pub(crate) fn message(self, text: &str, settings: Settings) -> Self {
        self.message_with(text, Value::Null, settings)
    }

    /// The same, with something given beside the words.
    pub(crate) fn message_with(mut self, text: &str, input: Value, settings: Settings) -> Self {
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

    pub(crate) fn intent(
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
    pub(crate) fn understood_as(self, intent: Intent) -> Self {
        let log = self
            .stage("understand", 1)
            .request("understand", "", 1)
            .intent(intent, None, None, vec![]);
        log.succeed("understand", "", 1, vec![])
            .close("understand", StageOutcome::Completed)
    }

    pub(crate) fn understood(self) -> Self {
        self.understood_as(Intent::Initial)
    }

    /// A refinement from a stage on, of the run before.
    pub(crate) fn refines(self, stage: &str, feedback: &str) -> Self {
        let (run, base_run) = (self.run, RunId(self.run.0 - 1));
        let kept = self.made_before(stage);
        let log = self.intent(Intent::Refinement, Some(stage), Some(base_run), kept);
        log.then(RefinementRequested {
            run,
            base_run,
            stage: stage.into(),
            feedback: feedback.to_owned(),
            items: vec![],
            order: vec![],
        })
    }

    /// The artifacts of the stages before this one.
    pub(crate) fn made_before(&self, stage: &str) -> Vec<ArtifactId> {
        let place = |name: &str| STAGES.iter().position(|s| *s == name);
        self.artifacts
            .iter()
            .filter(|(_, _, by)| place(by) < place(stage))
            .map(|(id, _, _)| id.clone())
            .collect()
    }

    pub(crate) fn stage(self, stage: &str, items: u32) -> Self {
        let run = self.run;
        self.then(StageStarted {
            run,
            stage: stage.into(),
            items,
        })
    }

    pub(crate) fn close(self, stage: &str, outcome: StageOutcome) -> Self {
        let run = self.run;
        self.then(StageClosed {
            run,
            stage: stage.into(),
            outcome,
        })
    }

    pub(crate) fn step(&self, stage: &str, item: &str) -> StepId {
        StepId::new(self.run, stage, item)
    }

    pub(crate) fn request(self, stage: &str, item: &str, attempt: u32) -> Self {
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

    pub(crate) fn called(
        self,
        stage: &str,
        item: &str,
        attempt: u32,
        error: Option<CallError>,
    ) -> Self {
        let step = self.step(stage, item);
        self.then(model_call(step, attempt, 1, error))
    }

    pub(crate) fn reject(
        self,
        stage: &str,
        item: &str,
        attempt: u32,
        violations: Vec<Violation>,
    ) -> Self {
        let step = self.step(stage, item);
        self.then(OutputRejected {
            step,
            attempt,
            violations,
        })
    }

    pub(crate) fn fail(
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

    pub(crate) fn cancel_step(self, stage: &str, item: &str, attempt: u32, reason: &str) -> Self {
        let (step, at) = (self.step(stage, item), self.now());
        self.then(StepCancelled {
            step,
            attempt,
            reason: reason.to_owned(),
            at,
        })
    }

    pub(crate) fn make(
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

    pub(crate) fn artifact(
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
        let number = u32::try_from(number).unwrap() + 1;
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

    pub(crate) fn succeed(
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

    /// A step with a call, an artifact and its end.
    pub(crate) fn done(self, stage: &str, item: &str, attempt: u32) -> Self {
        let body = if stage == SLIDES {
            page(item)
        } else {
            inline(json!({ "of": stage }))
        };
        let log = self.called(stage, item, attempt, None);
        log.make(stage, item, attempt, kind_of(stage), item.is_empty(), body)
            .succeed(stage, item, attempt, vec![])
    }

    /// A whole stage of one step.
    pub(crate) fn whole(self, stage: &str) -> Self {
        self.stage(stage, 1)
            .request(stage, "", 1)
            .done(stage, "", 1)
            .close(stage, StageOutcome::Completed)
    }

    /// The documents that end the slides, the export and the end of the run.
    pub(crate) fn delivered(self, attempt: u32) -> Self {
        self.documents(attempt).exported()
    }

    /// The documents that end the slides.
    pub(crate) fn documents(self, attempt: u32) -> Self {
        let item = "document";
        let log = self.request(SLIDES, item, attempt);
        let log = log.make(
            SLIDES,
            item,
            attempt,
            "ppt_html_doc",
            true,
            inline(json!({ "pages": [] })),
        );
        let log = log.make(
            SLIDES,
            item,
            attempt,
            "dsl",
            false,
            blob(b"a deck", "application/json"),
        );
        log.succeed(SLIDES, item, attempt, vec![])
            .close(SLIDES, StageOutcome::Completed)
    }

    /// The deck as files, of which the first is delivered.
    pub(crate) fn exported(self) -> Self {
        let log = self.stage(EXPORT, 1).request(EXPORT, "", 1);
        let log = log.make(EXPORT, "", 1, "pptx", true, blob(b"PK", PPTX_TYPE));
        let pptx = log.last_artifact();
        let report = json!({ "summary": { "critical": 0, "warning": 2, "info": 1 } });
        let log = log
            .make(EXPORT, "", 1, "layout_report", false, inline(report))
            .make(EXPORT, "", 1, "pdf", false, blob(b"%PDF", PDF_TYPE));
        let body = blob(b"PNG", PNG_TYPE);
        let mut thumbnail = log.artifact(EXPORT, "", 1, "thumbnail", false, body);
        thumbnail.part = "1".into();
        log.then(thumbnail)
            .succeed(EXPORT, "", 1, vec![])
            .close(EXPORT, StageOutcome::Completed)
            .completed(Some(pptx))
    }

    pub(crate) fn last_artifact(&self) -> ArtifactId {
        self.artifacts.last().unwrap().0.clone()
    }

    pub(crate) fn completed(self, final_artifact: Option<ArtifactId>) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunCompleted {
            run,
            final_artifact,
            partial: false,
            at,
        })
    }

    pub(crate) fn failed(self, code: &str, message: &str) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunFailed {
            run,
            code: code.to_owned(),
            message: message.to_owned(),
            at,
        })
    }

    pub(crate) fn cancelled(self) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunCancelled {
            run,
            reason: "a person asked for it".to_owned(),
            at,
        })
    }

    pub(crate) fn frames(&self, wire: &str) -> Vec<Frame> {
        let mut fold = built_in().fold(wire, session()).unwrap();
        self.events
            .iter()
            .flat_map(|recorded| fold.push(recorded))
            .collect()
    }

    /// What a client reads, event by event; `pos` and `sessionId`, which are in every frame, are checked and left out, and so is the envelope of `report`.
    pub(crate) fn transcript(&self, wire: &str) -> Value {
        let line = |frame: Frame| {
            let mut data: Value = serde_json::from_str(frame.data.get()).unwrap();
            if wire == "course" {
                let fields = data.as_object_mut().unwrap();
                assert_eq!(
                    fields.shift_remove("pos"),
                    Some(json!(frame.cursor.to_string()))
                );
                assert_eq!(fields.shift_remove("sessionId"), Some(json!("s1")));
            }
            if wire == "report" {
                let fields = data.as_object_mut().unwrap();
                assert_eq!(fields.shift_remove("event"), Some(json!(frame.name)));
                assert_eq!(fields.shift_remove("session_id"), Some(json!("s1")));
                let seq = frame.ordinal + 1;
                assert_eq!(fields.shift_remove("seq"), Some(json!(seq)));
                assert_eq!(
                    fields.shift_remove("event_id"),
                    Some(json!(format!("s1-v1-{seq}")))
                );
                let at = frame
                    .recorded_at
                    .to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
                assert_eq!(fields.shift_remove("timestamp"), Some(json!(at)));
            }
            let end = if frame.terminal { " (terminal)" } else { "" };
            json!({ "frame": format!("{} {}{end}", frame.cursor, frame.name), "data": data })
        };
        self.frames(wire).into_iter().map(line).collect()
    }
}

fn is_version_of(event: &Event, kind: &str, item: &str) -> bool {
    matches!(event, Event::Step(StepEvent::ArtifactProduced(e)) if e.kind == kind && e.step.item == item)
}

pub(crate) fn inline(json: Value) -> Body {
    Body::Event {
        json: Arc::new(json),
    }
}

pub(crate) fn blob(bytes: &[u8], media_type: &str) -> Body {
    Body::Blob {
        blob: BlobRef::of(bytes),
        media_type: media_type.to_owned(),
    }
}

fn page(item: &str) -> Body {
    inline(json!(format!(
        "<div class=\"ppt-page-wrapper\">{item}</div>"
    )))
}

pub(crate) fn call_error(code: &str, retryable: bool) -> CallError {
    CallError::new(code, format!("it was {code}"), retryable)
}

pub(crate) fn model_call(
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
            id: "course/write".into(),
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
