//! The schema that a model is sent: that of a type, narrowed to what one question leaves open.

use serde_json::{Map, Value, json};

/// A JSON Schema that is narrowed step by step. Places are named by their properties with `/` between them, and `*` stands for
/// the items of a list: `knowledgeUnits/*/title`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted(Value);

impl Wanted {
    /// Begins with the schema of a type, without references.
    pub fn of(schema: Value) -> Self {
        Self(schema)
    }

    /// The schema as it is sent.
    pub fn into_value(self) -> Value {
        self.0
    }

    /// Leaves a property out: the program knows it, and puts it in afterwards.
    #[must_use]
    pub fn without(mut self, place: &str) -> Self {
        let (parent, name) = place.rsplit_once('/').unwrap_or(("", place));
        let object = self.at(parent);
        if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
            properties.shift_remove(name);
        }
        if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|required| required != name);
        }
        self
    }

    /// Bounds the number of characters of a text. Where the text may be null, it may still be null.
    #[must_use]
    pub fn text(mut self, place: &str, least: usize, most: usize) -> Self {
        let text = self.at(place);
        let may_be_null = text["type"].is_array();
        text.shift_remove("type");
        let bounds = json!({ "type": "string", "minLength": least, "maxLength": most });
        if may_be_null {
            text.insert("anyOf".to_owned(), json!([bounds, { "type": "null" }]));
        } else {
            text.extend(bounds.as_object().cloned().unwrap_or_default());
        }
        self
    }

    /// Bounds the number of entries of a list.
    #[must_use]
    pub fn list(mut self, place: &str, least: usize, most: usize) -> Self {
        let list = self.at(place);
        list.insert("minItems".to_owned(), json!(least));
        list.insert("maxItems".to_owned(), json!(most));
        self
    }

    /// A list of texts: bounds the number of entries, each of one to `chars` characters and none repeated.
    #[must_use]
    pub fn texts(self, place: &str, least: usize, most: usize, chars: usize) -> Self {
        let mut wanted = self.list(place, least, most);
        let list = wanted.at(place);
        list.insert("uniqueItems".to_owned(), json!(true));
        wanted.text(&format!("{place}/*"), 1, chars)
    }

    /// A number within these bounds.
    #[must_use]
    pub fn number(mut self, place: &str, least: u32, most: u32) -> Self {
        let number = self.at(place);
        number.insert("minimum".to_owned(), json!(least));
        number.insert("maximum".to_owned(), json!(most));
        self
    }

    /// Allows one of these values, and keeps the description of the place.
    #[must_use]
    pub fn one_of(self, place: &str, choices: impl IntoIterator<Item = Value>) -> Self {
        let choices: Vec<Value> = choices.into_iter().collect();
        self.instead(place, json!({ "enum": choices }))
    }

    /// Puts another schema into this place, and keeps the description of the place.
    #[must_use]
    pub fn instead(mut self, place: &str, schema: Value) -> Self {
        let old = self.at(place);
        let description = old.get("description").cloned();
        let mut new = schema.as_object().cloned().unwrap_or_default();
        if let Some(description) = description {
            new.insert("description".to_owned(), description);
        }
        *old = new;
        self
    }

    fn at(&mut self, place: &str) -> &mut Map<String, Value> {
        let mut schema = &mut self.0;
        for part in place.split('/').filter(|part| !part.is_empty()) {
            schema = match part {
                "*" => &mut schema["items"],
                name => &mut schema["properties"][name],
            };
        }
        schema
            .as_object_mut()
            .expect("a question narrows only what its type has")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Wanted {
        Wanted::of(json!({
            "type": "object",
            "properties": {
                "pages": { "type": "integer", "description": "How many." },
                "note": { "type": ["string", "null"], "description": "If any." },
                "points": { "type": "array", "items": { "type": "string" } }
            },
            "required": ["pages", "points"]
        }))
    }

    #[test]
    fn what_is_known_is_not_asked_for() {
        let asked = plan().without("pages").into_value();
        assert_eq!(asked["properties"].get("pages"), None);
        assert_eq!(asked["required"], json!(["points"]));
    }

    #[test]
    fn every_rule_that_a_schema_can_say_is_in_it() {
        let asked = plan()
            .one_of("pages", [json!(8), json!(9)])
            .text("note", 0, 20)
            .texts("points", 1, 3, 40)
            .into_value();
        assert_eq!(
            asked["properties"],
            json!({
                "pages": { "enum": [8, 9], "description": "How many." },
                "note": {
                    "description": "If any.",
                    "anyOf": [{ "type": "string", "minLength": 0, "maxLength": 20 }, { "type": "null" }]
                },
                "points": {
                    "type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true,
                    "items": { "type": "string", "minLength": 1, "maxLength": 40 }
                }
            })
        );
    }
}
