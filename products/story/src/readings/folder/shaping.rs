//! Converts values of front matter into those of the bible, and separates what does not fit.

use serde_json::{Map, Value, json};

use super::fields::{Field, Shape, fields};
use super::names::Names;
use super::yaml::flow;

/// A value that does not fit its key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Misfit {
    /// The rest of a sentence that begins with the key.
    pub(super) says: String,
    pub(super) was: Value,
}

/// The part of a value that fits, and the parts that do not.
pub(super) type Shaped = (Option<Value>, Vec<Misfit>);

/// The value in the shape of its field.
pub(super) fn shaped(names: &Names, shape: &Shape, value: &Value) -> Shaped {
    match shape {
        Shape::Text => fitting(scalar(value).map(Value::from), value, "is not a text"),
        Shape::Texts => texts(value, &[',', '，', '、', ';', '；']),
        Shape::Lines => texts(value, &['\n']),
        Shape::Whole(most) => {
            let number = number_of(value).and_then(|it| it.parse::<u64>().ok());
            let number = number.filter(|it| it <= most).map(Value::from);
            let says = format!("is not a whole number of at most {most}");
            fitting(number, value, &says)
        }
        Shape::Amount => {
            let number = number_of(value).and_then(|it| it.parse::<f64>().ok());
            let number = number.filter(|it| it.is_finite() && *it >= 0.0);
            fitting(number.map(Value::from), value, "is not a number from 0 on")
        }
        Shape::Flag => fitting(flag(value), value, "is neither true nor false"),
        Shape::Looks => looks(value),
        Shape::Choice(words) => {
            let says = format!("is none of {}", words.join(", "));
            fitting(one_of(words, value), value, &says)
        }
        Shape::Word(words) => {
            let word = one_of(words, value).or_else(|| scalar(value).map(Value::from));
            fitting(word, value, "is not a text")
        }
        Shape::Reference(kind) => match scalar(value) {
            Some(text) => match names.find(*kind, &text) {
                Ok(id) => (Some(json!(id)), vec![]),
                Err(says) => misfit(value, &format!("is not known: {says}")),
            },
            None => misfit(value, "is not a name"),
        },
        Shape::References(kind) => {
            let (listed, mut misfits) = texts(value, &[',', '，', '、', ';', '；']);
            let mut ids = Vec::new();
            for text in listed.iter().flat_map(Value::as_array).flatten() {
                let (id, more) = shaped(names, &Shape::Reference(*kind), text);
                ids.extend(id);
                misfits.extend(more);
            }
            (Some(Value::Array(ids)), misfits)
        }
        Shape::Record(of) => record(names, fields(of), &as_map(fields(of), value)),
        Shape::Records(of) => {
            let mut all = Vec::new();
            let mut misfits = Vec::new();
            for map in records(fields(of), value) {
                let (one, more) = record(names, fields(of), &map);
                all.extend(one);
                misfits.extend(more);
            }
            (Some(Value::Array(all)), misfits)
        }
        Shape::Anything => (Some(value.clone()), vec![]),
    }
}

fn misfit(value: &Value, says: &str) -> Shaped {
    let says = says.to_owned();
    let was = value.clone();
    (None, vec![Misfit { says, was }])
}

fn fitting(fits: Option<Value>, value: &Value, says: &str) -> Shaped {
    match fits {
        Some(value) => (Some(value), vec![]),
        None => misfit(value, says),
    }
}

/// What a single value says, as text; `None` for lists, maps and empty values.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(it) => Some(it.clone()),
        Value::Number(it) => Some(it.to_string()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn number_of(value: &Value) -> Option<String> {
    match value {
        Value::String(_) | Value::Number(_) => scalar(value).map(|it| it.trim().to_owned()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn flag(value: &Value) -> Option<Value> {
    match scalar(value)?.trim().to_lowercase().as_str() {
        "true" | "yes" | "是" => Some(Value::Bool(true)),
        "false" | "no" | "否" => Some(Value::Bool(false)),
        _ => None,
    }
}

fn one_of(words: &[&str], value: &Value) -> Option<Value> {
    let text = scalar(value)?;
    let found = words
        .iter()
        .find(|word| word.eq_ignore_ascii_case(text.trim()));
    found.map(|word| Value::from(*word))
}

fn texts(value: &Value, cuts: &[char]) -> Shaped {
    let Value::Array(items) = value else {
        let text = scalar(value).map(|text| {
            let parts = text.split(cuts).map(str::trim);
            Value::from_iter(parts.filter(|part| !part.is_empty()))
        });
        return fitting(text, value, "is not a list of texts");
    };
    let mut all = Vec::new();
    let mut misfits = Vec::new();
    for item in items.iter().filter(|item| !item.is_null()) {
        let (text, more) = shaped(&Names::default(), &Shape::Text, item);
        all.extend(text);
        misfits.extend(more);
    }
    (Some(Value::Array(all)), misfits)
}

fn looks(value: &Value) -> Shaped {
    let Value::Object(map) = value else {
        return misfit(value, "is not a map of features and what they look like");
    };
    let mut all = Map::new();
    let mut misfits = Vec::new();
    for (feature, look) in map.iter().filter(|(_, look)| !look.is_null()) {
        match scalar(look) {
            Some(look) => {
                all.insert(feature.clone(), look.into());
            }
            None => misfits.push(Misfit {
                says: format!("has something else than a text as `{feature}`"),
                was: look.clone(),
            }),
        }
    }
    (Some(Value::Object(all)), misfits)
}

/// The maps of a list of records, in whichever way the list is written.
pub(super) fn records(fields: &'static [Field], value: &Value) -> Vec<Map<String, Value>> {
    let (first, second) = (fields[0].key, fields.get(1).map_or("", |it| it.key));
    match value {
        Value::Array(items) => items.iter().map(|item| as_map(fields, item)).collect(),
        Value::Object(map) if !map.keys().any(|key| field(fields, key).is_some()) => {
            let pair = |(key, value): (&String, &Value)| {
                let mut record = Map::new();
                record.insert(first.to_owned(), key.clone().into());
                record.insert(second.to_owned(), value.clone());
                record
            };
            map.iter().map(pair).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![as_map(fields, value)]
        }
    }
}

fn as_map(fields: &'static [Field], value: &Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::from_iter([(fields[0].key.to_owned(), value.clone())])
        }
    }
}

/// The field of a key.
pub(super) fn field<'a>(fields: &'a [Field], key: &str) -> Option<&'a Field> {
    fields.iter().find(|it| it.key == key || it.json == key)
}

fn record(names: &Names, fields: &'static [Field], map: &Map<String, Value>) -> Shaped {
    let (mut all, mut misfits) = (Map::new(), Vec::new());
    for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
        let Some(field) = field(fields, key) else {
            let was = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
            let says = format!("has no `{key}`");
            misfits.push(Misfit { says, was });
            continue;
        };
        let (fits, more) = shaped(names, &field.shape, value);
        misfits.extend(more.into_iter().map(|misfit| Misfit {
            says: format!("has a `{}` that {}", field.key, misfit.says),
            was: misfit.was,
        }));
        if let Some(value) = fits {
            all.insert(field.json.to_owned(), value);
        }
    }
    let missing = fields
        .iter()
        .find(|it| it.is_required && !all.contains_key(it.json));
    let Some(missing) = missing else {
        return (Some(Value::Object(all)), misfits);
    };
    // Without the required field the rest is useless, so the whole record is kept as it was written.
    let was = Value::Object(map.clone());
    let why = misfits.into_iter().map(|misfit| misfit.says).next();
    let says = why.unwrap_or_else(|| format!("has no `{}`", missing.key));
    (None, vec![Misfit { says, was }])
}

/// A misfit as a line in the text of its entry.
pub(super) fn line(key: &str, was: &Value) -> String {
    match scalar(was) {
        Some(text) => format!("{key}: {text}"),
        None => format!("{key}: {}", flow(was)),
    }
}

/// The texts that a value says, by which its line is found.
pub(super) fn said(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(said).collect(),
        Value::Object(map) => map.values().flat_map(said).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let text = scalar(value);
            let line = text.and_then(|it| it.lines().next().map(str::to_owned));
            line.into_iter().collect()
        }
    }
}
