//! The effect that a command would have, without recording anything.

use commands::{Aggregate, Command, FinishStep, Finished};
use domain::carry::{Carry, Output, Work};
use domain::decision::Context;
use domain::event::{Event, RunEvent};
use domain::flow::UNDERSTAND;
use domain::{RunId, Session, StepId};
use store::{CommandId, StreamId};

use super::Engine;
use crate::error::SendError;

/// A session as it would be after a command.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The version that the command was tried on.
    pub version: u64,
    pub after: Session,
    /// The run that it would start; `None` where it would start none, or only after the run that is at work now.
    pub run: Option<RunId>,
}

impl Engine {
    /// Tries a command on a copy of a session. A message is understood by rules: no model is asked.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::send`]: a command that would be refused is refused.
    pub async fn preview(&self, stream: &StreamId, command: Command) -> Result<Preview, SendError> {
        let session = self.session(stream).await?;
        let version = session.version;
        let mut after = (*session).clone();
        let id = CommandId::of(stream, &format!("preview:{version}"));
        let context = self.0.sessions.context(id);
        let events = after.decide(command, &context)?;
        let run = events.iter().find_map(|event| match event {
            Event::Run(RunEvent::RunStarted(e)) => Some(e.run),
            Event::Run(_)
            | Event::Session(_)
            | Event::Step(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => None,
        });
        if let Some(run) = run {
            self.understand(&mut after, run, &context)?;
        }
        Ok(Preview {
            version,
            after,
            run,
        })
    }

    /// Understands the message of a run by rules, where it is not understood yet.
    fn understand(
        &self,
        session: &mut Session,
        run: RunId,
        context: &Context,
    ) -> Result<(), SendError> {
        let step = StepId::new(run, UNDERSTAND, "");
        let Some((pipeline, state)) = session.run(run).and_then(|state| {
            let pipeline = self.pipelines().find(&state.pipeline)?;
            state.intent.is_none().then_some((pipeline, state))
        }) else {
            return Ok(());
        };
        let attempt = state.step(UNDERSTAND, "").map_or(1, |step| step.attempt);
        let Some((work, _)) = Work::of(session, state, &step, &[], &[], &[]) else {
            return Ok(());
        };
        let outputs = pipeline
            .without_model(&work)
            .or_else(|| match pipeline.carry(&work, &[]) {
                Carry::Done(outputs) => Some(outputs),
                Carry::Model(_)
                | Carry::Tool(_)
                | Carry::Render(_)
                | Carry::Reject(_)
                | Carry::Fail { .. } => None,
            });
        let intent = outputs
            .into_iter()
            .flatten()
            .find_map(|output| match output {
                Output::Intent(intent) => Some(intent),
                Output::Artifact(_)
                | Output::File { .. }
                | Output::FileRemoved { .. }
                | Output::Decision { .. } => None,
            });
        let Some(intent) = intent else { return Ok(()) };
        let finish = FinishStep {
            step,
            attempt,
            turn: None,
            finished: Finished::Done {
                artifacts: vec![],
                files: vec![],
                intent: Some(Box::new(intent)),
                decisions: vec![],
            },
        };
        session.decide(Command::FinishStep(Box::new(finish)), context)?;
        Ok(())
    }
}
