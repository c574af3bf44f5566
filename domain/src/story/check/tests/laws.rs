//! What holds for any book.

use proptest::prelude::*;

use super::{Draft, after_a_death};
use crate::project::{
    Absence, Age, Character, Item, Place, PlotLoop, Relationship, Settled, Travel, What,
    WorldEntry, WorldRule,
};
use crate::story::check::{PlannedScene, Scope, Severity, check, preflight};
use crate::story::extract::{facts, leans};

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "林晚",
        "王五",
        "说",
        "死了",
        "。",
        "，",
        "“",
        "”",
        "\n\n",
        "三天后",
        "蓝眼睛",
        "的",
        "在",
        "北城",
        "岁",
        "三十二",
        "断剑",
        "握着",
        "御剑",
        "星期一",
        "1923年3月12日",
        "Mara ",
        "Marcus ",
        "died",
        "said ",
        ". ",
        ", ",
        "\"",
        "three days later ",
        "blue eyes ",
        "'s ",
        "was in ",
        "Northwick ",
        "years old ",
        "the Broken Sword ",
        "held ",
        "flew ",
        "Monday, ",
        "12 March 1923",
        "十年前，",
        "years ago ",
        "[[x]]",
        "@y",
        "#",
        "***",
        "💧",
        "é",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn ids() -> impl Strategy<Value = crate::ids::EntryId> {
    prop::sample::select(vec!["a", "b", "p", "q", "i", "c1", "c2", "none", ""]).prop_map(Into::into)
}

prop_compose! {
    fn drafts()(
        chinese in any::<bool>(),
        texts in prop::collection::vec(text(), 1..4),
        dates in prop::collection::vec(prop::option::of("[0-9]{1,4}(-[0-9]{1,2}){0,2}|x|"), 3),
        names in prop::collection::vec("林晚|王五|Mara|Marcus|林|x y|", 2),
        refs in prop::collection::vec(ids(), 12),
        kinds in prop::collection::vec("mother|son|父亲|friend", 2),
        hours in any::<f64>(),
        years in any::<u32>(),
    ) -> Draft {
        let mut draft = Draft::in_language(if chinese { "zh" } else { "en" });
        for (number, text) in (1..).zip(&texts) {
            let date = dates[number as usize - 1].as_deref();
            draft = draft.dated(number, date, text);
        }
        let person = |at: usize| Character {
            name: names[at].clone(),
            born: dates[at].clone(),
            age: Some(Age { years, chapter: Some(refs[0].clone()) }),
            appearance: [("eyes".to_owned(), "black".to_owned())].into(),
            absences: vec![Absence { from: refs[1].clone(), until: Some(refs[2].clone()), reason: String::new() }],
            twins: vec![refs[3].clone()],
            ..Character::default()
        };
        let relation = |at: usize| Relationship {
            source: refs[4 + at].clone(),
            target: refs[6 + at].clone(),
            kind: kinds[at].clone(),
            bidirectional: true,
            ..Relationship::default()
        };
        let place = |name: &str, within: usize| Place {
            name: name.into(),
            within: Some(refs[within].clone()),
            travel: vec![Travel { to: refs[within + 1].clone(), hours }],
            ..Place::default()
        };
        let item = Item { name: "断剑".into(), aliases: vec!["Broken Sword".into()], unique: true, owner: Some(refs[10].clone()), ..Item::default() };
        let rule = WorldRule { forbids: vec!["御剑".into(), "flew".into(), String::new()], says: "no".into(), ..WorldRule::default() };
        let world = WorldEntry { title: "law".into(), rules: vec![rule], ..WorldEntry::default() };
        let promise = PlotLoop { title: "断剑".into(), intro: Some(refs[11].clone()), due: Some(refs[0].clone()), ..PlotLoop::default() };
        draft
            .with("a", What::Character(person(0)))
            .with("b", What::Character(person(1)))
            .with("r", What::Relationship(relation(0)))
            .with("s", What::Relationship(relation(1)))
            .place("p", place("北城", 8))
            .place("q", place("Northwick", 9))
            .with("i", What::Item(item))
            .with("w", What::World(world))
            .with("l", What::PlotLoop(promise))
    }
}

proptest! {
    #[test]
    fn any_book_can_be_checked_and_always_in_the_same_way(draft in drafts()) {
        let book = draft.book();
        let report = check(&book, &Scope::All);
        prop_assert_eq!(&report, &check(&book, &Scope::All));
        let counts = report.counts;
        prop_assert_eq!(counts.total, counts.error + counts.warning + counts.info);
        for finding in &report.findings {
            if let Some(said) = &finding.said {
                let chapters = book.chapters();
                let chapter = chapters.iter().find(|it| *it.id == said.chapter).expect("the chapter");
                let rest: String = chapter.text.chars().skip(said.start).collect();
                prop_assert!(rest.starts_with(&said.sentence));
            }
        }
        let chapter = "c1".into();
        let found = facts(&book, &chapter);
        prop_assert_eq!(&found, &facts(&book, &chapter));
        prop_assert!(leans(&book, &chapter, book.chapters()[0].text).is_empty());
        let _ = leans(&book, &chapter, "");
        let scene = PlannedScene { chapter_order: 1, cast: vec!["a".into(), "none".into()], ..PlannedScene::default() };
        let _ = preflight(&book, &scene);
    }

    #[test]
    fn a_book_without_a_bible_has_no_errors(texts in prop::collection::vec(text(), 1..4), chinese in any::<bool>()) {
        let mut draft = Draft::in_language(if chinese { "zh" } else { "en" });
        for (number, text) in (1..).zip(&texts) {
            draft = draft.chapter(number, text);
        }
        let report = check(&draft.book(), &Scope::All);
        let errors: Vec<_> = report.findings.iter().filter(|it| it.severity == Severity::Error).collect();
        prop_assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn what_is_waived_stays_waived_when_something_else_changes(before in "[a-z ]{0,20}", after in "[a-z ]{0,20}") {
        let sentence = "Marcus opened the door.";
        let mut draft = after_a_death("en").chapter(2, sentence);
        let key = check(&draft.book(), &Scope::All).findings[0].key.clone();
        let settled = Settled { key: key.clone(), waived: true, reason: "a ghost".into() };
        draft.project.settled.insert(key, settled);
        let changed = draft.chapter(2, &format!("It {before}.\n\n{sentence}\n\nIt {after}.")).chapter(3, "It rained.");
        let report = check(&changed.book(), &Scope::All);
        prop_assert_eq!(report.findings.len(), 0, "{:?}", report.findings);
        prop_assert_eq!(&report.waived[0].reason, "a ghost");
    }
}
