//! Asking a model and reading its answer: what pipelines share.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::carry::{Answer, Carry, Work};
use crate::event::{Reserve, Violation};
use crate::masking::Mask;
use crate::schema::{self, Correction};
use crate::settings::{IMAGES_ROLE, Settings};

/// A step that fails for good.
pub fn fail(code: &str, message: impl Into<String>) -> Carry {
    Carry::Fail {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
    }
}

/// The most that a question to the model of this role may use, given these numbers of tokens in and out; the offline author uses one call
/// and nothing else.
pub fn reserve(settings: &Settings, role: &str, input_tokens: u64, output_tokens: u32) -> Reserve {
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

/// What every prompt is filled with: `brief`, `language`, `earlier` (the changes before this one, in their words), `feedback` and
/// `violations`; the fields of `more` are added and replace those of the same name.
pub fn vars(work: &Work, more: Value) -> Value {
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
    if let Value::Object(more) = more {
        vars.extend(more);
    }
    Value::Object(vars)
}

/// The values for a prompt with placeholders for credentials and personal data, and the mask that knows what each placeholder stands for.
pub fn hidden(vars: &Value) -> (Value, Mask) {
    let mut texts = vec![];
    collect(vars, &mut texts);
    let mask = Mask::of(texts);
    let vars = each_text(vars, &|text| mask.hide(text));
    (vars, mask)
}

/// An answer in which the placeholders are replaced by what they stand for.
pub fn shown(answer: &Answer, mask: &Mask) -> Answer {
    match answer {
        Answer::Json(value) => Answer::Json(each_text(value, &|text| mask.show(text))),
        Answer::Text(text) => Answer::Text(mask.show(text)),
        Answer::Calls { .. } | Answer::Unreadable(_) => answer.clone(),
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
pub fn text(value: &impl Serialize) -> Value {
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
        return read(answer, &Value::Null).map(|value| (value, vec![]));
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
pub fn read<T: DeserializeOwned>(answer: &Answer, schema: &Value) -> Result<T, Vec<Violation>> {
    read_with(answer, |_| schema.clone())
}

/// A structured answer as its type, checked against a schema that depends on the answer; or what is wrong with its form.
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
    let found = schema::violations(&schema(value), value);
    if !found.is_empty() {
        return Err(found);
    }
    T::deserialize(value).map_err(|error| {
        vec![Violation::new(
            "",
            format!("the answer does not fit: {error}"),
        )]
    })
}
/// The files of the run as a prompt shows them, up to `chars_max` characters in all. Every file is listed with its name, even if none of
/// its text fits or it could not be read.
pub fn sources(work: &Work, chars_max: usize) -> Value {
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
