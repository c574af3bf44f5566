//! A session that tests drive by commands: deciding without a log, a clock or a model.

use chrono::{DateTime, Utc};
use domain::carry::IntentOutput;
use domain::decision::Context;
use domain::event::{Intent, Violation};
use domain::ids::{MessageId, RunId, StepId};
use domain::pipeline::Pipelines;
use domain::settings::{OnBusy, Settings};
use domain::{Event, Session};
use serde_json::Value;

use crate::{Command, FinishStep, Finished, Refusal, SendMessage, decide};

/// A session, and what drives it. Every decision is compared with the fold of its events.
pub struct SessionFixture {
    pub session: Session,
    pub log: Vec<Event>,
    pub now: DateTime<Utc>,
    pub settings: Settings,
    pipelines: Pipelines,
    commands: u8,
    /// Whether steps report what became of what a person wrote.
    #[cfg(test)]
    pub(crate) told: bool,
    /// Whether what a step makes is the same in every run.
    #[cfg(test)]
    pub(crate) same: bool,
}

impl SessionFixture {
    /// A session that was not opened yet, and the pipelines that it may ask.
    pub fn of(pipelines: Pipelines) -> Self {
        Self {
            session: Session::default(),
            log: vec![],
            now: DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(1_700_000_000),
            settings: Settings {
                attempts: 2,
                width: 2,
                ..Settings::default()
            },
            pipelines,
            commands: 0,
            #[cfg(test)]
            told: false,
            #[cfg(test)]
            same: false,
        }
    }

    /// What the next command is decided with.
    pub fn context(&mut self) -> Context {
        self.commands = self.commands.wrapping_add(1);
        Context {
            now: self.now,
            command: [self.commands; 16],
            pipelines: self.pipelines.clone(),
        }
    }

    /// Decides, and compares the decision's state with the fold of its events.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub fn ask(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        let context = self.context();
        let mut fold = self.session.clone();
        let decided = decide(&mut self.session, command, &context);
        for event in decided.iter().flatten() {
            fold.evolve(event);
        }
        assert_eq!(
            self.session, fold,
            "a decision's state is the fold of its events"
        );
        self.log.extend(decided.clone().unwrap_or_default());
        decided
    }

    /// Sends the message with this number to this pipeline; a busy run refuses it.
    pub fn say_to(&mut self, pipeline: &str, n: usize) {
        drop(self.send(pipeline, &format!("m-{n}"), "a brief", OnBusy::Refuse));
    }

    /// Sends a message to a pipeline.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub fn send(
        &mut self,
        pipeline: &str,
        message: &str,
        text: &str,
        on_busy: OnBusy,
    ) -> Result<Vec<Event>, Refusal> {
        let settings = self.settings.clone();
        self.ask(Command::SendMessage(Box::new(SendMessage {
            message: MessageId::new(message),
            text: text.into(),
            files: vec![],
            pipeline: Some(pipeline.into()),
            input: Value::Null,
            settings,
            on_busy,
        })))
    }

    /// An open step ends.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub fn finish(&mut self, step: &str, finished: Finished) -> Result<Vec<Event>, Refusal> {
        let step: StepId = step.parse().expect("a step");
        let attempt = self.session.runs[&step.run]
            .step(&step.stage, &step.item)
            .map_or(1, |s| s.attempt);
        self.ask(Command::FinishStep(Box::new(FinishStep {
            step,
            attempt,
            turn: None,
            finished,
        })))
    }

    /// The output of an open step is rejected.
    pub fn reject(&mut self, step: &str) {
        let violations = vec![Violation::new("", "no")];
        self.finish(step, Finished::Rejected { violations })
            .expect("it is open");
    }

    /// An open step fails.
    pub fn fail(&mut self, step: &str, retryable: bool) {
        let failed = Finished::Failed {
            code: "x".into(),
            message: "y".into(),
            retryable,
        };
        self.finish(step, failed).expect("it is open");
    }

    /// The message of a run is understood, and answered with `hello` where it is irrelevant.
    pub fn understood(&mut self, run: RunId, intent: Intent, target: Option<&str>) -> Vec<Event> {
        let intent = IntentOutput {
            target: target.map(Into::into),
            reply: Some("hello".into()),
            ..IntentOutput::by_rules(intent, "because")
        };
        let finished = Finished::Done {
            files: vec![],
            artifacts: vec![],
            intent: Some(Box::new(intent)),
            decisions: vec![],
        };
        self.finish(&format!("{run}/understand"), finished)
            .expect("it is open")
    }

    /// The steps that are open.
    pub fn open_steps(&self) -> Vec<StepId> {
        let run = self.session.active_run().into_iter();
        run.flat_map(|run| {
            run.open_steps()
                .map(|(stage, item, _)| StepId::new(run.id, stage, item))
        })
        .collect()
    }

    /// Law 5: every artifact that counts was made from artifacts that count.
    pub fn nothing_older_is_used(&self) {
        for run in self.session.runs.values() {
            let current = run.artifact_ids();
            for artifact in run.artifacts() {
                for from in &artifact.from {
                    assert!(
                        current.contains(from),
                        "{} of {} was made from {from}, which does not count any longer",
                        artifact.kind,
                        run.id,
                    );
                }
            }
        }
    }
}
