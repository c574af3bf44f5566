//! What can be read of what a model said of a deck. A field that cannot be read is left empty, so that rules fill it in.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::Answer;
use serde_json::Value;

use crate::designs::{DeckEnrichment, Enrichment, SlideEnrichment};

/// Tags of a deck or slide.
const TAGS_MAX: usize = 8;

/// The name that is recorded for what a model says.
const MODEL: &str = "model";

/// What a model said about a deck and its slides, which have these ids; `None` where nothing can be read.
pub(super) fn read_enrichment(answer: &Answer, ids: &[&str]) -> Option<Enrichment> {
    let Answer::Json(said) = answer else {
        return None;
    };
    let of_deck = &said["deck"];
    let deck = read_deck(if of_deck.is_object() { of_deck } else { said });
    let of_slides = said["slides"].as_array().or(said.as_array());
    let of_slides = of_slides.into_iter().flatten().enumerate();
    let slides: BTreeMap<String, SlideEnrichment> = of_slides
        .filter_map(|(at, slide)| read_slide(slide, at, ids))
        .collect();
    (!slides.is_empty() || deck != DeckEnrichment::default()).then_some(Enrichment { deck, slides })
}

/// What was not said of a deck with this number of slides, for people; `None` where everything was.
pub(super) fn name_missing(said: &Enrichment, slides: usize) -> Option<String> {
    let deck = &said.deck;
    let fields = [
        ("narrative_summary", &deck.narrative_summary),
        ("audience", &deck.audience),
        ("purpose", &deck.purpose),
    ];
    let missing = fields.iter().filter(|(_, said)| said.is_empty());
    let mut missing: Vec<String> = missing.map(|(name, _)| (*name).to_owned()).collect();
    let described = said.slides.values();
    let described = described.filter(|slide| !slide.semantic_summary.is_empty());
    match slides.saturating_sub(described.count()) {
        0 => {}
        left => missing.push(format!("the summaries of {left} of {slides} slides")),
    }
    (!missing.is_empty()).then(|| missing.join(", "))
}

fn read_deck(said: &Value) -> DeckEnrichment {
    let text = |name: &str| text_of(&said[name]);
    let deck = DeckEnrichment {
        narrative_summary: text("narrative_summary"),
        audience: text("audience"),
        purpose: text("purpose"),
        topic_tags: tags_of(&said["topic_tags"]),
        storyline_quality: text("storyline_quality"),
        consulting_style: text("consulting_style"),
        enriched_by: String::new(),
    };
    if deck == DeckEnrichment::default() {
        return deck;
    }
    DeckEnrichment {
        enriched_by: MODEL.to_owned(),
        ..deck
    }
}

/// What is said of a slide, by the id of the slide. The slide is named by its number from 1, or else by its place in the list.
fn read_slide(said: &Value, at: usize, ids: &[&str]) -> Option<(String, SlideEnrichment)> {
    let number = number_of(&said["slide"]).unwrap_or(at + 1);
    let id = ids.get(number.checked_sub(1)?)?;
    let domain = text_of(&said["content_domain"]).to_lowercase();
    let slide = SlideEnrichment {
        semantic_summary: text_of(&said["semantic_summary"]),
        topic_tags: tags_of(&said["topic_tags"]),
        // A domain that is not in the list is the contract's `overview`, which is the default.
        content_domain: serde_json::from_value(Value::from(domain.as_str())).unwrap_or_default(),
        enriched_by: MODEL.to_owned(),
    };
    let says_nothing =
        slide.semantic_summary.is_empty() && slide.topic_tags.is_empty() && domain.is_empty();
    (!says_nothing).then(|| ((*id).to_owned(), slide))
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

/// A whole number, as a number or in a text.
fn number_of(value: &Value) -> Option<usize> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    text.trim().trim_end_matches(".0").parse().ok()
}

/// Tags in lower case, from a list of them or from one.
fn tags_of(value: &Value) -> Vec<String> {
    let listed = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    let tags = listed.iter().map(|tag| text_of(tag).to_lowercase());
    tags.filter(|tag| !tag.is_empty()).take(TAGS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const IDS: [&str; 2] = ["d.1", "d.2"];

    fn read(said: Value) -> Option<Enrichment> {
        read_enrichment(&Answer::Json(said), &IDS)
    }

    #[test]
    fn a_field_that_cannot_be_read_costs_only_itself() {
        let said = read(json!({
            "deck": { "narrative_summary": null, "audience": " Board ", "purpose": 3, "topic_tags": "Data Platform" },
            "slides": [
                { "slide": "1", "semantic_summary": "One.", "content_domain": "weather" },
                { "slide": 2.0, "topic_tags": ["Team Growth", null, 4, ""], "content_domain": null },
                { "slide": 9, "semantic_summary": "There is no such slide." },
                { "slide": 1 },
                null,
                "two",
            ],
        }));
        let said = said.expect("it is read");
        let deck = &said.deck;
        assert_eq!(
            (deck.audience.as_str(), deck.narrative_summary.as_str()),
            ("Board", "")
        );
        assert_eq!(
            (&deck.topic_tags[..], deck.enriched_by.as_str()),
            (&["data platform".to_owned()][..], MODEL)
        );
        let [one, two] = IDS.map(|id| &said.slides[id]);
        assert_eq!(one.semantic_summary, "One.");
        assert_eq!(json!(one.content_domain), "overview");
        assert_eq!(two.topic_tags, ["team growth"]);
        assert_eq!(json!(two.content_domain), "overview");
        let missing = name_missing(&said, 2).expect("something is missing");
        assert_eq!(
            missing,
            "narrative_summary, purpose, the summaries of 1 of 2 slides"
        );
    }

    #[test]
    fn slides_without_numbers_stand_in_their_order_also_where_they_are_all_that_came() {
        let slides = json!([
            { "semantic_summary": "One.", "content_domain": " Risk " },
            { "semantic_summary": "Two." },
        ]);
        for said in [slides.clone(), json!({ "slides": slides })] {
            let said = read(said).expect("it is read");
            assert_eq!(json!(said.slides["d.1"].content_domain), "risk");
            assert_eq!(said.slides["d.2"].semantic_summary, "Two.");
            assert_eq!(said.deck, DeckEnrichment::default());
        }
        let flat = read(json!({ "audience": "Board", "slides": null })).expect("it is read");
        assert_eq!(flat.deck.audience, "Board");
    }

    #[test]
    fn an_answer_that_says_nothing_is_nothing_read() {
        for nothing in [
            json!({}),
            json!([]),
            json!({ "deck": {}, "slides": [{ "slide": 1 }] }),
            json!({ "deck": null, "slides": "none" }),
        ] {
            assert_eq!(read(nothing.clone()), None, "{nothing}");
        }
        let unreadable = Answer::Unreadable("it is no JSON".to_owned());
        assert_eq!(read_enrichment(&unreadable, &IDS), None);
    }
}
