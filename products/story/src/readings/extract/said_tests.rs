//! What a model says about a chapter, compared with the chapter.

use palimpsest::prelude::resource::project::{Fact, Item, Place, PlotLoop, Says, What};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{SaidFacts, WhoRead, facts, facts_said, remarks};
use crate::readings::book::Book;
use crate::readings::check::tests::Draft;
use crate::readings::extract::said::ReadFacts;

const TEXT: &str = "# Home\n\nMara Quill came home to Northwick in the rain.  She was\nforty, and grey at the temples. “You are late,” said her brother Tobias.\n\nMara betrayed Tobias that night. Under the bed lay the Broken Sword.\n\n“Go,” said Harlow.\n";

fn book() -> Book {
    let place = Place {
        name: "Northwick".into(),
        ..Place::default()
    };
    let item = Item {
        name: "Broken Sword".into(),
        ..Item::default()
    };
    let promise = PlotLoop {
        title: "The lost letter".into(),
        ..PlotLoop::default()
    };
    Draft::in_language("en")
        .named("a", "Mara Quill")
        .named("b", "Tobias")
        .place("p", place)
        .with("i", What::Item(item))
        .with("l", What::PlotLoop(promise))
        .chapter(1, TEXT)
        .book()
}

fn said(rows: Value) -> SaidFacts {
    let mut all = json!(SaidFacts::default());
    for (kind, list) in rows.as_object().expect("lists by kind") {
        all[kind] = list.clone();
    }
    serde_json::from_value(all).expect("they fit")
}

fn read(rows: Value) -> ReadFacts {
    facts_said(&book(), &"c1".into(), &[said(rows)])
}

/// What a model found that rules did not.
fn by_model(read: &ReadFacts) -> Vec<&Fact> {
    let facts = read.facts.iter();
    facts.filter(|fact| fact.by.is_none()).collect()
}

#[test]
fn a_fact_has_the_whole_sentence_as_it_stands_whatever_its_white_space_and_quotation_marks() {
    let age = json!([{ "character": "Mara", "years": 40, "sentence": "She was forty, and grey at the temples." }]);
    let kin = json!([{ "character": "Tobias", "to": "mara quill", "relation": "brother", "sentence": "\"You are late,\" said her brother Tobias." }]);
    let read = read(json!({ "ages": age, "relations": kin }));
    let found = by_model(&read);
    assert_eq!(found.len(), 2, "{read:#?}");
    let character = "a".into();
    assert_eq!(
        found[0].says,
        Says::Age {
            character,
            years: 40
        }
    );
    assert_eq!(
        found[0].quote.text,
        "She was\nforty, and grey at the temples."
    );
    assert!(
        matches!(&found[1].says, Says::Relation { source, target, .. } if (source.as_str(), target.as_str()) == ("b", "a"))
    );
    assert!(
        found[1].quote.text.starts_with("“You are late,”"),
        "{found:#?}"
    );
    assert_eq!((read.not_in_text, read.not_in_bible), (0, 0));
}

#[test]
fn what_does_not_stand_in_the_text_is_no_fact_and_is_counted() {
    let rows = json!({
        "deaths": [
            { "character": "Tobias", "sentence": "Tobias died in the fire." },
            { "character": "Tobias", "sentence": "" },
            // These words are in a sentence, but do not identify it.
            { "character": "Tobias", "sentence": "Tobias" },
        ],
        "new_characters": [{ "name": "Captain Orme", "sentence": "“Go,” said Harlow." }],
    });
    let read = read(rows);
    assert_eq!(by_model(&read), [] as [&Fact; 0], "{read:#?}");
    assert_eq!((read.not_in_text, read.not_in_bible), (4, 0));
    let who = WhoRead::Model {
        parts: 1,
        unread: 0,
    };
    assert_eq!(
        remarks(&who, &read, false),
        ["4 facts were not taken over since their sentence is not in the text."]
    );
    assert_eq!(
        remarks(&who, &read, true),
        ["4 条事实未采用：其原句不在正文中。"]
    );
}

#[test]
fn what_concerns_nobody_in_the_bible_is_counted_and_who_is_known_is_not_new() {
    let rows = json!({
        "presences": [{ "character": "Harlow", "place": "Northwick", "sentence": "“Go,” said Harlow." }],
        "new_characters": [{ "name": "Mara", "sentence": "Mara betrayed Tobias that night." }],
        "plot_loops": [{ "plot_loop": "the lost letter", "sentence": "Mara betrayed Tobias that night." }],
    });
    let read = read(rows);
    assert_eq!((read.not_in_text, read.not_in_bible), (0, 1), "{read:#?}");
    let found = by_model(&read);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(matches!(found[0].says, Says::Touches { .. }));
}

#[test]
fn what_rules_found_too_is_one_fact() {
    let by_rules = facts(&book(), &"c1".into()).expect("it can be read");
    assert!(
        by_rules
            .iter()
            .any(|it| matches!(it.says, Says::Happens { .. })),
        "{by_rules:#?}"
    );
    let sentence = "Mara betrayed Tobias that night.";
    let rows = json!({
        "events": [{ "what": "Mara gives Tobias away", "characters": ["Mara", "Tobias"], "sentence": sentence }],
        "new_characters": [{ "name": "Harlow", "sentence": "“Go,” said Harlow." }],
    });
    let read = read(rows);
    let ids = |facts: &[Fact]| facts.iter().map(|fact| fact.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&read.facts), ids(&by_rules));
    assert!(
        read.facts
            .iter()
            .all(|fact| fact.by.as_deref() == Some("rules")),
        "{read:#?}"
    );
}

#[test]
fn what_two_ranges_say_is_one_fact_and_counted_once() {
    let rows = json!({
        "ages": [{ "character": "Mara", "years": 40, "sentence": "She was forty, and grey at the temples." }],
        "deaths": [{ "character": "Tobias", "sentence": "Tobias died." }],
    });
    let twice = [said(rows.clone()), said(rows)];
    let read = facts_said(&book(), &"c1".into(), &twice);
    assert_eq!((by_model(&read).len(), read.not_in_text), (1, 1));
}

#[test]
fn without_a_model_the_facts_are_those_of_rules() {
    let read = facts_said(&book(), &"c1".into(), &[]);
    assert_eq!(Ok(&read.facts), facts(&book(), &"c1".into()).as_ref());
    let told = remarks(&WhoRead::NoModel, &read, false);
    assert_eq!(
        told,
        ["No model is configured: rules alone read this chapter."]
    );
    let told = remarks(
        &WhoRead::Model {
            parts: 2,
            unread: 2,
        },
        &read,
        false,
    );
    assert!(
        told[0].starts_with("No model read this chapter"),
        "{told:?}"
    );
}

/// A piece of the text, a piece with something else in it, or something else.
fn sentence() -> impl Strategy<Value = String> {
    let chars = TEXT.chars().count();
    let piece = (0..chars, 0..120_usize)
        .prop_map(|(from, many)| TEXT.chars().skip(from).take(many).collect::<String>());
    let changed = (piece.clone(), "[A-Za-z ]{1,12}").prop_map(|(piece, more)| piece + &more);
    prop_oneof![piece, changed, "[A-Za-z .“”]{0,40}"]
}

fn without_marks(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.collect()
}

proptest! {
    #[test]
    fn every_fact_quotes_a_sentence_of_the_text_and_what_is_not_in_it_is_never_a_fact(
        sentences in proptest::collection::vec(sentence(), 1..6)
    ) {
        let ages = sentences.iter().zip(1_u32..).map(|(sentence, years)| json!({
            "character": "Tobias", "years": years, "sentence": sentence,
        }));
        let read = read(json!({ "ages": ages.collect::<Vec<_>>() }));
        for fact in &read.facts {
            let at = TEXT.chars().skip(fact.quote.start).take(fact.quote.text.chars().count());
            prop_assert_eq!(at.collect::<String>(), fact.quote.text.clone());
            prop_assert!(!fact.quote.text.trim().is_empty());
        }
        for (sentence, number) in sentences.iter().zip(1_u32..) {
            let is_taken = read.facts.iter().any(|fact| fact.says == Says::Age { character: "b".into(), years: number });
            let letters = without_marks(sentence);
            prop_assert!(!is_taken || without_marks(TEXT).contains(&letters) && !letters.is_empty(), "{sentence:?}");
        }
    }
}
