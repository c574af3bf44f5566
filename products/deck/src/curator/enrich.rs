//! Reads a deck, asks a model about it once, and stores what the model says beside the deck.

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{
    Carry, Content, NewArtifact, Output, RULES, Run, StageSpec, TurnResult, Work, prompt_vars,
};
use schemars::JsonSchema;
use serde_json::{Value, json};

use super::ENRICHMENT;
use super::reading::{name_missing, read_enrichment};
use crate::designs::{DeckEnrichment, SlideEnrichment};

/// The tools that read a deck of the index and store what is said of it.
const READ: &str = "readDesign";
const KEEP: &str = "remarkDesign";

/// Characters of a deck that the question shows; the contract's number.
const DECK_CHARS: usize = 8_000;

/// The most that one question may use: the deck at 0.7 tokens a character with its frame, and the contract's number of tokens for each ten
/// slides of an answer.
const INPUT_TOKENS: u64 = 9_000;
const OUTPUT_TOKENS: u32 = 4_096;

/// A run asks about a deck once: what cannot be read of the answer is left to rules, and a call that fails is left to a later run.
pub(super) const ENRICHING: StageSpec = StageSpec::new("enrich", ["整理", "Curating"], carry)
    .makes(&[ENRICHMENT])
    .asks("curator", "curator/deck", INPUT_TOKENS, OUTPUT_TOKENS)
    .without_model(without_model)
    .attempts(1)
    .optional();

/// The most slides that one answer describes; rules describe the rest.
const SLIDES_MAX: usize = 40;

/// The choices that a step leaves where a model did not say everything: it was not asked, its answer says nothing or not all, or it gave
/// none.
const PASSED_OVER: &str = "passed_over";
const BY_RULES: &str = "by_rules";
const PARTLY: &str = "partly_by_rules";
const UNANSWERED: &str = "unanswered";

/// What a model is asked to say of a deck. What it says is read as far as it can be, so that it is not asked again.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of a question")]
struct Said {
    deck: DeckEnrichment,
    slides: Vec<SaidOfSlide>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of a question")]
struct SaidOfSlide {
    /// Counted from 1.
    slide: usize,
    #[schemars(flatten)]
    said: SlideEnrichment,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = work.step.item.as_str();
    let mut results = turns.iter().filter_map(TurnResult::output);
    let Some(read) = results.next() else {
        return Carry::tool(READ, json!({ "deck": deck }));
    };
    let (Some(text), Some(ids)) = (read["dsl"].as_str(), read["slides"].as_array()) else {
        // The deck was removed from the index in the meantime, so nothing is to be said about it.
        let why = read["error"].as_str().unwrap_or("it is not there");
        return Carry::Done(vec![decide(deck, PASSED_OVER, why)]);
    };
    let ids: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
    let Some(counted) = results.next() else {
        // The question is counted before it is asked, so that a call that fails is counted as well.
        let asked = read["asked"].as_u64().unwrap_or(0) + 1;
        return Carry::tool(KEEP, json!({ "deck": deck, "asked": asked }));
    };
    if let Some(why) = counted["error"].as_str() {
        return Carry::Done(vec![decide(deck, PASSED_OVER, why)]);
    }
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        return ask(work, read, text, &ids);
    };
    let said = read_enrichment(answer, &ids);
    if results.next().is_none() {
        return Carry::tool(KEEP, json!({ "deck": deck, "said": json_of(&said) }));
    }
    let Some(said) = said else {
        let why = "nothing of the model's answer could be read, so rules describe the deck";
        return Carry::Done(vec![decide(deck, BY_RULES, why)]);
    };
    let missing = name_missing(&said, ids.len().min(SLIDES_MAX));
    let partly = missing.map(|missing| {
        let why = format!("the model's answer lacks {missing}; rules fill them in");
        decide(deck, PARTLY, &why)
    });
    let title = read["title"].as_str().unwrap_or(deck);
    let content = Content::Json(json_of(&said));
    let made = Output::Artifact(NewArtifact {
        shown: false,
        part: deck.to_owned(),
        ..NewArtifact::new(ENRICHMENT, "art_enr_", title, content, vec![])
    });
    Carry::Done(std::iter::once(made).chain(partly).collect())
}

fn ask(work: &Work, read: &Value, text: &str, ids: &[&str]) -> Carry {
    let shown_text: String = text.chars().take(DECK_CHARS).collect();
    let more = json!({
        "title": read["title"],
        "deck": shown_text,
        "cut": shown_text.len() < text.len(),
        "slides": ids.len().min(SLIDES_MAX),
    });
    let schema = schemars::schema_for!(Said).to_value();
    let turn = ENRICHING.turn(prompt_vars(work, more));
    turn.structured("enrichment", schema).into()
}

/// What a step leaves whose model answered with nothing, declined, or was cut off: it is not asked again.
fn without_model(work: &Work) -> Option<Vec<Output>> {
    let why = "the model gave no answer that can be used, so rules describe the deck";
    Some(vec![decide(work.step.item.as_str(), UNANSWERED, why)])
}

/// Whether the model was asked about this deck and gave no answer.
pub(super) fn is_unanswered(run: &Run, deck: &str) -> bool {
    let decided = run.decision(&name_decision(deck));
    decided.is_some_and(|decided| decided.choice == UNANSWERED)
}

/// Stores that nothing more is to be asked about a deck.
pub(super) fn settle(work: &Work, turns: &[TurnResult]) -> Carry {
    match turns {
        [] => Carry::tool(KEEP, json!({ "deck": work.step.item.as_str() })),
        [..] => Carry::Done(vec![]),
    }
}

fn decide(deck: &str, choice: &str, reason: &str) -> Output {
    Output::Decision {
        what: name_decision(deck),
        choice: choice.to_owned(),
        reason: reason.to_owned(),
        by: RULES.to_owned(),
    }
}

fn name_decision(deck: &str) -> String {
    format!("enrich:{deck}")
}
