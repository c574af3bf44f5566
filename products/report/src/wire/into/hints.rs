//! Which template and which data a message means. Hints of earlier messages of a session stay until others are given. They are in the
//! inputs of its runs, so that a restart keeps them.

use palimpsest::prelude::wire::Session;
use serde_json::{Map, Value};

/// Groups of fields that name the same thing: if a message gives one of them, all fields of its group are replaced.
const GROUPS: [&[&str]; 3] = [
    &["template_name", "template_id"],
    &["knowledge_base_name", "database_id"],
    &["api_base_url"],
];

/// The hints of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hints(Map<String, Value>);

impl Hints {
    /// The hints in the inputs of a session's runs. Later ones replace earlier ones.
    pub(crate) fn of_session(session: &Session) -> Self {
        let mut hints = Self::default();
        for run in session.runs.values() {
            hints.take(&run.input);
        }
        hints
    }

    /// Takes over the hints in an object. Empty fields do not count.
    pub(crate) fn take(&mut self, from: &Value) {
        let named = |name: &str| match from.get(name)? {
            Value::String(text) if !text.trim().is_empty() => Some(Value::from(text.trim())),
            Value::Number(number) => Some(Value::from(number.to_string())),
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        };
        for group in GROUPS {
            if group.iter().all(|name| named(name).is_none()) {
                continue;
            }
            for name in group {
                self.0.remove(*name);
                if let Some(value) = named(name) {
                    self.0.insert((*name).to_owned(), value);
                }
            }
        }
    }

    /// The input of a run: the hints and further fields.
    pub(crate) fn into_input(self, more: Value) -> Value {
        let mut input = self.0;
        if let Value::Object(more) = more {
            input.extend(more);
        }
        Value::Object(input)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hint_stays_until_another_one_of_its_group_is_given() {
        let mut hints = Hints::default();
        hints.take(&json!({ "template_id": 7, "knowledge_base_name": " kb ", "other": "x" }));
        hints.take(&json!({ "template_name": "", "api_base_url": null, "database_id": [] }));
        let first = json!({ "template_id": "7", "knowledge_base_name": "kb" });
        assert_eq!(hints.clone().into_input(Value::Null), first);
        hints.take(&json!({ "template_name": "weekly", "api_base_url": "http://127.0.0.1:1" }));
        hints.take(&json!("only a question"));
        let then = json!({
            "template_name": "weekly", "knowledge_base_name": "kb", "api_base_url": "http://127.0.0.1:1", "mode": "replan",
        });
        assert_eq!(hints.into_input(json!({ "mode": "replan" })), then);
    }
}
