//! What the stages that ask a model share.

use serde_json::Value;

use super::shape::{DeckVersion, Input};
use super::stage::{DECK, Stage};
use crate::asking;
pub(super) use crate::asking::{fail, json_of, vars};
use crate::carry::{Answer, Carry, Work};
use crate::event::Reserve;
use crate::masking::Mask;
use crate::session::Run;

/// Who finds out what is wanted, who writes, who looks at the text, and who sees the pages.
pub(super) const PLANNER: &str = "planner";
pub(super) const WRITER: &str = "writer";
pub(super) const REVIEWER: &str = "reviewer";
pub(super) const VISION: &str = "vision";

/// Tokens of source documents in a prompt, and characters that have as many at 0.7 tokens each.
pub(super) const SOURCE_TOKENS: u64 = 50_000;
pub(super) const SOURCE_CHARS: usize = 71_000;
/// Tokens of the grammar, the rules and everything else of a prompt.
const FRAME_TOKENS: u64 = 12_000;
/// Tokens of the designs that were found, cut as `retrieve` cuts them.
const REFERENCE_TOKENS: u64 = 8_000;
/// Tokens of a deck.
pub(super) const DECK_TOKENS: u32 = 8_192;
/// Tokens of the answers that are lists of a few sentences.
pub(super) const LIST_TOKENS: u32 = 3_000;

/// The worst that one turn of this stage may use.
pub(super) fn reserve(run: &Run, stage: &str) -> Reserve {
    let of = |role, input, output| asking::reserve(&run.settings, role, input, output);
    let offline = run.settings.ports.is_offline();
    match Stage::named(stage) {
        Some(Stage::Requirements) if !offline => of(PLANNER, FRAME_TOKENS, LIST_TOKENS),
        Some(Stage::Generate) => of(
            WRITER,
            FRAME_TOKENS + REFERENCE_TOKENS + SOURCE_TOKENS,
            DECK_TOKENS,
        ),
        Some(Stage::Fix(_)) if !offline => of(WRITER, FRAME_TOKENS + SOURCE_TOKENS, DECK_TOKENS),
        Some(Stage::Inspect(_)) if !offline => of(
            run.settings.model_of(VISION).map_or(REVIEWER, |_| VISION),
            FRAME_TOKENS * 2,
            LIST_TOKENS,
        ),
        None
        | Some(
            Stage::Requirements
            | Stage::Retrieve
            | Stage::Fix(_)
            | Stage::Inspect(_)
            | Stage::Render(_)
            | Stage::Accept
            | Stage::Ingest,
        ) => Reserve::default(),
    }
}

/// What was given beside the message.
pub(super) fn input(work: &Work) -> Result<Input, Box<Carry>> {
    Input::read(&work.input).map_err(|error| Box::new(fail("bad_input", error)))
}

/// The deck as it is now.
pub(super) fn deck(work: &Work) -> Result<DeckVersion, Box<Carry>> {
    work.read(DECK)
}

/// What a comment of the first slide says that begins with this word; it is taken out.
pub(super) fn comment(deck: &mut sdsl::Presentation, word: &str) -> Option<String> {
    let slide = deck.slides.first_mut()?;
    let mut comments = slide.comments.iter();
    let at = comments.position(|comment| comment.as_str().to_lowercase().starts_with(word))?;
    let comment = slide.comments.remove(at);
    let (_, said) = comment.as_str().split_once(':').unwrap_or_default();
    Some(said.trim().to_owned())
}

/// What a prompt is filled with, without credentials and personal data, and what was taken out.
pub(super) fn hidden(vars: &Value) -> (Value, Mask) {
    let mut texts = vec![];
    collect(vars, &mut texts);
    let mask = Mask::of(texts);
    let vars = each_text(vars, &|text| mask.hide(text));
    (vars, mask)
}

/// A structured answer with everything in its place again.
pub(super) fn shown(answer: &Answer, mask: &Mask) -> Answer {
    match answer {
        Answer::Json(value) => Answer::Json(each_text(value, &|text| mask.show(text))),
        Answer::Text(text) => Answer::Text(mask.show(text)),
        Answer::Calls { .. } | Answer::Unreadable(_) => answer.clone(),
    }
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(all) => all.iter().for_each(|value| collect(value, texts)),
        Value::Object(all) => all.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn each_text(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(all) => all.iter().map(|value| each_text(value, change)).collect(),
        Value::Object(all) => {
            let each = all.iter();
            each.map(|(key, value)| (key.clone(), each_text(value, change)))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
