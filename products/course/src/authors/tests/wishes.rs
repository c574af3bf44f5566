//! Wishes in a message: those that can be carried out are carried out, and all others are refused before anything is made.

use palimpsest::prelude::pipeline::carry::Refinable;
use palimpsest::prelude::pipeline::event::Intent;

use super::*;

const TIDES: &str = include_str!("../../../../../documents/intake/tests/inputs/tides.md");
const PHOTOSYNTHESIS: &str = include_str!("../../../../../examples/photosynthesis.md");

#[test]
fn a_deck_has_exactly_the_pages_that_are_wished() {
    for count in [3, 4, 6, 8, 12, 20, 30] {
        let run = deck(
            &format!("光合作用入门，{count} 页"),
            "photosynthesis.md",
            PHOTOSYNTHESIS,
        );
        assert_eq!(slides(&run).len(), count, "{:?}", titles(&run));
    }
}

#[test]
fn what_has_no_place_on_few_pages_is_named() {
    let run = deck("Tides, 5 pages", "tides.md", TIDES);
    let notes = outline(&run).remarks.notes;
    assert!(
        notes.iter().all(|note| note.starts_with("In the notes: ")) && !notes.is_empty(),
        "{notes:?}"
    );
    assert!(
        told_to_readers(&run).contains("The Moon's gravity pulls"),
        "{}",
        told_to_readers(&run)
    );
}

#[test]
fn a_deck_without_page_3_has_all_the_others() {
    let start = with_source("Tides", authoring::read("tides.md", TIDES));
    let before = whole_run(&start);
    let after = whole_run(&told(start, "the same without page 3"));
    let mut wanted = titles(&before);
    let gone = wanted.remove(2);
    assert_eq!(titles(&after), wanted);
    assert!(
        outline(&after)
            .remarks
            .notes
            .contains(&format!("Left out: {gone}"))
    );
}

#[test]
fn only_the_sections_that_are_named_are_taken_and_in_the_order_that_is_named() {
    let start = with_source("Tides", authoring::read("tides.md", TIDES));
    let only = whole_run(&told(
        start.clone(),
        "only the sections Using tides and What causes tides",
    ));
    assert_eq!(
        titles(&only)[1..4],
        ["Using tides", "Predicting tides", "What causes tides"]
    );
    let first = whole_run(&told(start.clone(), "put How big tides are first"));
    assert_eq!(titles(&first)[1], "How big tides are");
    let without = whole_run(&told(start, "leave out Using tides"));
    assert!(
        !titles(&without)
            .iter()
            .any(|title| title == "Using tides" || title == "Predicting tides")
    );
}

#[test]
fn a_wish_that_takes_a_model_is_refused_before_anything_is_made() {
    for wish in [
        "Rewrite it more simply",
        "translate it to French",
        "make it funnier",
        "add examples",
        "add pictures",
        "增加配图",
    ] {
        let mut message = work(wish);
        message.refinable = Some(Refinable::default());
        let Carry::Done(outputs) = carried(&message) else {
            panic!("not understood: {wish}")
        };
        let [Output::Intent(intent)] = &outputs[..] else {
            panic!("{outputs:?}")
        };
        assert_eq!(intent.intent, Intent::Irrelevant, "{wish}");
        assert!(
            intent
                .reply
                .as_ref()
                .is_some_and(|reply| reply.contains("OPENAI_API_KEY")),
            "{intent:?}"
        );
        let named = told(
            with_source("Tides", authoring::read("tides.md", TIDES)),
            wish,
        );
        let ends = carried(&at(named, Stage::Analyze, ""));
        assert!(
            matches!(&ends, Carry::Fail { code, .. } if code == "takes_a_model"),
            "{ends:?}"
        );
    }
}

#[test]
fn another_theme_is_another_theme() {
    let start = with_source("Tides", authoring::read("tides.md", TIDES));
    let theme = |run: &Work| {
        run.body(stage::PRESENTATION_THEME).expect("a theme")["colorScheme"]["background"].clone()
    };
    assert_ne!(
        theme(&whole_run(&start)),
        theme(&whole_run(&told(start, "换成黑色主题")))
    );
}

#[test]
fn a_shorter_deck_has_whole_blocks_of_every_section() {
    let start = with_source("Tides", authoring::read("tides.md", TIDES));
    let run = whole_run(&told(start, "内容缩减"));
    let text = told_to_readers(&run);
    assert!(
        text.contains("This difference stretches") && !text.contains("The Sun does the same"),
        "{text}"
    );
}
