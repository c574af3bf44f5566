//! Converts entries to the form for front ends and back: which field has which name there.

use domain::ids::EntryId;
use domain::project::{Entry, Kept};
use serde_json::{Map, Value, json};

use crate::error::ApiError;
use projections::rfc3339;

/// The value in an answer for a field that is empty in the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blank {
    Text,
    /// A list; a single text counts as a list of it.
    List,
    Object,
    Null,
    False,
    Zero,
}

/// The fields of a kind of entry: the name for front ends, the name in the storage format, and the value if the field is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) kind: &'static str,
    pub(super) fields: &'static [(&'static str, &'static str, Blank)],
}

use Blank::{False, List, Null, Object, Text, Zero};

pub(super) const VOLUME: Form = Form {
    kind: "volume",
    fields: &[
        ("title", "title", Text),
        ("summary", "summary", Text),
        ("orderIndex", "order", Zero),
    ],
};

pub(super) const CHAPTER: Form = Form {
    kind: "chapter",
    fields: &[
        ("title", "title", Text),
        ("volumeId", "volume", Null),
        ("orderIndex", "order", Zero),
        ("summary", "summary", Text),
        ("date", "date", Null),
        ("placeId", "place", Null),
        ("pointOfViewId", "point_of_view", Null),
        ("cast", "cast", List),
        ("status", "status", Text),
        ("locked", "locked", False),
        ("keyEvents", "key_events", List),
    ],
};

pub(super) const CHARACTER: Form = Form {
    kind: "character",
    fields: &[
        ("name", "name", Text),
        ("aliases", "aliases", List),
        ("role", "role", Text),
        ("description", "description", Text),
        ("personality", "personality", List),
        ("background", "background", Text),
        ("motivation", "motivation", Text),
        ("archetype", "archetype", Null),
        ("traits", "traits", List),
        ("appearance", "appearance", Object),
        ("born", "born", Null),
        ("age", "age", Null),
        ("absences", "absences", List),
        ("death", "death", Null),
        ("status", "status", Text),
        ("twins", "twins", List),
    ],
};

pub(super) const RELATIONSHIP: Form = Form {
    kind: "relationship",
    fields: &[
        ("sourceId", "source", Text),
        ("targetId", "target", Text),
        ("type", "type", Text),
        ("reverse", "reverse", Null),
        ("description", "description", Text),
        ("strength", "strength", Null),
        ("bidirectional", "bidirectional", False),
        ("sinceChapterId", "since", Null),
        ("untilChapterId", "until", Null),
    ],
};

pub(super) const WORLD: Form = Form {
    kind: "world",
    fields: &[
        ("title", "title", Text),
        ("type", "type", Text),
        ("aliases", "aliases", List),
        ("tags", "tags", List),
        ("content", "content", Text),
        ("rules", "rules", List),
    ],
};

pub(super) const ITEM: Form = Form {
    kind: "item",
    fields: &[
        ("name", "name", Text),
        ("aliases", "aliases", List),
        ("description", "description", Text),
        ("ownerId", "owner", Null),
        ("placeId", "place", Null),
        ("unique", "unique", False),
    ],
};

pub(super) const PLACE: Form = Form {
    kind: "place",
    fields: &[
        ("name", "name", Text),
        ("aliases", "aliases", List),
        ("description", "description", Text),
        ("withinId", "within", Null),
        ("travel", "travel", List),
    ],
};

pub(super) const PLOT_LOOP: Form = Form {
    kind: "plot_loop",
    fields: &[
        ("title", "title", Text),
        ("description", "description", Text),
        ("status", "status", Text),
        ("introChapterId", "intro", Null),
        ("dueChapterId", "due", Null),
        ("resolutionChapterId", "resolution", Null),
        ("abandonReason", "abandon_reason", Null),
        ("keywords", "keywords", List),
    ],
};

pub(super) const ARCHETYPE: Form = Form {
    kind: "archetype",
    fields: &[
        ("name", "name", Text),
        ("traits", "traits", List),
        ("function", "function", Text),
        ("examples", "examples", List),
    ],
};

pub(super) const STYLE_SAMPLE: Form = Form {
    kind: "style_sample",
    fields: &[
        ("originalAi", "original", Text),
        ("userFinal", "text", Text),
        ("chapterId", "chapter", Null),
    ],
};

/// All kinds of entries.
pub(super) const FORMS: [Form; 10] = [
    VOLUME,
    CHAPTER,
    CHARACTER,
    RELATIONSHIP,
    WORLD,
    ITEM,
    PLACE,
    PLOT_LOOP,
    ARCHETYPE,
    STYLE_SAMPLE,
];

impl Form {
    /// The form of a kind, if there is one.
    pub(super) fn of(kind: &str) -> Option<Self> {
        FORMS.into_iter().find(|form| form.kind == kind)
    }

    /// An entry in the form for front ends.
    pub(super) fn show(self, project: &str, kept: &Kept) -> Map<String, Value> {
        let mut stored = stored(&kept.entry);
        let mut shown = Map::new();
        shown.insert("id".to_owned(), json!(kept.entry.id));
        shown.insert("projectId".to_owned(), json!(project));
        for (name, inner, blank) in self.fields {
            let value = match stored.remove(*inner) {
                Some(value) if *blank == List => renamed(value, &camel),
                Some(value) => value,
                None => blank.value(),
            };
            shown.insert((*name).to_owned(), value);
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
        let common = [("standing", "standing", Null), ("pinned", "pinned", Null)];
        for (name, inner, blank) in self.fields.iter().chain(&common) {
            let Some(value) = body.get(*name) else {
                continue;
            };
            if value.is_null() {
                stored.remove(*inner);
                continue;
            }
            let value = match (*blank, value) {
                (List, Value::String(text)) => json!([text]),
                (List, value) => renamed(value.clone(), &snake),
                // The age when the story begins.
                (Null, Value::Number(years)) if *inner == "age" => json!({ "years": years }),
                (_, value) => value.clone(),
            };
            // One field at a time, so that an error can name the wrong field.
            stored.insert((*inner).to_owned(), value);
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

impl Blank {
    fn value(self) -> Value {
        match self {
            Self::Text => json!(""),
            Self::List => json!([]),
            Self::Object => json!({}),
            Self::Null => Value::Null,
            Self::False => json!(false),
            Self::Zero => json!(0),
        }
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
    use domain::project::What;

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
        for form in FORMS {
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
