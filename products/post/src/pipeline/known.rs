//! Which numbers a post may contain: those that somebody gave. A model that invents "87% of people" is told so.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::{Work, figures};
use words::sentences;

use super::ask;
use super::stage::CONTENT;

/// Numbers that are used in figures of speech (ten of something, day and night, all of it, all round) and claim nothing. Numbers of one
/// digit are mostly counts and places, and are ignored too.
const PHRASES: [&str; 4] = ["10", "24", "100", "360"];

/// The numbers in these texts that are in no evidence, no brief, no file, no message and no answer; `more` is what else is known.
pub(super) fn unknown_numbers(work: &Work, texts: &[&str], more: &[&str]) -> Vec<String> {
    let mut known: BTreeSet<String> = PHRASES.iter().map(|&phrase| phrase.to_owned()).collect();
    for text in ask::wishes(work) {
        known.extend(figures::of(&text));
    }
    let evidence = ask::evidence(work);
    known.extend(figures::of(&evidence.summary));
    for item in &evidence.items {
        known.extend(figures::of(&item.fact));
        known.extend(item.quote.iter().flat_map(|quote| figures::of(quote)));
    }
    if let Some(brief) = ask::creative_brief(work) {
        known.extend(figures::of(&ask::json_of(&brief).to_string()));
    }
    for source in &work.sources {
        known.extend(figures::of(&source.text));
    }
    // Numbers that a person wrote into the text are known.
    if let Some(previous) = work.previous(CONTENT)
        && previous.artifact.facts["by"] == ask::PERSON
    {
        known.extend(figures::of(&previous.body.to_string()));
    }
    for text in more {
        known.extend(figures::of(text));
    }
    let said = texts.iter().flat_map(|text| figures::digit_runs(text));
    figures::missing(&said.collect::<Vec<_>>(), &known)
}

/// The text without the sentences that have numbers which nobody gave, and how many there were. A text that has no other sentence stays as
/// it is, so that its author can change it.
pub(super) fn without_unknown_numbers(work: &Work, text: &str) -> (String, usize) {
    let is_unknown = |sentence: &str| !unknown_numbers(work, &[sentence], &[]).is_empty();
    let (kept, dropped) = sentences::without(text, is_unknown);
    if kept.chars().any(char::is_alphanumeric) {
        (kept.trim().to_owned(), dropped.len())
    } else {
        (text.to_owned(), 0)
    }
}
