//! The messages of clients. Unknown fields are ignored, and fields of another type count as absent: clients of the contract send more
//! fields than it names.

use serde_json::{Map, Value};

/// The field of the events that choose whether `agent.llm_message` is sent.
pub(crate) const LLM_MESSAGES: &str = "llm_messages";

/// A message of a client.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Incoming {
    pub(crate) event: String,
    pub(crate) session: Option<String>,
    pub(crate) step: Option<String>,
    pub(crate) content: Value,
    /// The client's name for this message; a repetition gets the first answer.
    pub(crate) message: Option<String>,
    /// All other fields of the message.
    fields: Map<String, Value>,
}

/// Why a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid JSON: {0}")]
pub(crate) struct NotReadable(pub(crate) String);

impl Incoming {
    pub(crate) fn read(text: &str) -> Result<Self, NotReadable> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| NotReadable(error.to_string()))?;
        let Value::Object(mut fields) = value else {
            return Err(NotReadable("a message is one object".to_owned()));
        };
        Ok(Self {
            event: take_text(&mut fields, "event").unwrap_or_default(),
            session: take_text(&mut fields, "session_id").filter(|session| !session.is_empty()),
            step: take_text(&mut fields, "step_id").filter(|step| !step.is_empty()),
            message: take_text(&mut fields, "message_id"),
            content: fields.remove("content").unwrap_or(Value::Null),
            fields,
        })
    }

    /// A field at the top of the message or in its content.
    pub(crate) fn anywhere(&self, name: &str) -> Option<&Value> {
        let at_top = self.fields.get(name).filter(|value| !value.is_null());
        at_top.or_else(|| self.content.get(name).filter(|value| !value.is_null()))
    }

    /// The number of a section, as the items of steps have it.
    pub(crate) fn task(&self) -> Option<String> {
        match self.anywhere("task_id")? {
            Value::Number(number) => number.as_u64().map(|number| number.to_string()),
            Value::String(text) => text
                .trim()
                .parse::<u64>()
                .ok()
                .map(|number| number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Whether the client wants to see what models are asked; `None` if it does not say.
    pub(crate) fn wants_asked(&self) -> Option<bool> {
        self.anywhere(LLM_MESSAGES)?.as_bool()
    }

    /// The question: the content if it is a text, or the `question` in it.
    pub(crate) fn question(&self) -> Option<&str> {
        let text = self.content.as_str();
        let text = text.or_else(|| self.content.get("question").and_then(Value::as_str));
        text.map(str::trim).filter(|text| !text.is_empty())
    }
}

fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.remove(name)? {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(message: &Value) -> Incoming {
        Incoming::read(&message.to_string()).expect("readable")
    }

    #[test]
    fn a_message_is_one_object_and_what_is_missing_is_absent() {
        for text in ["", "{", "[]", "\"user.message\"", "null", "1"] {
            let refused = Incoming::read(text).map_err(|error| error.to_string());
            assert!(
                refused.is_err_and(|words| words.starts_with("Invalid JSON: ")),
                "{text}"
            );
        }
        assert_eq!(read(&json!({})), Incoming::default());
        let odd = read(&json!({ "event": 1, "session_id": "", "step_id": [], "message_id": null }));
        assert_eq!(odd, Incoming::default());
    }

    #[test]
    fn a_section_is_named_by_a_number_or_by_its_digits() {
        for (content, task) in [
            (json!({ "task_id": 3 }), Some("3")),
            (json!({ "task_id": " 3 " }), Some("3")),
            (json!({ "task_id": -1 }), None),
            (json!({ "task_id": 1.5 }), None),
            (json!({ "task_id": "three" }), None),
            (json!({}), None),
            (json!("3"), None),
        ] {
            let incoming = read(&json!({ "content": content }));
            assert_eq!(incoming.task().as_deref(), task, "{content}");
        }
        assert_eq!(read(&json!({ "task_id": 4 })).task().as_deref(), Some("4"));
    }
}
