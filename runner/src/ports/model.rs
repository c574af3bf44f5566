//! The model port: one exchange with a language model, streaming, cancellable, with errors that say whether to try again.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::carry::Call;
use domain::hash::Sha256;
use domain::text::model_tokens;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};
use tokio_util::sync::CancellationToken;

use super::repeating::ends_in_loop;

/// Answers prompts: a provider behind HTTP, or the offline author.
#[async_trait]
pub trait Model: Send + Sync {
    /// Makes exactly one exchange. What arrives is given to the sink while it arrives; cancelling the token ends the call,
    /// and with it the connection, at once.
    async fn call(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError>;

    /// The limit of output that a request would be sent with: what it asks for, but no more than the model allows.
    fn output_tokens(&self, request: &ModelRequest) -> u32 {
        request.max_output_tokens
    }
}

/// Where an answer goes while it is made.
pub trait AnswerSink: Send {
    /// The provider's bytes exactly as they came, in order. An error ends the exchange: an answer that cannot be kept would
    /// be paid for again after a crash.
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()>;

    /// A piece of the answer's text, without the model's reasoning. The pieces together are [`ModelAnswer::text`].
    fn text(&mut self, delta: &str);

    /// Tells people what a refusal has taught: from now on the model is asked in another way.
    fn learned(&mut self, _told: &str) {}
}

/// A sink for callers who only want the finished answer.
#[derive(Debug, Default)]
pub struct Discard;

impl AnswerSink for Discard {
    fn bytes(&mut self, _raw: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn text(&mut self, _delta: &str) {}
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelRequest {
    /// The role of the stage that asks, such as `writer`; the configuration maps roles to models.
    pub role: String,
    /// The model's name at the provider, already resolved from the role.
    pub model: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The shape the answer must have, if it must have one.
    pub schema: Option<NamedSchema>,
    /// Tools that the model may call; empty means none.
    pub tools: Vec<ToolSpec>,
    /// Sampling temperature; absent means the provider's default.
    pub temperature: Option<f32>,
    /// How much less likely a token becomes each time it is used; absent means the provider's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f32>,
    /// The most tokens that the answer may have.
    pub max_output_tokens: u32,
    /// Further tokens for a model that reasons before it answers, up to the model's own limit. They are not part of the question, but of
    /// how this model is asked.
    #[serde(skip)]
    pub spare_tokens: u32,
    /// Names the turn: the same turn asked again carries the same key.
    #[serde(skip)]
    pub idempotency_key: String,
}

impl ModelRequest {
    /// SHA-256, in hex, of everything that is asked. The idempotency key is left out: it names the turn, not the question.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("a request has only text keys");
        Sha256::of(&text).to_string()
    }

    /// About how many tokens the conversation has.
    pub(super) fn tokens(&self) -> u64 {
        asked(&self.messages)
    }
}

/// One message of the conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
    /// Pictures that are shown with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<MessagePicture>,
    /// The calls an assistant message made. Providers want them repeated before the results of the tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<Call>,
    /// What else came with the calls of an assistant message, which goes back unchanged.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub beside: Map<String, Value>,
    /// For a tool message: the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message without tool calls.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message {
            role,
            content: content.into(),
            pictures: Vec::new(),
            tool_calls: Vec::new(),
            beside: Map::new(),
            tool_call_id: None,
        }
    }

    /// The result of a tool, in answer to a call.
    pub fn tool_result(call: impl Into<String>, content: impl Into<String>) -> Message {
        Message {
            tool_call_id: Some(call.into()),
            ..Message::new(Role::Tool, content)
        }
    }
}

/// A picture that a message shows. Only the identity of the picture is kept and hashed, never its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePicture {
    /// The hash of the picture in the log; what is sent may be smaller.
    pub sha256: String,
    pub media_type: String,
    /// What is sent: a URL that contains the picture itself.
    #[serde(skip)]
    pub data_url: Arc<str>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// A JSON Schema with the name that providers want for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedSchema {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    pub schema: Value,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text, without reasoning.
    pub text: String,
    /// The beginning of the reasoning that the provider sends beside the text; all of it is in the raw bytes.
    pub reasoning: String,
    /// Why the model declines to answer, in its words; empty where it does not.
    pub refusal: String,
    pub tool_calls: Vec<Call>,
    /// What came beside the calls: everything of the message that is no text and no call, such as the reasoning.
    pub beside: Map<String, Value>,
    /// The model as the provider names it; empty when it does not say.
    pub model: String,
    /// Why the answer ended: `stop`, `length`, `tool_calls`, or whatever else a provider says.
    pub finish_reason: Option<String>,
    pub usage: Option<Usage>,
    /// The provider's bytes exactly as they came, for audit.
    pub raw: Bytes,
}

/// What stands in the finish reasons, in lower case, that say that an answer was cut off by its limit of tokens: `length`,
/// `model_length`, `MAX_TOKENS`, `max_output_tokens`.
const LENGTH: [&str; 3] = ["length", "max_tokens", "max_output_tokens"];

/// Finish reasons, in lower case, that say that a model came to the end of its answer, as AI21, Amazon, Anthropic, Baidu, Cohere, Google,
/// Hugging Face, Mistral, OpenAI and Together document them. With any other reason, something ended the answer before its end.
const WHOLE: [&str; 16] = [
    "",
    "null",
    "stop",
    "stop_sequence",
    "end_turn",
    "tool_call",
    "tool_calls",
    "tool_use",
    "function_call",
    "eos",
    "eos_token",
    "endoftext",
    "complete",
    "completed",
    "finish",
    "normal",
];

/// How the message of an empty answer begins.
pub const SAID_NOTHING: &str = "the model said nothing";

/// Finish reasons that say that a provider held an answer back because of its content.
const FILTERED: [&str; 9] = [
    "content_filter",
    "content_filtered",
    "safety",
    "sensitive",
    "prohibited_content",
    "recitation",
    "blocklist",
    "spii",
    "refusal",
];

/// Whether a finish reason says that the limit of tokens was reached.
fn is_length(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    LENGTH.iter().any(|mark| reason.contains(mark))
}

/// Whether a finish reason says that the answer came to its end.
pub(super) fn is_whole(reason: &str) -> bool {
    WHOLE.contains(&reason.to_lowercase().as_str())
}

impl ModelAnswer {
    /// Whether the answer was cut off by its token limit.
    pub fn is_truncated(&self) -> bool {
        is_length(self.finish_reason.as_deref().unwrap_or_default())
    }

    /// Whether the answer is complete in itself, so that nothing can follow: a JSON document that is closed, or calls whose arguments are
    /// closed.
    pub fn is_closed(&self) -> bool {
        is_closed(&self.text, &self.tool_calls)
    }

    /// Whether there is neither text nor a call, as where a model has only thought.
    pub fn says_nothing(&self) -> bool {
        self.text.trim().is_empty() && self.tool_calls.is_empty()
    }

    /// Why this answer cannot be used, although the exchange succeeded: it was declined, held back, cut off, broken off or is empty. It was
    /// paid for. One that is empty or broken off is asked for anew, since another one may not be; of the others, the same request would get
    /// the same again. If the request has tools, an empty answer is not a fault but means that no tool was called: the loop of tools reminds
    /// the model, and ends without a call.
    pub fn fault(&self, request: &ModelRequest) -> Option<ModelError> {
        let nothing = self.says_nothing();
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        let is_filtered = FILTERED.contains(&reason.to_lowercase().as_str());
        let said = super::complaint::shortened(&self.refusal);
        let is_too_long = reason.contains("context_window") || reason.contains("context_length");
        let (kind, message) = if is_too_long && !self.is_closed() {
            let full =
                "the model's context holds no more than the question and a part of the answer";
            (ModelErrorKind::TooLong, full.to_owned())
        } else if !self.refusal.trim().is_empty() && nothing {
            (
                ModelErrorKind::Refused,
                format!("the model declined to answer: {said}"),
            )
        } else if is_filtered {
            let held = "the provider held the answer back for what it says".to_owned();
            (ModelErrorKind::Filtered, held)
        } else if self.is_truncated() && !self.is_closed() {
            let used = self.usage.map_or(0, |usage| usage.output);
            let used = match used {
                0 => String::new(),
                used => format!(" after {used} tokens"),
            };
            let thinking = if nothing {
                " while it was thinking"
            } else {
                ""
            };
            let message = format!("the answer was cut off by its limit of tokens{used}{thinking}");
            if ends_in_loop(&self.text) {
                let again = ": it says the same again and again";
                (ModelErrorKind::Loop, message + again)
            } else {
                (ModelErrorKind::Length, message)
            }
        } else if !is_whole(reason) && !self.is_truncated() && !self.is_closed() {
            let ended = format!("the provider ended the answer before its end with `{reason}`");
            (ModelErrorKind::Cut, ended)
        } else if nothing && request.tools.is_empty() {
            let reason = match reason {
                "" => String::new(),
                reason => format!(" and ended with `{reason}`"),
            };
            (ModelErrorKind::Empty, format!("{SAID_NOTHING}{reason}"))
        } else {
            return None;
        };
        Some(ModelError::new(kind, message))
    }
}

/// Whether a text is a whole JSON document, or calls have whole arguments.
pub(super) fn is_closed(text: &str, calls: &[Call]) -> bool {
    let is_closed = |text: &str| {
        let text = text.trim();
        text.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
    };
    match calls {
        [] => is_closed(text),
        calls => calls.iter().all(|call| is_closed(&call.arguments)),
    }
}

/// Tokens, as the provider counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the prompt, cached ones included.
    pub input: u64,
    /// Of the answer, reasoning included.
    pub output: u64,
    /// Of the prompt, those billed at the cached price.
    pub cached: u64,
    /// Of the answer, those that were reasoning.
    pub reasoning: u64,
}

impl Usage {
    /// An estimate of the tokens of a question and its answer, for providers that do not count them.
    pub fn estimated(messages: &[Message], answer: &ModelAnswer) -> Self {
        let calls = answer.tool_calls.iter();
        let calls = calls.map(|call| model_tokens(&call.name) + model_tokens(&call.arguments));
        Self {
            input: asked(messages),
            output: model_tokens(&answer.text)
                + model_tokens(&answer.reasoning)
                + calls.sum::<u64>(),
            ..Self::default()
        }
    }

    /// The same for an answer that broke off after this text.
    pub fn broken_off(messages: &[Message], text: &str) -> Self {
        Self {
            input: asked(messages),
            output: model_tokens(text),
            ..Self::default()
        }
    }
}

fn asked(messages: &[Message]) -> u64 {
    messages
        .iter()
        .map(|message| model_tokens(&message.content))
        .sum()
}

/// Why an exchange gave no answer. The message contains no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    pub message: String,
    /// How long the provider asks to be left alone.
    pub retry_after: Option<Duration>,
}

/// The ways an exchange fails, as far as they are treated differently.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumCount,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// No connection.
    Unreachable,
    /// One of the time limits.
    Timeout,
    /// 429: too many requests or tokens.
    RateLimited,
    /// 402, or 429 because the account has no credit left.
    OutOfCredit,
    /// 5xx, or an error in the middle of a stream.
    Server,
    /// The stream ended before the answer did.
    Cut,
    /// Another 4xx: the request itself is wrong.
    Rejected,
    /// 401 or 403: the key is wrong or lacks a right.
    Auth,
    /// There is no such model at this address.
    #[strum(serialize = "no_model_of_this_name")]
    NoModel,
    /// The prompt leaves no room in the model's context.
    TooLong,
    /// The provider holds back the prompt or the answer because of its content.
    Filtered,
    /// The model declines, in words.
    Refused,
    /// The model said nothing.
    Empty,
    /// The limit of tokens ended the answer before its end.
    Length,
    /// The model said the same again and again until the limit of tokens.
    Loop,
    /// Something came that is no answer of a model, such as a web page.
    NotAnAnswer,
    /// The answer could not be read.
    Malformed,
    /// The caller's token was cancelled.
    Cancelled,
    /// The sink could not keep the bytes.
    NotKept,
}

impl ModelErrorKind {
    /// All of them.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// For programs; stable.
    pub fn code(self) -> &'static str {
        self.into()
    }
}

impl ModelError {
    /// An error without a status.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> ModelError {
        ModelError {
            kind,
            status: None,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Whether the same request may succeed when it is made again.
    pub fn retryable(&self) -> bool {
        match self.kind {
            ModelErrorKind::Unreachable
            | ModelErrorKind::Timeout
            | ModelErrorKind::RateLimited
            | ModelErrorKind::Server
            | ModelErrorKind::Cut
            | ModelErrorKind::Empty
            | ModelErrorKind::Loop
            | ModelErrorKind::Malformed => true,
            ModelErrorKind::OutOfCredit
            | ModelErrorKind::Rejected
            | ModelErrorKind::Auth
            | ModelErrorKind::NoModel
            | ModelErrorKind::TooLong
            | ModelErrorKind::Filtered
            | ModelErrorKind::Refused
            | ModelErrorKind::Length
            | ModelErrorKind::NotAnAnswer
            | ModelErrorKind::Cancelled
            | ModelErrorKind::NotKept => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::testing::request;

    #[test]
    fn a_picture_is_kept_and_hashed_by_which_one_it_is() {
        let mut asked = request("what is this?");
        let without = asked.hash();
        asked.messages[0].pictures = vec![MessagePicture {
            sha256: "ab".to_owned(),
            media_type: "image/png".to_owned(),
            data_url: "data:image/png;base64,AAAA".into(),
        }];
        let kept = serde_json::to_value(&asked).expect("text keys");
        let picture = serde_json::json!([{"sha256": "ab", "media_type": "image/png"}]);
        assert_eq!(kept["messages"][0]["pictures"], picture);
        assert_ne!(asked.hash(), without);
        let hash = asked.hash();
        asked.messages[0].pictures[0].data_url = "data:image/png;base64,BBBB".into();
        assert_eq!(asked.hash(), hash);
    }

    #[test]
    fn the_hash_is_of_the_question_and_not_of_the_turn() {
        let first = request("hello");
        let mut again = first.clone();
        again.idempotency_key = "another".to_owned();
        assert_eq!(first.hash(), again.hash());
        assert_ne!(first.hash(), request("goodbye").hash());
    }
}
