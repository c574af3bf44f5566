//! JSON Schemas of answers: what is wrong with a value, in words that a person or a model can act upon; how a schema is narrowed to one
//! question; and which errors of an answer are corrected instead of being refused.

mod amend;
mod measure;
mod wanted;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

pub use self::amend::{Amended, Correction, amend};
pub use self::measure::{most_tokens, unbounded};
pub use self::wanted::Wanted;

use crate::event::Violation;

/// The most violations that are reported at once: with more, the first ones would be overlooked.
const VIOLATIONS_MAX: usize = 20;

/// Characters of a violation with the value that is wrong: two lines.
const MESSAGE_CHARS: usize = 200;

/// The JSON Schema of a type, without references, in the form in which models are given it.
pub fn of<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// What is wrong with a value; an empty list when it fits, or when there is no schema to fit.
pub fn violations(schema: &Value, value: &Value) -> Vec<Violation> {
    if schema.is_null() {
        return vec![];
    }
    match jsonschema::validator_for(schema) {
        Ok(validator) => validator
            .iter_errors(value)
            .flat_map(|error| told(&error))
            .take(VIOLATIONS_MAX)
            .collect(),
        Err(error) => vec![Violation {
            path: String::new(),
            message: format!("the schema itself is wrong: {error}"),
        }],
    }
}

/// Where a value may have several shapes, the violations are those of the shape that was meant: the one whose constants the value has, or
/// otherwise the one that it is nearest to.
fn told(error: &ValidationError<'_>) -> Vec<Violation> {
    let shapes = if let ValidationErrorKind::AnyOf { context }
    | ValidationErrorKind::OneOfNotValid { context } = error.kind()
    {
        context.as_slice()
    } else {
        &[]
    };
    let is_constant =
        |error: &&ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Constant { .. });
    let far = |errors: &&Vec<ValidationError<'_>>| {
        (errors.iter().filter(is_constant).count(), errors.len())
    };
    match shapes.iter().min_by_key(far) {
        Some(meant) => meant.iter().flat_map(told).collect(),
        None => vec![Violation {
            path: error.instance_path().to_string(),
            message: in_short(error),
        }],
    }
}

/// The error with the value that is wrong, or without it where it is long: whoever reads it knows the place.
fn in_short(error: &ValidationError<'_>) -> String {
    let whole = error.to_string();
    if whole.chars().count() <= MESSAGE_CHARS {
        return whole;
    }
    error.masked_with("the value").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_value_is_not_repeated_in_what_is_wrong_with_it() {
        let long: Vec<u32> = (0..1_000).collect();
        let found = violations(&json!({ "type": "object" }), &json!(long));
        assert_eq!(found[0].message, "the value is not of type \"object\"");
    }

    #[test]
    fn a_violation_names_the_place_and_what_was_wrong_there() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
        assert_eq!(violations(&schema, &json!({ "n": 1 })), vec![]);
        let found = violations(&schema, &json!({ "n": "x" }));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "/n");
        assert_eq!(violations(&Value::Null, &json!(1)), vec![]);
    }

    #[test]
    fn of_several_shapes_the_one_that_was_meant_is_held_against_a_value() {
        let shape = |kind: &str, field: &str| {
            json!({
                "type": "object",
                "properties": { "kind": { "const": kind }, field: { "type": "string", "minLength": 1 } },
                "required": ["kind", field],
                "additionalProperties": false
            })
        };
        let schema = json!({
            "properties": { "page": { "oneOf": [shape("list", "items"), shape("quote", "words"), { "type": "null" }] } }
        });
        let wrong = |page: Value| -> Vec<(String, String)> {
            let found = violations(&schema, &json!({ "page": page }));
            found.into_iter().map(|it| (it.path, it.message)).collect()
        };
        assert_eq!(wrong(json!({ "kind": "quote", "words": "so" })), []);
        let found = wrong(json!({ "kind": "quote", "words": "" }));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "/page/words");
        let found = wrong(json!({ "kind": "quote", "words": "so", "items": "x" }));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].1.contains("items"), "{found:?}");
    }
}
