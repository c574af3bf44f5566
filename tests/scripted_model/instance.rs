//! A valid instance of a JSON Schema, always the same for the same schema.

use serde_json::{Map, Value, json};

/// How deep references and nesting are followed; a schema that refers to itself ends here.
const MAX_DEPTH: usize = 32;

/// The text that strings are padded with when they must be long.
const PADDING: &str = " text";

/// The instance. Enums give their first value, strings the name of their property, arrays as few items as allowed (one if
/// none is demanded, so that there is something to work on), numbers their minimum.
pub(crate) fn instance(schema: &Value) -> Value {
    build(schema, schema, "value", 0)
}

fn build(schema: &Value, root: &Value, name: &str, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    if let Some(target) = schema["$ref"].as_str() {
        let referred = root
            .pointer(target.trim_start_matches('#'))
            .unwrap_or(&Value::Null);
        return build(referred, root, name, depth + 1);
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            // A value is more useful than its absence.
            let chosen = choices
                .iter()
                .find(|choice| choice["type"] != "null")
                .or(choices.first());
            let beside = without(schema, choice);
            let instance = build(chosen.unwrap_or(&Value::Null), root, name, depth + 1);
            return merged(instance, &beside, root, depth);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = without(schema, "allOf");
        for part in parts {
            let part = match part["$ref"].as_str() {
                Some(target) => root
                    .pointer(target.trim_start_matches('#'))
                    .unwrap_or(&Value::Null),
                None => part,
            };
            merge_schema(&mut whole, part);
        }
        return build(&whole, root, name, depth + 1);
    }
    match kind(schema) {
        "object" => object(schema, root, depth),
        "array" => array(schema, root, name, depth),
        "string" => Value::String(string(schema, name)),
        "integer" => json!(integer(schema)),
        "number" => json!(number(schema)),
        "boolean" => json!(false),
        _ => Value::Null,
    }
}

/// The type, guessed from the keywords if it is not said.
fn kind(schema: &Value) -> &str {
    let named = schema["type"].as_str().or_else(|| {
        let kinds = schema["type"].as_array()?;
        kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null")
    });
    match named {
        Some(kind) => kind,
        None if schema.get("properties").is_some() => "object",
        None if schema.get("items").is_some() => "array",
        None if schema["type"].is_array() => "null",
        None => "string",
    }
}

fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let mut fields = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        fields.insert(name.clone(), build(property, root, name, depth + 1));
    }
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !fields.contains_key(name) {
            let open = &schema["additionalProperties"];
            let value = if open.is_object() {
                build(open, root, name, depth + 1)
            } else {
                json!(name)
            };
            fields.insert(name.to_owned(), value);
        }
    }
    Value::Object(fields)
}

fn array(schema: &Value, root: &Value, name: &str, depth: usize) -> Value {
    let first: Vec<&Value> = schema["prefixItems"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
    // An array of the schema that is just being built must end somewhere.
    let usual = if depth > MAX_DEPTH / 4 { 0 } else { 1 };
    let least = schema["minItems"]
        .as_u64()
        .unwrap_or(usual)
        .max(first.len() as u64)
        .min(most);
    let unique = schema["uniqueItems"] == true;
    let items = (0..usize::try_from(least).unwrap_or(0)).map(|position| {
        let item = first.get(position).copied().unwrap_or(&schema["items"]);
        if unique
            && let Some(value) = item["enum"]
                .as_array()
                .and_then(|values| values.get(position))
        {
            return value.clone();
        }
        let numbered = format!("{name} {}", position + 1);
        let value = build(item, root, &numbered, depth + 1);
        match value.as_i64() {
            Some(number) if unique => json!(number + i64::try_from(position).unwrap_or(0)),
            Some(_) | None => value,
        }
    });
    Value::Array(items.collect())
}

fn string(schema: &Value, name: &str) -> String {
    if let Some(text) = schema["format"].as_str().and_then(formatted) {
        return text.to_owned();
    }
    if let Some(text) = schema["pattern"].as_str().and_then(patterned) {
        return text;
    }
    let least = usize::try_from(schema["minLength"].as_u64().unwrap_or(0)).unwrap_or(0);
    let most =
        usize::try_from(schema["maxLength"].as_u64().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let mut text: String = name.to_owned();
    while text.chars().count() < least {
        text += PADDING;
    }
    text.chars().take(most).collect()
}

fn formatted(format: &str) -> Option<&'static str> {
    match format {
        "date" => Some("2026-01-01"),
        "date-time" => Some("2026-01-01T00:00:00Z"),
        "time" => Some("00:00:00Z"),
        "uri" | "url" | "uri-reference" => Some("https://example.org/"),
        "email" => Some("someone@example.org"),
        "uuid" => Some("00000000-0000-4000-8000-000000000000"),
        "hostname" => Some("example.org"),
        "ipv4" => Some("192.0.2.1"),
        _ => None,
    }
}

/// A text for the patterns that schemas of this kind have: colours and identifiers.
fn patterned(pattern: &str) -> Option<String> {
    let inner = pattern.trim_start_matches('^').trim_end_matches('$');
    let (before, class) = match inner.split_once('[') {
        Some((before, class)) => (before, class),
        None => {
            return (!inner.contains(['\\', '(', '*', '+', '?', '{'])).then(|| inner.to_owned());
        }
    };
    let (letters, count) = class.split_once(']')?;
    let letter = letters
        .trim_start_matches('^')
        .chars()
        .find(char::is_ascii_alphanumeric)?;
    let count = count
        .trim_start_matches('{')
        .split(['}', ','])
        .next()?
        .parse()
        .unwrap_or(1);
    Some(before.replace('\\', "") + &letter.to_string().repeat(count))
}

fn integer(schema: &Value) -> i64 {
    let least = schema["minimum"].as_f64();
    let above = schema["exclusiveMinimum"].as_f64();
    let most = schema["maximum"].as_f64();
    let step = schema["multipleOf"].as_f64().unwrap_or(1.0).max(1.0);
    let start = match (least, above) {
        (Some(least), _) => least.ceil(),
        (None, Some(above)) => above.floor() + 1.0,
        (None, None) => most.map_or(1.0, |most| most.floor().min(1.0)),
    };
    ((start / step).ceil() * step) as i64
}

fn number(schema: &Value) -> f64 {
    let least = schema["minimum"].as_f64();
    let above = schema["exclusiveMinimum"].as_f64();
    let most = schema["maximum"]
        .as_f64()
        .or(schema["exclusiveMaximum"].as_f64());
    match (least, above, most) {
        (Some(least), _, _) => least,
        (None, Some(above), Some(most)) => f64::midpoint(above, most),
        (None, Some(above), None) => above + 1.0,
        (None, None, Some(most)) => most.min(1.0),
        (None, None, None) => 1.0,
    }
}

fn without(schema: &Value, keyword: &str) -> Value {
    let mut rest = schema.clone();
    if let Value::Object(fields) = &mut rest {
        fields.shift_remove(keyword);
    }
    rest
}

/// Adds what stands beside a choice: properties common to all its branches.
fn merged(mut instance: Value, beside: &Value, root: &Value, depth: usize) -> Value {
    if let Value::Object(fields) = &mut instance
        && beside.get("properties").is_some()
        && let Value::Object(common) = object(beside, root, depth)
    {
        for (name, value) in common {
            fields.entry(name).or_insert(value);
        }
    }
    instance
}

/// Adds the demands of a part to a schema.
fn merge_schema(whole: &mut Value, part: &Value) {
    let (Value::Object(whole), Value::Object(part)) = (whole, part) else {
        return;
    };
    for (keyword, value) in part {
        match (whole.get_mut(keyword), value) {
            (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
                known.extend(more.clone());
            }
            (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
                known.extend(more.clone());
            }
            (_, value) => {
                whole.insert(keyword.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_has_the_first_the_fewest_and_the_least_of_everything() {
        let schema = json!({
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "kind": {"enum": ["title", "content"]},
                "version": {"const": 3},
                "pages": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/Page"}},
                "note": {"type": ["null", "string"], "minLength": 8},
                "short": {"type": "string", "maxLength": 3},
                "colour": {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
                "score": {"type": "number", "minimum": 0.5, "maximum": 1},
                "count": {"type": "integer", "exclusiveMinimum": 4, "multipleOf": 3},
                "either": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"type": "boolean"}}}]},
                "both": {"allOf": [{"$ref": "#/$defs/Page"}, {"properties": {"m": {"type": "integer"}}}]},
                "none": {"type": "array", "maxItems": 0},
                "nothing": {"type": "null"}
            },
            "$defs": {"Page": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0},
                "points": {"type": "array", "items": {"type": "string"}}}}}
        });
        let page = |points: Value| json!({"n": 0, "points": points});
        assert_eq!(
            instance(&schema),
            json!({
                "title": "title", "kind": "title", "version": 3,
                "pages": [page(json!(["points 1"])), page(json!(["points 1"]))],
                "note": "note text", "short": "sho", "colour": "#000000", "score": 0.5, "count": 6,
                "either": {"a": false}, "both": {"n": 0, "points": ["points 1"], "m": 1}, "none": [], "nothing": null
            })
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}});
        assert!(instance(&tree).to_string().len() < 1_000);
    }
}
