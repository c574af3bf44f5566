//! Deciding about collections, by example.

use chrono::{DateTime, Utc};
use domain::collection::{CollectionId, Kind};
use domain::decision::Context;
use domain::event::{
    CollectionOpened, Document, DocumentsImported, DocumentsRemoved, SessionErased,
};
use domain::hash::BlobRef;
use domain::pipeline::Pipelines;
use domain::{Collection, Event};
use serde_json::{Value, json};

use super::*;
use crate::Aggregate;

const SMALL: Kind = Kind {
    name: "scraps",
    documents_max: 3,
    document_bytes_max: 10,
    searched: None,
};

fn scraps() -> CollectionId {
    CollectionId {
        kind: SMALL,
        name: "travel".into(),
    }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

fn document(id: &str, content: &str) -> Document {
    Document {
        id: id.into(),
        name: id.to_uppercase(),
        media_type: "text/plain".into(),
        blob: BlobRef::of(content.as_bytes()),
        facts: Value::Null,
    }
}

fn opened() -> Event {
    CollectionOpened {
        kind: "scraps".into(),
        name: "travel".into(),
    }
    .into()
}

fn imported(batch: &str, documents: Vec<Document>) -> Event {
    DocumentsImported {
        batch: batch.into(),
        documents,
        at: now(),
    }
    .into()
}

fn removed(ids: &[&str]) -> Event {
    DocumentsRemoved {
        ids: ids.iter().map(|id| (*id).into()).collect(),
        at: now(),
    }
    .into()
}

/// Given these events, when this is asked: what is decided.
fn ask(given: &[Event], when: CollectionCommand) -> Result<Vec<Event>, CollectionRefusal> {
    let mut before = Collection::default();
    given.iter().for_each(|event| before.evolve(event));
    let change = ChangeCollection {
        collection: scraps(),
        command: when,
    };
    let context = Context {
        now: now(),
        command: [0; 16],
        pipelines: Pipelines::new(vec![]),
    };
    let mut after = before.clone();
    let decided = Aggregate::decide(&mut after, change, &context);
    decided
        .iter()
        .flatten()
        .for_each(|event| before.evolve(event));
    assert_eq!(after, before, "the state after a decision is the fold");
    decided
}

fn put(document: Document) -> CollectionCommand {
    CollectionCommand::Put(PutDocument { document })
}

fn import(documents: Vec<Document>) -> CollectionCommand {
    CollectionCommand::Import(ImportDocuments {
        batch: "first".into(),
        documents,
    })
}

fn remove(ids: &[&str]) -> CollectionCommand {
    let ids = ids.iter().map(|id| (*id).into()).collect();
    CollectionCommand::Remove(RemoveDocuments { ids })
}

#[test]
fn the_first_documents_open_the_collection() {
    let (a, b) = (document("a", "1"), document("b", "2"));
    assert_eq!(
        ask(&[], import(vec![a.clone(), b.clone()])),
        Ok(vec![opened(), imported("first", vec![a, b])])
    );
}

#[test]
fn a_document_is_put_in_the_place_of_the_one_with_its_id() {
    let given = [opened(), imported("first", vec![document("a", "1")])];
    let new = document("a", "2");
    assert_eq!(
        ask(&given, put(new.clone())),
        Ok(vec![imported("", vec![new])])
    );
}

#[test]
fn what_is_there_already_is_not_recorded_again() {
    let given = [opened(), imported("first", vec![document("a", "1")])];
    assert_eq!(ask(&given, put(document("a", "1"))), Ok(vec![]));
    let both = import(vec![document("a", "1"), document("b", "2")]);
    let only_b = imported("first", vec![document("b", "2")]);
    assert_eq!(ask(&given, both), Ok(vec![only_b]));
    let renamed = Document {
        name: "Other".into(),
        ..document("a", "1")
    };
    assert_eq!(
        ask(&given, put(renamed.clone())),
        Ok(vec![imported("", vec![renamed])])
    );
}

#[test]
fn what_is_removed_was_there() {
    let documents = vec![document("a", "1"), document("b", "2")];
    let given = [opened(), imported("first", documents)];
    assert_eq!(
        ask(&given, remove(&["b", "c", "a", "b"])),
        Ok(vec![removed(&["a", "b"])])
    );
    assert_eq!(ask(&given, remove(&["c"])), Ok(vec![]));
    assert_eq!(ask(&[], remove(&["c"])), Ok(vec![]));
}

#[test]
fn a_full_collection_takes_no_other_but_takes_another_content() {
    let full: Vec<_> = ["a", "b", "c"].map(|id| document(id, "1")).into();
    let given = [opened(), imported("first", full)];
    let refused = CollectionRefusal::TooMany {
        documents: 4,
        most: 3,
    };
    assert_eq!(ask(&given, put(document("d", "1"))), Err(refused));
    assert!(ask(&given, put(document("a", "2"))).is_ok());
    let mut less = given.to_vec();
    less.push(removed(&["b"]));
    assert!(ask(&less, put(document("d", "1"))).is_ok());
}

#[test]
fn what_is_not_taken_is_refused_as_a_whole() {
    let good = || document("good", "1");
    let with = |change: fn(&mut Document)| {
        let mut bad = document("bad", "1");
        change(&mut bad);
        ask(&[], import(vec![good(), bad])).map_err(|refusal| refusal.code())
    };
    assert_eq!(with(|d| d.id = "a/b".into()), Err("bad_id"));
    assert_eq!(with(|d| d.id = "..".into()), Err("bad_id"));
    assert_eq!(with(|d| d.id = "x".repeat(129).into()), Err("bad_id"));
    assert_eq!(with(|d| d.name = " ".into()), Err("bad_name"));
    assert_eq!(with(|d| d.name = "a\nb".into()), Err("bad_name"));
    assert_eq!(with(|d| d.name = "x".repeat(201)), Err("bad_name"));
    assert_eq!(
        with(|d| d.media_type = "text".into()),
        Err("bad_media_type")
    );
    assert_eq!(
        with(|d| d.blob = BlobRef::of(b"01234567890")),
        Err("document_too_large")
    );
    assert_eq!(
        with(|d| d.facts = json!("x".repeat(3_000))),
        Err("facts_too_large")
    );
    assert_eq!(with(|d| d.id = "good".into()), Err("id_twice"));
    let many = (0..=BATCH_MAX).map(|n| document(&n.to_string(), "1"));
    let refused = CollectionRefusal::BatchTooLarge {
        documents: BATCH_MAX + 1,
        most: BATCH_MAX,
    };
    assert_eq!(ask(&[], import(many.collect())), Err(refused));
}

#[test]
fn an_import_in_several_parts_is_checked_as_a_whole_before_the_first() {
    let there = vec![document("a", "1"), document("b", "2")];
    let mut collection = Collection::default();
    for event in [opened(), imported("first", there)] {
        collection.evolve(&event);
    }
    let check = |documents: &[Document]| {
        check_import(&collection, &scraps(), documents).map_err(|refusal| refusal.code())
    };
    let mixed = [document("a", "1"), document("b", "3"), document("c", "4")];
    let counts = ImportCounts {
        added: 1,
        replaced: 1,
        unchanged: 1,
    };
    assert_eq!(check(&mixed), Ok(counts));
    let twice = [document("a", "1"), document("a", "2")];
    assert_eq!(check(&twice), Err("id_twice"));
    let many: Vec<_> = (0..=BATCH_MAX)
        .map(|n| document(&n.to_string(), "1"))
        .collect();
    assert_eq!(check(&many), Err("too_many_documents"));
    assert_eq!(check(&[document("a b", "1")]), Err("bad_id"));
    let reason = "enough".to_owned();
    collection.evolve(&SessionErased { reason }.into());
    let erased = check_import(&collection, &scraps(), &[]);
    assert_eq!(erased, Err(CollectionRefusal::Erased));
}

#[test]
fn an_erased_collection_takes_nothing() {
    let reason = "enough".to_owned();
    let given = [opened(), SessionErased { reason }.into()];
    assert_eq!(
        ask(&given, put(document("a", "1"))),
        Err(CollectionRefusal::Erased)
    );
}
