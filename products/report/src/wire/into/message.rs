//! Messages that start a run: a message, given tasks, or a new plan for an idle session.

use palimpsest::prelude::pipeline::OnBusy;
use palimpsest::prelude::wire::{
    Say, Session, SessionId, SettingsRequest, check_client_id, content_hash, derived, fresh_id,
};
use serde_json::{Map, Value, json};

use super::REPORT;
use super::dispatcher::{Dispatcher, MessageRefusal};
use super::hints::Hints;
use super::incoming::{Incoming, LLM_MESSAGES};

/// The text of a run for given tasks, if there is no question.
const SOLVE: &str = "Solve the given tasks.";

impl Dispatcher {
    pub(crate) async fn message(
        &mut self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let text = prompt(&incoming.content)
            .ok_or_else(|| MessageRefusal::new("Message content cannot be empty"))?;
        let input = self.hints(session, state, &incoming.content);
        self.show_asked(session, incoming.wants_asked()).await?;
        self.start(
            session,
            "message",
            incoming,
            text,
            input.into_input(Value::Null),
        )
        .await
    }

    pub(crate) async fn solve_tasks(
        &mut self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let missing = || MessageRefusal::new("Missing tasks in user.solve_tasks content");
        let tasks = match incoming.content.get("tasks") {
            Some(Value::Array(tasks)) if !tasks.is_empty() => tasks.clone(),
            Some(task @ Value::Object(_)) => vec![task.clone()],
            Some(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_),
            )
            | None => return Err(missing()),
        };
        let mut more = json!({ "mode": "solve_tasks", "tasks": tasks });
        let summary = incoming.content.get("plan_summary").and_then(Value::as_str);
        if let Some(summary) = summary {
            more["plan_summary"] = summary.into();
        }
        let input = self
            .hints(session, state, &incoming.content)
            .into_input(more);
        let text = incoming.question().unwrap_or(SOLVE).to_owned();
        self.start(session, "solve_tasks", incoming, text, input)
            .await
    }

    /// Starts a run with a new plan if nothing is at work.
    pub(crate) async fn plan_anew(
        &mut self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let Some(question) = incoming.question() else {
            return Err(MessageRefusal::new(
                "Replan requires a question when session is idle",
            ));
        };
        let hints = self.hints(session, state, &incoming.content);
        let input = hints.into_input(json!({ "mode": "replan" }));
        self.start(session, "replan", incoming, question.to_owned(), input)
            .await
    }

    /// The hints of this session and those of this message, which stay for later messages.
    fn hints(&mut self, session: &SessionId, state: &Session, content: &Value) -> Hints {
        let mut hints = Hints::default();
        if let Some(attached) = self.attached.get(session) {
            hints = attached.hints.clone();
        }
        hints.take(&Hints::of_session(state).into_input(Value::Null));
        hints.take(content);
        hints
    }

    async fn start(
        &mut self,
        session: &SessionId,
        verb: &str,
        incoming: &Incoming,
        text: String,
        input: Value,
    ) -> Result<(), MessageRefusal> {
        let client_id = match &incoming.message {
            Some(message) => {
                check_client_id("message_id", message)?;
                derived("report", &[verb, message])
            }
            None => fresh_id(),
        };
        let say = Say {
            session: session.clone(),
            message_id: None,
            pipeline: Some(REPORT.to_owned()),
            text,
            input,
            settings: SettingsRequest {
                attended: Some(true),
                on_busy: Some(OnBusy::Refuse),
                ..SettingsRequest::default()
            },
            attachments: vec![],
            client_id,
            // What was hinted at before is in the input as well.
            content: Some(content_hash(&incoming.content)),
            expected_version: None,
        };
        let said = self.report.app.say(&self.owner, say).await?;
        if said.duplicate {
            let control = json!({
                "action": verb, "ok": true, "duplicate": true, "message_id": incoming.message, "run": said.run,
            });
            self.notice(session, "The message was taken already", control)
                .await;
        }
        Ok(())
    }
}

/// The prompt of a message: its text, its question, or, without one, the whole object but `tasks` and the settings for this server.
fn prompt(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Object(fields) => match fields.get("question") {
            Some(Value::String(question)) => question.clone(),
            _ => without_question(fields)?,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

fn without_question(fields: &Map<String, Value>) -> Option<String> {
    let mut fields = fields.clone();
    fields.remove("tasks");
    fields.remove(LLM_MESSAGES);
    if fields.is_empty() {
        return None;
    }
    Some(Value::Object(fields).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_the_text_the_question_or_the_object_without_tasks() {
        for (content, expected) in [
            (json!("Write."), Some("Write.")),
            (
                json!({ "question": "Write.", "template_name": "t" }),
                Some("Write."),
            ),
            (
                json!({ "template_name": "t", "tasks": [1] }),
                Some(r#"{"template_name":"t"}"#),
            ),
            (json!({ "question": " " }), None),
            (json!({ "tasks": [1] }), None),
            (json!({ "llm_messages": true }), None),
            (json!({}), None),
            (json!("  "), None),
            (json!(null), None),
            (json!(["Write."]), None),
        ] {
            assert_eq!(prompt(&content).as_deref(), expected, "{content}");
        }
    }
}
