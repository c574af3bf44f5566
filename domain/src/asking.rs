//! Asking a model and reading its answer: what pipelines share.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::carry::{Answer, Carry, Exchange, ModelTurn, Work};
use crate::event::{Reserve, Violation};
use crate::masking::Mask;
use crate::schema::{self, Correction};
use crate::settings::{IMAGES_ROLE, Settings};

/// A step that fails for good.
pub fn fail_step(code: &str, message: impl Into<String>) -> Carry {
    Carry::Fail {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
    }
}

/// The most that a question to the model of this role may use, given these numbers of tokens in and out; the offline author uses one call
/// and nothing else.
pub fn reserve_question(
    settings: &Settings,
    role: &str,
    input_tokens: u64,
    output_tokens: u32,
) -> Reserve {
    reserve_for(
        settings,
        settings.model_for(role),
        input_tokens,
        output_tokens,
    )
}

/// The most that a question to this model may use, given these numbers of tokens in and out.
pub fn reserve_for(
    settings: &Settings,
    model: Option<&str>,
    input_tokens: u64,
    output_tokens: u32,
) -> Reserve {
    if settings.ports.is_offline() {
        return Reserve {
            calls: 1,
            ..Reserve::default()
        };
    }
    let output = u64::from(output_tokens);
    let cost = |model| settings.cost_micros(model, input_tokens, 0, output);
    Reserve {
        calls: 1,
        tokens: input_tokens + output,
        cost_micros: model.map_or(0, cost),
    }
}

/// The most that making one picture may use.
pub fn reserve_picture(settings: &Settings) -> Reserve {
    let model = settings.models.get(IMAGES_ROLE);
    let price = model.and_then(|model| settings.prices.get(model));
    Reserve {
        calls: 1,
        tokens: 0,
        cost_micros: price.map_or(0, |price| price.image),
    }
}

/// What stands before and after material in a question, each with a mark of that question.
pub const FENCE: [&str; 2] = ["<<<DATA ", "DATA>>> "];

/// Whether an answer has a part of the question in it: no answer has a reason to set material apart as a question does.
pub fn repeats_question(answer: &str) -> bool {
    answer
        .lines()
        .any(|line| FENCE.iter().any(|mark| line.trim_start().starts_with(mark)))
}

/// Characters of a rejected answer that its author is shown again: a whole deck, and of an answer that goes round in circles not all.
pub const REJECTED_CHARS: usize = 24_000;

/// What every prompt is filled with: `brief`, `language`, `earlier` (the changes before this one, in their words), `feedback`,
/// `violations` and `rejected` (the answer in which they are, at most [`REJECTED_CHARS`] of it); the fields of `more` are added and replace those of the same name.
pub fn prompt_vars(work: &Work, more: Value) -> Value {
    let mut vars = Map::new();
    vars.insert("brief".to_owned(), json!(work.brief));
    let language = crate::language::name(&work.settings.language);
    vars.insert("language".to_owned(), json!(language));
    let earlier = work.earlier_changes().iter();
    vars.insert(
        "earlier".to_owned(),
        earlier.map(|change| json!(change.text)).collect(),
    );
    vars.insert("feedback".to_owned(), json!(work.guidance.feedback));
    vars.insert("violations".to_owned(), json!(work.guidance.violations));
    let rejected = work.rejected.as_ref();
    let rejected = rejected.map(|text| text.chars().take(REJECTED_CHARS).collect::<String>());
    vars.insert("rejected".to_owned(), json!(rejected));
    if let Value::Object(more) = more {
        vars.extend(more);
    }
    Value::Object(vars)
}

/// What a model must not see of a question, in everything that came from people, files and tools. The same question gives the same mask.
pub fn mask(turn: &ModelTurn) -> Mask {
    let mut texts = vec![];
    collect(&turn.vars, &mut texts);
    if let Some((_, schema)) = &turn.schema {
        collect(schema, &mut texts);
    }
    for exchange in &turn.talk {
        match exchange {
            Exchange::Said { text, calls, .. } => {
                texts.push(text);
                texts.extend(calls.iter().map(|call| call.arguments.as_str()));
            }
            Exchange::Returned { output, .. } => texts.push(output),
            Exchange::Told(text) => texts.push(text),
        }
    }
    Mask::of(texts)
}

/// The question as a model sees it: with placeholders for credentials and personal data.
#[must_use]
pub fn hide_question(turn: &ModelTurn, mask: &Mask) -> ModelTurn {
    let hide = |text: &str| mask.hide(text);
    let mut turn = turn.clone();
    turn.vars = each_text(&turn.vars, &hide);
    turn.schema = turn
        .schema
        .map(|(name, schema)| (name, each_text(&schema, &hide)));
    for tool in &mut turn.tools {
        tool.parameters = each_text(&tool.parameters, &hide);
    }
    for exchange in &mut turn.talk {
        match exchange {
            Exchange::Said { text, calls, .. } => {
                *text = hide(text);
                for call in calls {
                    call.arguments = in_json(&call.arguments, &hide);
                }
            }
            Exchange::Returned { output: text, .. } | Exchange::Told(text) => *text = hide(text),
        }
    }
    turn
}

/// What a model must not see of these texts, given all that the step was told: a password on its own says nothing of what it is.
pub fn mask_of<'a>(work: &'a Work, texts: impl IntoIterator<Item = &'a str>) -> Mask {
    Mask::of(given_texts(work).into_iter().chain(texts))
}

/// What people said in the session and the texts of their files.
pub fn given_texts(work: &Work) -> Vec<&str> {
    let mut all = vec![work.brief.as_str()];
    collect(&work.input, &mut all);
    all.extend(work.changes.iter().map(|change| change.text.as_str()));
    all.extend(work.guidance.feedback.as_deref());
    all.extend(work.history.iter().map(|message| message.text.as_str()));
    all.extend(work.sources.iter().map(|source| &*source.text));
    all
}

/// What is put into a tool that asks the outside world, with placeholders for what a model must not see of it.
#[must_use]
pub fn hidden_input(work: &Work, input: &Value) -> Value {
    let mut texts = vec![];
    collect(input, &mut texts);
    let mask = mask_of(work, texts);
    each_text(input, &|text| mask.hide(text))
}

/// An answer in which the placeholders are replaced by what they stand for.
#[must_use]
pub fn show_answer(answer: Answer, mask: &Mask) -> Answer {
    let show = |text: &str| mask.show(text);
    match answer {
        Answer::Json(value) => Answer::Json(each_text(&value, &show)),
        Answer::Text(text) => Answer::Text(show(&text)),
        Answer::Calls {
            text,
            mut calls,
            beside,
        } => {
            for call in &mut calls {
                call.arguments = in_json(&call.arguments, &show);
            }
            let text = show(&text);
            Answer::Calls {
                text,
                calls,
                beside,
            }
        }
        Answer::Unreadable(message) => Answer::Unreadable(message),
    }
}

/// The text with each string of it changed, where it is JSON; it is written anew only where one did change.
fn in_json(text: &str, change: &impl Fn(&str) -> String) -> String {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return change(text);
    };
    let changed = each_text(&value, change);
    if changed == value {
        text.to_owned()
    } else {
        changed.to_string()
    }
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(all) => all.iter().for_each(|value| collect(value, texts)),
        Value::Object(all) => all.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn each_text(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(all) => all.iter().map(|value| each_text(value, change)).collect(),
        Value::Object(all) => {
            let each = all.iter();
            each.map(|(key, value)| (key.clone(), each_text(value, change)))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A value of ours as JSON.
pub fn json_of(value: &impl Serialize) -> Value {
    serde_json::to_value(value)
        .expect("shapes hold only values that JSON can hold: string keys and finite numbers")
}

/// A value as a prompt shows it: JSON, indented over several lines. Null stays null, so that a prompt can leave the value out.
pub fn json_text(value: &impl Serialize) -> Value {
    let value = json_of(value);
    if value.is_null() {
        Value::Null
    } else {
        json!(format!("{value:#}"))
    }
}

/// The number of characters of a text in the language of the run that says as much as this number of Chinese characters: one Chinese
/// character says about as much as two letters, which is also how the widths of slots are counted.
pub fn chars(work: &Work, chinese: usize) -> usize {
    if work.is_chinese() {
        chinese
    } else {
        chinese * 2
    }
}

/// Whether this is the last attempt, so that what is refused now is not asked for again. A part that cannot be used is then left out, if
/// something is left without that part.
pub fn is_last(work: &Work) -> bool {
    work.attempt >= work.settings.attempts
}

/// A structured answer as its type, with the corrections that the schema which was sent made (`wanted`; null where none was sent). Then
/// `put_in` adds the fields that were known and therefore not asked for. The result has to fit the schema that `shape` makes from it.
pub fn read_wanted<T: DeserializeOwned>(
    answer: &Answer,
    wanted: &Value,
    put_in: impl FnOnce(&mut Value),
    shape: impl FnOnce(&Value) -> Value,
) -> Result<(T, Vec<Correction>), Vec<Violation>> {
    let Answer::Json(value) = answer else {
        return read_structured(answer, &Value::Null).map(|value| (value, vec![]));
    };
    let (mut value, corrections) = if wanted.is_null() {
        (value.clone(), vec![])
    } else {
        schema::amend(wanted, value.clone())
    };
    put_in(&mut value);
    let value: T = read_with(&Answer::Json(value), shape)?;
    Ok((value, corrections))
}

/// A structured answer as its type, or what is wrong with its form.
pub fn read_structured<T: DeserializeOwned>(
    answer: &Answer,
    schema: &Value,
) -> Result<T, Vec<Violation>> {
    read_with(answer, |_| schema.clone())
}

/// A structured answer as its type, checked against a schema that depends on the answer; or what is wrong with its form. Whatever only has
/// another form than the schema wants is read as it is meant.
pub fn read_with<T: DeserializeOwned>(
    answer: &Answer,
    schema: impl FnOnce(&Value) -> Value,
) -> Result<T, Vec<Violation>> {
    let value = match answer {
        Answer::Json(value) => value,
        Answer::Text(_) | Answer::Calls { .. } => {
            return Err(vec![Violation::new(
                "",
                "the answer is prose: answer with one JSON object and nothing else",
            )]);
        }
        Answer::Unreadable(message) => return Err(vec![Violation::new("", message.clone())]),
    };
    let schema = schema(value);
    let mut value = Cow::Borrowed(value);
    let found = schema::violations(&schema, &value);
    if !found.is_empty() {
        let (other_form, corrections) = schema::amend(&schema, value.into_owned());
        // What says less than the answer is for its author to decide.
        if !corrections.is_empty() || !schema::violations(&schema, &other_form).is_empty() {
            return Err(found);
        }
        value = Cow::Owned(other_form);
    }
    T::deserialize(&*value).map_err(|error| {
        vec![Violation::new(
            "",
            format!("the answer does not fit: {error}"),
        )]
    })
}
/// The files of the run as a prompt shows them, up to `chars_max` characters in all. Every file is listed with its name, even if none of
/// its text fits or it could not be read.
pub fn shown_sources(work: &Work, chars_max: usize) -> Value {
    let mut left = chars_max;
    let read = work.sources.iter().map(|source| {
        let text: String = source.text.chars().take(left).collect();
        left -= text.chars().count();
        json!({ "path": source.path, "text": text, "cut": text.len() < source.text.len(), "why": null })
    });
    let mut shown: Vec<Value> = read.collect();
    let unread = work.unread.iter();
    shown.extend(
        unread.map(|file| json!({ "path": file.path, "text": "", "cut": true, "why": file.why })),
    );
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carry::{Call, Tool};
    use crate::ids::{RunId, StepId};

    const PHONE: &str = "13912345670";
    const MAIL: &str = "ann.lee@example.com";

    fn question() -> ModelTurn {
        let said = Exchange::Said {
            text: format!("I call {PHONE}"),
            calls: vec![Call::new(
                "c1",
                "call",
                format!(r#"{{"number":"{PHONE}"}}"#),
            )],
            beside: Map::new(),
        };
        let returned = Exchange::Returned {
            call: "c1".to_owned(),
            output: format!("nobody answers, write to {MAIL}"),
        };
        let told = Exchange::Told(format!("write to {MAIL}"));
        let mut turn = ModelTurn::new(
            "writer",
            "test",
            json!({ "brief": format!("电话{PHONE}"), "sources": [{ "path": format!("{PHONE}.txt") }] }),
            1,
        )
        .structured("one", json!({ "enum": [PHONE, "other"] }));
        turn.tools = vec![Tool {
            name: "call",
            description: "Calls.",
            parameters: json!({ "enum": [PHONE] }),
        }];
        turn.talk = vec![said, returned, told];
        turn
    }

    #[test]
    fn no_part_of_a_question_shows_a_secret() {
        let turn = question();
        let hidden = hide_question(&turn, &mask(&turn));
        let all = format!("{hidden:?}");
        assert!(!all.contains(PHONE) && !all.contains(MAIL), "{all}");
        assert_eq!(hidden.vars["brief"], "电话[phone-1]");
        assert_eq!(hidden.vars["sources"][0]["path"], "[phone-1].txt");
    }

    #[test]
    fn a_talk_that_goes_on_keeps_its_placeholders() {
        let long = question();
        let short = ModelTurn {
            talk: vec![],
            ..long.clone()
        };
        assert_eq!(mask(&short).hide(PHONE), mask(&long).hide(PHONE));
    }

    #[test]
    fn every_kind_of_answer_is_shown_with_what_was_hidden() {
        let mask = mask(&question());
        let text = Answer::Text("ask [email-1]".to_owned());
        assert_eq!(
            show_answer(text, &mask),
            Answer::Text(format!("ask {MAIL}"))
        );
        let json = Answer::Json(json!([{ "to": "[phone-1]" }]));
        assert_eq!(
            show_answer(json, &mask),
            Answer::Json(json!([{ "to": PHONE }]))
        );
        let call = |arguments: &str| Answer::calls(vec![Call::new("c", "call", arguments)]);
        let asked = call(r#"{"number": "[phone-1]"}"#);
        let made = call(&json!({ "number": PHONE }).to_string());
        assert_eq!(show_answer(asked, &mask), made);
        let other = call(r#"{ "number": 1 }"#);
        assert_eq!(show_answer(other.clone(), &mask), other);
    }

    #[test]
    fn what_asks_outside_is_not_told_the_password_that_a_brief_names() {
        let mut work = Work::blank(StepId::new(RunId(1), "research", ""));
        work.brief = "The password of the shop is kiwi$77. Find out more.".to_owned();
        let input = hidden_input(&work, &json!({ "query": "kiwi$77 shop 13912345670" }));
        assert_eq!(input["query"], "[password-1] shop [phone-1]");
    }
}
