//! What the offline author does: it arranges what the message, the person's answers and the notes say, adds nothing to it,
//! and signs it.

mod pictures;
mod prose;
mod search;
mod words;

use domain::asking::json_of;
use domain::carry::{TurnResult, Work};
use domain::pipelines::post::brief::Phrase;
use domain::pipelines::post::heard::layout_preference;
use domain::pipelines::post::shape::{BodyBlock, CreativeBrief, PostContent};
use domain::pipelines::post::stage::{BRIEF, CONTENT};
use runner::authors::WantedCalls;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The last line of what the offline author writes.
const SIGNATURE: Phrase = Phrase {
    zh: "（离线作者撰写，未使用模型）",
    en: "(Written offline, without a model)",
};

pub(crate) fn brief(work: &Work) -> Value {
    json_of(&words::brief(work))
}

pub(crate) fn research(work: &Work, turns: &[TurnResult]) -> WantedCalls {
    search::research(work, turns)
}

pub(crate) fn writer(work: &Work) -> Value {
    prose::post(work)
}

pub(crate) fn layout(work: &Work) -> Value {
    match work.read::<PostContent>(CONTENT) {
        Ok(content) => pictures::layout(work, &content, layout_preference(work)),
        Err(_) => Value::Null,
    }
}

pub(crate) fn image_plan(work: &Work) -> Value {
    match work.read::<PostContent>(CONTENT) {
        Ok(content) => pictures::plan(work, &content),
        Err(_) => Value::Null,
    }
}

/// An earlier artifact that the offline author can do without.
fn part<T: DeserializeOwned>(work: &Work, kind: &str) -> Option<T> {
    T::deserialize(work.body(kind)?).ok()
}

/// The brief of the run, else one made of the message, as in fast mode.
fn brief_of(work: &Work) -> CreativeBrief {
    part(work, BRIEF).unwrap_or_else(|| words::brief(work))
}

/// What is said against what this stage made before, in one line.
fn feedback(work: &Work) -> Option<String> {
    /// Characters of feedback that are repeated: a line.
    const CHARS: usize = 60;
    let said = work.guidance.feedback.as_deref()?;
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(CHARS).collect();
    (!short.is_empty()).then_some(short)
}

/// Whether a text has one of these words.
fn names(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

fn is_signature(text: &str) -> bool {
    [SIGNATURE.zh, SIGNATURE.en].contains(&text.trim())
}

/// The paragraphs that say something.
fn said(content: &PostContent) -> Vec<&BodyBlock> {
    let blocks = content.body_blocks.iter();
    blocks.filter(|block| !is_signature(&block.text)).collect()
}

#[cfg(test)]
mod tests;
