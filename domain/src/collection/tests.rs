//! What collections are after their events.

use chrono::DateTime;
use serde_json::Value;

use super::*;
use crate::event::{CollectionOpened, DocumentsRemoved, SessionErased};
use crate::hash::BlobRef;
use crate::streams::{reserved_prefix, work_session};

fn document(id: &str, name: &str) -> Document {
    Document {
        id: id.into(),
        name: name.to_owned(),
        media_type: "text/markdown".to_owned(),
        blob: BlobRef::of(name.as_bytes()),
        facts: Value::Null,
    }
}

fn imported(second: i64, documents: Vec<Document>) -> Event {
    DocumentsImported {
        batch: String::new(),
        documents,
        at: DateTime::from_timestamp(second, 0).unwrap(),
    }
    .into()
}

fn folded(events: &[Event]) -> Collection {
    let mut collection = Collection::default();
    events.iter().for_each(|event| collection.evolve(event));
    collection
}

#[test]
fn a_document_takes_the_place_of_the_one_with_its_id() {
    let opened = CollectionOpened {
        kind: "scraps".into(),
        name: String::new(),
    };
    let collection = folded(&[
        opened.into(),
        imported(1, vec![document("a", "Weekly"), document("b", "Monthly")]),
        imported(2, vec![document("a", "Yearly")]),
    ]);
    assert_eq!((collection.version, collection.documents.len()), (3, 2));
    let name = |id| collection.find(Some(id), None).map(|e| &*e.document.name);
    assert_eq!((name("a"), name("b")), (Some("Yearly"), Some("Monthly")));
}

#[test]
fn a_document_is_found_by_its_id_first_and_then_by_its_exact_name() {
    let collection = folded(&[
        imported(1, vec![document("a", "Weekly"), document("Weekly", "b")]),
        imported(2, vec![document("c", "Weekly")]),
        imported(3, vec![document("d", "weekly")]),
    ]);
    let found = |id, name| collection.find(id, name).map(|e| e.document.id.as_str());
    assert_eq!(found(Some("Weekly"), None), Some("Weekly"));
    assert_eq!(found(Some("a"), Some("weekly")), Some("a"));
    assert_eq!(found(Some("none"), Some("Weekly")), Some("c"));
    assert_eq!(found(None, Some("Week")), None);
    assert_eq!(found(None, None), None);
}

#[test]
fn what_is_removed_or_erased_is_not_there() {
    let ids = vec!["a".into(), "never".into()];
    let at = DateTime::from_timestamp(3, 0).unwrap();
    let mut events = vec![
        imported(1, vec![document("a", "A"), document("b", "B")]),
        DocumentsRemoved { ids, at }.into(),
    ];
    let left: Vec<_> = folded(&events).documents.into_keys().collect();
    assert_eq!(left, ["b".into()]);
    let reason = "enough".to_owned();
    events.push(SessionErased { reason }.into());
    let collection = folded(&events);
    assert!(collection.erased && collection.documents.is_empty());
}

fn kind(name: &'static str) -> Kind {
    Kind {
        name,
        documents_max: 3,
        document_bytes_max: 10,
        searched: None,
    }
}

#[test]
fn a_collection_is_a_stream_that_no_session_can_be() {
    let only = CollectionId::only(kind("scraps")).stream();
    assert_eq!(only.as_str(), "collection:scraps");
    let named = CollectionId {
        kind: kind("shells"),
        name: "travel".into(),
    };
    assert_eq!(named.stream().as_str(), "collection:shells:travel");
    for stream in [&only, &named.stream()] {
        assert_eq!(reserved_prefix(stream), Some("collection:"));
        assert_eq!(kind_of_stream(&work_session(stream)), None);
    }
    assert_eq!(kind_of_stream(&only), Some("scraps"));
    assert_eq!(kind_of_stream(&named.stream()), Some("shells"));
    assert_eq!(kind_of_stream(&"scraps".into()), None);
}

#[test]
fn kinds_of_one_name_and_names_that_fit_no_stream_are_refused() {
    let kinds = |names: &[&'static str]| Kinds::new(names.iter().copied().map(kind));
    let both = kinds(&["scraps", "shells"]).unwrap();
    let found = |name| both.find(name).map(|kind| kind.name);
    assert_eq!((found("shells"), found("stones")), (Some("shells"), None));
    let twice = kinds(&["scraps", "shells", "scraps"]).map(|_| ());
    assert_eq!(twice, Err(BadKind::Twice { name: "scraps" }));
    for name in ["", "my:scraps", "my/scraps", "Scraps", "my scraps"] {
        assert_eq!(kinds(&[name]).map(|_| ()), Err(BadKind::Name { name }));
    }
}
