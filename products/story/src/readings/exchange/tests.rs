use palimpsest::prelude::pipeline::event::{EntriesPut, Event, ProjectEvent};
use palimpsest::prelude::resource::project::{BATCH_MAX, Character, Place, Relationship, What};
use proptest::prelude::*;

use super::super::book_tests::{Bible, events, folded, sample_bible, texts};
use super::*;

fn exported() -> Value {
    let bible = sample_bible();
    export(&bible.project, &bible.texts).unwrap()
}

fn imported(document: &Value) -> Project {
    folded(&read(document).unwrap().whole().events(DateTime::UNIX_EPOCH))
}

#[test]
fn a_project_comes_back_as_it_was() {
    let bible = sample_bible();
    let document = export(&bible.project, &bible.texts).unwrap();
    let again = imported(&document);
    assert_eq!(export(&again, &bible.texts).unwrap(), document);
    let entries = |project: &Project| -> Vec<Entry> {
        let kept = project.entries.values();
        kept.map(|kept| kept.entry.clone()).collect()
    };
    assert_eq!(entries(&again), entries(&bible.project));
    assert_eq!(again.facts, bible.project.facts);
    assert_eq!(again.prose, bible.project.prose);
    assert_eq!(again.description, bible.project.description);
}

#[test]
fn entries_may_refer_to_each_other_in_circles() {
    let place = |within: &str| {
        What::Place(Place {
            within: Some(within.into()),
            ..Place::default()
        })
    };
    let twin = |other: &str| {
        What::Character(Character {
            twins: vec![other.into()],
            ..Character::default()
        })
    };
    let relationship = What::Relationship(Relationship {
        source: "a".into(),
        target: "a".into(),
        ..Relationship::default()
    });
    let bible = Bible::with_chapters(0)
        .put("p", place("q"))
        .put("q", place("p"))
        .put("a", twin("b"))
        .put("b", twin("a"))
        .put("r", relationship)
        .put("lost", place("nowhere"));
    let document = export(&bible.project, &bible.texts).unwrap();
    assert_eq!(imported(&document).entries.len(), 6);
}

#[test]
fn a_text_that_is_not_at_hand_is_told_and_not_left_out() {
    let mut bible = sample_bible();
    bible.texts.remove(&("c2".into(), 1));
    assert_eq!(
        export(&bible.project, &bible.texts),
        Err(TextMissing {
            chapter: "c2".into(),
            version: 1,
        })
    );
}

#[test]
fn what_does_not_fit_is_named_by_its_place() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut document = exported();
        change(&mut document);
        read(&document).unwrap_err().to_string()
    };
    let long = "长".repeat(201);
    for (change, says) in [
        (
            &(|it: &mut Value| it["format"] = json!("x")) as &dyn Fn(&mut Value),
            "the document is not of the format `palimpsest-story`",
        ),
        (
            &|it| it["formatVersion"] = json!(2),
            "the document has version 2 of its format; this program reads up to version 1",
        ),
        (
            &|it| it["entries"] = json!({}),
            "`entries` cannot be read: it is not a list",
        ),
        (
            &|it| it["entries"][3]["kind"] = json!("spell"),
            "`entries[3]` cannot be read: unknown variant `spell`",
        ),
        (
            &|it| it["entries"][3]["id"] = it["entries"][2]["id"].clone(),
            "`entries[3]` has the id `c3`, which is empty or there twice",
        ),
        (
            &|it| it["entries"][0]["title"] = json!(long),
            "`entries[0].name` is too long: 201 characters, of 200 that there may be",
        ),
        (
            &|it| it["entries"][0]["summary"] = json!("x".repeat(70_000)),
            "`entries[0]` is too long: 70",
        ),
        (
            &|it| it["chapters"][0]["id"] = json!("lin"),
            "`chapters[0]` is of `lin`, which is no chapter of the document",
        ),
        (
            &|it| it["chapters"][0]["accepted"] = json!(7),
            "`chapters[0].accepted` names version 7, which the chapter does not have",
        ),
        (
            &|it| it["chapters"][1]["versions"][0]["version"] = json!(0),
            "`chapters[1].versions[0]` has version 0; versions count up from 1",
        ),
        (
            &|it| it["chapters"][1]["facts"][0]["id"] = json!("f1"),
            "`chapters[1].facts[0]` has the id `f1`, which is empty or there twice",
        ),
        (
            &|it| it["chapters"][0]["versions"][0]["text"] = json!("x".repeat(1_048_577)),
            "`chapters[0].versions[0].text` is too long: 1048577 bytes",
        ),
        (
            &|it| it["findings"] = json!([{"key": "k", "waived": true}]),
            "`findings[0]` cannot be read: missing field `reason`",
        ),
    ] {
        let told = refused(change);
        assert!(told.starts_with(says), "{told}");
    }
}

#[test]
fn many_entries_come_in_several_events() {
    let mut bible = Bible::with_chapters(0);
    for number in 0..=BATCH_MAX {
        bible = bible.put(&format!("p{number}"), What::Place(Place::default()));
    }
    let document = export(&bible.project, &bible.texts).unwrap();
    let events = read(&document).unwrap().whole();
    let events = events.events(DateTime::UNIX_EPOCH);
    let is_put = |event: &&Event| matches!(event, Event::Project(ProjectEvent::EntriesPut(_)));
    assert_eq!(events.iter().filter(is_put).count(), 2);
}

/// The project after only those events that commands could have caused, given the events before each.
fn sensible(events: Vec<Event>) -> Project {
    let mut project = Project::default();
    for event in events {
        if could_happen(&project, &event) {
            project.evolve(&event);
        }
    }
    project
}

fn could_happen(project: &Project, event: &Event) -> bool {
    let Event::Project(event) = event else {
        return false;
    };
    let has = |chapter: &EntryId, version: u32| {
        let prose = project.prose.get(chapter);
        prose.is_some_and(|prose| prose.version(version).is_some())
    };
    match event {
        ProjectEvent::ProjectDescribed(_) | ProjectEvent::EntriesRemoved(_) => true,
        ProjectEvent::FactsJudged(_) => true,
        ProjectEvent::FindingsSettled(e) => e.findings.iter().all(|it| !it.key.is_empty()),
        // An entry never changes its kind.
        ProjectEvent::EntriesPut(e) => {
            let mut then = project.clone();
            for entry in &e.entries {
                let kind = then.entry(&entry.id).map(|it| it.what.kind());
                if kind.is_some_and(|kind| kind != entry.what.kind()) {
                    return false;
                }
                let entries = vec![entry.clone()];
                let put = EntriesPut {
                    entries,
                    why: String::new(),
                    at: e.at,
                };
                then.evolve(&put.into());
            }
            true
        }
        ProjectEvent::VersionSaved(e) => {
            let saved = project.prose.get(&e.chapter).map_or(0, |prose| prose.saved);
            project.chapter(&e.chapter).is_some() && e.version > saved
        }
        ProjectEvent::VersionAccepted(e) => has(&e.chapter, e.version),
        ProjectEvent::FactsFound(e) => {
            // An id is never used for facts of two chapters, nor twice.
            let is_free = |fact: &Fact| {
                let known = project.facts.get(&fact.id);
                known.is_none_or(|known| known.chapter == e.chapter)
            };
            let mut ids: Vec<&str> = e.facts.iter().map(|fact| fact.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            has(&e.chapter, e.version) && e.facts.iter().all(is_free) && ids.len() == e.facts.len()
        }
        ProjectEvent::VersionRemoved(e) => {
            let prose = project.prose.get(&e.chapter);
            prose.is_some_and(|prose| {
                let draft = prose.draft().map(|draft| draft.version);
                prose.accepted != Some(e.version) && draft != Some(e.version)
            })
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn export_import_and_export_give_the_same_document(events in events()) {
        let project = sensible(events);
        let texts = texts(&project);
        let document = export(&project, &texts).unwrap();
        let again = imported(&document);
        prop_assert_eq!(export(&again, &texts).unwrap(), document);
        prop_assert_eq!(&again.facts, &project.facts);
        prop_assert_eq!(&again.settled, &project.settled);
        prop_assert_eq!(&again.description, &project.description);
        let entries = |project: &Project| -> Vec<Entry> {
            project.entries.values().map(|kept| kept.entry.clone()).collect()
        };
        prop_assert_eq!(entries(&again), entries(&project));
    }

    #[test]
    fn no_document_is_too_odd(events in events(), at in any::<prop::sample::Index>(), with in 0_usize..5) {
        let project = sensible(events);
        let mut document = export(&project, &texts(&project)).unwrap();
        let mut places = vec![];
        pointers(&document, String::new(), &mut places);
        let place = &places[at.index(places.len())];
        let odd = [json!(null), json!(-1), json!("x"), json!([]), json!({"id": "c1"})];
        *document.pointer_mut(place).unwrap() = odd[with].clone();
        if let Ok(exchange) = read(&document) {
            folded(&exchange.whole().events(DateTime::UNIX_EPOCH));
        }
    }
}

/// Every place of a document.
fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        for (name, value) in fields {
            let name = name.replace('~', "~0").replace('/', "~1");
            pointers(value, format!("{at}/{name}"), found);
        }
    }
    if let Value::Array(elements) = value {
        for (n, element) in elements.iter().enumerate() {
            pointers(element, format!("{at}/{n}"), found);
        }
    }
    found.push(at);
}
