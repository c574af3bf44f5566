//! The fold of a project: given these events, then this state.

use super::*;
use crate::event::{
    EntriesPut, EntriesRemoved, FactsFound, FactsJudged, FindingsSettled, ProjectDescribed,
    SessionErased, VersionAccepted, VersionRemoved,
};

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn described(title: &str, second: i64) -> Event {
    let description = Description {
        title: title.to_owned(),
        ..Description::default()
    };
    ProjectDescribed {
        description: Box::new(description),
        why: String::new(),
        at: at(second),
    }
    .into()
}

fn put(id: &str, what: What, second: i64) -> Event {
    let entry = Entry {
        id: id.into(),
        standing: Standing::Fact,
        pinned: false,
        what,
    };
    EntriesPut {
        entries: vec![entry],
        why: String::new(),
        at: at(second),
    }
    .into()
}

fn chapter(id: &str, volume: Option<&str>, order: u32) -> Event {
    let chapter = Chapter {
        title: id.to_owned(),
        volume: volume.map(EntryId::from),
        order,
        ..Chapter::default()
    };
    put(id, What::Chapter(chapter), 1)
}

fn volume(id: &str, order: u32) -> Event {
    let volume = Volume {
        order,
        ..Volume::default()
    };
    put(id, What::Volume(volume), 1)
}

fn saved(chapter: &str, version: u32, second: i64) -> Event {
    VersionSaved {
        chapter: chapter.into(),
        version,
        text: BlobRef::of(format!("{chapter} {version}").as_bytes()),
        words: u64::from(version) * 10,
        trigger: Trigger::AutoSave,
        description: String::new(),
        at: at(second),
    }
    .into()
}

fn accepted(chapter: &str, version: u32) -> Event {
    VersionAccepted {
        chapter: chapter.into(),
        version,
        at: at(5),
    }
    .into()
}

fn death(id: &str, who: &str, sentence: &str, start: usize) -> Fact {
    Fact {
        id: id.to_owned(),
        says: Says::Death {
            character: who.into(),
        },
        quote: Quote {
            text: sentence.to_owned(),
            start,
        },
        by: None,
    }
}

fn found(chapter: &str, version: u32, facts: Vec<Fact>) -> Event {
    FactsFound {
        chapter: chapter.into(),
        version,
        facts,
        by: "rules".to_owned(),
        remarks: vec![],
        at: at(6),
    }
    .into()
}

fn judged(taken: &[&str], refused: &[&str]) -> Event {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    FactsJudged {
        taken: ids(taken),
        refused: ids(refused),
        at: at(7),
    }
    .into()
}

fn given(events: &[Event]) -> Project {
    let mut project = Project::default();
    for event in events {
        project.evolve(event);
    }
    project
}

#[test]
fn the_first_description_begins_a_project_and_a_later_one_changes_it() {
    assert!(!Project::default().exists());
    let project = given(&[described("one", 3), described("two", 9)]);
    assert!(project.exists());
    assert_eq!(project.description.title, "two");
    assert_eq!((project.created, project.changed), (at(3), at(9)));
    assert_eq!((project.version, project.described), (2, 2));
}

#[test]
fn an_entry_that_is_put_again_takes_the_place_of_the_one_before() {
    let place = |name: &str| {
        What::Place(Place {
            name: name.to_owned(),
            ..Place::default()
        })
    };
    let project = given(&[
        described("t", 1),
        put("p", place("old"), 2),
        put("q", place("other"), 3),
        put("p", place("new"), 4),
    ]);
    let kept = &project.entries[&"p".into()];
    assert_eq!(kept.entry.what.name(), "new");
    assert_eq!(
        (kept.version, kept.created, kept.changed),
        (4, at(2), at(4))
    );
    assert_eq!(project.entries[&"q".into()].version, 3);
}

#[test]
fn chapters_are_read_volume_after_volume_and_those_without_one_first() {
    let project = given(&[
        described("t", 1),
        volume("late", 2),
        volume("early", 1),
        chapter("a", Some("late"), 1),
        chapter("b", Some("early"), 9),
        chapter("c", Some("early"), 3),
        chapter("d", None, 7),
        // A chapter whose volume does not exist counts as being in no volume.
        chapter("e", Some("gone"), 1),
        chapter("f", None, 7),
    ]);
    let order: Vec<&str> = project
        .chapters()
        .iter()
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(order, ["e", "d", "f", "c", "b", "a"]);
    assert_eq!(project.number(&"c".into()), Some(4));
    assert_eq!(project.number(&"late".into()), None);
    assert_eq!(project.chapter(&"b".into()).map(|it| it.order), Some(9));
    assert_eq!(project.chapter(&"early".into()), None);
}

#[test]
fn a_chapter_that_moves_keeps_its_prose() {
    let mut events = vec![
        described("t", 1),
        volume("v", 1),
        chapter("a", None, 1),
        chapter("b", None, 2),
        saved("a", 1, 4),
    ];
    assert_eq!(given(&events).number(&"a".into()), Some(1));
    events.push(chapter("a", Some("v"), 1));
    let project = given(&events);
    assert_eq!(project.number(&"a".into()), Some(2));
    assert_eq!(
        project.prose[&"a".into()].draft().map(|it| it.words),
        Some(10)
    );
}

#[test]
fn the_newest_version_is_the_draft_and_numbers_are_not_given_twice() {
    let removed = VersionRemoved {
        chapter: "a".into(),
        version: 2,
        at: at(8),
    };
    let project = given(&[
        described("t", 1),
        chapter("a", None, 1),
        saved("a", 1, 2),
        saved("a", 2, 3),
        saved("a", 3, 4),
        accepted("a", 1),
        removed.into(),
    ]);
    let prose = &project.prose[&"a".into()];
    assert_eq!(
        prose.draft().map(|it| (it.version, it.at)),
        Some((3, at(4)))
    );
    assert_eq!(prose.accepted().map(|it| it.version), Some(1));
    assert_eq!(prose.version(2), None);
    assert_eq!(prose.saved, 3);
    assert_eq!(project.changed, at(8));
}

#[test]
fn an_accepted_version_is_unread_until_facts_are_found_in_it() {
    let mut project = given(&[described("t", 1), chapter("a", None, 1), saved("a", 1, 2)]);
    let unread = |project: &Project| project.prose[&"a".into()].is_unread();
    assert!(!unread(&project), "a draft is not read");
    project.evolve(&accepted("a", 1));
    assert!(unread(&project));
    project.evolve(&found("a", 1, vec![]));
    assert!(!unread(&project));
    project.evolve(&saved("a", 2, 3));
    project.evolve(&accepted("a", 2));
    assert!(unread(&project));
}

#[test]
fn facts_hold_once_they_are_taken_and_not_once_they_are_refused() {
    let project = given(&[
        described("t", 1),
        chapter("a", None, 1),
        saved("a", 1, 2),
        accepted("a", 1),
        found(
            "a",
            1,
            vec![
                death("f1", "x", "X died.", 0),
                death("f2", "y", "Y died.", 8),
                death("f3", "z", "Z died.", 16),
            ],
        ),
        judged(&["f1", "unknown"], &["f2"]),
    ]);
    let said: Vec<Judged> = project.facts.values().map(|it| it.judged).collect();
    assert_eq!(said, [Judged::Taken, Judged::Refused, Judged::New]);
    assert_eq!(project.facts["f1"].chapter, "a".into());
    assert_eq!(project.facts["f1"].by, "rules");
}

#[test]
fn what_is_said_again_in_the_same_words_keeps_what_was_said_of_it() {
    let project = given(&[
        described("t", 1),
        chapter("a", None, 1),
        chapter("b", None, 2),
        found(
            "a",
            1,
            vec![
                death("f1", "x", "X died.", 0),
                death("f2", "y", "Y died.", 8),
                death("f3", "z", "Z died.", 16),
            ],
        ),
        found("b", 1, vec![death("g", "w", "W died.", 0)]),
        judged(&["f1", "f2", "g"], &["f3"]),
        found(
            "a",
            2,
            vec![
                // The same words at another place and under another id; then other words; then the words that were refused before.
                death("h1", "x", "X died.", 40),
                death("h2", "y", "Y died at last.", 48),
                death("h3", "z", "Z died.", 70),
            ],
        ),
    ]);
    let said: Vec<(&str, Judged, u32)> = project
        .facts
        .iter()
        .map(|(id, it)| (id.as_str(), it.judged, it.version))
        .collect();
    assert_eq!(
        said,
        [
            ("g", Judged::Taken, 1),
            ("h1", Judged::Taken, 2),
            ("h2", Judged::New, 2),
            ("h3", Judged::Refused, 2),
        ]
    );
    assert_eq!(project.facts["h1"].fact.quote.start, 40);
}

#[test]
fn the_same_words_about_somebody_else_are_another_fact() {
    let project = given(&[
        described("t", 1),
        found("a", 1, vec![death("f1", "x", "She died.", 0)]),
        judged(&["f1"], &[]),
        found("a", 2, vec![death("f1", "y", "She died.", 0)]),
    ]);
    assert_eq!(project.facts["f1"].judged, Judged::New);
}

#[test]
fn with_a_chapter_go_its_versions_and_what_was_learned_from_it() {
    let removed = EntriesRemoved {
        ids: vec!["a".into(), "nobody".into()],
        why: String::new(),
        at: at(9),
    };
    let project = given(&[
        described("t", 1),
        chapter("a", None, 1),
        chapter("b", None, 2),
        saved("a", 1, 2),
        saved("b", 1, 3),
        found("a", 1, vec![death("f1", "x", "X died.", 0)]),
        found("b", 1, vec![death("f2", "y", "Y died.", 0)]),
        removed.into(),
    ]);
    let ids = |ids: Vec<&EntryId>| ids.into_iter().map(EntryId::to_string).collect::<Vec<_>>();
    assert_eq!(ids(project.entries.keys().collect()), ["b"]);
    assert_eq!(ids(project.prose.keys().collect()), ["b"]);
    assert_eq!(project.facts.keys().collect::<Vec<_>>(), ["f2"]);
    assert_eq!(project.changed, at(9));
}

#[test]
fn the_last_word_on_a_finding_counts() {
    let settled = |waived, reason: &str| -> Event {
        let finding = Settled {
            key: "k".to_owned(),
            waived,
            reason: reason.to_owned(),
        };
        FindingsSettled {
            findings: vec![finding],
            at: at(4),
        }
        .into()
    };
    let project = given(&[
        described("t", 1),
        settled(true, "a dream"),
        settled(false, "mended"),
    ]);
    assert_eq!(project.settled.len(), 1);
    assert_eq!(project.settled["k"].reason, "mended");
    assert!(!project.settled["k"].waived);
}

#[test]
fn of_an_erased_project_only_its_version_is_left() {
    let mut project = given(&[
        described("t", 1),
        chapter("a", None, 1),
        saved("a", 1, 2),
        found("a", 1, vec![death("f1", "x", "X died.", 0)]),
    ]);
    let erased = SessionErased {
        reason: "asked for".to_owned(),
    };
    project.evolve(&erased.into());
    assert_eq!(
        project,
        Project {
            version: 5,
            erased: true,
            ..Project::default()
        }
    );
}
