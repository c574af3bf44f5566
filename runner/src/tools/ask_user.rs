//! `askUser`: a step waits for a person. The question is a gate in the log and so is its answer; nothing is held here that a
//! restart would lose.

use async_trait::async_trait;
use commands::{AskPerson, Command};
use domain::carry::ToolOutcome;
use domain::question::{self, ASK_USER, Question};
use domain::session::Run;
use serde_json::Value;

use super::{Tool, ToolContext, ToolError};
use crate::error::SendError;
use crate::sessions::{StepContext, Stop};
use crate::waits::WaitReason;

/// The tool; the result of a question is what a person answered.
pub(super) struct AskUser;

#[async_trait]
impl Tool for AskUser {
    fn name(&self) -> &'static str {
        ASK_USER
    }

    fn schema(&self) -> Value {
        question::tool().parameters
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        ask(&context.turn, input).await
    }

    fn waits_for_a_person(&self) -> bool {
        true
    }
}

/// Asks, unless it was asked before, and gives the answer once there is one.
async fn ask(context: &StepContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
    let question =
        Question::read(input).map_err(|says| ToolError::new("bad_input", &says, false))?;
    let StepContext {
        step,
        attempt,
        turn,
        halt,
        ..
    } = *context;
    let name = question.name();
    let id = format!("ask:{step}:{attempt}:{turn}");
    let command = Command::AskPerson(Box::new(AskPerson {
        step: step.clone(),
        attempt,
        question,
    }));
    let mut changes = context.log.watch_stream(context.stream);
    match context.send(&id, command).await {
        Ok(_) => {}
        Err(SendError::Refused(refusal)) => {
            if matches!(refusal, commands::Refusal::AttemptOver { .. }) {
                return Err(ToolError::Stop(Stop::Over));
            }
            return Err(ToolError::new(refusal.code(), &refusal.to_string(), false));
        }
        Err(error) => return Err(ToolError::Stop(error.into())),
    }
    let _waiting = context.waits.begin(WaitReason::Gate);
    loop {
        let session = context.session().await?;
        let run = session.run(step.run).ok_or(ToolError::Stop(Stop::Over))?;
        if let Some(outcome) = given(run, &name) {
            return Ok(outcome);
        }
        drop(session);
        tokio::select! {
            () = halt.cancelled() => return Err(ToolError::Stop(Stop::Over)),
            changed = changes.changed() => {
                if changed.is_err() {
                    return Err(ToolError::Stop(Stop::Over));
                }
            }
        }
    }
}

/// What somebody answered to this question, in this run or in one before it.
fn given(run: &Run, name: &str) -> Option<ToolOutcome> {
    let answer = run.answer_to(name)?.given()?;
    let mut gates = run.gates.values().rev();
    let asked = gates.find(|gate| gate.opened.name == name);
    let output = match asked {
        Some(gate) => gate.in_words(answer),
        None => answer.clone(),
    };
    let said = output["selected"].as_array().into_iter().flatten();
    let said = said
        .chain([&output["customInput"]])
        .filter_map(Value::as_str);
    let said: Vec<&str> = said.filter(|said| !said.is_empty()).collect();
    let summary = said.join("; ");
    Some(ToolOutcome::gave(output, summary))
}
