//! The model port: one exchange with a language model, streaming, cancellable, with errors that say whether to try again.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::hash::Sha256;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Whoever answers a prompt: a provider behind HTTP, or the offline author.
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
}

/// Where an answer goes while it is made.
pub trait AnswerSink: Send {
    /// The provider's bytes exactly as they came, in order. An error ends the exchange: an answer that cannot be kept would
    /// be paid for again after a crash.
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()>;

    /// A piece of the answer's text, without the model's reasoning. The pieces together are [`ModelAnswer::text`].
    fn text(&mut self, delta: &str);
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
    /// The most tokens that the answer may have.
    pub max_output_tokens: u32,
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
    pub tool_calls: Vec<ToolCall>,
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

/// A picture that a message shows. What is kept and hashed of it is which one it is, and never its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePicture {
    /// Of the picture in the log; what is sent may be smaller.
    pub sha256: String,
    pub media_type: String,
    /// What is sent: an address that is the picture.
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

/// A call of a tool that the model wants made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// JSON text, as the model wrote it; it may be malformed.
    pub arguments: String,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text, without reasoning.
    pub text: String,
    /// The reasoning that the provider sends beside the text, its beginning: the whole is in the raw bytes.
    pub reasoning: String,
    pub tool_calls: Vec<ToolCall>,
    /// The model as the provider names it; empty when it does not say.
    pub model: String,
    /// Why the answer ended: `stop`, `length`, `tool_calls`, or whatever else a provider says.
    pub finish_reason: Option<String>,
    pub usage: Option<Usage>,
    /// The provider's bytes exactly as they came, for audit.
    pub raw: Bytes,
}

impl ModelAnswer {
    /// Whether the answer was cut off by its token limit.
    pub fn is_truncated(&self) -> bool {
        self.finish_reason.as_deref() == Some("length")
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The answer could not be read.
    Malformed,
    /// The caller's token was cancelled.
    Cancelled,
    /// The sink could not keep the bytes.
    NotKept,
}

impl ModelErrorKind {
    /// For programs; stable.
    pub fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::Server => "server",
            Self::Cut => "cut",
            Self::Rejected => "rejected",
            Self::Auth => "auth",
            Self::Malformed => "malformed",
            Self::Cancelled => "cancelled",
            Self::OutOfCredit => "out_of_credit",
            Self::NotKept => "not_kept",
        }
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
            | ModelErrorKind::Malformed => true,
            ModelErrorKind::OutOfCredit
            | ModelErrorKind::Rejected
            | ModelErrorKind::Auth
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
