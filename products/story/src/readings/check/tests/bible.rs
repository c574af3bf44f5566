use palimpsest::prelude::resource::project::{
    Chapter, Character, Item, LoopStatus, PlotLoop, Relationship, What, WorldEntry,
};

use super::{Draft, shown};
use crate::readings::check::finding::WarningType;
use crate::readings::check::{Rule, Severity};

fn related(source: &str, target: &str, kind: &str) -> Relationship {
    Relationship {
        source: source.into(),
        target: target.into(),
        kind: kind.into(),
        ..Relationship::default()
    }
}

fn family(language: &str) -> Draft {
    let names = if language == "zh" {
        ["林晚", "林山", "林海"]
    } else {
        ["Mara", "Tobias", "Edmund"]
    };
    Draft::in_language(language)
        .named("a", names[0])
        .named("b", names[1])
        .named("c", names[2])
}

#[test]
fn a_name_that_two_people_bear_is_told_once() {
    for (language, name) in [("zh", "林晚"), ("en", "Mara")] {
        let found = Draft::in_language(language)
            .named("a", name)
            .named("b", name)
            .finds(Rule::DoubledName);
        assert_eq!(found.severity, Severity::Error);
        assert_eq!(found.warning_type, WarningType::NameDuplicate);
        assert_eq!(found.related_entity_ids, ["a".into()]);
        assert!(found.description.contains(name));
        assert!(!found.description.is_ascii());
    }
    let alias = Character {
        name: "Tobias".into(),
        aliases: vec!["Mara".into()],
        ..Character::default()
    };
    let found = Draft::in_language("en")
        .named("a", "Mara")
        .person("b", alias)
        .finds(Rule::DoubledName);
    assert_eq!(found.severity, Severity::Warning);
    let world = |title: &str| {
        What::World(WorldEntry {
            title: title.into(),
            ..WorldEntry::default()
        })
    };
    Draft::in_language("zh")
        .with("w", world("灵石"))
        .with("v", world("灵石"))
        .finds(Rule::DoubledName);
    Draft::in_language("zh")
        .named("a", "林晚")
        .with("w", world("林晚"))
        .finds_nothing();
    family("en").finds_nothing();
    family("zh").finds_nothing();
}

#[test]
fn somebody_without_a_name_or_a_role_is_told_of() {
    let nameless = Character {
        role: "minor".into(),
        ..Character::default()
    };
    let found = Draft::in_language("en")
        .person("a", nameless)
        .finds(Rule::MissingField);
    assert_eq!(found.field_path.as_deref(), Some("name"));
    let roleless = What::Character(Character {
        name: "林晚".into(),
        ..Character::default()
    });
    let found = Draft::in_language("zh")
        .with("a", roleless)
        .finds(Rule::MissingField);
    assert_eq!(
        (found.field_path.as_deref(), found.severity),
        (Some("role"), Severity::Error)
    );
    assert!(
        found.description.contains("没有角色定位"),
        "{}",
        found.description
    );
}

#[test]
fn what_refers_to_nothing_is_told_of() {
    let text = "[[不存在]]来了。@林晚走了。@no_one 也走了。信箱是 a@b.org。[[林晚]]。";
    let report = Draft::in_language("zh")
        .named("a", "林晚")
        .chapter(1, text)
        .report();
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|it| it.actual_value.clone().unwrap_or_default())
        .collect();
    assert_eq!(found, ["不存在", "no_one"]);
    let world = What::World(WorldEntry {
        title: "Keep".into(),
        content: "See [[Tower]] and [[Keep]].".into(),
        ..WorldEntry::default()
    });
    let found = Draft::in_language("en")
        .with("w", world)
        .finds(Rule::BrokenReference);
    assert_eq!(found.actual_value.as_deref(), Some("Tower"));
    family("en")
        .chapter(1, "Write to @Mara or m@x.org. [[Tobias]]")
        .finds_nothing();
}

#[test]
fn a_relation_to_nobody_is_an_error() {
    let lost = related("a", "nobody", "friend");
    let found = family("en")
        .with("r", What::Relationship(lost))
        .finds(Rule::MissingEntry);
    assert_eq!(
        (found.severity, found.field_path.as_deref()),
        (Severity::Error, Some("target"))
    );
    let item = Item {
        name: "剑".into(),
        owner: Some("nobody".into()),
        ..Item::default()
    };
    let found = family("zh")
        .with("i", What::Item(item))
        .finds(Rule::MissingEntry);
    assert_eq!(found.severity, Severity::Warning);
    let chapter = Chapter {
        cast: vec!["a".into()],
        ..Chapter::default()
    };
    family("zh")
        .with("k", What::Chapter(chapter))
        .finds_nothing();
}

#[test]
fn relations_are_the_same_from_both_sides() {
    for (language, kind, fits) in [("zh", "母亲", "女儿"), ("en", "mother", "daughter")] {
        let one_way = Relationship {
            bidirectional: true,
            ..related("a", "b", kind)
        };
        let draft = family(language);
        let found = draft
            .clone()
            .with("r", What::Relationship(one_way.clone()))
            .finds(Rule::MissingReverse);
        assert_eq!(found.warning_type, WarningType::RelationshipInconsistency);
        let both = Relationship {
            reverse: Some(fits.into()),
            ..one_way.clone()
        };
        draft
            .clone()
            .with("r", What::Relationship(both))
            .finds_nothing();
        let answered = related("b", "a", fits);
        draft
            .clone()
            .with("r", What::Relationship(one_way))
            .with("s", What::Relationship(answered))
            .finds_nothing();
        draft
            .with("r", What::Relationship(related("a", "b", kind)))
            .with("s", What::Relationship(related("b", "a", "rival")))
            .finds_nothing();
    }
    let mothers = family("en")
        .with("r", What::Relationship(related("a", "b", "teacher")))
        .with("s", What::Relationship(related("b", "a", "teacher")));
    let found = mothers.finds(Rule::ContradictingRelation);
    assert_eq!(shown(&found).1, "teacher");
    let reverse = Relationship {
        reverse: Some("母亲".into()),
        ..related("a", "b", "母亲")
    };
    family("zh")
        .with("r", What::Relationship(reverse))
        .finds(Rule::ContradictingRelation);
}

#[test]
fn nobody_is_their_own_ancestor() {
    let round = |draft: Draft, kinds: [&str; 3]| {
        draft
            .with("r", What::Relationship(related("a", "b", kinds[0])))
            .with("s", What::Relationship(related("b", "c", kinds[1])))
            .with("t", What::Relationship(related("c", "a", kinds[2])))
    };
    let found = round(family("zh"), ["父亲", "父亲", "父亲"]).finds(Rule::CircularParenthood);
    assert_eq!(found.severity, Severity::Error);
    assert!(
        found.description.contains("林晚 → 林山 → 林海"),
        "{}",
        found.description
    );
    round(family("en"), ["father", "mother", "parent"]).finds(Rule::CircularParenthood);
    round(family("en"), ["father", "father", "friend"]).finds_nothing();
    let grandchild = family("zh")
        .with("r", What::Relationship(related("a", "b", "父亲")))
        .with("s", What::Relationship(related("c", "b", "儿子")));
    grandchild.finds_nothing();
}

fn promise(draft: Draft, it: PlotLoop) -> Draft {
    draft.with("l", What::PlotLoop(it))
}

fn chapters(language: &str, count: u32) -> Draft {
    (1..=count).fold(Draft::in_language(language), |draft, number| {
        draft.chapter(number, "It rained.")
    })
}

#[test]
fn promises_to_the_reader_are_kept_in_time() {
    let open = PlotLoop {
        title: "断剑".into(),
        intro: Some("c1".into()),
        ..PlotLoop::default()
    };
    for language in ["zh", "en"] {
        let found = promise(chapters(language, 12), open.clone()).finds(Rule::LoopOpen);
        assert_eq!(found.warning_type, WarningType::PlotLoopUnclosed);
        promise(chapters(language, 11), open.clone()).finds_nothing();
        let closed = PlotLoop {
            status: LoopStatus::Resolved,
            resolution: Some("c12".into()),
            ..open.clone()
        };
        promise(chapters(language, 12), closed).finds_nothing();
        let due = PlotLoop {
            due: Some("c3".into()),
            ..open.clone()
        };
        promise(chapters(language, 4), due.clone()).finds(Rule::LoopOverdue);
        promise(chapters(language, 3), due).finds_nothing();
        let early = PlotLoop {
            status: LoopStatus::Resolved,
            intro: Some("c3".into()),
            resolution: Some("c2".into()),
            ..open.clone()
        };
        let found = promise(chapters(language, 4), early).finds(Rule::LoopOrder);
        assert_eq!(found.severity, Severity::Error);
    }
    let abandoned = PlotLoop {
        status: LoopStatus::Abandoned,
        due: Some("c2".into()),
        ..open
    };
    promise(chapters("en", 12), abandoned).finds_nothing();
}
