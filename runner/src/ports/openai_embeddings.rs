//! The embeddings port over any endpoint that speaks OpenAI's embeddings: `/embeddings`.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use domain::shown;
use domain::text::model_tokens;
use domain::vectors::{DIMENSIONS_MAX, EMBEDDED_CHARS, Embedding};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::complaint::Complaint;
use super::embeddings::{Embedded, EmbeddingRequest, Embeddings};
use super::exchange::{refusal, transport_error};
use super::model::{AnswerSink, ModelError, ModelErrorKind};
use super::openai::{CONNECT_LIMIT, IDEMPOTENCY_KEY, OpenAiConfigError, client_of, too_slow};
use super::secret::{Secret, without_secrets_of};

/// How long one exchange may take in all. Ten pages take about a second on a graphics card, and some tens of seconds on the processor
/// of a small machine.
pub const EMBEDDING_LIMIT: Duration = Duration::from_secs(60);

/// Texts of one exchange if nothing is configured. This is the smallest limit of the providers we know, that of Alibaba's `DashScope`.
pub const TEXTS_DEFAULT: usize = 10;

/// The largest number of texts of one exchange that may be configured. With the largest vectors, the answer is then about seven megabytes
/// and the document that is kept half a megabyte.
pub const TEXTS_MAX: usize = 128;

/// The most bytes of an answer: the most texts with the largest vectors, at thirty characters a number.
pub const EMBEDDING_ANSWER_BYTES_MAX: usize = TEXTS_MAX * DIMENSIONS_MAX * 30 + 64 * 1024;

/// A provider of vectors.
#[derive(Clone)]
pub struct OpenAiEmbeddingsConfig {
    /// Where `/embeddings` is, such as `https://api.openai.com/v1`.
    pub base_url: String,
    pub model: String,
    /// The key; empty for local servers that want none.
    pub api_key: Secret,
    /// Numbers of a vector, for models that let the request choose; if absent, the model decides.
    pub dimensions: Option<usize>,
    /// Texts of one exchange, 1 to [`TEXTS_MAX`].
    pub texts: usize,
    /// Characters of a text that are sent, at most [`EMBEDDED_CHARS`]: fewer for models with a window of few tokens.
    pub chars: usize,
    /// For one exchange in all.
    pub limit: Duration,
}

impl fmt::Debug for OpenAiEmbeddingsConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiEmbeddingsConfig")
            .field("base_url", &shown::address(&self.base_url))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl OpenAiEmbeddingsConfig {
    /// With default limits.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>, api_key: Secret) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key,
            dimensions: None,
            texts: TEXTS_DEFAULT,
            chars: EMBEDDED_CHARS,
            limit: EMBEDDING_LIMIT,
        }
    }
}

/// Vectors from an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiEmbeddings {
    config: OpenAiEmbeddingsConfig,
    name: String,
    endpoint: Url,
    http: reqwest::Client,
}

impl OpenAiEmbeddings {
    /// Checks the configuration; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Where address or key cannot be used.
    pub fn new(config: OpenAiEmbeddingsConfig) -> Result<Self, OpenAiConfigError> {
        let http = client_of(&config.base_url, &config.api_key, CONNECT_LIMIT)?;
        let mut endpoint = Url::parse(&config.base_url).map_err(|_| OpenAiConfigError::BaseUrl)?;
        let path = format!("{}/embeddings", endpoint.path().trim_end_matches('/'));
        endpoint.set_path(&path);
        // Vectors of one model that were cut to different lengths are not comparable.
        let name = match config.dimensions {
            Some(dimensions) => format!("{}-{dimensions}", config.model),
            None => config.model.clone(),
        };
        Ok(Self {
            config,
            name,
            endpoint,
            http,
        })
    }

    fn body(&self, request: &EmbeddingRequest) -> Value {
        let cut = |text: &String| text.chars().take(self.config.chars).collect::<String>();
        let texts: Vec<String> = request.texts.iter().map(cut).collect();
        let mut body = json!({ "model": self.config.model, "input": texts });
        if let Some(dimensions) = self.config.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        body
    }

    async fn exchange(
        &self,
        request: &EmbeddingRequest,
        sink: &mut dyn AnswerSink,
    ) -> Result<Bytes, ModelError> {
        let mut asked = self.http.post(self.endpoint.clone());
        if !self.config.api_key.is_empty() {
            asked = asked.bearer_auth(self.config.api_key.reveal());
        }
        if !request.idempotency_key.is_empty() {
            asked = asked.header(IDEMPOTENCY_KEY, request.idempotency_key.as_str());
        }
        let response = asked
            .json(&self.body(request))
            .send()
            .await
            .map_err(|error| transport_error(&error))?;
        if !response.status().is_success() {
            return Err(refusal(response, &self.config.api_key).await);
        }
        let mut pieces = response.bytes_stream();
        let mut answer = BytesMut::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| transport_error(&error))?;
            if answer.len() + piece.len() > EMBEDDING_ANSWER_BYTES_MAX {
                let message =
                    format!("the answer is longer than {EMBEDDING_ANSWER_BYTES_MAX} bytes");
                return Err(ModelError::new(ModelErrorKind::Rejected, message));
            }
            sink.bytes(&piece).map_err(|error| {
                let message = format!("the answer could not be kept: {error}");
                ModelError::new(ModelErrorKind::NotKept, message)
            })?;
            answer.extend_from_slice(&piece);
        }
        Ok(answer.freeze())
    }

    fn without_key(&self, error: ModelError) -> ModelError {
        ModelError {
            message: self
                .config
                .api_key
                .redact(&without_secrets_of(&self.config.base_url, &error.message)),
            ..error
        }
    }
}

#[async_trait]
impl Embeddings for OpenAiEmbeddings {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.config.model
    }

    fn texts_max(&self) -> usize {
        self.config.texts
    }

    async fn ask(
        &self,
        request: &EmbeddingRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<Bytes, ModelError> {
        let rejected = |message: String| Err(ModelError::new(ModelErrorKind::Rejected, message));
        let texts = &request.texts;
        if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
            return rejected("a vector is made of a text, and there is none".to_owned());
        }
        if texts.len() > self.config.texts {
            let (texts, most) = (texts.len(), self.config.texts);
            return rejected(format!(
                "{texts} texts at once, at most {most} are asked for"
            ));
        }
        // Leaving the select drops the exchange and with it the connection.
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                Err(ModelError::new(ModelErrorKind::Cancelled, "the call was cancelled"))
            }
            outcome = timeout(self.config.limit, self.exchange(request, sink)) => match outcome {
                Ok(answer) => answer.map_err(|error| self.without_key(error)),
                Err(_) => {
                    let seconds = self.config.limit.as_secs();
                    Err(too_slow(&format!("had not given the vectors after {seconds} s")))
                }
            },
        }
    }

    fn read(&self, request: &EmbeddingRequest, answer: &[u8]) -> Result<Embedded, ModelError> {
        let read = vectors_of(answer, &request.texts);
        read.map_err(|error| self.without_key(error))
    }
}

/// What providers answer, as far as it is looked at.
#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
    #[serde(default)]
    usage: Option<AnswerUsage>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct AnswerUsage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    total_tokens: Option<u64>,
}

fn vectors_of(answer: &[u8], texts: &[String]) -> Result<Embedded, ModelError> {
    let malformed = |message: String| ModelError::new(ModelErrorKind::Malformed, message);
    let answer: Answer =
        serde_json::from_slice(answer).map_err(|error| complaint(answer, &error))?;
    let (came, wanted) = (answer.data.len(), texts.len());
    if came != wanted {
        let message = format!("the answer holds {came} vectors, and {wanted} were asked for");
        return Err(malformed(message));
    }
    let mut placed: Vec<Option<Embedding>> = vec![None; wanted];
    for (at, item) in answer.data.into_iter().enumerate() {
        // Some leave the place out, and answer in the order of the question.
        let at = item.index.unwrap_or(at);
        let vector = Embedding::of(&item.embedding).ok_or_else(|| {
            let numbers = item.embedding.len();
            malformed(format!(
                "vector {at} of the answer, of {numbers} numbers, says no direction: it has 1 to {DIMENSIONS_MAX} numbers, not all 0"
            ))
        })?;
        match placed.get_mut(at) {
            Some(place @ None) => *place = Some(vector),
            Some(Some(_)) | None => {
                return Err(malformed(format!(
                    "the answer has a second vector {at}, or none of that place was asked for"
                )));
            }
        }
    }
    let vectors: Vec<Embedding> = placed.into_iter().flatten().collect();
    let first = vectors.first().map(Embedding::dimensions);
    if vectors.iter().any(|one| Some(one.dimensions()) != first) {
        return Err(malformed(
            "the vectors of the answer differ in length".to_owned(),
        ));
    }
    let counted = answer.usage.and_then(|usage| {
        let counts = [usage.total_tokens, usage.prompt_tokens];
        counts.into_iter().flatten().find(|tokens| *tokens > 0)
    });
    let estimated = || texts.iter().map(|text| model_tokens(text)).sum();
    Ok(Embedded {
        vectors,
        tokens: counted.unwrap_or_else(estimated),
    })
}

/// The error for an answer that holds no vectors: what it complains of, if it complains.
fn complaint(answer: &[u8], error: &serde_json::Error) -> ModelError {
    let said: Option<Value> = serde_json::from_slice(answer).ok();
    let said = said.filter(|said| said.get("data").is_none_or(Value::is_null));
    match said.as_ref().and_then(Complaint::of) {
        Some(complaint) => complaint.error(None, "the provider gave no vectors"),
        None => {
            let message = format!("the answer cannot be read: {error}");
            ModelError::new(ModelErrorKind::Malformed, message)
        }
    }
}

#[cfg(test)]
#[path = "openai_embeddings_tests.rs"]
mod tests;
