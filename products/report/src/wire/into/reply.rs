//! The answer to a step that waits for confirmation.

use palimpsest::prelude::pipeline::Gate;
use palimpsest::prelude::wire::event::BUDGET_GATE;
use palimpsest::prelude::wire::{Session, SessionId, fresh_id};
use serde_json::{Value, json};

use super::dispatcher::{Dispatcher, MessageRefusal};
use super::incoming::Incoming;
use crate::wire::out::confirmation_step_id;

impl Dispatcher {
    pub(crate) async fn response(
        &self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let Some(step) = &incoming.step else {
            return Err(MessageRefusal::new("Missing step_id in user response"));
        };
        let Some(gate) = gate_of(state, step) else {
            return self
                .unchanged(session, step, "There is no such step to confirm", "unknown")
                .await;
        };
        if gate.answer.is_some() {
            return self.unchanged(session, step, ANSWERED, "answered").await;
        }
        let answer = answer(gate, &incoming.content)?;
        let payload = json!({ "gate": gate.opened.gate, "answer": answer });
        let error = match self.ask(session, fresh_id(), "answer_gate", payload).await {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        match error.error.code.as_ref() {
            "gate_answered" => self.unchanged(session, step, ANSWERED, "answered").await,
            "ended" => self.unchanged(session, step, OVER, "ended").await,
            "bad_edits" => {
                let content = json!({
                    "message": "The edited tasks do not fit the template; the plan still waits for an answer",
                    "error": error.error.message,
                });
                self.not_coerced(session, step, content).await
            }
            _ => Err(error.into()),
        }
    }

    /// Tells the client that its answer changed nothing.
    async fn unchanged(
        &self,
        session: &SessionId,
        step: &str,
        text: &str,
        reason: &str,
    ) -> Result<(), MessageRefusal> {
        let control =
            json!({ "action": "response", "ok": false, "step_id": step, "reason": reason });
        self.notice(session, text, control).await;
        Ok(())
    }

    async fn not_coerced(
        &self,
        session: &SessionId,
        step: &str,
        content: Value,
    ) -> Result<(), MessageRefusal> {
        let metadata = json!({ "scope": "plan" });
        let frame = self
            .voice
            .step_frame("plan.coercion_error", session, step, content, metadata);
        self.say(frame).await;
        Ok(())
    }
}

const OVER: &str = "The run of this step has ended; nothing changed";
const ANSWERED: &str = "This step was answered already; nothing changed";

fn gate_of<'a>(state: &'a Session, step: &str) -> Option<&'a Gate> {
    let gates = state.runs.values().rev().flat_map(|run| run.gates.values());
    gates
        .into_iter()
        .find(|gate| confirmation_step_id(&gate.opened.name, &gate.opened.gate) == step)
}

/// The answer to a gate. Without a boolean `confirmed` the gate stays open.
fn answer(gate: &Gate, content: &Value) -> Result<Value, MessageRefusal> {
    let Some(confirmed) = content.get("confirmed").and_then(Value::as_bool) else {
        return Err(MessageRefusal::new(
            "Execution error: `confirmed` in the content of user.response is true or false",
        ));
    };
    if gate.opened.name == BUDGET_GATE {
        return Ok(json!({ "choice": if confirmed { "raise" } else { "end" } }));
    }
    let mut answer = json!({ "confirm": confirmed });
    if confirmed {
        match content.get("tasks") {
            None | Some(Value::Null) => {}
            // An empty list of tasks is no edit.
            Some(Value::Array(tasks)) if tasks.is_empty() => {}
            Some(tasks) => answer["edits"] = tasks.clone(),
        }
    } else if let Some(reason) = content.get("reason").and_then(Value::as_str) {
        answer["feedback"] = reason.into();
    }
    Ok(answer)
}
