//! Evidence: unchanged sentences of the notes that are about the subject.

use palimpsest::prelude::author::WantedCalls;
use palimpsest::prelude::author::wishes::terms;
use palimpsest::prelude::author::words::FROM_GIVEN;
use palimpsest::prelude::pipeline::{TurnResult, Work};
use serde_json::{Value, json};
use words::folded;
use words::sentences::sentences;

use super::brief::brief_of;
use super::phrases::READING;
use crate::pipeline::heard::heard;
use crate::pipeline::research::{
    ITEMS_MAX, SEARCH_NOTES, SUBMIT, TOP_TAGS, TOP_TITLES, TREND_REPORT,
};
use crate::pipeline::shape::CreativeBrief;

/// The most characters of a fact that the stage accepts; a longer sentence is left out.
const FACT_CHARS: usize = 300;
/// Terms that a text must have in common with its subject: a single one is a coincidence.
pub(super) const SHARED_MIN: usize = 2;

/// Three queries of the notes, and then the evidence that they gave.
pub(crate) fn research(work: &Work, turns: &[TurnResult]) -> Option<WantedCalls> {
    let brief = brief_of(work)?;
    let trend = heard(work).iter().any(|heard| heard.chose("trend_data"));
    let third = if trend { TREND_REPORT } else { TOP_TITLES };
    let calls = match turns.iter().filter(|turn| turn.answer().is_some()).count() {
        0 => vec![
            (SEARCH_NOTES, json!({ "query": query(work, &brief) })),
            (TOP_TAGS, json!({})),
            (third, json!({})),
        ],
        1 => vec![(SUBMIT, submitted(work, &brief.topic, turns))],
        // If the evidence was not accepted, an empty list is handed in.
        _ => vec![(SUBMIT, json!({ "items": [], "summary": "" }))],
    };
    Some(calls)
}

fn query(work: &Work, brief: &CreativeBrief) -> String {
    let mut words = brief.keywords.clone();
    for answer in heard(work) {
        if answer.chose("practical_steps") {
            words.push(if work.is_chinese() { "步骤" } else { "steps" }.to_owned());
        }
        words.push(answer.said);
    }
    words.extend(work.guidance.feedback.clone());
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// Whether a text is about a subject: it has the subject's own words, or more than one term of it.
fn is_about(text: &str, topic: &str) -> bool {
    is_near(text, topic, SHARED_MIN)
}

/// Whether a text has the subject's own words, or so many terms of it.
pub(super) fn is_near(text: &str, topic: &str, shared_min: usize) -> bool {
    // The word for the kind of post says nothing about its subject.
    let kinds = READING.list("kind").iter();
    let core = kinds.fold(folded(topic), |core, word| core.replace(word, ""));
    let core = core.trim();
    let has_it = core.chars().count() > 1 && folded(text).contains(core);
    !topic.is_empty() && (has_it || shared(text, topic) >= shared_min)
}

/// How many terms of a subject a text has, without those that any text may have.
pub(super) fn shared(text: &str, topic: &str) -> usize {
    let (of_text, of_topic) = (terms(text), terms(topic));
    let usual = READING.list("usual");
    let is_shared = |term: &&String| of_text.contains(term) && !usual.contains(&term.as_str());
    of_topic.iter().filter(is_shared).count()
}

fn submitted(work: &Work, topic: &str, turns: &[TurnResult]) -> Value {
    let outputs = turns.iter().filter_map(TurnResult::output);
    let lists =
        outputs.flat_map(|output| ["notes", "titles", "topNotes"].map(|list| &output[list]));
    let mut items: Vec<Value> = vec![];
    for note in lists.filter_map(Value::as_array).flatten() {
        let id = note["id"].to_string();
        let source = json!(format!("note:{}", id.trim_matches('"')));
        let is_new = items.len() < ITEMS_MAX && items.iter().all(|item| item["source"] != source);
        let fact = fact(note, topic).filter(|_| is_new);
        items.extend(fact.map(|fact| json!({ "fact": fact, "source": source, "quote": fact })));
    }
    let summary = [FROM_GIVEN.of(work), ""][usize::from(items.is_empty())];
    json!({ "items": items, "summary": summary })
}

/// The first whole sentence of a note that is about the subject itself, else a title that is.
fn fact(note: &Value, topic: &str) -> Option<String> {
    let [title, excerpt] = ["title", "excerpt"].map(|name| note[name].as_str().unwrap_or_default());
    let said = sentences(excerpt).into_iter().map(|at| &excerpt[at]);
    // An excerpt that is cut ends so.
    let whole = said.filter(|said| !said.ends_with('…')).chain([title]);
    let mut fitting = whole.filter(|said| (1..=FACT_CHARS).contains(&said.chars().count()));
    fitting
        .find(|said| is_about(said, topic))
        .map(str::to_owned)
}
