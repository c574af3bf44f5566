//! What the offline author does: it arranges what the message, the person's answers and the notes say, adds nothing to it,
//! and signs it.

mod pictures;
mod prose;
mod search;
mod words;

use serde_json::Value;

use super::ask;
use super::shape::{CreativeBrief, LayoutPreference, PostContent};
use crate::carry::{TurnResult, WantedCalls, Work};

/// Words in both languages.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) zh: &'static str,
    pub(super) en: &'static str,
}

impl Words {
    fn of(self, work: &Work) -> &'static str {
        if work.is_chinese() { self.zh } else { self.en }
    }
}

/// What the contract says where the message does not.
pub(super) const AUDIENCE: Words = Words {
    zh: "小红书用户",
    en: "readers of this network",
};
pub(super) const GOAL: Words = Words {
    zh: "提升互动",
    en: "more interaction",
};
/// The last line of what the offline author writes.
const SIGNATURE: Words = Words {
    zh: "（离线作者撰写，未使用模型）",
    en: "(Written offline, without a model)",
};

pub(super) fn brief(work: &Work) -> Value {
    ask::json_of(&words::brief(work))
}

pub(super) fn research(work: &Work, turns: &[TurnResult]) -> WantedCalls {
    search::research(work, turns)
}

pub(super) fn writer(work: &Work) -> Value {
    prose::post(work)
}

pub(super) fn layout(work: &Work) -> Value {
    match ask::content(work) {
        Ok(content) => pictures::layout(work, &content, preference(work)),
        Err(_) => Value::Null,
    }
}

pub(super) fn image_plan(work: &Work) -> Value {
    match ask::content(work) {
        Ok(content) => pictures::plan(work, &content),
        Err(_) => Value::Null,
    }
}

fn preference(work: &Work) -> LayoutPreference {
    ask::layout_preference(work)
}

/// The brief of the run, else one made of the message, as in fast mode.
fn brief_of(work: &Work) -> CreativeBrief {
    ask::creative_brief(work).unwrap_or_else(|| words::brief(work))
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
fn said(content: &PostContent) -> Vec<&super::shape::BodyBlock> {
    let blocks = content.body_blocks.iter();
    blocks.filter(|block| !is_signature(&block.text)).collect()
}
