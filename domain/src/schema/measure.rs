//! The length of the longest answer that a schema allows, for the tests of questions.

use serde_json::Value;

/// Tokens of a Chinese character, and of a character of names and numbers: as in the usual vocabularies of models.
const TOKENS_OF_CHINESE: f64 = 0.7;
const TOKENS_OF_LETTER: f64 = 0.3;
/// Tokens of the signs around a value.
const SIGNS: f64 = 1.5;

/// The places of a schema where a text or a list has no bound.
pub fn unbounded(schema: &Value) -> Vec<String> {
    let mut found = vec![];
    search(schema, "", &mut found);
    found
}

fn search(schema: &Value, path: &str, found: &mut Vec<String>) {
    for variant in variants(schema) {
        search(variant, path, found);
    }
    if schema["type"].is_array()
        && schema["type"]
            .as_array()
            .is_some_and(|all| all.contains(&"string".into()))
    {
        found.push(format!("{path}: text or something else"));
    }
    let is_closed = ["enum", "const", "pattern", "maxLength"];
    if schema["type"] == "string" && is_closed.iter().all(|word| schema[word].is_null()) {
        found.push(path.to_owned());
    }
    if schema["type"] == "array" {
        if schema["maxItems"].is_null() {
            found.push(path.to_owned());
        }
        search(&schema["items"], &format!("{path}/*"), found);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        search(property, &format!("{path}/{name}"), found);
    }
}

/// The tokens of the longest answer in Chinese.
pub fn most_tokens(schema: &Value) -> f64 {
    let longest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
    let of_variants = longest(&mut variants(schema).map(most_tokens));
    let own = if let Some(choices) = schema["enum"].as_array() {
        longest(&mut choices.iter().map(|choice| letters(&choice.to_string())))
    } else if let Some(most) = schema["maxLength"].as_f64() {
        most * TOKENS_OF_CHINESE + SIGNS
    } else if let Some(most) = schema["maxItems"].as_f64() {
        most * (most_tokens(&schema["items"]) + SIGNS)
    } else {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let each = properties.map(|(name, property)| letters(name) + SIGNS + most_tokens(property));
        each.sum::<f64>().max(SIGNS * 2.0)
    };
    own.max(of_variants)
}

fn letters(text: &str) -> f64 {
    text.chars()
        .map(|c| {
            if c.is_ascii() {
                TOKENS_OF_LETTER
            } else {
                TOKENS_OF_CHINESE
            }
        })
        .sum::<f64>()
        + SIGNS
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    let all = ["oneOf", "anyOf"].into_iter();
    all.filter_map(|word| schema[word].as_array()).flatten()
}
