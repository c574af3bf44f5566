//! Questions that a model has for a person in the middle of a step, as calls of the tool `askUser`: what is asked, the gate at which it
//! waits, and what was answered. The same question is asked only once in a session, whichever step asks it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::carry::{Tool, TurnResult};
use crate::flow::GateSpec;
use crate::hash::Sha256;
use crate::tool_loop::{Step, call_tool, refuse_call};

/// The tool that asks.
pub const ASK_USER: &str = "askUser";

/// The most questions that the steps of one run may ask: a person who has to answer more would have preferred to say everything at the
/// beginning.
pub const ASKED_MAX: usize = 3;

/// What the gates of these questions begin with; what follows is made of the words of the question.
const NAME: &str = "askUser:";
/// Digits of a hash that tell the questions of a session apart.
const NAME_DIGITS: usize = 16;

/// Characters of a question, of an option's words, and of what is told beside it.
const QUESTION_CHARS_MAX: usize = 400;
const OPTION_CHARS_MAX: usize = 120;
const CONTEXT_CHARS_MAX: usize = 4_000;
/// The most options of a question: as many as a telephone shows without scrolling.
const OPTIONS_MAX: usize = 8;
/// The most characters of an answer in a person's own words: about a page.
const CUSTOM_CHARS_MAX: usize = 2_000;

/// How many of the options may be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    #[default]
    Single,
    Multiple,
    /// There is nothing to choose: the answer is in the person's own words.
    None,
}

/// An answer that is offered.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    pub id: String,
    pub label: String,
    pub description: Option<String>,
    pub image_url: Option<String>,
}

/// A question as a model asks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub question: String,
    #[serde(default)]
    pub options: Vec<Choice>,
    #[serde(default)]
    pub selection_type: Selection,
    #[serde(default)]
    pub allow_custom_input: bool,
    /// What the client is told beside it, as the text of a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_json: Option<String>,
}

impl Question {
    /// The question in these arguments, or what is wrong with them, in words for the model.
    ///
    /// # Errors
    ///
    /// The arguments are not a question, or a question that nobody could answer.
    pub fn read(arguments: &Value) -> Result<Self, String> {
        let mut asked = Self::deserialize(arguments)
            .map_err(|error| format!("the question does not fit its schema: {error}"))?;
        asked.question = one_line(&asked.question);
        if asked.question.is_empty() {
            return Err("the question is empty".to_owned());
        }
        let too_long = |name: &str, text: &str, most: usize| {
            let long = text.chars().count() > most;
            long.then(|| format!("{name} is longer than {most} characters; say it shorter"))
        };
        if let Some(long) = too_long("the question", &asked.question, QUESTION_CHARS_MAX) {
            return Err(long);
        }
        if asked.options.len() > OPTIONS_MAX {
            return Err(format!("there are more than {OPTIONS_MAX} options"));
        }
        let mut ids = BTreeSet::new();
        for choice in &asked.options {
            if choice.id.trim().is_empty() || choice.label.trim().is_empty() {
                return Err("an option has no id or no label".to_owned());
            }
            if !ids.insert(choice.id.as_str()) {
                return Err(format!("two options have the id `{}`", choice.id));
            }
            let words = [
                Some(&choice.id),
                Some(&choice.label),
                choice.description.as_ref(),
            ];
            for text in words.into_iter().flatten() {
                if let Some(long) = too_long("an option", text, OPTION_CHARS_MAX) {
                    return Err(long);
                }
            }
        }
        if let Some(context) = &asked.context_json {
            if let Some(long) = too_long("`contextJson`", context, CONTEXT_CHARS_MAX) {
                return Err(long);
            }
            let is_object = serde_json::from_str::<Map<String, Value>>(context).is_ok();
            if !context.trim().is_empty() && !is_object {
                return Err("`contextJson` is not the text of a JSON object".to_owned());
            }
        }
        // Where nothing can be chosen, the answer can only be in the person's own words.
        if asked.selection_type == Selection::None || asked.options.is_empty() {
            if !asked.options.is_empty() {
                return Err("`selectionType` is none, and there are options".to_owned());
            }
            asked.selection_type = Selection::None;
            asked.allow_custom_input = true;
        }
        Ok(asked)
    }

    /// The name of its gate: questions with the same words are the same question, whatever the spaces between them.
    pub fn name(&self) -> String {
        let words = self.question.to_lowercase();
        let hash = Sha256::of(words.as_bytes());
        format!("{NAME}{}", &hash.hex()[..NAME_DIGITS])
    }

    /// What the client is told with the question.
    pub fn context(&self) -> Map<String, Value> {
        let context = self.context_json.as_deref().unwrap_or_default();
        serde_json::from_str(context).unwrap_or_default()
    }

    /// The gate at which it waits, for as long as it takes.
    pub fn gate(&self) -> GateSpec {
        let ids: Vec<String> = self
            .options
            .iter()
            .map(|choice| choice.id.clone())
            .collect();
        let choices = self.options.iter();
        let choices = choices.map(|choice| json!({ "const": choice.id, "title": choice.label }));
        let most = match self.selection_type {
            Selection::Single => 1,
            Selection::Multiple => ids.len(),
            Selection::None => 0,
        };
        let mut properties = json!({
            "selectedIds": { "type": "array", "maxItems": most },
            "modifiedContext": { "type": "object" },
        });
        if !ids.is_empty() {
            properties["selectedIds"]["items"] = json!({ "oneOf": choices.collect::<Vec<_>>() });
        }
        let mut answers = vec![];
        if most > 0 {
            answers.push(json!({ "properties": { "selectedIds": { "minItems": 1 } }, "required": ["selectedIds"] }));
        }
        if self.allow_custom_input {
            properties["customInput"] =
                json!({ "type": "string", "minLength": 1, "maxLength": CUSTOM_CHARS_MAX });
            answers.push(json!({ "required": ["customInput"] }));
        }
        GateSpec {
            name: self.name(),
            subject: None,
            question: self.question.clone(),
            schema: json!({
                "type": "object",
                "properties": properties,
                "anyOf": answers,
                "additionalProperties": false,
            }),
            options: ids,
            open_for: None,
            default: Value::Null,
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tool, as it is offered where somebody is there to be asked.
pub fn tool() -> Tool {
    Tool {
        name: ASK_USER,
        description: "Asks the user one question and waits for the answer, which may take days. Only for what nobody else can know and the work depends on.",
        parameters: json!({
            "type": "object",
            "properties": {
                "question": { "type": "string", "maxLength": QUESTION_CHARS_MAX },
                "options": {
                    "type": "array",
                    "maxItems": OPTIONS_MAX,
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": { "type": "string" },
                            "label": { "type": "string" },
                            "description": { "type": "string" },
                            "imageUrl": { "type": "string" },
                        },
                        "required": ["id", "label"],
                    },
                },
                "selectionType": { "type": "string", "enum": ["single", "multiple", "none"] },
                "allowCustomInput": { "type": "boolean", "default": false },
                "contextJson": { "type": "string", "description": "a JSON object that the client shows beside the question" },
            },
            "required": ["question", "options", "selectionType"],
        }),
    }
}

/// A call of the tool in a loop: a question that cannot be asked is refused; any other one becomes a turn that is carried out by the
/// runner. Only then is it known whether the question was asked before, and how many questions were.
pub fn call<T>(arguments: &Value, turns: &[TurnResult]) -> Step<T> {
    let asked = match Question::read(arguments) {
        Ok(asked) => asked,
        Err(message) => return refuse_call(ASK_USER, arguments, &message, turns),
    };
    call_tool(ASK_USER, json!(asked), turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::violations;

    fn asked(more: Value) -> Result<Question, String> {
        let mut arguments = json!({
            "question": " 写给谁？ ", "selectionType": "single",
            "options": [{ "id": "a", "label": "家长" }, { "id": "b", "label": "学生" }],
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        Question::read(&arguments)
    }

    #[test]
    fn an_answer_is_one_that_was_offered() {
        let fits =
            |asked: &Question, answer: Value| violations(&asked.gate().schema, &answer).is_empty();
        let single = asked(json!({})).expect("a question");
        assert!(fits(&single, json!({ "selectedIds": ["b"] })));
        for bad in [
            json!({}),
            json!({ "selectedIds": [] }),
            json!({ "selectedIds": ["c"] }),
            json!({ "selectedIds": ["a", "b"] }),
            json!({ "selectedIds": ["a"], "customInput": "都行" }),
        ] {
            assert!(!fits(&single, bad.clone()), "{bad}");
        }
        let several = asked(json!({ "selectionType": "multiple", "allowCustomInput": true }));
        let several = several.expect("a question");
        assert!(fits(&several, json!({ "selectedIds": ["a", "b"] })));
        assert!(fits(
            &several,
            json!({ "selectedIds": [], "customInput": "都行" })
        ));
        assert!(!fits(
            &several,
            json!({ "selectedIds": [], "customInput": "" })
        ));
        let words = asked(json!({ "selectionType": "none", "options": [] })).expect("a question");
        assert!(fits(
            &words,
            json!({ "selectedIds": [], "customInput": "家长" })
        ));
        assert!(!fits(&words, json!({ "selectedIds": [] })));
    }

    #[test]
    fn what_nobody_could_answer_is_refused() {
        for (more, says) in [
            (json!({ "question": " " }), "empty"),
            (json!({ "question": "长".repeat(401) }), "400"),
            (
                json!({ "options": [{ "id": "a", "label": "" }] }),
                "no label",
            ),
            (
                json!({ "options": [{ "id": "a", "label": "x" }, { "id": "a", "label": "y" }] }),
                "two options",
            ),
            (json!({ "selectionType": "none" }), "options"),
            (json!({ "contextJson": "[1]" }), "contextJson"),
            (json!({ "selectionType": "any" }), "schema"),
        ] {
            let told = asked(more.clone()).expect_err("no question");
            assert!(told.contains(says), "{more}: {told}");
        }
    }

    #[test]
    fn the_same_words_are_the_same_question() {
        let one = asked(json!({})).expect("a question");
        let other = asked(json!({ "question": "写给谁？", "allowCustomInput": true }));
        assert_eq!(one.name(), other.expect("a question").name());
        let third = asked(json!({ "question": "写什么？" })).expect("a question");
        assert_ne!(one.name(), third.name());
    }
}
