//! Every storage format that was ever written can still be read.
//!
//! `golden/events/<Name>.v<schema>.json` is a payload with every field that it can have; it is never changed once it has
//! been released. `golden/schemas.json` has the hash of each payload's JSON Schema: when one differs, a storage format has
//! changed. A field that may be absent is an addition: run the test with `UPDATE_GOLDEN=1` and add the field to the payload.
//! Anything else needs a new schema version, an upcaster, and a payload of the new version beside the old one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use domain::event::Event;
use domain::hash::Sha256;
use serde_json::Value;

use crate::support::root;

fn folder() -> PathBuf {
    root().join("tests/golden")
}

fn read(path: &std::path::Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every payload with its name and schema version.
fn payloads() -> Vec<(String, u32, Value)> {
    let files = std::fs::read_dir(folder().join("events")).expect("golden payloads");
    let mut payloads: Vec<_> = files
        .map(|file| {
            let path = file.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let (event, version) = name
                .strip_suffix(".json")
                .and_then(|name| name.split_once(".v"))
                .expect("<Name>.v<schema>.json");
            (
                event.to_owned(),
                version.parse().expect("a number"),
                read(&path),
            )
        })
        .collect();
    payloads.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    payloads
}

#[test]
fn every_event_of_every_version_has_a_payload_that_is_still_read() {
    let payloads = payloads();
    let known: BTreeSet<(&str, u32)> = payloads
        .iter()
        .map(|(name, schema, _)| (name.as_str(), *schema))
        .collect();
    for (name, current) in Event::ALL {
        for schema in 1..=*current {
            assert!(
                known.contains(&(*name, schema)),
                "golden/events/{name}.v{schema}.json is missing"
            );
        }
    }
    for (name, schema, payload) in &payloads {
        let event = Event::decode(name, *schema, payload.to_string().as_bytes())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(event.name(), name);
        if event.schema() == *schema {
            let again: Value = serde_json::from_slice(&event.encode()).expect("an event is JSON");
            assert_eq!(again, *payload, "{name}: reading and writing changes it");
        }
    }
}

#[test]
fn a_payload_has_every_field_that_its_event_can_have() {
    let current: BTreeMap<&str, u32> = Event::ALL.iter().copied().collect();
    let schemas: BTreeMap<&str, Value> = Event::json_schemas()
        .into_iter()
        .map(|(name, schema)| (name, schema.to_value()))
        .collect();
    for (name, schema, payload) in payloads() {
        if current.get(name.as_str()) != Some(&schema) {
            continue;
        }
        let fields = schemas[name.as_str()]["properties"]
            .as_object()
            .expect("an event has fields");
        let missing: Vec<_> = fields
            .keys()
            .filter(|field| payload.get(field.as_str()).is_none())
            .collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

#[test]
fn no_storage_format_changes_unnoticed() {
    let path = folder().join("schemas.json");
    let current: BTreeMap<&str, u32> = Event::ALL.iter().copied().collect();
    let now: BTreeMap<String, String> = Event::json_schemas()
        .into_iter()
        .map(|(name, schema)| {
            let mut schema = schema.to_value();
            forget_words(&mut schema);
            (
                format!("{name}.v{}", current[name]),
                Sha256::of(sorted(&schema).as_bytes()).to_string(),
            )
        })
        .collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let text = serde_json::to_string_pretty(&now).expect("texts are JSON") + "\n";
        std::fs::write(&path, text).expect("the file can be written");
    }
    let known: BTreeMap<String, String> =
        serde_json::from_value(read(&path)).expect("hashes by name");
    let changed: Vec<_> = now
        .iter()
        .filter(|(name, hash)| known.get(*name) != Some(*hash))
        .map(|(name, _)| name)
        .collect();
    assert!(
        changed.is_empty(),
        "the storage format of {changed:?} has changed; the top of this file says what to do"
    );
    let gone: Vec<_> = known
        .keys()
        .filter(|name| !now.contains_key(*name) && name.ends_with(".v1"))
        .collect();
    let gone: Vec<_> = gone
        .into_iter()
        .filter(|name| !current.contains_key(name.trim_end_matches(".v1")))
        .collect();
    assert!(
        gone.is_empty(),
        "events that are in logs for ever are gone: {gone:?}"
    );
}

/// Descriptions are no part of the format.
fn forget_words(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("description").is_some_and(Value::is_string) {
                fields.shift_remove("description");
            }
            fields.values_mut().for_each(forget_words);
        }
        Value::Array(all) => all.iter_mut().for_each(forget_words),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One text for equal schemas: the order of fields is no part of the format.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields
                .iter()
                .map(|(name, value)| (name, sorted(value)))
                .collect();
            format!("{fields:?}")
        }
        Value::Array(all) => format!("{:?}", all.iter().map(sorted).collect::<Vec<_>>()),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            other.to_string()
        }
    }
}
