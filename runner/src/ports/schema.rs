//! The dialect of JSON Schema that providers accept for strict structured output.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Keywords that no provider enforces. What they demand is checked after the answer, by the full schema.
const DROPPED: [&str; 20] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "format",
    "minProperties",
    "maxProperties",
    "default",
    "examples",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "patternProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "dependentRequired",
    "readOnly",
    "writeOnly",
    "deprecated",
];

/// The same schema in strict form: every property required, no others allowed, `oneOf` as `anyOf`, and without the keywords that no
/// provider enforces or that this endpoint refuses. Open maps stay as they are; see [`fits_strict`].
pub fn strict_schema(schema: &Value, refused: &BTreeSet<String>) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    if let Some(merged) = only_part(fields) {
        return strict_schema(&merged, refused);
    }
    let mut strict = Map::new();
    for (keyword, value) in fields {
        if keyword == "const" && refused.contains(keyword) {
            strict.insert("enum".to_owned(), json!([value]));
            continue;
        }
        if DROPPED.contains(&keyword.as_str()) || refused.contains(keyword) {
            continue;
        }
        match keyword.as_str() {
            "properties" | "$defs" | "definitions" => {
                strict.insert(keyword.clone(), each_value(value, refused));
            }
            "oneOf" | "anyOf" => {
                strict.insert("anyOf".to_owned(), each_item(value, refused));
            }
            "allOf" | "prefixItems" => {
                strict.insert(keyword.clone(), each_item(value, refused));
            }
            "items" | "additionalProperties" | "not" => {
                strict.insert(keyword.clone(), strict_schema(value, refused));
            }
            _ => {
                strict.insert(keyword.clone(), value.clone());
            }
        }
    }
    close(&mut strict);
    Value::Object(strict)
}

/// The same schema without these keywords.
pub fn without_keywords(schema: &Value, refused: &BTreeSet<String>) -> Value {
    let plain = |value: &Value| without_keywords(value, refused);
    match schema {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .filter(|(keyword, _)| !refused.contains(*keyword));
            let each = kept.map(|(keyword, value)| match (keyword.as_str(), value) {
                // The names in it are those of fields.
                ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                    let named = named
                        .iter()
                        .map(|(name, value)| (name.clone(), plain(value)));
                    (keyword.clone(), Value::Object(named.collect()))
                }
                (_, value) => (keyword.clone(), plain(value)),
            });
            Value::Object(each.collect())
        }
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// Whether a strict schema can be enforced as such: an object at the root, and no open map anywhere in it.
pub fn fits_strict(strict: &Value) -> bool {
    strict["type"] == "object" && !has_open_map(strict)
}

/// A schema that is nothing but one `allOf` part, with whatever stands beside it.
fn only_part(fields: &Map<String, Value>) -> Option<Value> {
    let [Value::Object(part)] = fields.get("allOf")?.as_array()?.as_slice() else {
        return None;
    };
    let mut merged = fields.clone();
    merged.shift_remove("allOf");
    for (keyword, value) in part {
        merged
            .entry(keyword.clone())
            .or_insert_with(|| value.clone());
    }
    Some(Value::Object(merged))
}

/// Requires all properties of an object and allows no others.
fn close(strict: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = strict.get("properties") else {
        return;
    };
    let names: Vec<&String> = properties.keys().collect();
    let required = json!(names);
    strict.insert("required".to_owned(), required);
    strict.insert("additionalProperties".to_owned(), Value::Bool(false));
}

fn each_value(schemas: &Value, refused: &BTreeSet<String>) -> Value {
    let named = schemas.as_object().into_iter().flatten();
    Value::Object(
        named
            .map(|(name, schema)| (name.clone(), strict_schema(schema, refused)))
            .collect(),
    )
}

fn each_item(schemas: &Value, refused: &BTreeSet<String>) -> Value {
    Value::Array(
        schemas
            .as_array()
            .into_iter()
            .flatten()
            .map(|schema| strict_schema(schema, refused))
            .collect(),
    )
}

fn has_open_map(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let is_object = fields.get("type").is_some_and(|kind| {
                kind == "object"
                    || kind
                        .as_array()
                        .is_some_and(|kinds| kinds.contains(&json!("object")))
            });
            let open = is_object && fields.get("additionalProperties") != Some(&Value::Bool(false));
            // Literals are not schemas, whatever they look like.
            let literal = |keyword: &String| keyword == "enum" || keyword == "const";
            let inner = fields
                .iter()
                .any(|(keyword, value)| match keyword.as_str() {
                    "properties" | "$defs" | "definitions" => value
                        .as_object()
                        .is_some_and(|named| named.values().any(has_open_map)),
                    _ => !literal(keyword) && has_open_map(value),
                });
            open || inner
        }
        Value::Array(items) => items.iter().any(has_open_map),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict_schema(schema: &Value) -> Value {
        super::strict_schema(schema, &BTreeSet::new())
    }

    #[test]
    fn a_schema_becomes_strict_and_keeps_the_order_of_its_properties() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Outline",
            "type": "object",
            "properties": {
                "reason": {"type": "string", "minLength": 1},
                "format": {"type": ["string", "null"], "format": "uri", "default": null},
                "items": {
                    "type": "array", "minItems": 1,
                    "items": {"oneOf": [
                        {"type": "object", "properties": {"kind": {"const": "title"}}, "required": ["kind"]},
                        {"allOf": [{"$ref": "#/$defs/Body"}], "description": "a body"}
                    ]}
                },
                "level": {"type": "integer", "format": "uint8", "minimum": 0}
            },
            "required": ["reason"],
            "$defs": {"Body": {"type": "object", "properties": {"text": {"type": "string"}}}}
        });
        let strict = strict_schema(&schema);
        assert_eq!(
            strict,
            json!({
                "type": "object",
                "properties": {
                    "reason": {"type": "string", "minLength": 1},
                    "format": {"type": ["string", "null"]},
                    "items": {
                        "type": "array", "minItems": 1,
                        "items": {"anyOf": [
                            {"type": "object", "properties": {"kind": {"const": "title"}}, "required": ["kind"],
                             "additionalProperties": false},
                            {"description": "a body", "$ref": "#/$defs/Body"}
                        ]}
                    },
                    "level": {"type": "integer", "minimum": 0}
                },
                "required": ["reason", "format", "items", "level"],
                "$defs": {"Body": {"type": "object", "properties": {"text": {"type": "string"}},
                    "required": ["text"], "additionalProperties": false}},
                "additionalProperties": false
            })
        );
        let keys: Vec<_> = strict["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["reason", "format", "items", "level"]);
        assert!(fits_strict(&strict));
        assert_eq!(strict_schema(&strict), strict, "strict is strict already");
    }

    #[test]
    fn what_an_endpoint_refuses_is_left_out_and_a_constant_is_a_list_of_one() {
        let schema = json!({"type": "object", "properties": {"a": {"const": 4}, "b": {"type": "string", "maxLength": 9}}});
        let refused = ["const", "maxLength"].map(str::to_owned).into();
        let strict = super::strict_schema(&schema, &refused);
        let expected = json!({"a": {"enum": [4]}, "b": {"type": "string"}});
        assert_eq!(strict["properties"], expected);
    }

    #[test]
    fn an_open_map_or_a_root_that_is_no_object_cannot_be_strict() {
        let map = json!({"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "string"}}}});
        assert!(!fits_strict(&strict_schema(&map)));
        assert!(!fits_strict(&strict_schema(
            &json!({"type": "array", "items": {"type": "string"}})
        )));
        let literal =
            json!({"type": "object", "properties": {"m": {"enum": [{"type": "object"}]}}});
        assert!(fits_strict(&strict_schema(&literal)));
    }
}
