//! Entries in the form for front ends: a type for each kind. The document of the interface describes these types.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{
    Absence, Age, Archetype, Chapter, Character, Death, Entry, Item, Kept, LoopStatus, Place,
    PlotLoop, Relationship, Standing, StyleSample, Travel, Volume, What, WorldEntry, WorldRule,
};
use palimpsest::prelude::wire::{ApiError, rfc3339};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::value::Serializer;
use serde_json::{Map, Value, json};

/// Makes the type of each kind and its form. A field has its name in the storage format, and behind `as` the name for front ends if that is
/// another one. A new field of the storage format does not compile until it has a place here.
macro_rules! forms {
    ($(
        $(#[$doc:meta])*
        $form:ident $kind:literal $name:ident of $what:ident($of:tt) {
            $($(#[$attr:meta])* $field:ident $(as $wire:tt)?: $type:ty),* $(,)?
        }
    )*) => {
        static FORMS: &[Form] = &[$($form),*];

        /// The fields of an entry of any kind.
        #[derive(JsonSchema)]
        #[schemars(untagged)]
        #[expect(dead_code, reason = "it is described and never made")]
        pub(super) enum AnyEntry { $($what($name)),* }

        $(
            $(#[$doc])*
            #[derive(Default, Serialize, Deserialize, JsonSchema)]
            #[serde(remote = $of, default)]
            #[schemars(transform = make_optional)]
            pub(super) struct $name {
                $($(#[$attr])* $(#[serde(rename = $wire)])? $field: $type),*
            }

            pub(super) const $form: Form = Form {
                kind: $kind,
                fields: |what| {
                    let What::$what(it) = what else {
                        return Ok(Value::Null);
                    };
                    $name::serialize(it, Serializer)
                },
                what: |fields| $name::deserialize(fields).map(What::$what),
            };
        )*
    };
}

forms! {
    /// Chapters that belong together.
    VOLUME "volume" StoryVolume of Volume("Volume") { title: String, summary: String, order as "orderIndex": u32 }

    /// A chapter without its prose.
    CHAPTER "chapter" StoryChapter of Chapter("Chapter") {
        title: String, volume as "volumeId": Option<EntryId>, order as "orderIndex": u32, summary: String, date: Option<String>,
        place as "placeId": Option<EntryId>, point_of_view as "pointOfViewId": Option<EntryId>, cast: Vec<EntryId>, status: String,
        locked: bool, key_events as "keyEvents": Vec<String>,
    }

    /// A person of the story. A number as `age` is the age in years when the story begins.
    CHARACTER "character" StoryCharacter of Character("Character") {
        name: String, aliases: Vec<String>, role: String, description: String, personality: Vec<String>, background: String,
        motivation: String, archetype: Option<String>, traits: Vec<String>, appearance: BTreeMap<String, String>, born: Option<String>,
        age: Option<Age>, absences: Vec<Absence>, death: Option<Death>, status: String, twins: Vec<EntryId>,
    }

    /// What two characters are to each other.
    RELATIONSHIP "relationship" StoryRelationship of Relationship("Relationship") {
        source as "sourceId": EntryId, target as "targetId": EntryId, kind as "type": String, reverse: Option<String>,
        description: String, strength: Option<u8>, bidirectional: bool, since as "sinceChapterId": Option<EntryId>,
        until as "untilChapterId": Option<EntryId>,
    }

    /// How things are in the world of the story.
    WORLD "world" StoryWorldEntry of World("WorldEntry") {
        title: String, kind as "type": String, aliases: Vec<String>, tags: Vec<String>, content: String,
        #[serde(with = "rules")] #[schemars(with = "Vec<StoryRule>")] rules: Vec<WorldRule>,
    }

    /// A thing that matters.
    ITEM "item" StoryItem of Item("Item") {
        name: String, aliases: Vec<String>, description: String, owner as "ownerId": Option<EntryId>,
        place as "placeId": Option<EntryId>, unique: bool,
    }

    /// A place of the story.
    PLACE "place" StoryPlace of Place("Place") {
        name: String, aliases: Vec<String>, description: String, within as "withinId": Option<EntryId>, travel: Vec<Travel>,
    }

    /// Something that the reader waits for.
    PLOT_LOOP "plot_loop" StoryPlotLoop of PlotLoop("PlotLoop") {
        title: String, description: String, status: LoopStatus, intro as "introChapterId": Option<EntryId>,
        due as "dueChapterId": Option<EntryId>, resolution as "resolutionChapterId": Option<EntryId>,
        abandon_reason as "abandonReason": Option<String>, keywords: Vec<String>,
    }

    /// A role that characters play in stories.
    ARCHETYPE "archetype" StoryArchetype of Archetype("Archetype") {
        name: String, traits: Vec<String>, function: String, examples: Vec<String>,
    }

    /// A passage as it was written first and as its author left it.
    STYLE_SAMPLE "style_sample" StoryStyleSample of StyleSample("StyleSample") {
        original as "originalAi": String, text as "userFinal": String, chapter as "chapterId": Option<EntryId>,
    }
}

/// An entry as front ends see it. What they send may have any of the fields; an answer has all of them.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Story{F}", transform = make_optional)]
pub(super) struct StoryEntry<F = Map<String, Value>> {
    pub(super) id: EntryId,
    project_id: String,
    #[serde(flatten)]
    pub(super) fields: F,
    pub(super) standing: Standing,
    /// Whether it belongs into every prompt.
    pinned: bool,
    /// The version of the project in which it was last changed: its `ETag`.
    version: u64,
    created_at: String,
    updated_at: String,
}

/// An entry with what follows from the rest of its project.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "Story{F}Row", transform = make_optional)]
pub(super) struct EntryRow<M, F = Map<String, Value>> {
    #[serde(flatten)]
    pub(super) entry: StoryEntry<F>,
    #[serde(flatten)]
    pub(super) more: M,
}

pub(super) fn make_optional(schema: &mut Schema) {
    schema.remove("required");
}

/// Something that nobody can do in this world, with exceptions.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "WorldRule", rename_all = "camelCase", default)]
struct StoryRule {
    forbids: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unless_trait: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unless_time: Vec<String>,
    says: String,
}

mod rules {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{StoryRule, WorldRule};

    #[derive(Serialize, Deserialize)]
    struct Rule(#[serde(with = "StoryRule")] WorldRule);

    pub(super) fn serialize<S: Serializer>(rules: &[WorldRule], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(rules.iter().cloned().map(Rule))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<WorldRule>, D::Error> {
        let rules = Vec::<Rule>::deserialize(from)?;
        Ok(rules.into_iter().map(|rule| rule.0).collect())
    }
}

/// The form of a kind of entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) kind: &'static str,
    fields: fn(&What) -> Result<Value, serde_json::Error>,
    what: fn(Value) -> Result<What, serde_json::Error>,
}

impl Form {
    /// The form of a kind, if there is one.
    pub(super) fn of(kind: &str) -> Option<Self> {
        Self::all().find(|form| form.kind == kind)
    }

    /// The forms of all kinds of entries.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        FORMS.iter().copied()
    }

    /// An entry of this kind in the form for front ends.
    pub(super) fn show(self, project: &str, kept: &Kept) -> StoryEntry {
        let entry = &kept.entry;
        StoryEntry {
            id: entry.id.clone(),
            project_id: project.to_owned(),
            fields: object((self.fields)(&entry.what)),
            standing: entry.standing,
            pinned: entry.pinned,
            version: kept.version,
            created_at: rfc3339(kept.created),
            updated_at: rfc3339(kept.changed),
        }
    }

    /// A new entry from what a front end sends. Fields that the kind does not have are ignored: front ends send back all fields that they
    /// received.
    pub(super) fn read(self, id: &str, body: &Map<String, Value>) -> Result<Entry, ApiError> {
        let blank = self.entry(&id.into(), Map::new());
        self.change(&blank.expect("every field has a default"), body)
    }

    /// An entry with the changes that a front end sends. A field that is not sent stays; `null` empties a field.
    pub(super) fn change(
        self,
        entry: &Entry,
        body: &Map<String, Value>,
    ) -> Result<Entry, ApiError> {
        let mut fields = object((self.fields)(&entry.what));
        fields.insert("standing".to_owned(), json!(entry.standing));
        fields.insert("pinned".to_owned(), json!(entry.pinned));
        let read = |fields| self.entry(&entry.id, fields);
        overlaid(entry.clone(), fields, body, adapted, read)
    }

    fn entry(self, id: &EntryId, fields: Map<String, Value>) -> Result<Entry, serde_json::Error> {
        let standing = fields.get("standing").map(Standing::deserialize);
        let pinned = fields.get("pinned").map(bool::deserialize);
        Ok(Entry {
            id: id.clone(),
            standing: standing.transpose()?.unwrap_or_default(),
            pinned: pinned.transpose()?.unwrap_or_default(),
            what: (self.what)(Value::Object(fields))?,
        })
    }
}

/// What becomes of something whose fields are these, where a front end sends this. A field that is not sent stays; `null` empties a field.
pub(super) fn overlaid<T>(
    before: T,
    mut fields: Map<String, Value>,
    body: &Map<String, Value>,
    adapted: fn(&str, &Value, &Value) -> Value,
    read: impl Fn(Map<String, Value>) -> Result<T, serde_json::Error>,
) -> Result<T, ApiError> {
    let mut after = before;
    for (name, value) in fields.clone() {
        let Some(sent) = body.get(&name) else {
            continue;
        };
        if sent.is_null() {
            fields.remove(&name);
        } else {
            fields.insert(name.clone(), adapted(&name, &value, sent));
        }
        // One field at a time, so that an error can name the wrong field.
        after = read(fields.clone()).map_err(|error| {
            ApiError::unprocessable("bad_body", format!("`{name}` is not right: {error}"))
        })?;
    }
    Ok(after)
}

/// The value of a field of an entry, of what a front end sends in the place of a value.
fn adapted(name: &str, before: &Value, sent: &Value) -> Value {
    match (before, sent) {
        // In a field that holds a list, a single text counts as a list of it.
        (Value::Array(_), Value::String(text)) => json!([text]),
        // The age when the story begins.
        (_, Value::Number(years)) if name == "age" => json!({ "years": years }),
        (_, sent) => sent.clone(),
    }
}

pub(super) fn object(written: Result<Value, serde_json::Error>) -> Map<String, Value> {
    match written {
        Ok(Value::Object(fields)) => fields,
        other => unreachable!("it is an object with text keys: {other:?}"),
    }
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
            let shown = object(serde_json::to_value(form.show("p", &kept)));
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
}
