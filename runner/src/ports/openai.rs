//! The model port over any endpoint that speaks OpenAI's chat completions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::traits::RequestOptionsBuilder;
use async_trait::async_trait;
use futures::StreamExt;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::answer::AnswerReader;
use super::exchange::{Exchange, transport_error, unwrapped};
use super::habits::{ADAPTATIONS_MAX, Habits};
use super::model::{
    AnswerSink, Message, Model, ModelAnswer, ModelError, ModelErrorKind, ModelRequest, NamedSchema,
    Role,
};
use super::schema::{fits_strict, strict_schema};
use super::secret::Secret;

/// The header by which a provider recognises a turn that is asked again.
pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// How long making a connection may take. A handshake around the world is under a second; ten allow for lost packets.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How long the first byte of an answer may take. Reasoning models on busy providers have been seen to think for minutes
/// before the first chunk.
pub const FIRST_BYTE_LIMIT: Duration = Duration::from_secs(180);

/// How long a stream may be silent. Providers send chunks or comments at least every fifteen seconds; this is four times it.
pub const BETWEEN_CHUNKS_LIMIT: Duration = Duration::from_secs(60);

/// How long one exchange may take in all: the longest output in use (16,000 tokens) at a slow 20 tokens a second.
pub const TOTAL_LIMIT: Duration = Duration::from_secs(800);

/// How long the end of a body is waited for once the answer is complete. It mostly comes in the same packet.
const END_LIMIT: Duration = Duration::from_secs(1);

/// The time limits of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    pub connect: Duration,
    /// From the beginning of the exchange to the first byte of the answer's body.
    pub first_byte: Duration,
    pub between_chunks: Duration,
    /// For the whole exchange.
    pub total: Duration,
}

impl Default for TimeLimits {
    fn default() -> TimeLimits {
        TimeLimits {
            connect: CONNECT_LIMIT,
            first_byte: FIRST_BYTE_LIMIT,
            between_chunks: BETWEEN_CHUNKS_LIMIT,
            total: TOTAL_LIMIT,
        }
    }
}

/// How a model is told which shape its answer must have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// The provider enforces the schema.
    #[default]
    JsonSchema,
    /// The provider enforces JSON; the schema stands in the prompt.
    JsonObject,
    /// The provider enforces nothing; the schema stands in the prompt.
    Text,
}

/// A provider.
#[derive(Debug, Clone)]
pub struct OpenAiConfig {
    /// Where `/chat/completions` is, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key; empty for local servers that want none.
    pub api_key: Secret,
    /// What models can do whose ability is not the default.
    pub capabilities: BTreeMap<String, Capability>,
    /// What all other models can do.
    pub capability: Capability,
    pub limits: TimeLimits,
}

impl OpenAiConfig {
    /// A provider with default limits whose models take schemas.
    pub fn new(base_url: impl Into<String>, api_key: Secret) -> OpenAiConfig {
        OpenAiConfig {
            base_url: base_url.into(),
            api_key,
            capabilities: BTreeMap::new(),
            capability: Capability::default(),
            limits: TimeLimits::default(),
        }
    }
}

/// Why a provider cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum OpenAiConfigError {
    #[error(
        "the base url of the model is not an http or https address: give it with scheme and host"
    )]
    BaseUrl,
    #[error("the api key contains characters that no header can carry: check it for line breaks")]
    ApiKey,
    #[error("the http client cannot be built: {0}")]
    Http(String),
}

/// Models behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiModel {
    config: OpenAiConfig,
    library: OpenAIConfig,
    http: reqwest::Client,
    /// By model, what its refusals have taught.
    habits: Arc<Mutex<BTreeMap<String, Habits>>>,
}

impl OpenAiModel {
    /// Checks the configuration; nothing is sent yet.
    pub fn new(config: OpenAiConfig) -> Result<OpenAiModel, OpenAiConfigError> {
        let http = client_of(&config.base_url, &config.api_key, config.limits.connect)?;
        let library = library_of(&config.base_url, &config.api_key);
        Ok(OpenAiModel {
            config,
            library,
            http,
            habits: Arc::default(),
        })
    }

    /// What the model of this name can do.
    pub fn capability(&self, model: &str) -> Capability {
        self.capability_by(&self.habits(model), model)
    }

    fn capability_by(&self, habits: &Habits, model: &str) -> Capability {
        let configured = self.config.capabilities.get(model).copied();
        let known = habits.capability.or(configured);
        known.unwrap_or(self.config.capability)
    }

    /// What refusals have taught of a model.
    fn habits(&self, model: &str) -> Habits {
        let habits = self.habits.lock().unwrap_or_else(PoisonError::into_inner);
        habits.get(model).cloned().unwrap_or_default()
    }

    /// The body of the request, as it is sent.
    pub fn body(&self, request: &ModelRequest) -> Value {
        self.body_for(request, &self.habits(&request.model))
    }

    fn body_for(&self, request: &ModelRequest, habits: &Habits) -> Value {
        let mut body = Map::new();
        let mut put = |field: &str, value: Value| body.insert(field.to_owned(), value);
        put("model", json!(request.model));
        let mut messages: Vec<Value> = request.messages.iter().map(wire_message).collect();
        let takes_temperature = !habits.refuses_temperature && !is_reasoning(&request.model);
        let capability = self.capability_by(habits, &request.model);
        if let Some(schema) = &request.schema
            && capability != Capability::JsonSchema
        {
            tell_shape(&mut messages, schema);
        }
        put("messages", Value::Array(messages));
        if let Some(schema) = &request.schema {
            match capability {
                Capability::JsonSchema => {
                    put("response_format", schema_format(schema));
                }
                Capability::JsonObject => {
                    put("response_format", json!({"type": "json_object"}));
                }
                Capability::Text => {}
            }
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters}})
            });
            put("tools", tools.collect());
        }
        if let Some(temperature) = request.temperature.filter(|_| takes_temperature) {
            // Through its shortest text, since 0.2 as a double would be sent as 0.20000000298.
            put("temperature", json!(shortest(temperature)));
        }
        let limit = habits.output_tokens.unwrap_or(u32::MAX);
        put(
            habits
                .limit_name
                .unwrap_or(max_tokens_field(&request.model)),
            json!(request.max_output_tokens.min(limit)),
        );
        // With its own request types the library leaves it to us to ask for a stream.
        put("stream", json!(true));
        if !habits.refuses_stream_options {
            put("stream_options", json!({"include_usage": true}));
        }
        Value::Object(body)
    }

    /// Asks, and once more in another way for each refusal that says which. Nothing of an answer has come by then.
    async fn adapted(&self, request: &ModelRequest) -> Result<reqwest::Response, ModelError> {
        let mut request = request.clone();
        let model = request.model.clone();
        let mut habits = self.habits(&model);
        let mut adaptations = 0;
        loop {
            let body = self.body_for(&request, &habits);
            let refused = match self.send(&request, &body).await {
                Ok(response) => return Ok(response),
                Err(refused) => refused,
            };
            let lesson = habits.after(&refused, &body);
            let Some(lesson) = lesson.filter(|_| adaptations < ADAPTATIONS_MAX) else {
                return Err(refused);
            };
            adaptations += 1;
            // The exchange has taken the key out of what the provider said.
            tracing::info!(%model, %refused, "the model is asked otherwise: {}", lesson.told);
            if let Some(room) = lesson.habits.output_tokens.filter(|_| !lesson.lasts) {
                request.max_output_tokens = room;
                continue;
            }
            habits = lesson.habits;
            let mut all = self.habits.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(model.clone(), habits.clone());
        }
    }

    async fn exchange(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
    ) -> Result<ModelAnswer, ModelError> {
        let limits = &self.config.limits;
        let started = tokio::time::Instant::now();
        let response = self.adapted(request).await?;
        let mut body = response.bytes_stream();
        let mut reader = AnswerReader::default();
        let mut patience = limits.first_byte.saturating_sub(started.elapsed());
        let mut broken = None;
        loop {
            let piece = match timeout(patience, body.next()).await {
                Ok(None) => break,
                Ok(Some(Ok(piece))) => piece,
                Ok(Some(Err(error))) => {
                    broken = Some(transport_error(&error));
                    break;
                }
                Err(_) if reader.is_done() => break,
                Err(_) => {
                    return Err(too_slow(&format!(
                        "was silent for {} ms",
                        patience.as_millis()
                    )));
                }
            };
            sink.bytes(&piece).map_err(|error| {
                ModelError::new(
                    ModelErrorKind::NotKept,
                    format!("the answer could not be kept: {error}"),
                )
            })?;
            let text = reader.push(piece)?;
            if !text.is_empty() {
                sink.text(&text);
            }
            // Behind the last event only the end of the body is waited for, so that the connection can be used again.
            patience = if reader.is_done() {
                END_LIMIT.min(limits.between_chunks)
            } else {
                limits.between_chunks
            };
        }
        // An answer that said it was finished is one, even if the connection broke behind it.
        let (rest, answer) = reader.finish().map_err(|error| broken.unwrap_or(error))?;
        if !rest.is_empty() {
            sink.text(&rest);
        }
        Ok(answer)
    }

    /// Sends the request through the client library and returns the response whose body is the answer.
    async fn send(
        &self,
        request: &ModelRequest,
        body: &Value,
    ) -> Result<reqwest::Response, ModelError> {
        let exchange = Exchange::new(
            self.http.clone(),
            self.config.api_key.clone(),
            &self.config.base_url,
        );
        // The client is made for this one exchange, so that the response comes back to this call.
        let client = Client::build(self.http.clone(), self.library.clone())
            .with_http_service(exchange.clone());
        let chat = client
            .chat()
            .header(IDEMPOTENCY_KEY, request.idempotency_key.as_str())
            .map_err(unwrapped)?;
        let sent = chat.create_stream_byot::<_, Value>(body);
        match timeout(self.config.limits.first_byte, sent).await {
            Ok(stream) => drop(stream.map_err(unwrapped)?),
            Err(_) => return Err(too_slow("sent no answer in time")),
        }
        Ok(exchange
            .take_response()
            .expect("a call that succeeded has put its response away"))
    }
}

#[async_trait]
impl Model for OpenAiModel {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        // Leaving the select drops the exchange and with it the connection.
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::new(ModelErrorKind::Cancelled, "the call was cancelled")),
            outcome = timeout(self.config.limits.total, self.exchange(request, sink)) => match outcome {
                Ok(answer) => answer.map_err(|error| self.without_key(error)),
                Err(_) => Err(too_slow(&format!("was not done after {} s", self.config.limits.total.as_secs()))),
            },
        }
    }
}

impl OpenAiModel {
    fn without_key(&self, error: ModelError) -> ModelError {
        ModelError {
            message: self.config.api_key.redact(&error.message),
            ..error
        }
    }
}

/// The HTTP client of a provider, once its address and key are known to be usable.
pub(super) fn client_of(
    base_url: &str,
    api_key: &Secret,
    connect: Duration,
) -> Result<reqwest::Client, OpenAiConfigError> {
    let address = url::Url::parse(base_url).map_err(|_| OpenAiConfigError::BaseUrl)?;
    if !matches!(address.scheme(), "http" | "https") || address.host().is_none() {
        return Err(OpenAiConfigError::BaseUrl);
    }
    HeaderValue::from_str(api_key.reveal()).map_err(|_| OpenAiConfigError::ApiKey)?;
    let mut http = reqwest::Client::builder()
        .connect_timeout(connect)
        // A redirect would carry the prompt to an address that nobody configured.
        .redirect(reqwest::redirect::Policy::none());
    if is_loopback(&address) {
        // A proxy cannot reach this machine's own servers.
        http = http.no_proxy();
    }
    http.build()
        .map_err(|error| OpenAiConfigError::Http(error.to_string()))
}

/// The library's idea of the provider. Everything is set, since it would fill gaps from the environment.
pub(super) fn library_of(base_url: &str, api_key: &Secret) -> OpenAIConfig {
    // The library would put a query into the middle of its addresses; the exchange puts it behind them.
    let (base_url, _) = base_url.split_once('?').unwrap_or((base_url, ""));
    OpenAIConfig::new()
        .with_api_base(base_url.trim_end_matches('/'))
        .with_api_key(api_key.reveal())
        .with_org_id("")
        .with_project_id("")
}

pub(super) fn too_slow(what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Timeout, format!("the provider {what}"))
}

fn is_loopback(address: &url::Url) -> bool {
    match address.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

fn wire_message(message: &Message) -> Value {
    let mut wire = json!({"role": message.role, "content": message.content});
    if !message.pictures.is_empty() {
        let mut parts = vec![json!({"type": "text", "text": message.content})];
        parts.extend(
            message.pictures.iter().map(
                |picture| json!({"type": "image_url", "image_url": {"url": &*picture.data_url}}),
            ),
        );
        wire["content"] = Value::Array(parts);
    }
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().map(|call| {
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
        });
        wire["tool_calls"] = calls.collect();
        // Some refuse an empty text beside calls; none refuses its absence.
        if message.content.is_empty() {
            wire["content"] = Value::Null;
        }
    }
    if let Some(call) = &message.tool_call_id {
        wire["tool_call_id"] = json!(call);
    }
    wire
}

/// Puts the schema into the prompt, for models whose provider does not enforce it: behind the instructions, since some take one
/// message of the system and no more.
fn tell_shape(messages: &mut Vec<Value>, schema: &NamedSchema) {
    let shape = format!(
        "Answer with one JSON document named `{}` that is valid under this JSON Schema, and with nothing else:\n{}",
        schema.name, schema.schema
    );
    let instructions = messages
        .first_mut()
        .filter(|first| first["role"] == json!(Role::System));
    match instructions {
        Some(first) => {
            let before = first["content"].as_str().unwrap_or_default();
            first["content"] = json!(format!("{before}\n\n{shape}"));
        }
        None => messages.insert(0, wire_message(&Message::new(Role::System, shape))),
    }
}

fn schema_format(named: &NamedSchema) -> Value {
    let schema = strict_schema(&named.schema);
    let strict = fits_strict(&schema);
    json!({"type": "json_schema", "json_schema": {"name": named.name, "strict": strict, "schema": schema}})
}

/// Whether it is one of OpenAI's reasoning models, which take no temperature.
fn is_reasoning(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let mut families = ["o1", "o3", "o4", "gpt-5"].iter();
    families.any(|family| name.starts_with(family))
}

/// OpenAI's reasoning models refuse `max_tokens`, most compatible servers know nothing else.
fn max_tokens_field(model: &str) -> &'static str {
    if is_reasoning(model) {
        "max_completion_tokens"
    } else {
        "max_tokens"
    }
}

fn shortest(number: f32) -> f64 {
    number
        .to_string()
        .parse()
        .expect("a float prints as a float")
}

#[cfg(test)]
#[path = "openai_tests.rs"]
mod tests;
