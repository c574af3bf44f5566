use std::collections::BTreeSet;

use palimpsest::prelude::resource::project::entry::{
    Absence, Age, Archetype, Chapter, Character, Death, Item, Place, PlotLoop, Relationship,
    StyleSample, Travel, Volume, WorldEntry, WorldRule,
};
use palimpsest::prelude::resource::project::{Calendar, Description, Month};
use schemars::{Schema, schema_for};

use crate::readings::folder::fields::{EntryKind, Field, Shape, fields};

fn schema(kind: EntryKind) -> Schema {
    match kind {
        EntryKind::Volume => schema_for!(Volume),
        EntryKind::Chapter => schema_for!(Chapter),
        EntryKind::Character => schema_for!(Character),
        EntryKind::Relationship => schema_for!(Relationship),
        EntryKind::World => schema_for!(WorldEntry),
        EntryKind::Item => schema_for!(Item),
        EntryKind::Place => schema_for!(Place),
        EntryKind::PlotLoop => schema_for!(PlotLoop),
        EntryKind::Archetype => schema_for!(Archetype),
        EntryKind::StyleSample => schema_for!(StyleSample),
    }
}

fn properties(schema: &Schema) -> BTreeSet<&str> {
    let properties = schema.get("properties").and_then(|it| it.as_object());
    let keys = properties.into_iter().flat_map(|it| it.keys());
    keys.map(String::as_str).collect()
}

fn names(fields: &[Field]) -> BTreeSet<&str> {
    fields.iter().map(|field| field.json).collect()
}

/// The fields of the records of a field.
fn inner(known: &'static [Field], key: &str) -> &'static [Field] {
    let field = known.iter().find(|field| field.key == key);
    match field.map(|field| &field.shape) {
        Some(Shape::Record(inner) | Shape::Records(inner)) => fields(inner),
        other => panic!("`{key}` is {other:?}"),
    }
}

#[test]
fn every_field_of_the_bible_can_be_written() {
    for kind in EntryKind::ALL {
        assert_eq!(names(kind.fields()), properties(&schema(kind)), "{kind:?}");
    }
    assert_eq!(
        names(fields("story")),
        properties(&schema_for!(Description))
    );
    let character = EntryKind::Character.fields();
    let calendar = inner(fields("story"), "calendar");
    for (fields, schema) in [
        (inner(character, "age"), schema_for!(Age)),
        (inner(character, "absences"), schema_for!(Absence)),
        (inner(character, "death"), schema_for!(Death)),
        (
            inner(EntryKind::World.fields(), "rules"),
            schema_for!(WorldRule),
        ),
        (
            inner(EntryKind::Place.fields(), "travel"),
            schema_for!(Travel),
        ),
        (calendar, schema_for!(Calendar)),
        (inner(calendar, "months"), schema_for!(Month)),
    ] {
        assert_eq!(names(fields), properties(&schema));
    }
}
