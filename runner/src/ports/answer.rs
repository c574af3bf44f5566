//! From a provider's bytes to an answer. The same reader works on a live stream and on the bytes found in the spool.
//!
//! It takes what compatible servers really send: unknown fields, missing ones, `null` for anything, tool calls in pieces, a
//! whole JSON body where a stream was asked for. It never takes a cut answer for a finished one.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use domain::event::THOUGHT_CHARS_MAX;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::exchange::NO_CREDIT;
use super::model::{ModelAnswer, ModelError, ModelErrorKind, ToolCall, Usage};
use super::sse::EventReader;
use super::thinking::ThinkFilter;

/// The most bytes of one answer. The longest outputs that models offer (128,000 tokens) are under 1 MB of text, and the
/// envelope of a chunk for each token makes about 250 bytes of it; 64 MiB is twice that.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The most tool calls that one answer may begin. Real answers have a handful; the bound keeps an absurd `index` harmless.
const MAX_TOOL_CALLS: usize = 128;

/// No more reasoning is read once this many bytes of it are there: more than the event of a turn holds, at most four bytes a
/// character.
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
                Some(b'{') => Form::Whole,
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

    /// Whether the answer said that it is complete; what a server sends behind it does not matter.
    pub fn is_done(&self) -> bool {
        self.answer.done
    }

    /// The text that was still held back, and the answer; an error when the bytes ended before the answer did.
    pub fn finish(mut self) -> Result<(String, ModelAnswer), ModelError> {
        let mut text = String::new();
        if self.form == Form::Whole {
            let whole: Value = serde_json::from_slice(unmarked(&self.raw)).map_err(|error| {
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
            text += &self.answer.take(&whole)?;
            self.answer.done = true;
        } else {
            for data in self.events.finish() {
                // An event that the end of the bytes cut in two is as good as never sent.
                if data.trim() == "[DONE]" || serde_json::from_str::<Value>(&data).is_ok() {
                    text += &self.answer.event(&data)?;
                }
            }
        }
        if !self.answer.done && self.answer.finish_reason.is_none() && !self.answer.is_whole() {
            return Err(ModelError::new(
                ModelErrorKind::Cut,
                format!(
                    "the stream ended after {} bytes without saying that the answer is complete",
                    self.raw.len()
                ),
            ));
        }
        if !self.answer.said_something {
            return Err(malformed("the provider sent no answer".to_owned()));
        }
        text += &self.answer.finish_text();
        let raw = self.raw.freeze();
        Ok((text, self.answer.into_answer(raw)))
    }
}

/// An answer in the making.
#[derive(Default)]
struct Draft {
    text: String,
    reasoning: String,
    thoughts: ThinkFilter,
    tool_calls: Vec<ToolCall>,
    /// Where the calls of an index are by now, where not at that index.
    places: BTreeMap<usize, usize>,
    model: String,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    done: bool,
    said_something: bool,
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
        let chunk: Value = serde_json::from_str(data)
            .map_err(|error| malformed(format!("an event is not JSON: {}", place(&error))))?;
        self.take(&chunk)
    }

    /// A chunk of a stream, or a whole completion; returns the text it adds.
    fn take(&mut self, chunk: &Value) -> Result<String, ModelError> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(error_in_stream(error));
        }
        if let Some(model) = chunk["model"].as_str().filter(|model| !model.is_empty()) {
            self.model = model.to_owned();
        }
        if let Some(usage) = usage(&chunk["usage"]) {
            self.usage = Some(usage);
        }
        let Some(choice) = first_choice(chunk) else {
            return Ok(String::new());
        };
        self.said_something = true;
        if let Some(reason) = choice["finish_reason"].as_str().filter(|r| !r.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
        let delta = match choice.get("delta").filter(|delta| delta.is_object()) {
            Some(delta) => delta,
            None => &choice["message"],
        };
        self.take_tool_calls(&delta["tool_calls"])?;
        self.take_reasoning(delta);
        let piece = text_of(&delta["content"]) + delta["refusal"].as_str().unwrap_or_default();
        let shown = self.thoughts.push(&piece);
        self.text += &shown;
        Ok(shown)
    }

    /// Providers name it the one or the other way; who sends both sends the same twice.
    fn take_reasoning(&mut self, delta: &Value) {
        let named = ["reasoning_content", "reasoning"];
        let piece = named.iter().find_map(|name| delta[*name].as_str());
        if self.reasoning.len() < REASONING_BYTES {
            self.reasoning += piece.unwrap_or_default();
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
                self.tool_calls.resize_with(index + 1, ToolCall::default);
            }
            let draft = &mut self.tool_calls[index];
            if let Some(id) = call["id"].as_str().filter(|id| !id.is_empty()) {
                draft.id = id.to_owned();
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

    /// Which call a piece belongs to: as it says, else the one with its id, else by its place.
    fn index_of(&mut self, call: &Value, position: usize) -> usize {
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        if let Some(index) = call["index"].as_u64() {
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            let place = self.places.get(&index).copied().unwrap_or(index);
            // Some servers give every call the index 0; then another id begins another call.
            let is_another =
                |known: &ToolCall| !known.id.is_empty() && id.is_some_and(|id| id != known.id);
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
            None => position.max(self.tool_calls.len().saturating_sub(1)),
        }
    }

    /// Whether what came cannot be the beginning of something longer: a JSON document that is closed, or calls whose arguments
    /// are. Some servers end a stream without a word.
    fn is_whole(&self) -> bool {
        let is_closed = |text: &str| {
            let text = text.trim();
            text.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
        };
        match self.tool_calls.as_slice() {
            [] => is_closed(&self.text),
            calls => calls.iter().all(|call| is_closed(&call.arguments)),
        }
    }

    fn finish_text(&mut self) -> String {
        let rest = self.thoughts.finish();
        self.text += &rest;
        rest
    }

    fn into_answer(self, raw: Bytes) -> ModelAnswer {
        ModelAnswer {
            text: self.text,
            reasoning: self.reasoning,
            tool_calls: self
                .tool_calls
                .into_iter()
                .filter(|call| *call != ToolCall::default())
                .collect(),
            model: self.model,
            finish_reason: self.finish_reason,
            usage: self.usage,
            raw,
        }
    }
}

/// Bytes without the mark of byte order that may stand before them.
fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
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

/// Token counts under the names of OpenAI, with the cache counts of `DeepSeek` as the second choice.
fn usage(wire: &Value) -> Option<Usage> {
    let count = |value: &Value| value.as_u64();
    let input = count(&wire["prompt_tokens"]);
    let output = count(&wire["completion_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: count(&wire["prompt_tokens_details"]["cached_tokens"])
            .or_else(|| count(&wire["prompt_cache_hit_tokens"]))
            .unwrap_or(0),
        reasoning: count(&wire["completion_tokens_details"]["reasoning_tokens"]).unwrap_or(0),
    })
}

/// An error that a provider reports after the stream began, when the status line could no longer say it.
fn error_in_stream(error: &Value) -> ModelError {
    let message = error["message"]
        .as_str()
        .or(error.as_str())
        .unwrap_or("no message");
    let code = error["code"]
        .as_u64()
        .or_else(|| error["code"].as_str()?.parse().ok())
        .and_then(|code| u16::try_from(code).ok());
    let word = error["code"].as_str().or(error["type"].as_str());
    let kind = match code {
        None => kind_of_word(word.unwrap_or_default()),
        Some(429) => ModelErrorKind::RateLimited,
        Some(402) => ModelErrorKind::OutOfCredit,
        Some(401 | 403) => ModelErrorKind::Auth,
        Some(400 | 404 | 413 | 422) => ModelErrorKind::Rejected,
        Some(_) => ModelErrorKind::Server,
    };
    ModelError {
        status: code,
        ..ModelError::new(
            kind,
            format!(
                "the provider broke off: {}",
                super::exchange::shortened(message)
            ),
        )
    }
}

/// What a word means that stands in the place of a status.
fn kind_of_word(word: &str) -> ModelErrorKind {
    match word {
        "invalid_api_key" | "authentication_error" | "permission_error" => ModelErrorKind::Auth,
        "context_length_exceeded"
        | "invalid_request_error"
        | "model_not_found"
        | "content_filter" => ModelErrorKind::Rejected,
        "rate_limit_exceeded" | "rate_limit_error" => ModelErrorKind::RateLimited,
        word if NO_CREDIT.contains(&word) => ModelErrorKind::OutOfCredit,
        _ => ModelErrorKind::Server,
    }
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
