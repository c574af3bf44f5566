//! `askUser`: a step waits for a person. The question is a gate in the log and so is its answer; nothing is held here that a
//! restart would lose.

use commands::{AskPerson, Command};
use domain::Actor;
use domain::carry::ToolOutcome;
use domain::question::Question;
use domain::session::Run;
use serde_json::Value;

use crate::error::SendError;
use crate::tools::ToolError;
use crate::turn::Place;
use crate::worker::Stop;

/// Asks, unless it was asked before, and gives the answer once there is one.
pub(crate) async fn ask(place: &Place<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
    let question =
        Question::read(input).map_err(|says| ToolError::new("bad_input", &says, false))?;
    let Place {
        engine,
        stream,
        step,
        attempt,
        turn,
        cancel,
    } = *place;
    let name = question.name();
    let id = format!("ask:{step}:{attempt}:{turn}");
    let command = Command::AskPerson(Box::new(AskPerson {
        step: step.clone(),
        attempt,
        question,
    }));
    let mut changes = engine.log().watch_stream(stream);
    match engine
        .send_own(stream, &id, command, Actor::system(), vec![])
        .await
    {
        Ok(_) => {}
        Err(SendError::Refused(refusal)) => {
            if matches!(refusal, commands::Refusal::AttemptOver { .. }) {
                return Err(ToolError::Stop(Stop::Over));
            }
            return Err(ToolError::new(refusal.code(), &refusal.to_string(), false));
        }
        Err(error) => return Err(ToolError::Stop(error.into())),
    }
    loop {
        let session = engine.session(stream).await;
        let session = session.map_err(|error| ToolError::Stop(error.into()))?;
        let run = session.run(step.run).ok_or(ToolError::Stop(Stop::Over))?;
        if let Some(outcome) = given(run, &name) {
            return Ok(outcome);
        }
        drop(session);
        tokio::select! {
            () = cancel.cancelled() => return Err(ToolError::Stop(Stop::Over)),
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
