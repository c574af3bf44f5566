//! The two novels that stand in the repository, and the lists of what is wrong in them: every text that a list quotes stands in its
//! book, once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use domain::story::folder::{FolderRead, read};
use serde::Deserialize;
use serde_json::Value;

use crate::support::root;

/// What is wrong in a book, and what only looks wrong.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedFaults {
    language: String,
    folder: String,
    contradiction: Vec<PlantedContradiction>,
    trap: Vec<PlantedTrap>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedContradiction {
    id: String,
    kind: String,
    /// The chapter that it is in; none where the bible alone contradicts itself.
    chapter: Option<String>,
    sentence: Option<String>,
    /// What it contradicts; none where the fault is that there is nothing.
    against: Option<Against>,
    rule_visible: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Against {
    Sentence {
        chapter: String,
        sentence: String,
    },
    Field {
        entry: String,
        field: String,
        value: Value,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedTrap {
    kind: String,
    chapter: String,
    sentence: String,
}

fn faults(book: &str) -> PlantedFaults {
    let path = root().join(format!("tests/stories/{book}.expected.toml"));
    let text = std::fs::read_to_string(path).expect("a list");
    toml::from_str(&text).expect("a list of faults")
}

fn book(faults: &PlantedFaults) -> FolderRead {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        for file in std::fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                walk(&path, root, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            let path = path.strip_prefix(root).expect("it is inside");
            found.push((path.to_string_lossy().into_owned(), text));
        }
    }
    let folder = root().join(&faults.folder);
    let mut found = Vec::new();
    walk(&folder, &folder, &mut found);
    read(&found)
}

#[track_caller]
fn assert_stands(book: &FolderRead, chapter: &str, sentence: &str) {
    let text = book.texts.iter().find(|it| it.chapter.as_str() == chapter);
    let text = text.unwrap_or_else(|| panic!("no chapter `{chapter}`"));
    let count = text.text.matches(sentence).count();
    assert_eq!(count, 1, "`{sentence}` in `{chapter}`");
}

#[track_caller]
fn assert_has(book: &FolderRead, entry: &str, field: &str, value: &Value) {
    let found = book.entries.iter().find(|it| it.id.as_str() == entry);
    let found = found.unwrap_or_else(|| panic!("no entry `{entry}`"));
    let json = serde_json::to_value(found).expect("JSON");
    assert_eq!(json.pointer(field), Some(value), "{entry}{field}");
}

fn check(name: &str, least: usize) {
    let faults = faults(name);
    let book = book(&faults);
    assert_eq!(book.description.language, faults.language);
    assert!(
        faults.contradiction.len() >= least,
        "{}",
        faults.contradiction.len()
    );
    let ids: BTreeSet<&str> = faults
        .contradiction
        .iter()
        .map(|it| it.id.as_str())
        .collect();
    assert_eq!(ids.len(), faults.contradiction.len(), "ids are unique");
    for planted in &faults.contradiction {
        match (&planted.chapter, &planted.sentence) {
            (Some(chapter), Some(sentence)) => assert_stands(&book, chapter, sentence),
            (None, None) => assert_eq!(planted.kind, "missing_reverse"),
            one => panic!("{} has half a place: {one:?}", planted.id),
        }
        match &planted.against {
            Some(Against::Sentence { chapter, sentence }) => {
                assert_stands(&book, chapter, sentence)
            }
            Some(Against::Field {
                entry,
                field,
                value,
            }) => assert_has(&book, entry, field, value),
            None => assert_eq!(planted.kind, "unknown_name"),
        }
    }
    let by_reading = faults.contradiction.iter().filter(|it| !it.rule_visible);
    assert_eq!(by_reading.count(), 1, "one fault needs a reader");
    let mut kinds = BTreeMap::new();
    for trap in &faults.trap {
        assert_stands(&book, &trap.chapter, &trap.sentence);
        *kinds.entry(trap.kind.as_str()).or_insert(0) += 1;
    }
    let expected = [
        "dead_spoken_of",
        "dream",
        "flashback",
        "lie",
        "metaphorical_death",
        "nickname",
        "old_date",
        "quoted_rule",
        "seeming_colour",
        "twins",
    ];
    assert_eq!(kinds, BTreeMap::from(expected.map(|kind| (kind, 1))));
}

#[test]
fn what_is_planted_in_the_chinese_novel_stands_in_it() {
    check("harbour", 10);
}

#[test]
fn what_is_planted_in_the_english_novel_stands_in_it() {
    check("lighthouse", 12);
}

#[test]
fn the_third_chapter_of_the_example_has_two_faults_in_its_prose() {
    let faults = faults("harbour");
    let book = book(&faults);
    let third = book.entries.iter().find(|entry| {
        let chapter = entry.what.as_chapter();
        chapter.is_some_and(|chapter| chapter.order == 3)
    });
    let third = third.map(|entry| entry.id.as_str());
    let in_third = faults
        .contradiction
        .iter()
        .filter(|it| it.chapter.as_deref() == third);
    assert!(in_third.count() >= 2);
}
