//! Wrappings that models put around the document that they were asked for. They are taken off only where the schema leaves no
//! doubt about what was meant; a value that has what the schema requires is never touched.

use serde_json::{Map, Value};

/// Wrappings taken off one answer: a list around an object under `result` that came as text has three.
const WRAPPERS_MAX: usize = 3;

/// The document inside a value, or the value as it is where it fits, or where nothing inside it fits.
pub fn unwrapped(value: Value, schema: &Value) -> Value {
    let Some(wanted) = Wanted::of(schema) else {
        return value;
    };
    if value.as_object().is_some_and(|it| wanted.is_wanted(it)) {
        return value;
    }
    let mut inner = value.clone();
    for _ in 0..WRAPPERS_MAX {
        // A list of one object with the right names has no other meaning, whatever the types in it are.
        let is_list = inner.is_array();
        let is_named = |it: &Value| it.as_object().is_some_and(|it| wanted.is_wanted(it));
        match wanted.inside(inner) {
            Some(found) if wanted.fits(&found) || is_list && is_named(&found) => return found,
            Some(found) => inner = found,
            None => return value,
        }
    }
    value
}

/// The object that a schema asks for.
struct Wanted<'a> {
    properties: &'a Map<String, Value>,
    required: Vec<&'a str>,
}

impl<'a> Wanted<'a> {
    /// `None` where a schema asks for something else, or has no properties by which an object could be recognised.
    fn of(schema: &'a Value) -> Option<Wanted<'a>> {
        let properties = schema["properties"].as_object()?;
        let required = schema["required"].as_array().into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        (schema["type"] == "object" && !properties.is_empty()).then_some(Wanted {
            properties,
            required,
        })
    }

    /// The content of one wrapping; `None` for an object that has all that is required, and for a value that is not a wrapping.
    fn inside(&self, value: Value) -> Option<Value> {
        match value {
            Value::Object(members) if !self.is_wanted(&members) => self.inside_object(members),
            Value::Array(elements) => self.inside_array(elements),
            Value::String(text) => serde_json::from_str(&text).ok(),
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// The properties of an object that repeats the schema, or the only member where the schema does not know its name; otherwise the only
    /// member that is what is wanted as a whole and not what its name says.
    fn inside_object(&self, mut members: Map<String, Value>) -> Option<Value> {
        if members.get("type").is_some_and(|it| it == "object") && !self.knows("properties") {
            return members.remove("properties");
        }
        let is_only = members.len() == 1;
        let is_inner = |(key, member): &(String, Value)| {
            !self.is_member((key, member)) && (is_only && !self.knows(key) || self.fits(member))
        };
        let mut found = members.into_iter().filter(is_inner);
        let (_, member) = found.next()?;
        found.next().is_none().then_some(member)
    }

    /// The only element, or the object whose one property this list is.
    fn inside_array(&self, mut elements: Vec<Value>) -> Option<Value> {
        let is_only = elements.len() == 1;
        if let [list] = self.required.as_slice()
            && !(is_only && self.fits(&elements[0]))
        {
            let list = Map::from_iter([((*list).to_owned(), Value::Array(elements.clone()))]);
            let object = Value::Object(list);
            if self.fits(&object) {
                return Some(object);
            }
        }
        elements.pop().filter(|_| is_only)
    }

    fn knows(&self, key: &str) -> bool {
        self.properties.contains_key(key)
    }

    /// Whether an object has all that is required, or something that is known where nothing is, and not only a member that has it all once
    /// more and is something else than its name says.
    fn is_wanted(&self, members: &Map<String, Value>) -> bool {
        let is_complete = if self.required.is_empty() {
            members.is_empty() || members.keys().any(|key| self.knows(key))
        } else {
            self.required.iter().all(|key| members.contains_key(*key))
        };
        let mut known = members.iter().filter(|(key, _)| self.knows(key));
        let is_wrapping = match (known.next(), known.next()) {
            (Some(only), None) => !self.is_member(only) && self.fits(only.1),
            (_, _) => false,
        };
        is_complete && !is_wrapping
    }

    /// Whether a value is what the schema has under this name, as far as its type and what is required in it tell.
    fn is_member(&self, (key, member): (&String, &Value)) -> bool {
        let schema = self.properties.get(key);
        schema.is_some_and(|schema| has_type_of(member, schema) && has_required_of(member, schema))
    }

    /// Whether a value has everything that is required, each with its type, or something with its type where nothing is. An object that
    /// repeats the schema itself does not fit: where a text is required it has an object.
    fn fits(&self, value: &Value) -> bool {
        let Value::Object(members) = value else {
            return false;
        };
        let has = |key: &&str| {
            let found = members.get_key_value(*key);
            found.is_some_and(|found| self.is_member(found))
        };
        if self.required.is_empty() {
            return self.properties.keys().any(|key| has(&key.as_str()));
        }
        self.required.iter().all(has)
    }
}

/// Whether an object has what its schema requires, or one of the variants of its schema does.
fn has_required_of(value: &Value, schema: &Value) -> bool {
    let Value::Object(members) = value else {
        return true;
    };
    let variants = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    if let Some(variants) = variants {
        return variants.iter().any(|it| has_required_of(value, it));
    }
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    required.all(|key| members.contains_key(key))
}

/// Whether a value has the type that its schema names, or that of one of its choices, if it names any. For a list this has to hold for every element.
fn has_type_of(value: &Value, schema: &Value) -> bool {
    let is_named = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number" | "integer") => value.is_number(),
        Some("null") => value.is_null(),
        Some(_) | None => true,
    };
    if let Some(choices) = schema["enum"].as_array() {
        let kind = std::mem::discriminant(value);
        return choices.iter().any(|it| std::mem::discriminant(it) == kind);
    }
    let named = &schema["type"];
    let fits = match named.as_array() {
        Some(names) => names.iter().any(is_named),
        None => is_named(named),
    };
    let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
    fits && elements
        .iter()
        .all(|element| has_type_of(element, &schema["items"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "pages": { "type": "array", "items": { "type": "object" } },
                "data": { "type": ["object", "null"] },
            },
            "required": ["title", "pages"],
        })
    }

    fn list() -> Value {
        json!({
            "type": "object",
            "properties": { "items": { "type": "array", "items": { "type": "string" } }, "note": {} },
            "required": ["items"],
        })
    }

    fn document() -> Value {
        json!({ "title": "t", "pages": [{ "n": 1 }] })
    }

    #[test]
    fn a_wrapping_is_taken_off() {
        let text = document().to_string();
        for wrapped in [
            json!({ "type": "object", "properties": document() }),
            json!({ "type": "object", "properties": document(), "required": ["title"] }),
            json!([document()]),
            json!({ "result": document() }),
            json!({ "document": document() }),
            json!({ "document": document(), "note": "as you wished" }),
            json!(text),
            json!({ "answer": text }),
            json!([{ "json": document() }]),
            json!([{ "output": text }]),
        ] {
            assert_eq!(
                unwrapped(wrapped.clone(), &schema()),
                document(),
                "{wrapped}"
            );
        }
    }

    #[test]
    fn a_wrapping_is_known_where_nothing_is_required() {
        let any = json!({
            "type": "object",
            "properties": { "title": { "type": "string" }, "tags": { "type": "array" } },
        });
        let said = json!({ "tags": ["a"] });
        for wrapped in [
            json!([said]),
            json!({ "result": said }),
            json!({ "type": "object", "properties": said }),
        ] {
            assert_eq!(unwrapped(wrapped.clone(), &any), said, "{wrapped}");
        }
        for value in [
            json!({}),
            json!({ "title": "t", "more": said }),
            json!({ "result": { "other": 1 } }),
            any.clone(),
        ] {
            assert_eq!(unwrapped(value.clone(), &any), value);
        }
    }

    #[test]
    fn a_wrapping_may_have_the_name_of_a_property() {
        let slide = json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] });
        let one =
            json!({ "type": "object", "properties": { "slide": slide }, "required": ["slide"] });
        let said = json!({ "slide": { "title": "t" } });
        for wrapped in [
            json!({ "slide": said }),
            json!({ "slide": said, "note": "as you wished" }),
        ] {
            assert_eq!(unwrapped(wrapped.clone(), &one), said, "{wrapped}");
        }
        assert_eq!(unwrapped(said.clone(), &one), said);
        let wrapped = json!({ "title": document(), "note": "as you wished" });
        assert_eq!(unwrapped(wrapped, &schema()), document());
        let choice = json!({ "type": "object", "properties": { "kind": { "enum": ["a"] }, "why": {} }, "required": ["kind", "why"] });
        let said = json!({ "kind": "a", "why": "b" });
        let wrapped = json!({ "kind": said, "note": "as you wished" });
        assert_eq!(unwrapped(wrapped, &choice), said);
    }

    #[test]
    fn a_list_is_put_where_the_only_required_list_belongs() {
        for items in [json!([]), json!(["a"]), json!(["a", "b"])] {
            assert_eq!(unwrapped(items.clone(), &list()), json!({ "items": items }));
        }
        let wrapped = json!([{ "items": ["a"], "note": 1 }]);
        assert_eq!(unwrapped(wrapped.clone(), &list()), wrapped[0]);
        assert_eq!(
            unwrapped(json!({ "result": ["a"] }), &list()),
            json!({ "items": ["a"] })
        );
    }

    #[test]
    fn a_list_of_one_is_taken_off_whatever_the_types_in_it_are() {
        let said = json!({ "title": 7, "pages": null });
        assert_eq!(unwrapped(json!([said]), &schema()), said);
    }

    #[test]
    fn what_is_not_surely_a_wrapping_stays() {
        for value in [
            json!({ "title": "t" }),
            json!({ "result": document(), "other": document() }),
            json!([document(), document()]),
            json!({ "data": document() }),
            json!({ "result": { "title": "t" } }),
            json!({ "result": { "title": {}, "pages": {} } }),
            json!({ "type": "object", "properties": schema()["properties"] }),
            json!("no document"),
            json!([1]),
            json!(null),
            json!([[[[document()]]]]),
        ] {
            assert_eq!(unwrapped(value.clone(), &schema()), value);
        }
        assert_eq!(unwrapped(json!([1, 2]), &list()), json!([1, 2]));
        for open in [
            json!({}),
            json!(true),
            json!({ "type": "object", "properties": {} }),
        ] {
            let value = json!([document()]);
            assert_eq!(unwrapped(value.clone(), &open), value);
        }
    }

    #[test]
    fn a_value_that_has_what_is_required_is_never_touched() {
        let mut value = document();
        for (key, inner) in [
            ("type", json!("object")),
            ("properties", document()),
            ("result", document()),
            ("title", json!({ "title": "t", "pages": [] })),
        ] {
            value[key] = inner;
            assert_eq!(unwrapped(value.clone(), &schema()), value);
        }
    }
}
