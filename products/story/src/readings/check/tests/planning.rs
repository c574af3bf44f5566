//! A scene before it is written.

use palimpsest::prelude::resource::project::{
    Absence, Character, Fact, Judged, Learned, Place, Quote, Says,
};

use super::{Draft, after_a_death};
use crate::readings::check::{PlannedScene, Severity, preflight};

fn scene(order: i64, cast: &[&str]) -> PlannedScene {
    PlannedScene {
        chapter_order: order,
        cast: cast.iter().map(|id| (*id).into()).collect(),
        ..PlannedScene::default()
    }
}

#[test]
fn the_dead_are_in_no_scene() {
    for language in ["zh", "en"] {
        let book = after_a_death(language).chapter(2, "").book();
        let found = preflight(&book, &scene(2, &["dead", "other"]));
        assert!(!found.can_proceed);
        assert_eq!(found.issues.len(), 1);
        assert_eq!(found.issues[0].field_path.as_deref(), Some("death"));
        assert!(
            preflight(&book, &scene(1, &["dead", "other"]))
                .issues
                .is_empty()
        );
    }
}

#[test]
fn chapters_are_counted_from_1_and_scenes_follow_each_other() {
    let book = Draft::in_language("en").book();
    assert!(!preflight(&book, &scene(0, &[])).can_proceed);
    let timed = |time: &str, before: &str| PlannedScene {
        time: Some(time.into()),
        previous_time: Some(before.into()),
        ..scene(1, &[])
    };
    for (time, before) in [
        ("1923-03-11", "1923-03-12"),
        ("08:00", "09:30"),
        ("1923-03-12 08:00", "1923-03-12 09:00"),
    ] {
        let found = preflight(&book, &timed(time, before));
        assert_eq!(found.issues.len(), 1, "{time}");
        assert!(found.can_proceed);
        assert_eq!(found.issues[0].severity, Severity::Warning);
    }
    for (time, before) in [
        ("1923-03-12", "1923-03-12"),
        ("10:00", "09:30"),
        ("08:00", "1923-03-12 09:00"),
        ("dusk", "dawn"),
    ] {
        assert!(
            preflight(&book, &timed(time, before)).issues.is_empty(),
            "{time}"
        );
    }
}

#[test]
fn whoever_is_elsewhere_or_away_is_told_of() {
    let absence = Absence {
        from: "c1".into(),
        until: None,
        reason: "at sea".into(),
    };
    let character = Character {
        name: "Mara".into(),
        absences: vec![absence],
        ..Character::default()
    };
    let place = |name: &str| Place {
        name: name.into(),
        ..Place::default()
    };
    let mut draft = Draft::in_language("en")
        .person("a", character)
        .named("b", "Tobias")
        .place("p", place("Northwick"))
        .place("q", place("Southport"))
        .chapter(1, "Tobias was in Northwick.");
    let learned = Learned {
        fact: Fact {
            id: "f".into(),
            says: Says::Presence {
                character: "b".into(),
                place: "p".into(),
            },
            quote: Quote::default(),
            by: None,
        },
        chapter: "c1".into(),
        version: 1,
        by: "rules".into(),
        judged: Judged::Taken,
    };
    draft.project.facts.insert("f".into(), learned);
    let book = draft.book();
    let at = |place: &str| PlannedScene {
        place: Some(place.into()),
        ..scene(2, &["a", "b", "nobody"])
    };
    let found = preflight(&book, &at("Southport"));
    assert!(found.can_proceed);
    let told: Vec<_> = found
        .issues
        .iter()
        .map(|it| it.field_path.as_deref().unwrap_or_default())
        .collect();
    assert_eq!(told, ["absences", "place", "cast"]);
    assert_eq!(preflight(&book, &at("p")).issues.len(), 2);
}
