//! What rules find in a chapter, and what depends on it.

use palimpsest::prelude::resource::project::{Item, Place, PlotLoop, Says, What};

use super::{facts, leans};
use crate::readings::book::Book;
use crate::readings::check::tests::Draft;
use crate::readings::extract::leans::FactChange;

fn draft(language: &str) -> Draft {
    let (people, places, item, promise) = if language == "zh" {
        (["林晚", "王五"], ["北城", "南港"], "断剑", "失踪的信")
    } else {
        (
            ["Mara", "Tobias"],
            ["Northwick", "Southport"],
            "Broken Sword",
            "lost letter",
        )
    };
    let place = |name: &str| Place {
        name: name.into(),
        ..Place::default()
    };
    let item = Item {
        name: item.into(),
        ..Item::default()
    };
    let promise = PlotLoop {
        title: promise.into(),
        ..PlotLoop::default()
    };
    Draft::in_language(language)
        .named("a", people[0])
        .named("b", people[1])
        .place("p", place(places[0]))
        .place("q", place(places[1]))
        .with("i", What::Item(item))
        .with("l", What::PlotLoop(promise))
}

fn said(language: &str, text: &str) -> Vec<Says> {
    let book = draft(language).chapter(1, text).book();
    facts(&book, &"c1".into())
        .expect("it can be read")
        .into_iter()
        .map(|it| it.says)
        .collect()
}

fn about(language: &str, text: &str) -> String {
    let all = said(language, text);
    let all: Vec<_> = all
        .iter()
        .map(|says| {
            serde_json::to_value(says).expect("a fact")["type"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    all.join(" ")
}

#[test]
fn each_kind_of_fact_is_read_in_both_languages() {
    for (language, text, kinds) in [
        ("zh", "林晚的眼睛是蓝色的。", "appearance"),
        ("zh", "林晚今年三十二岁。", "age"),
        ("zh", "王五死了。", "death"),
        ("zh", "林晚来到北城。", "presence"),
        ("zh", "林晚握着断剑。", "possession"),
        ("zh", "断剑放在北城。", "lies"),
        ("zh", "林晚是王五的姐姐。", "relation"),
        ("zh", "她读着失踪的信。", "touches"),
        ("zh", "林晚背叛了王五。", "happens"),
        ("zh", "“走。”赵无忌说道。", "new_character"),
        ("zh", "林晚来到青石镇。", "new_place"),
        ("en", "Mara's eyes were blue.", "appearance"),
        ("en", "Mara was thirty-two years old.", "age"),
        ("en", "Tobias died.", "death"),
        ("en", "Mara arrived in Northwick.", "presence"),
        ("en", "Mara held the Broken Sword.", "possession"),
        ("en", "The Broken Sword lay in Northwick.", "lies"),
        ("en", "Mara was Tobias's sister.", "relation"),
        ("en", "She read the lost letter.", "touches"),
        ("en", "Mara betrayed Tobias.", "happens"),
        ("en", "\"Go,\" said Harlow.", "new_character"),
        ("en", "Mara arrived in Ashford.", "new_place"),
    ] {
        assert_eq!(about(language, text), kinds, "{text}");
    }
}

#[test]
fn what_is_quoted_dreamt_or_remembered_is_no_fact() {
    for (language, text) in [
        ("zh", "“王五死了。”林晚说。"),
        ("zh", "林晚梦见王五死了。"),
        ("zh", "十年前，林晚来到北城。"),
        ("zh", "据说林晚的眼睛是蓝色的。"),
        ("zh", "林晚笑死了。林晚没有握着断剑。林晚想去北城。"),
        ("en", "\"Tobias died,\" she said."),
        ("en", "Mara dreamed that Tobias died."),
        ("en", "Years ago Mara arrived in Northwick."),
        ("en", "They said that Mara was Tobias's sister."),
        (
            "en",
            "Mara never held the Broken Sword. Mara wanted to go to Northwick.",
        ),
    ] {
        assert_eq!(about(language, text), "", "{text}");
    }
}

#[test]
fn ids_of_facts_are_those_of_their_words_and_chapter() {
    let book = draft("zh")
        .chapter(1, "王五死了。")
        .chapter(2, "王五死了。")
        .book();
    let facts = |book: &Book, id: &str| facts(book, &id.into()).expect("it can be read");
    let (one, other) = (facts(&book, "c1"), facts(&book, "c2"));
    assert_eq!(one, facts(&book, "c1"));
    assert_ne!(one[0].id, other[0].id);
    assert_eq!(one[0].quote.text, "王五死了。");
    let moved = draft("zh").chapter(1, "下雨了。\n\n王五死了。").book();
    let moved = facts(&moved, "c1");
    assert_eq!(
        (moved[0].id.as_str(), moved[0].quote.start),
        (one[0].id.as_str(), 6)
    );
    assert!(facts(&book, "c9").is_empty());
}

#[test]
fn later_chapters_lean_on_what_an_earlier_one_says() {
    for (language, before, after, later) in [
        (
            "zh",
            "林晚的眼睛是蓝色的。王五死了。",
            "林晚的眼睛是黑色的。",
            "下雨了。她们给王五修了坟。林晚闭上蓝眼睛。",
        ),
        (
            "en",
            "Mara's eyes were blue. Tobias died.",
            "Mara's eyes were black.",
            "It rained. They stood at the grave of Tobias. Mara closed her blue eyes.",
        ),
    ] {
        let book = draft(language)
            .chapter(1, before)
            .chapter(2, "。")
            .chapter(3, later)
            .book();
        let found = leans(&book, &"c1".into(), after);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            matches!(&found[0].change, FactChange::Becomes { fact } if matches!(&fact.says, Says::Appearance { value, .. } if value.contains('黑') || value == "black"))
        );
        assert_eq!(found[1].change, FactChange::Gone);
        for leaning in &found {
            assert_eq!(leaning.spoken_of.len(), 1, "{leaning:?}");
            assert_eq!(leaning.spoken_of[0].number, 3);
        }
        assert!(leans(&book, &"c1".into(), before).is_empty());
        assert!(leans(&book, &"c9".into(), after).is_empty());
        let unrelated = format!("{before} 。");
        assert!(leans(&book, &"c1".into(), &unrelated).is_empty());
    }
}
