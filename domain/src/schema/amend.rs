//! Corrects an answer by its schema instead of refusing it, as far as that is possible without changing what the answer says.

use serde_json::{Value, json};

/// Something that was corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// JSON pointer to the value.
    pub path: String,
    pub what: Amended,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amended {
    /// This number of entries at the end of a list was left out, since the list was longer than allowed.
    Cut(usize),
    /// This number of empty or repeated entries of a list was left out.
    Dropped(usize),
    /// A number outside its bounds became the nearest one within them.
    Bounded,
    /// The form of a text was changed to what its place accepts; its words stayed.
    Cleaned,
    /// A formula in LaTeX was marked as one.
    Formula,
    /// A part that cannot be used was left out.
    LeftOut,
}

impl Correction {
    pub fn new(path: impl Into<String>, what: Amended) -> Self {
        Self {
            path: path.into(),
            what,
        }
    }

    /// The correction in words for people, in Chinese or in English.
    pub fn in_words(&self, chinese: bool) -> String {
        let path = &self.path;
        match (self.what, chinese) {
            (Amended::Cut(n), true) => format!("`{path}` 过长，去掉了末尾 {n} 项。"),
            (Amended::Cut(n), false) => {
                format!("`{path}` was too long: {n} entries at its end were left out.")
            }
            (Amended::Dropped(n), true) => format!("`{path}` 去掉了 {n} 项空白或重复内容。"),
            (Amended::Dropped(n), false) => {
                format!("{n} entries of `{path}` were empty or there twice, and were left out.")
            }
            (Amended::Bounded, true) => format!("`{path}` 超出范围，取了最接近的值。"),
            (Amended::Bounded, false) => {
                format!("`{path}` was out of bounds: the nearest value was taken.")
            }
            (Amended::Cleaned, true) => format!("`{path}` 已整理为可用的写法。"),
            (Amended::Cleaned, false) => format!("`{path}` was tidied up."),
            (Amended::Formula, true) => format!("`{path}` 中的 LaTeX 公式已标为公式。"),
            (Amended::Formula, false) => format!("The formula of `{path}` was marked as one."),
            (Amended::LeftOut, true) => format!("`{path}` 无法使用，已略去。"),
            (Amended::LeftOut, false) => format!("`{path}` could not be used and was left out."),
        }
    }
}

/// The answer, corrected wherever this schema shows how: texts without white space around them, choices in the schema's spelling, numbers
/// that were written as text, or texts that were written as numbers, numbers within their bounds, lists and objects that were written in
/// another form (see [`formed`]), and lists without forbidden empty or repeated entries and no longer than allowed. All corrections except
/// those of spelling and form are returned.
pub fn amend(schema: &Value, value: Value) -> (Value, Vec<Correction>) {
    let mut corrections = vec![];
    let value = amended(schema, value, "", &mut corrections);
    (value, corrections)
}

fn amended(schema: &Value, value: Value, path: &str, told: &mut Vec<Correction>) -> Value {
    let schema = chosen(schema, &value);
    if let Some(choices) = schema["enum"].as_array() {
        return choice(choices, value);
    }
    if let Some(only) = schema.get("const") {
        return choice(std::slice::from_ref(only), value);
    }
    let value = formed(schema, value);
    match value {
        Value::String(text) if wants_number(schema) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => bounded(schema, number, path, told),
            Ok(_) | Err(_) => Value::String(text),
        },
        Value::String(text) => Value::String(spelled(schema, text.trim())),
        Value::Number(number) if schema["type"] == "string" => Value::String(number.to_string()),
        Value::Number(number) if wants_number(schema) => match number.as_f64() {
            Some(exact) => bounded(schema, exact, path, told),
            None => Value::Number(number),
        },
        Value::Array(entries) => list(schema, entries, path, told),
        Value::Object(fields) => {
            let properties = &schema["properties"];
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            // Null says of a field that may be missing that it is missing.
            let says_something = |(name, field): &(String, Value)| {
                let typed = &properties[name]["type"];
                !field.is_null() || !typed.is_string() || required.iter().any(|it| it == name)
            };
            let fields = fields.into_iter().filter(says_something);
            let fields = fields.map(|(name, field)| {
                let field = amended(&properties[&name], field, &format!("{path}/{name}"), told);
                (name, field)
            });
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// The value in the form that the schema wants, where it has another one and there is no doubt: null for an empty list, one entry for a list
/// of it, one text for a list of them (its lines, or else what commas part), a list of lines for a text, an object with their keys for a
/// list of objects, JSON text for an object.
fn formed(schema: &Value, value: Value) -> Value {
    let items = &schema["items"];
    match (schema["type"].as_str(), value) {
        (Some("array"), Value::Null) => json!([]),
        (Some("array"), Value::String(text)) => {
            if let Ok(list @ Value::Array(_)) = serde_json::from_str(&text) {
                list
            } else if items["type"] == "string" {
                parted(&text).into()
            } else {
                Value::String(text)
            }
        }
        (Some("array"), Value::Object(fields)) if items["type"] == "object" => {
            match keyed(items, &fields) {
                Some(list) => list.into(),
                None => json!([fields]),
            }
        }
        (Some("array"), single @ (Value::Bool(_) | Value::Number(_))) => json!([single]),
        (Some("object"), Value::String(text)) => match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => object,
            Ok(_) | Err(_) => Value::String(text),
        },
        (Some("string"), Value::Array(lines)) if !lines.is_empty() => {
            let said: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            match said {
                Some(said) => said.join("\n").into(),
                None => Value::Array(lines),
            }
        }
        (Some("boolean"), Value::String(text)) => match text.trim().parse::<bool>() {
            Ok(said) => said.into(),
            Err(_) => Value::String(text),
        },
        (_, value) => value,
    }
}

/// The words of an entry of a list that stands between commas: what has more is a sentence with commas of its own.
const ENTRY_WORDS: usize = 4;
/// The letters of such an entry in scripts that set no blanks between words.
const ENTRY_CHARS: usize = 24;

/// The entries of a list that was written as one text: its lines, or what stands between commas where each of it is short.
fn parted(text: &str) -> Vec<String> {
    let said = |pieces: Vec<&str>| -> Vec<String> {
        let pieces = pieces.into_iter().map(str::trim);
        let pieces = pieces.filter(|piece| !piece.is_empty());
        pieces.map(str::to_owned).collect()
    };
    let lines = said(text.lines().collect());
    if lines.len() > 1 {
        return lines;
    }
    let pieces = said(text.split([',', ';', '，', '、', '；', '،']).collect());
    let is_entry = |piece: &String| {
        piece.ends_with(char::is_alphanumeric)
            && piece.split_whitespace().count() <= ENTRY_WORDS
            && piece.chars().count() <= ENTRY_CHARS
    };
    if pieces.iter().all(is_entry) {
        pieces
    } else {
        lines
    }
}

/// The entries of a list that was written as an object: each key stands in the one required field that its entry does not have. `None`
/// where not all of its values are objects.
fn keyed(items: &Value, fields: &serde_json::Map<String, Value>) -> Option<Vec<Value>> {
    let required = items["required"].as_array().map_or(&[][..], Vec::as_slice);
    if required
        .iter()
        .all(|name| name.as_str().is_some_and(|name| fields.contains_key(name)))
    {
        return None;
    }
    let entries = fields.iter().map(|(key, value)| {
        let mut entry = value.as_object()?.clone();
        let missing = required.iter().filter_map(Value::as_str);
        let mut missing = missing.filter(|name| !entry.contains_key(*name));
        if let (Some(name), None) = (missing.next(), missing.next()) {
            entry.insert(name.to_owned(), key.as_str().into());
        }
        Some(Value::Object(entry))
    });
    entries.collect()
}

/// A text as its schema spells it: a colour with its sign.
fn spelled(schema: &Value, text: &str) -> String {
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    let is_hex = !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
    if pattern.starts_with("^#") && is_hex {
        return format!("#{text}");
    }
    text.to_owned()
}

/// The variant of the schema that the value belongs to: the one whose constants it has, or otherwise the one of its type.
fn chosen<'a>(schema: &'a Value, value: &Value) -> &'a Value {
    let variants = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let Some(variants) = variants else {
        return schema;
    };
    let is_tagged = |variant: &&Value| {
        let properties = variant["properties"].as_object().into_iter().flatten();
        let mut tags = properties.filter_map(|(name, tag)| Some((name, tag.get("const")?)));
        tags.any(|(name, tag)| {
            let said = value.get(name).cloned().unwrap_or_default();
            choice(std::slice::from_ref(tag), said) == *tag
        })
    };
    let is_of_type = |variant: &&Value| match value {
        Value::Null => variant["type"] == "null",
        Value::Bool(_) => variant["type"] == "boolean",
        Value::Number(_) => wants_number(variant),
        Value::String(_) => variant["type"] == "string",
        Value::Array(_) => variant["type"] == "array",
        Value::Object(_) => false,
    };
    let found = variants.iter().find(is_tagged);
    found
        .or_else(|| variants.iter().find(is_of_type))
        .unwrap_or(schema)
}

fn wants_number(schema: &Value) -> bool {
    schema["type"] == "integer" || schema["type"] == "number"
}

/// The choice that is meant, in the schema's spelling; the value as it is where none is.
fn choice(choices: &[Value], value: Value) -> Value {
    if choices.contains(&value) {
        return value;
    }
    let plain = |value: &Value| {
        let text = value.as_str()?.trim().to_lowercase();
        Some(text.replace([' ', '-'], "_"))
    };
    let meant = plain(&value);
    let number = value.as_str().and_then(|text| text.trim().parse().ok());
    let found = choices.iter().find(|choice| {
        let is_number = || number.is_some() && choice.as_f64() == number;
        (meant.is_some() && plain(choice) == meant) || is_number()
    });
    found.cloned().unwrap_or(value)
}

fn bounded(schema: &Value, number: f64, path: &str, told: &mut Vec<Correction>) -> Value {
    let least = schema["minimum"].as_f64().unwrap_or(f64::MIN);
    let most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
    let within = number.max(least).min(most);
    if within.total_cmp(&number).is_ne() {
        told.push(Correction::new(path, Amended::Bounded));
    }
    // Only JSON distinguishes whole numbers from others.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "2^53 and below are whole in both"
    )]
    if within.fract() == 0.0 && within.abs() < 9e15 {
        json!(within as i64)
    } else {
        json!(within)
    }
}

fn list(schema: &Value, entries: Vec<Value>, path: &str, told: &mut Vec<Correction>) -> Value {
    let bound = |name: &str| schema[name].as_u64().and_then(|n| usize::try_from(n).ok());
    let least = bound("minItems").unwrap_or(0);
    let most = bound("maxItems").unwrap_or(usize::MAX);
    let items = &schema["items"];
    let mut kept: Vec<Value> = vec![];
    let mut dropped = 0;
    let before = entries.len();
    // The blanks before a line of a program say what the line belongs to.
    let has_program = entries.iter().any(opens_program);
    for (place, entry) in entries.into_iter().enumerate() {
        let line = entry.as_str().filter(|_| has_program).map(str::trim_end);
        let entry = match line {
            Some(line) => line.into(),
            None => amended(items, entry, &format!("{path}/{place}"), told),
        };
        let says_nothing = (entry == "" && items["minLength"].as_u64() > Some(0))
            || (schema["uniqueItems"] == true && kept.contains(&entry));
        // If the list would be too short without the entry, the entry stays, so that the author can correct the list.
        if says_nothing && before - dropped > least {
            dropped += 1;
        } else {
            kept.push(entry);
        }
    }
    if dropped > 0 {
        told.push(Correction::new(path, Amended::Dropped(dropped)));
    }
    // The last entry of a list of a fixed length may be important, so such a list is not cut.
    if kept.len() > most && least < most {
        told.push(Correction::new(path, Amended::Cut(kept.len() - most)));
        kept.truncate(most);
    }
    Value::Array(kept)
}

/// Whether a line is the fence before a program.
fn opens_program(line: &Value) -> bool {
    let line = line.as_str().map(str::trim_start);
    line.is_some_and(|line| ["```", "~~~"].iter().any(|fence| line.starts_with(fence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_list_of_lines_keeps_the_blanks_before_its_lines() {
        let schema = json!({ "type": "array", "items": { "type": "string" } });
        let lines = json!(["```python", "for i in a:", "    print(i)  ", "```"]);
        let kept = json!(["```python", "for i in a:", "    print(i)", "```"]);
        assert_eq!(amend(&schema, lines).0, kept);
        assert_eq!(amend(&schema, json!(["  a point "])).0, json!(["a point"]));
    }

    #[test]
    fn a_choice_of_one_is_spelled_as_the_schema_does_and_lines_are_a_text() {
        let page = |layout: &str| {
            json!({
                "type": "object",
                "properties": { "layout": { "const": layout }, "says": { "type": "string" } },
            })
        };
        let schema = json!({ "oneOf": [page("title"), page("icon_rows")] });
        let said = json!({ "layout": "Icon Rows", "says": ["Rain falls.", "It runs off."] });
        let meant = json!({ "layout": "icon_rows", "says": "Rain falls.\nIt runs off." });
        assert_eq!(amend(&schema, said), (meant, vec![]));
    }

    fn put_right(schema: &Value, value: Value) -> (Value, Vec<Correction>) {
        let (value, told) = amend(schema, value);
        assert_eq!(
            amend(schema, value.clone()),
            (value.clone(), vec![]),
            "once is enough"
        );
        (value, told)
    }

    #[test]
    fn lists_lose_what_says_nothing_and_what_is_too_much() {
        let list = |least: usize| {
            let text = json!({ "type": "string", "minLength": 1 });
            json!({ "type": "array", "minItems": least, "maxItems": 3, "items": text, "uniqueItems": true })
        };
        let tags = list(1);
        let (value, told) = put_right(&tags, json!([" a", "", "a", "b", "c", "d"]));
        assert_eq!(value, json!(["a", "b", "c"]));
        let told: Vec<_> = told.into_iter().map(|correction| correction.what).collect();
        assert_eq!(told, [Amended::Dropped(2), Amended::Cut(1)]);
        assert_eq!(put_right(&list(2), json!(["a", "a"])).0, json!(["a", "a"]));
        let by_place = json!({ "type": "array", "maxItems": 3, "items": { "type": "string" } });
        assert_eq!(
            put_right(&by_place, json!(["", "a", "a"])).0,
            json!(["", "a", "a"])
        );
    }

    #[test]
    fn lists_and_objects_are_known_in_another_form() {
        let text = json!({ "type": "string" });
        let texts = json!({ "type": "array", "items": text });
        for (said, meant) in [
            (
                json!("#spring, #river walk"),
                json!(["#spring", "#river walk"]),
            ),
            (
                json!("One is first.\nTwo, as always, is next."),
                json!(["One is first.", "Two, as always, is next."]),
            ),
            (
                json!("It is long, as sentences are, and has commas."),
                json!(["It is long, as sentences are, and has commas."]),
            ),
            (json!("[\"a\", \"b\"]"), json!(["a", "b"])),
            (json!(7), json!(["7"])),
            (json!(null), json!([])),
            (json!("春天、河边"), json!(["春天", "河边"])),
        ] {
            assert_eq!(put_right(&texts, said).0, meant);
        }
        let task = json!({ "type": "object", "properties": { "id": { "type": "integer" }, "note": text }, "required": ["id"] });
        let tasks = json!({ "type": "array", "items": task });
        let both = json!([{ "id": 1, "note": "a" }, { "id": 2 }]);
        for said in [
            json!({ "1": { "note": "a" }, "2": {} }),
            json!([{ "id": "1", "note": "a" }, "{\"id\": 2, \"note\": null}"]),
        ] {
            assert_eq!(put_right(&tasks, said).0, both);
        }
        assert_eq!(
            put_right(&tasks, json!({ "id": 3 })).0,
            json!([{ "id": 3 }])
        );
        let color = json!({ "type": "string", "pattern": "^#[0-9a-f]{6}$" });
        assert_eq!(put_right(&color, json!("5b3a1e")).0, json!("#5b3a1e"));
    }

    #[test]
    fn a_list_of_a_fixed_length_keeps_its_end() {
        let pages = json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": {} });
        let three = json!([{ "n": 1 }, { "n": 2 }, { "n": 3 }]);
        assert_eq!(put_right(&pages, three.clone()), (three, vec![]));
    }

    #[test]
    fn numbers_are_read_and_bounded() {
        let count = json!({ "type": "integer", "minimum": 3, "maximum": 30 });
        assert_eq!(put_right(&count, json!(" 4 ")), (json!(4), vec![]));
        let bounded = vec![Correction::new("", Amended::Bounded)];
        assert_eq!(put_right(&count, json!(1e300)), (json!(30), bounded));
        assert_eq!(put_right(&count, json!("many")).0, json!("many"));
        assert_eq!(
            put_right(&json!({ "type": "string" }), json!(7)).0,
            json!("7")
        );
    }

    #[test]
    fn a_choice_is_known_in_any_spelling() {
        let class = json!({ "enum": ["INITIAL", "visual_focus", null] });
        for (said, meant) in [
            ("initial ", "INITIAL"),
            ("Visual focus", "visual_focus"),
            ("other", "other"),
        ] {
            assert_eq!(put_right(&class, json!(said)).0, json!(meant));
        }
    }

    #[test]
    fn a_variant_is_known_by_its_constant_and_else_by_its_type() {
        let points = json!({ "const": "points" });
        let few = json!({ "type": "array", "maxItems": 1, "items": { "type": "string" } });
        let schema = json!({ "oneOf": [
            { "properties": { "layout": { "const": "quote" }, "lines": { "type": "array" } } },
            { "properties": { "layout": points, "lines": few } }
        ] });
        let (value, told) = put_right(&schema, json!({ "layout": "points", "lines": ["a", "b"] }));
        assert_eq!(value["lines"], json!(["a"]));
        assert_eq!(told, [Correction::new("/lines", Amended::Cut(1))]);
        let nullable = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
        assert_eq!(put_right(&nullable, json!(" a ")).0, json!("a"));
        assert_eq!(put_right(&nullable, Value::Null).0, Value::Null);
    }
}
