//! From a provider's bytes to an answer. The same reader works on a live stream and on the bytes found in the spool.
//!
//! It takes what compatible servers really send: unknown fields, missing ones, `null` for anything, tool calls in pieces, a
//! whole JSON body where a stream was asked for. It never takes a cut answer for a finished one.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use domain::carry::Call;
use domain::event::THOUGHT_CHARS_MAX;
use serde_json::{Map, Value};

use super::complaint::Complaint;
use super::model::{ModelAnswer, ModelError, ModelErrorKind, Usage, is_closed, is_whole};
use super::sse::EventReader;
use super::surrogates::Surrogates;
use super::thinking::ThinkFilter;

/// The most bytes of one answer. The longest outputs that models offer (128,000 tokens) are under 1 MB of text. With a chunk for each
/// token, each token takes about 250 bytes, 32 MB in all; 64 MiB is twice that.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The most tool calls that one answer may begin. Real answers have a handful; the bound keeps an absurd `index` harmless.
const MAX_TOOL_CALLS: usize = 128;

/// Reasoning is read until this many bytes of it are there: more than the event of a turn holds, at four bytes a character at most.
const REASONING_BYTES: usize = 4 * THOUGHT_CHARS_MAX;

/// Reads a complete answer from the bytes that came, such as those of the spool.
pub fn parse_sse(raw: impl Into<Bytes>) -> Result<ModelAnswer, ModelError> {
    let mut reader = AnswerReader::default();
    reader.push(raw.into())?;
    Ok(reader.finish()?.1)
}

/// Puts an answer together while its bytes arrive.
#[derive(Default)]
pub struct AnswerReader {
    raw: BytesMut,
    form: Form,
    events: EventReader,
    answer: Draft,
}

/// What the body turned out to be.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Form {
    #[default]
    Unknown,
    Events,
    /// One JSON document: the server ignored that a stream was asked for.
    Whole,
}

impl AnswerReader {
    /// Takes the next bytes and returns the text that they add.
    pub fn push(&mut self, piece: Bytes) -> Result<String, ModelError> {
        if self.raw.len() + piece.len() > MAX_ANSWER_BYTES {
            return Err(malformed(format!(
                "the answer is longer than {MAX_ANSWER_BYTES} bytes"
            )));
        }
        self.raw.extend_from_slice(&piece);
        if self.form == Form::Unknown {
            self.form = match unmarked(&self.raw)
                .iter()
                .find(|byte| !byte.is_ascii_whitespace())
            {
                None => Form::Unknown,
                Some(b'{' | b'[') => Form::Whole,
                Some(b'<') => return Err(page()),
                Some(_) => Form::Events,
            };
        }
        if self.form == Form::Whole {
            return Ok(String::new());
        }
        let events = self
            .events
            .push(&piece)
            .map_err(|error| malformed(error.to_string()))?;
        let mut text = String::new();
        for data in events {
            text += &self.answer.event(&data)?;
        }
        Ok(text)
    }

    /// Whether the answer said that it is complete; anything that a server sends after that is ignored.
    pub fn is_done(&self) -> bool {
        self.answer.done
    }

    /// The text that was still held back, and the answer; an error when the bytes ended before the answer did.
    pub fn finish(mut self) -> Result<(String, ModelAnswer), ModelError> {
        let mut text = String::new();
        if self.form == Form::Whole {
            let body = String::from_utf8_lossy(unmarked(&self.raw));
            let whole = self.answer.json(&body).map_err(|error| {
                let kind = if error.is_eof() {
                    ModelErrorKind::Cut
                } else {
                    ModelErrorKind::Malformed
                };
                ModelError::new(
                    kind,
                    format!("the answer is not a JSON document: {}", place(&error)),
                )
            })?;
            // An error may come with the status of an answer.
            if whole.get("choices").is_none_or(Value::is_null)
                && let Some(complaint) = Complaint::of(&whole)
            {
                return Err(complaint.error(None, "the provider answered with an error"));
            }
            text += &self.answer.take(&whole)?;
            self.answer.done = true;
        } else {
            for data in self.events.finish() {
                // An event that is cut in two by the end of the bytes is treated as if it was never sent.
                if data.trim() == "[DONE]" || serde_json::from_str::<Value>(&data).is_ok() {
                    text += &self.answer.event(&data)?;
                }
            }
        }
        if !self.answer.done
            && self.answer.finish_reason.is_none()
            && !is_closed(&self.answer.text, &self.answer.tool_calls)
        {
            return Err(ModelError::new(
                ModelErrorKind::Cut,
                format!(
                    "the stream ended after {} bytes without saying that the answer is complete",
                    self.raw.len()
                ),
            ));
        }
        if !self.answer.has_choices {
            return Err(malformed("the provider sent no answer".to_owned()));
        }
        text += &self.answer.finish_text();
        text += &self.answer.take_answer_from_reasoning();
        let raw = self.raw.freeze();
        Ok((text, self.answer.into_answer(raw)))
    }
}

/// An answer that is being put together.
#[derive(Default)]
struct Draft {
    text: String,
    reasoning: String,
    thoughts: ThinkFilter,
    surrogates: Surrogates,
    refusal: String,
    tool_calls: Vec<Call>,
    beside: Map<String, Value>,
    /// The place of the call with this index, where the place differs from the index.
    places: BTreeMap<usize, usize>,
    model: String,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    done: bool,
    has_choices: bool,
}

impl Draft {
    /// One event's data; returns the text it adds.
    fn event(&mut self, data: &str) -> Result<String, ModelError> {
        let data = data.trim();
        if data.is_empty() || self.done {
            return Ok(String::new());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(String::new());
        }
        let chunk = self
            .json(data)
            .map_err(|error| malformed(format!("an event is not JSON: {}", place(&error))))?;
        self.take(&chunk)
    }

    /// Reads a JSON text, in which halves of characters may stand alone.
    fn json(&mut self, text: &str) -> Result<Value, serde_json::Error> {
        serde_json::from_str(text).or_else(|_| serde_json::from_str(&self.surrogates.mend(text)))
    }

    /// A chunk of a stream, or a whole completion; returns the text it adds.
    fn take(&mut self, chunk: &Value) -> Result<String, ModelError> {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            let complaint = Complaint::of(chunk).unwrap_or_default();
            return Err(complaint.error(None, "the provider broke off"));
        }
        if let Some(complaint) = Complaint::beside_answers(chunk) {
            return Err(complaint.error(None, "the provider broke off"));
        }
        if let Some(model) = chunk["model"].as_str().filter(|model| !model.is_empty()) {
            self.model = model.to_owned();
        }
        if let Some(usage) = usage_in(chunk) {
            self.usage = Some(usage);
        }
        // A list without a choice is an answer, too: an empty one.
        self.has_choices |= chunk["choices"].is_array();
        let Some(choice) = first_choice(chunk) else {
            return Ok(String::new());
        };
        if let Some(reason) = choice["finish_reason"].as_str().filter(|r| !r.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
        let delta = match choice.get("delta").filter(|delta| delta.is_object()) {
            Some(delta) => delta,
            None => &choice["message"],
        };
        self.take_tool_calls(&delta["tool_calls"])?;
        self.take_reasoning(delta);
        self.take_beside(delta);
        self.refusal += delta["refusal"].as_str().unwrap_or_default();
        // Some servers answer a chat in the form of the older completions.
        let content = if delta.is_object() {
            &delta["content"]
        } else {
            &choice["text"]
        };
        let shown = self.thoughts.push(&text_of(content));
        self.text += &shown;
        Ok(shown)
    }

    /// Providers use one of two names for the reasoning; a provider that uses both sends the same text twice, so only one is read.
    fn take_reasoning(&mut self, delta: &Value) {
        let named = ["reasoning_content", "reasoning"];
        let piece = named.iter().find_map(|name| delta[*name].as_str());
        if self.reasoning.len() < REASONING_BYTES {
            self.reasoning += piece.unwrap_or_default();
        }
    }

    /// Everything else of a message is kept as it came: some models want it back beside their calls.
    fn take_beside(&mut self, delta: &Value) {
        let fields = delta.as_object().into_iter().flatten();
        for (name, value) in fields.filter(|(name, _)| !READ_OF_MESSAGES.contains(&name.as_str())) {
            join(self.beside.entry(name).or_insert(Value::Null), value);
        }
    }

    fn take_tool_calls(&mut self, calls: &Value) -> Result<(), ModelError> {
        for (position, call) in calls.as_array().into_iter().flatten().enumerate() {
            let index = self.index_of(call, position);
            if index >= MAX_TOOL_CALLS {
                return Err(malformed(format!(
                    "the answer calls more than {MAX_TOOL_CALLS} tools"
                )));
            }
            if self.tool_calls.len() <= index {
                self.tool_calls.resize_with(index + 1, Call::default);
            }
            let draft = &mut self.tool_calls[index];
            if let Some(id) = call["id"].as_str().filter(|id| !id.is_empty()) {
                draft.id = id.to_owned();
            }
            let fields = call.as_object().into_iter().flatten();
            for (name, value) in fields.filter(|(name, _)| !READ_OF_CALLS.contains(&name.as_str()))
            {
                join(draft.beside.entry(name).or_insert(Value::Null), value);
            }
            let function = &call["function"];
            if let Some(name) = function["name"].as_str().filter(|name| !name.is_empty()) {
                draft.name = name.to_owned();
            }
            match &function["arguments"] {
                Value::String(piece) => draft.arguments += piece,
                Value::Null => {}
                whole
                @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                    draft.arguments = whole.to_string()
                }
            }
        }
        Ok(())
    }

    /// Which call a piece belongs to: the one with its index if it has one, otherwise the one with its id, otherwise the one at its place.
    fn index_of(&mut self, call: &Value, position: usize) -> usize {
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        if let Some(index) = call["index"].as_u64() {
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            let place = self.places.get(&index).copied().unwrap_or(index);
            // Some servers give every call the index 0; then another id begins another call.
            let is_another =
                |known: &Call| !known.id.is_empty() && id.is_some_and(|id| id != known.id);
            if !self.tool_calls.get(place).is_some_and(is_another) {
                return place;
            }
            let known = self.tool_calls.iter();
            let same = known
                .map(|call| call.id.as_str())
                .position(|known| Some(known) == id);
            let place = same.unwrap_or(self.tool_calls.len());
            self.places.insert(index, place);
            return place;
        }
        match id {
            Some(id) => self
                .tool_calls
                .iter()
                .position(|known| known.id == id)
                .unwrap_or(self.tool_calls.len()),
            None => {
                // A name begins a call where the one before it is whole.
                let is_named = call["function"]["name"]
                    .as_str()
                    .is_some_and(|name| !name.is_empty());
                let is_whole = |known: &Call| {
                    !known.name.is_empty() && is_closed("", std::slice::from_ref(known))
                };
                let begins = is_named && self.tool_calls.last().is_some_and(is_whole);
                let last = self.tool_calls.len().saturating_sub(1);
                position.max(last + usize::from(begins))
            }
        }
    }

    fn finish_text(&mut self) -> String {
        let rest = self.thoughts.finish();
        self.text += &rest;
        rest
    }

    /// Some servers put the whole answer where the reasoning belongs. What begins there as a document does, and not as a thought, is the
    /// answer where there is no other.
    fn take_answer_from_reasoning(&mut self) -> String {
        let is_empty = self.text.trim().is_empty() && self.tool_calls.is_empty();
        let reason = self.finish_reason.as_deref();
        let is_whole = reason.is_some_and(is_whole);
        let begins = DOCUMENT
            .iter()
            .any(|mark| self.reasoning.trim_start().starts_with(mark));
        let is_document = is_closed(&self.reasoning, &[]) || (is_whole && begins);
        if !is_empty || !self.refusal.is_empty() || !is_document {
            return String::new();
        }
        self.text = std::mem::take(&mut self.reasoning);
        self.text.clone()
    }

    fn into_answer(self, raw: Bytes) -> ModelAnswer {
        ModelAnswer {
            text: self.text,
            reasoning: self.reasoning,
            refusal: self.refusal,
            beside: if self.tool_calls.is_empty() {
                Map::new()
            } else {
                self.beside
            },
            tool_calls: named(self.tool_calls),
            model: self.model,
            finish_reason: self.finish_reason,
            usage: self.usage,
            raw,
        }
    }
}

/// How a document begins: a heading, a fence, a separator.
const DOCUMENT: [&str; 4] = ["# ", "---\n", "```", "~~~"];

/// Bytes without the mark of byte order that may stand before them.
fn unmarked(bytes: &[u8]) -> &[u8] {
    let mark = "\u{feff}".as_bytes();
    // Only a part of the mark has come, so nothing is known yet of what follows it.
    if mark.starts_with(bytes) {
        return &[];
    }
    bytes.strip_prefix(mark).unwrap_or(bytes)
}

/// The choice with index 0: only one is ever asked for.
fn first_choice(chunk: &Value) -> Option<&Value> {
    chunk["choices"]
        .as_array()?
        .iter()
        .find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
}

/// Content is a text, or a list of parts of which some are text.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// The fields of a message that are read separately, and that the model does not need back.
const READ_OF_MESSAGES: [&str; 6] = [
    "role",
    "content",
    "refusal",
    "tool_calls",
    "function_call",
    "audio",
];

/// The same for a call.
const READ_OF_CALLS: [&str; 4] = ["index", "id", "type", "function"];

/// Adds a piece to the value that is known so far: texts and lists are continued, objects are joined field by field, and everything else is
/// replaced.
fn join(known: &mut Value, piece: &Value) {
    match (known, piece) {
        (_, Value::Null) => {}
        (Value::String(known), Value::String(piece)) => known.push_str(piece),
        (Value::Array(known), Value::Array(pieces)) => {
            for piece in pieces {
                // Parts with the same index are pieces of one part, as in `reasoning_details`.
                let same = |part: &&mut Value| {
                    piece["index"].is_u64()
                        && part["index"] == piece["index"]
                        && part["type"] == piece["type"]
                };
                match known.iter_mut().find(same) {
                    Some(part) => join_part(part, piece),
                    None => known.push(piece.clone()),
                }
            }
        }
        (Value::Object(known), Value::Object(pieces)) => {
            for (name, piece) in pieces {
                join(known.entry(name).or_insert(Value::Null), piece);
            }
        }
        (known, piece) => *known = piece.clone(),
    }
}

/// Adds a piece to a part. Only the content of the part grows; the fields that identify it are repeated in each piece.
fn join_part(part: &mut Value, piece: &Value) {
    for (name, value) in piece.as_object().into_iter().flatten() {
        let grows = matches!(name.as_str(), "text" | "summary" | "data");
        match part.get_mut(name) {
            Some(known) if grows => join(known, value),
            Some(known) if !value.is_null() => *known = value.clone(),
            Some(_) => {}
            None => part[name] = value.clone(),
        }
    }
}

/// The calls that were begun, each with an id: some providers give none.
fn named(calls: Vec<Call>) -> Vec<Call> {
    let begun = calls.into_iter().filter(|call| *call != Call::default());
    let named = begun.enumerate().map(|(place, call)| Call {
        id: if call.id.is_empty() {
            format!("call_{place}")
        } else {
            call.id
        },
        ..call
    });
    named.collect()
}

/// Where token counts are found, from the usual place to those of Groq, Moonshot, Google, llama.cpp and Ollama.
const USAGE_PLACES: [&str; 7] = [
    "/usage",
    "/x_groq/usage",
    "/choices/0/usage",
    "/usage_metadata",
    "/usageMetadata",
    "/timings",
    "",
];

/// Under which names the tokens of the prompt, of the answer, of the cache and of the reasoning are counted.
const INPUT: [&str; 5] = [
    "/prompt_tokens",
    "/input_tokens",
    "/promptTokenCount",
    "/prompt_n",
    "/prompt_eval_count",
];
const OUTPUT: [&str; 5] = [
    "/completion_tokens",
    "/output_tokens",
    "/candidatesTokenCount",
    "/predicted_n",
    "/eval_count",
];
const CACHED: [&str; 5] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/prompt_cache_hit_tokens",
    "/cache_read_input_tokens",
    "/cachedContentTokenCount",
];
const REASONING: [&str; 3] = [
    "/completion_tokens_details/reasoning_tokens",
    "/output_tokens_details/reasoning_tokens",
    "/thoughtsTokenCount",
];

/// The token counts of a chunk, wherever they stand.
fn usage_in(chunk: &Value) -> Option<Usage> {
    let places = USAGE_PLACES.iter().filter_map(|place| chunk.pointer(place));
    places.filter(|place| place.is_object()).find_map(usage)
}

/// Token counts, as numbers or as texts of digits.
fn usage(wire: &Value) -> Option<Usage> {
    let count = |names: &[&str]| {
        names.iter().find_map(|name| match wire.pointer(name)? {
            Value::String(text) => text.trim().parse().ok(),
            Value::Number(number) => number.as_u64(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        })
    };
    let (input, output) = (count(&INPUT), count(&OUTPUT));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: count(&CACHED).unwrap_or(0),
        reasoning: count(&REASONING).unwrap_or(0),
    })
}

/// The error for a web page in the place of an answer: in most cases the address is not that of the interface.
fn page() -> ModelError {
    ModelError::new(
        ModelErrorKind::NotAnAnswer,
        "a web page came where an answer belongs",
    )
}

/// Where a JSON error is, without the text around it.
fn place(error: &serde_json::Error) -> String {
    format!("{:?} error in column {}", error.classify(), error.column())
}

fn malformed(message: String) -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, message)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
