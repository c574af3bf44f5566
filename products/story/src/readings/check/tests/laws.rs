//! What holds for any book.

use palimpsest::prelude::resource::project::{
    Absence, Age, CHAPTER_BYTES_MAX, Character, Item, Place, PlotLoop, Relationship, Settled,
    Travel, What, WorldEntry, WorldRule,
};
use proptest::prelude::*;

use super::{Draft, after_a_death};
use crate::readings::book::Book;
use crate::readings::check::{PlannedScene, Scope, Severity, check, preflight};
use crate::readings::extract::{
    SaidDeath, SaidFacts, SaidName, facts, facts_said, known_names, leans,
};
use crate::readings::prose::{diff, merge};
use crate::readings::told::Unreadable;

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
        "ONE",
        "ONE said ",
        "ONE的",
        "OTHER",
        "PLACE",
        "THING",
        "她",
        "He put it in her hand",
        "hung from his belt",
        "eyes",
        "白发",
        " was ",
        "thirty",
        "at noon",
        "by two o'clock",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

/// A name, which may have any characters.
fn name() -> impl Strategy<Value = String> {
    let known = "林晚|王五|Mara|Marcus|林|x y|";
    let pieces = r#"([.!?。！？*"“”'’,，、《》\n -]|Mr|Col|Crane|林|白发|眼睛|eyes|said|it|in her hand|was|twelve|岁|三|\[\[|@|\PC){1,5}"#;
    prop_oneof![known, pieces]
}

/// The words that stand for names in [`text`].
const STANDINS: [&str; 4] = ["ONE", "OTHER", "PLACE", "THING"];

fn ids() -> impl Strategy<Value = palimpsest::prelude::pipeline::EntryId> {
    prop::sample::select(vec!["a", "b", "p", "q", "i", "c1", "c2", "none", ""]).prop_map(Into::into)
}

prop_compose! {
    fn drafts()(
        chinese in any::<bool>(),
        texts in prop::collection::vec(text(), 1..4),
        dates in prop::collection::vec(prop::option::of("[0-9]{1,4}(-[0-9]{1,2}){0,2}|x|"), 3),
        names in prop::collection::vec(name(), 4),
        refs in prop::collection::vec(ids(), 12),
        kinds in prop::collection::vec("mother|son|父亲|friend", 2),
        hours in any::<f64>(),
        years in any::<u32>(),
    ) -> Draft {
        let mut draft = Draft::in_language(if chinese { "zh" } else { "en" });
        for (number, text) in (1..).zip(&texts) {
            let date = dates[number as usize - 1].as_deref();
            let named = STANDINS.iter().zip(&names).fold(text.clone(), |text, (word, name)| text.replace(word, name));
            draft = draft.dated(number, date, &named);
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
            aliases: vec![names[2].clone()],
            within: Some(refs[within].clone()),
            travel: vec![Travel { to: refs[within + 1].clone(), hours }],
            ..Place::default()
        };
        let item = Item { name: "断剑".into(), aliases: vec!["Broken Sword".into(), names[3].clone()], unique: true, owner: Some(refs[10].clone()), ..Item::default() };
        let rule = WorldRule { forbids: vec!["御剑".into(), "flew".into(), String::new(), names[3].clone()], says: "no".into(), ..WorldRule::default() };
        let world = WorldEntry { title: "law".into(), rules: vec![rule], ..WorldEntry::default() };
        let promise = PlotLoop { title: "断剑".into(), keywords: names.clone(), intro: Some(refs[11].clone()), due: Some(refs[0].clone()), ..PlotLoop::default() };
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

/// What a model may say about a text: the first sentence with every name.
fn said(book: &Book, text: &str) -> SaidFacts {
    let sentence = text.split_inclusive(['.', '。']).next().unwrap_or_default();
    let names = book.project().entries.values();
    let names: Vec<&str> = names.map(|kept| kept.entry.what.name()).collect();
    let named = |name: &&str| SaidName {
        name: (*name).to_owned(),
        sentence: sentence.to_owned(),
    };
    let died = |name: &&str| SaidDeath {
        character: (*name).to_owned(),
        sentence: sentence.to_owned(),
    };
    SaidFacts {
        new_characters: names.iter().map(named).collect(),
        deaths: names.iter().map(died).collect(),
        ..SaidFacts::default()
    }
}

#[test]
fn a_chapter_that_cannot_be_read_costs_only_itself() {
    let most = usize::try_from(CHAPTER_BYTES_MAX).expect("a size");
    let draft = after_a_death("en")
        .chapter(2, &"a".repeat(most + 1))
        .chapter(3, "Marcus opened the door.");
    let found: Vec<String> = check(&draft.book(), &Scope::All)
        .findings
        .into_iter()
        .map(|it| it.description)
        .collect();
    let unread = format!(
        "Chapter 2, “No 2”, could not be checked: it has {} bytes, and a chapter may have {most}.",
        most + 1
    );
    assert_eq!(
        found,
        [
            "Marcus died in chapter 1 and acts here all the same.".to_owned(),
            unread
        ]
    );
    let read = facts_said(&draft.book(), &"c2".into(), &[]);
    assert_eq!(
        read.unreadable,
        Some(Unreadable::TooLong { bytes: most + 1 })
    );
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
        let text = book.chapters()[0].text;
        prop_assert!(leans(&book, &chapter, text).is_empty());
        let _ = leans(&book, &chapter, "");
        let _ = facts_said(&book, &chapter, &[said(&book, text)]);
        let _ = known_names(&book, text, 60);
        for other in book.chapters() {
            let merged = merge(text, text, other.text).text();
            prop_assert_eq!(merged.as_deref(), Some(other.text));
            let _ = diff(text, other.text);
        }
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
