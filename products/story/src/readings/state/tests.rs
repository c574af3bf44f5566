use palimpsest::prelude::resource::project::{Absence, Age};

use super::super::book_tests::{Bible, chapter_id, sample};
use super::*;

fn value(state: &EntityState, path: &str) -> (String, usize, String) {
    let it = &state.values[path];
    let origin = &it.origin;
    (
        it.value.clone(),
        origin.chapter_order,
        origin.source_text.clone(),
    )
}

fn said(value: &str, chapter: usize, sentence: &str) -> (String, usize, String) {
    (value.to_owned(), chapter, sentence.to_owned())
}

#[test]
fn each_value_names_its_chapter_and_its_sentence() {
    let evolution = Evolution::of(&sample());
    let lin = evolution.state(&"lin".into(), 2).unwrap();
    assert_eq!(value(&lin, "status"), said("active", 0, ""));
    assert_eq!(
        value(&lin, "appearance.眼睛"),
        said("灰色", 1, "她的眼睛是灰色的。")
    );
    assert_eq!(
        value(&lin, "location"),
        said("旧书店", 2, "林晚走进旧书店。")
    );
    assert_eq!(
        value(&lin, "items.key"),
        said("铜钥匙", 2, "芬奇把铜钥匙交给了她。")
    );
    assert_eq!(lin.values["items.key"].origin.chapter_id, Some("c2".into()));
    assert_eq!(lin.values["items.key"].entry, Some("key".into()));
    assert_eq!(lin.values["items.key"].origin.start, 8);
    assert_eq!(value(&lin, "relationships.finch"), said("徒弟", 0, ""));
    assert!(lin.is_active());
}

#[test]
fn a_state_is_that_of_its_chapter() {
    let evolution = Evolution::of(&sample());
    let lin = |chapter| evolution.state(&"lin".into(), chapter).unwrap();
    assert_eq!(lin(0).value("appearance.眼睛"), Some("褐色"));
    assert_eq!(lin(0).value("location"), None);
    assert_eq!(lin(1).value("location"), Some("三号码头"));
    assert_eq!(lin(1).value("items.key"), None);
    let finch = |chapter| evolution.state(&"finch".into(), chapter).unwrap();
    assert_eq!(finch(1).value("items.key"), Some("铜钥匙"));
    assert_eq!(finch(2).value("items.key"), None);
    assert_eq!(finch(2).value("status"), Some(DEAD));
    assert!(finch(1).is_active() && !finch(2).is_active());
    let shen = |chapter| evolution.state(&"shen".into(), chapter).unwrap();
    assert_eq!(shen(2).value("absence"), Some("在省城"));
    assert_eq!(shen(3).value("absence"), None);
    assert!(!shen(2).is_active() && shen(3).is_active());
}

#[test]
fn items_and_places_have_states_and_what_is_only_proposed_has_none() {
    let evolution = Evolution::of(&sample());
    let key = evolution.latest(&"key".into()).unwrap();
    assert_eq!(key.entity_type, "item");
    assert_eq!(key.value("owner"), Some("林晚"));
    let shop = evolution.latest(&"shop".into()).unwrap();
    assert_eq!(shop.value("characters.lin"), Some("林晚"));
    let pier = |chapter| evolution.state(&"pier".into(), chapter).unwrap();
    assert_eq!(pier(1).value("characters.lin"), Some("林晚"));
    assert_eq!(pier(2).value("characters.lin"), None);
    assert_eq!(pier(2).value("description"), Some("只停夜船。"));
    for id in ["ghost", "fog", "c1", "nobody"] {
        assert_eq!(evolution.latest(&id.into()), None, "{id}");
    }
}

#[test]
fn a_field_is_followed_through_the_chapters() {
    let evolution = Evolution::of(&sample());
    let tracked = |path| -> Vec<(Option<&str>, Option<&str>, usize)> {
        let changes = evolution.track(&"lin".into(), Some(path), 0, 9);
        let told = changes.into_iter().map(|it| {
            let (old, new) = (it.old_value.as_deref(), it.new_value.as_deref());
            (old, new, it.origin.chapter_order)
        });
        told.collect()
    };
    assert_eq!(
        tracked("location"),
        [
            (None, Some("三号码头"), 1),
            (Some("三号码头"), Some("旧书店"), 2)
        ]
    );
    assert_eq!(
        tracked("appearance"),
        [(None, Some("褐色"), 0), (Some("褐色"), Some("灰色"), 1)]
    );
    assert!(tracked("app").is_empty());
    let shown = serde_json::to_value(evolution.track(&"lin".into(), Some("location"), 2, 2));
    assert_eq!(
        shown.unwrap(),
        serde_json::json!([{
            "entityId": "lin",
            "fieldPath": "location",
            "oldValue": "三号码头",
            "newValue": "旧书店",
            "entry": "shop",
            "chapterId": "c2",
            "chapterOrder": 2,
            "sourceText": "林晚走进旧书店。",
            "start": 0
        }])
    );
}

#[test]
fn two_chapters_are_compared_by_what_differs() {
    let evolution = Evolution::of(&sample());
    let changes = evolution.compare(&"finch".into(), 1, 2).unwrap();
    let paths: Vec<(&str, Option<&str>)> = changes
        .iter()
        .map(|it| (it.field_path.as_str(), it.new_value.as_deref()))
        .collect();
    assert_eq!(paths, [("items.key", None), ("status", Some("dead"))]);
    assert!(evolution.compare(&"lin".into(), 2, 2).unwrap().is_empty());
    assert_eq!(evolution.compare(&"nobody".into(), 1, 2), None);
}

#[test]
fn a_chapter_that_changes_something_is_a_snapshot() {
    let evolution = Evolution::of(&sample());
    let snapshots = evolution.snapshots(&"finch".into());
    let told: Vec<(usize, bool, ChangeExtent, &str)> = snapshots
        .iter()
        .map(|it| {
            let summary = it.change_summary.as_str();
            (it.chapter_order, it.is_keyframe, it.change_type, summary)
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                0,
                true,
                ChangeExtent::Initial,
                "items.key, relationships.lin, status"
            ),
            (2, false, ChangeExtent::MajorChange, "items.key, status"),
        ]
    );
    assert_eq!(
        snapshots[1].state_data,
        evolution.latest(&"finch".into()).unwrap().values
    );
}

#[test]
fn one_absence_may_follow_another_whatever_their_order() {
    let absence = |from, until, reason: &str| Absence {
        from: chapter_id(from),
        until: Some(chapter_id(until)),
        reason: reason.to_owned(),
    };
    let character = Character {
        absences: vec![absence(3, 4, "at sea"), absence(1, 2, "in prison")],
        age: Some(Age {
            years: 30,
            chapter: Some(chapter_id(2)),
        }),
        ..Character::default()
    };
    let book = Bible::with_chapters(5)
        .put("a", What::Character(character))
        .book();
    let evolution = Evolution::of(&book);
    let at = |chapter| {
        let state = evolution.state(&"a".into(), chapter).unwrap();
        state.value("absence").map(str::to_owned)
    };
    let told: Vec<Option<String>> = (0..=5).map(at).collect();
    let told: Vec<&str> = told.iter().map(|it| it.as_deref().unwrap_or("")).collect();
    assert_eq!(told, ["", "in prison", "in prison", "at sea", "at sea", ""]);
    let age = |chapter| evolution.state(&"a".into(), chapter).unwrap();
    assert_eq!(age(1).value("age"), None);
    assert_eq!(age(2).value("age"), Some("30"));
}

#[test]
fn what_an_accepted_chapter_says_falls_with_its_version() {
    let says = || Says::Age {
        character: "a".into(),
        years: 20,
    };
    let bible = Bible::with_chapters(1)
        .put("a", What::Character(Character::default()))
        .accepted(1, "她二十岁。")
        .found(1, vec![("f", says(), "她二十岁。")]);
    let age = |bible: &Bible| {
        let evolution = Evolution::of(&bible.book());
        let state = evolution.latest(&"a".into()).unwrap();
        state.value("age").map(str::to_owned)
    };
    assert_eq!(age(&bible), None, "nobody has taken it");
    let bible = bible.judged(&["f"], &[]);
    assert_eq!(age(&bible).as_deref(), Some("20"));
    assert_eq!(
        age(&bible.clone().draft(1, "她三十岁。")).as_deref(),
        Some("20")
    );
    assert_eq!(
        age(&bible.accepted(1, "她三十岁。")),
        None,
        "another version holds"
    );
}
