//! Converts entries to the form for front ends and back: which field has which name there.

use std::sync::LazyLock;

use indexmap::IndexMap;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Entry, Kept};
use palimpsest::prelude::wire::{ApiError, rfc3339};
use serde_json::{Map, Value, json};
use words::rows;

/// A field of a kind of entry.
struct Field {
    /// For front ends.
    name: &'static str,
    /// In the storage format.
    inner: &'static str,
    /// The value in an answer where the entry has none. A list says that a single text counts as a list of it.
    blank: Value,
}

/// The fields that go in and out by the same name in every kind.
const COMMON: [&str; 2] = ["standing", "pinned"];

static FORMS: LazyLock<IndexMap<&str, Vec<Field>>> = LazyLock::new(|| {
    let mut forms: IndexMap<&str, Vec<Field>> = IndexMap::new();
    for [kind, name, inner, blank] in rows(include_str!("fields.tsv")) {
        let blank = blank.parse().expect("the table has JSON");
        let field = Field { name, inner, blank };
        forms.entry(kind).or_default().push(field);
    }
    forms
});

/// The form of a kind of entry: which field has which name for front ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) kind: &'static str,
}

pub(super) const VOLUME: Form = Form { kind: "volume" };
pub(super) const CHAPTER: Form = Form { kind: "chapter" };
pub(super) const CHARACTER: Form = Form { kind: "character" };
pub(super) const RELATIONSHIP: Form = Form {
    kind: "relationship",
};
pub(super) const WORLD: Form = Form { kind: "world" };
pub(super) const PLOT_LOOP: Form = Form { kind: "plot_loop" };
pub(super) const STYLE_SAMPLE: Form = Form {
    kind: "style_sample",
};

impl Form {
    /// The form of a kind, if there is one.
    pub(super) fn of(kind: &str) -> Option<Self> {
        Self::all().find(|form| form.kind == kind)
    }

    /// The forms of all kinds of entries.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        FORMS.keys().map(|kind| Self { kind })
    }

    fn fields(self) -> &'static [Field] {
        FORMS.get(self.kind).map_or(&[], Vec::as_slice)
    }

    /// An entry in the form for front ends.
    pub(super) fn show(self, project: &str, kept: &Kept) -> Map<String, Value> {
        let mut stored = stored(&kept.entry);
        let mut shown = Map::new();
        shown.insert("id".to_owned(), json!(kept.entry.id));
        shown.insert("projectId".to_owned(), json!(project));
        for field in self.fields() {
            let value = match stored.remove(field.inner) {
                Some(value) if field.blank.is_array() => renamed(value, &camel),
                Some(value) => value,
                None => field.blank.clone(),
            };
            shown.insert(field.name.to_owned(), value);
        }
        let standing = if kept.entry.standing.is_fact() {
            "fact"
        } else {
            "proposed"
        };
        shown.insert("standing".to_owned(), json!(standing));
        shown.insert("pinned".to_owned(), json!(kept.entry.pinned));
        shown.insert("version".to_owned(), json!(kept.version));
        shown.insert("createdAt".to_owned(), json!(rfc3339(kept.created)));
        shown.insert("updatedAt".to_owned(), json!(rfc3339(kept.changed)));
        shown
    }

    /// A new entry from what a front end sends. Fields that the kind does not have are ignored: front ends send back all fields that they
    /// received.
    pub(super) fn read(self, id: &str, body: &Map<String, Value>) -> Result<Entry, ApiError> {
        let mut stored = Map::new();
        stored.insert("id".to_owned(), json!(id));
        stored.insert("kind".to_owned(), json!(self.kind));
        self.take(stored, body)
    }

    /// An entry with the changes that a front end sends. A field that is not sent stays; `null` empties a field.
    pub(super) fn change(
        self,
        entry: &Entry,
        body: &Map<String, Value>,
    ) -> Result<Entry, ApiError> {
        self.take(stored(entry), body)
    }

    fn take(
        self,
        mut stored: Map<String, Value>,
        body: &Map<String, Value>,
    ) -> Result<Entry, ApiError> {
        let own = self.fields().iter();
        let own = own.map(|field| (field.name, field.inner, field.blank.is_array()));
        for (name, inner, is_list) in own.chain(COMMON.map(|name| (name, name, false))) {
            let Some(value) = body.get(name) else {
                continue;
            };
            if value.is_null() {
                stored.remove(inner);
                continue;
            }
            let value = match (is_list, value) {
                (true, Value::String(text)) => json!([text]),
                (true, value) => renamed(value.clone(), &snake),
                // The age when the story begins.
                (_, Value::Number(years)) if inner == "age" => json!({ "years": years }),
                (_, value) => value.clone(),
            };
            // One field at a time, so that an error can name the wrong field.
            stored.insert(inner.to_owned(), value);
            self.entry(&stored).map_err(|error| {
                ApiError::unprocessable("bad_body", format!("`{name}` is not right: {error}"))
            })?;
        }
        self.entry(&stored).map_err(|error| {
            ApiError::unprocessable("bad_body", format!("the body is not right: {error}"))
        })
    }

    fn entry(self, stored: &Map<String, Value>) -> Result<Entry, serde_json::Error> {
        serde_json::from_value(Value::Object(stored.clone()))
    }
}

fn stored(entry: &Entry) -> Map<String, Value> {
    match serde_json::to_value(entry) {
        Ok(Value::Object(stored)) => stored,
        other => unreachable!("an entry is an object with text keys: {other:?}"),
    }
}

/// Renames the fields of the objects in a list.
fn renamed(value: Value, name: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(|it| renamed(it, name)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let fields = fields.map(|(key, value)| (name(&key), renamed(value, name)));
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut chars = word.chars();
        camel.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(chars);
    }
    camel
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// A field of a body that has to be there as a text.
pub(super) fn text_of<'a>(body: &'a Map<String, Value>, name: &str) -> Result<&'a str, ApiError> {
    let text = body.get(name).and_then(Value::as_str);
    text.ok_or_else(|| {
        ApiError::unprocessable("bad_body", format!("the body has no text `{name}`"))
    })
}

/// A field of a body that may name an entry.
pub(super) fn id_of(body: &Map<String, Value>, name: &str) -> Option<EntryId> {
    body.get(name).and_then(Value::as_str).map(EntryId::from)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use palimpsest::prelude::resource::project::What;

    use super::*;

    fn full(kind: &str) -> Value {
        let world = json!({ "forbids": ["flew"], "unless_trait": ["mage"], "unless_time": ["at night"], "says": "Nobody flies." });
        match kind {
            "volume" => json!({ "title": "I", "summary": "s", "order": 3 }),
            "chapter" => json!({
                "title": "Fog", "volume": "v", "order": 2, "summary": "s", "date": "1923", "place": "p", "point_of_view": "a",
                "cast": ["a"], "status": "DRAFT", "locked": true, "key_events": ["e"]
            }),
            "character" => json!({
                "name": "Lin", "aliases": ["L"], "role": "minor", "description": "d", "personality": ["calm"],
                "background": "b", "motivation": "m", "archetype": "hero", "traits": ["mage"],
                "appearance": { "eye_colour": "grey" }, "born": "1900", "age": { "years": 23 },
                "absences": [{ "from": "c1", "until": "c2", "reason": "r" }],
                "death": { "chapter": "c3", "sentence": "s" }, "status": "dead", "twins": ["b"]
            }),
            "relationship" => json!({
                "source": "a", "target": "b", "type": "rival", "reverse": "rival", "description": "d", "strength": 4,
                "bidirectional": true, "since": "c1", "until": "c2"
            }),
            "world" => json!({
                "title": "Wind", "type": "power_system", "aliases": ["W"], "tags": ["t"], "content": "c", "rules": [world]
            }),
            "item" => json!({
                "name": "Key", "aliases": ["k"], "description": "d", "owner": "a", "place": "p", "unique": true
            }),
            "place" => json!({
                "name": "Pier", "aliases": ["p"], "description": "d", "within": "q", "travel": [{ "to": "q", "hours": 2.0 }]
            }),
            "plot_loop" => json!({
                "title": "Letter", "description": "d", "status": "ABANDONED", "intro": "c1", "due": "c2",
                "resolution": "c3", "abandon_reason": "r", "keywords": ["letter"]
            }),
            "archetype" => {
                json!({ "name": "Hero", "traits": ["t"], "function": "f", "examples": ["e"] })
            }
            other => {
                assert_eq!(other, "style_sample");
                json!({ "original": "o", "text": "t", "chapter": "c1" })
            }
        }
    }

    #[test]
    fn every_field_of_every_kind_goes_out_and_comes_back() {
        for form in Form::all() {
            let mut fields = full(form.kind);
            fields["kind"] = json!(form.kind);
            fields["id"] = json!("it");
            let entry: Entry = serde_json::from_value(fields.clone()).expect("an entry");
            assert_eq!(
                serde_json::to_value(&entry).expect("JSON"),
                fields,
                "all of it is kept"
            );
            let kept = Kept {
                entry: entry.clone(),
                version: 4,
                created: DateTime::UNIX_EPOCH,
                changed: DateTime::UNIX_EPOCH,
            };
            let shown = form.show("p", &kept);
            let read = form.read("it", &shown).map_err(|error| error.error.message);
            assert_eq!(read, Ok(entry), "{}", form.kind);
        }
    }

    #[test]
    fn what_is_not_sent_stays_and_null_empties_a_field() {
        let body = |value: Value| value.as_object().cloned().expect("an object");
        let lin = CHARACTER.read(
            "lin",
            &body(json!({ "name": "Lin", "born": "1900", "personality": "calm", "age": 23 })),
        );
        let lin = lin.expect("a character");
        let changed = CHARACTER.change(&lin, &body(json!({ "born": null, "role": "minor" })));
        let What::Character(it) = changed.expect("a character").what else {
            panic!("it is another kind");
        };
        assert_eq!(
            (it.name.as_str(), it.role.as_str(), it.born),
            ("Lin", "minor", None)
        );
        assert_eq!(it.personality, ["calm"]);
        assert_eq!(it.age.map(|age| age.years), Some(23));
        let wrong = CHARACTER.change(&lin, &body(json!({ "appearance": "tall" })));
        let message = wrong.expect_err("it is no object").error.message;
        assert!(
            message.starts_with("`appearance` is not right"),
            "{message}"
        );
    }

    #[test]
    fn rules_of_the_world_have_their_names_in_both_forms() {
        assert_eq!(
            (camel("unless_trait"), snake("unlessTrait")),
            ("unlessTrait".to_owned(), "unless_trait".to_owned())
        );
    }
}
