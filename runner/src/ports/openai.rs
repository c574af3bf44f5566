//! The model port over any endpoint that speaks OpenAI's chat completions.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::traits::RequestOptionsBuilder;
use async_trait::async_trait;
use domain::shown;
use futures::StreamExt;
use reqwest::header::HeaderValue;
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::answer::AnswerReader;
use super::exchange::{Exchange, Further, transport_error, unwrapped};
use super::habits::{Capability, Habits, Headers};
use super::known::{Family, KnownModels};
use super::lessons::{ADAPTATIONS_MAX, Certainty, Change, Lesson, lesson};
use super::model::{
    AnswerSink, Message, Model, ModelAnswer, ModelError, ModelErrorKind, ModelRequest, NamedSchema,
    Role,
};
use super::schema::{fits_strict, strict_schema, without_keywords};
use super::secret::{Secret, without_secrets_of};

/// The header by which a provider recognises a turn that is asked again.
pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// How long making a connection may take. A handshake around the world is under a second; ten allow for lost packets.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How long the first byte of an answer may take. Models that reason have been seen to take more than three minutes before it, and a small
/// machine can take as long to read a long prompt. An answer that is cut off is paid for, and then bought again.
pub const FIRST_BYTE_LIMIT: Duration = Duration::from_secs(600);

/// How long a stream may be silent. Providers send chunks or comments at least every fifteen seconds, but some fall silent while
/// the model reasons: 75 seconds were seen, and this is four times it.
pub const BETWEEN_CHUNKS_LIMIT: Duration = Duration::from_secs(300);

/// How long one exchange may take in all: the longest output in use (32,000 tokens) at a slow 20 tokens a second, rounded up.
pub const TOTAL_LIMIT: Duration = Duration::from_secs(1800);

/// How often a silent connection is checked to be still open, so that a broken one is noticed before the limits are reached.
const KEEPALIVE: Duration = Duration::from_secs(30);

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

/// A provider.
#[derive(Clone)]
pub struct OpenAiConfig {
    /// Where `/chat/completions` is, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key; empty for local servers that want none.
    pub api_key: Secret,
    /// What is configured for models; it takes precedence over what the program knows of them.
    pub families: Vec<Family>,
    /// The file that keeps what refusals teach, for the next process.
    pub lessons: Option<PathBuf>,
    /// For models that have none of their own.
    pub limits: TimeLimits,
}

impl fmt::Debug for OpenAiConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiConfig")
            .field("base_url", &shown::address(&self.base_url))
            .finish_non_exhaustive()
    }
}

impl OpenAiConfig {
    /// A provider with default limits, of whose models nothing is known beyond their families.
    pub fn new(base_url: impl Into<String>, api_key: Secret) -> OpenAiConfig {
        OpenAiConfig {
            base_url: base_url.into(),
            api_key,
            families: vec![],
            lessons: None,
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
    known: Arc<KnownModels>,
}

impl OpenAiModel {
    /// Checks the configuration; nothing is sent yet.
    pub fn new(config: OpenAiConfig) -> Result<OpenAiModel, OpenAiConfigError> {
        let http = client_of(&config.base_url, &config.api_key, config.limits.connect)?;
        let library = library_of(&config.base_url, &config.api_key);
        let mut known = KnownModels::at(&config.base_url, &config.families);
        if let Some(file) = &config.lessons {
            known = known.kept_in(file);
        }
        Ok(OpenAiModel {
            config,
            library,
            http,
            known: Arc::new(known),
        })
    }

    /// What is known of the models here.
    pub fn known(&self) -> &KnownModels {
        &self.known
    }

    /// The body of the request, as it is sent.
    pub fn body(&self, request: &ModelRequest) -> Value {
        body_for(request, &self.known.habits(&request.model))
    }

    /// Sends the request, and once more in another form for each refusal that says which form it needs. No part of an answer has come by
    /// then.
    async fn adapted(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
    ) -> Result<(reqwest::Response, Habits), ModelError> {
        let mut request = request.clone();
        let mut adaptations = 0;
        let mut guessed: Vec<Change> = vec![];
        loop {
            let mut habits = self.known.habits(&request.model);
            guessed.iter().for_each(|change| habits.take(change));
            let body = body_for(&request, &habits);
            let refused = match self.send(&request, &body, &habits).await {
                Ok(response) => {
                    for change in &guessed {
                        self.known.learn(&request.model, change);
                    }
                    return Ok((response, habits));
                }
                Err(refused) => refused,
            };
            let lesson = lesson(&refused, &body, &habits);
            let Some(lesson) = lesson.filter(|_| adaptations < ADAPTATIONS_MAX) else {
                return Err(refused);
            };
            adaptations += 1;
            // The exchange has taken the key out of what the provider said.
            tracing::info!(model = request.model, %refused, "the model is asked otherwise: {}", lesson.told);
            sink.learned(&lesson.told);
            match (lesson.certainty, lesson.change) {
                (Certainty::OfThisRequest, Change::OutputTokens(room)) => {
                    request.max_output_tokens = room;
                    request.spare_tokens = 0;
                }
                (Certainty::Guessed, change) => guessed.push(change),
                (Certainty::Lasting | Certainty::OfThisRequest, change) => {
                    self.known.learn(&request.model, &change);
                }
            }
        }
    }

    async fn exchange(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
    ) -> Result<ModelAnswer, ModelError> {
        let started = tokio::time::Instant::now();
        let (response, habits) = self.adapted(request, sink).await?;
        let limits = habits.times(&self.config.limits);
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
            // After the last event only the end of the body is waited for, so that the connection can be used again.
            patience = if reader.is_done() {
                END_LIMIT.min(limits.between_chunks)
            } else {
                limits.between_chunks
            };
        }
        // An answer that said it was finished is complete, even if the connection broke after it.
        let (rest, answer) = reader.finish().map_err(|error| broken.unwrap_or(error))?;
        if !rest.is_empty() {
            sink.text(&rest);
        }
        let (counted, sent) = (
            answer.usage.map_or(0, |usage| usage.input),
            request.tokens(),
        );
        if counted > 0 && sent > CUT_TOKENS && counted < sent / CUT_SHARE {
            sink.learned(&format!(
                "it counted {counted} tokens of a question of about {sent}: it saw a part of it; give it a larger context or less material"
            ));
        }
        if habits.thinks.is_none() && thought(&answer) {
            let lesson = Lesson::thinks();
            sink.learned(&lesson.told);
            self.known.learn(&request.model, &lesson.change);
        }
        Ok(answer)
    }

    /// Sends the request through the client library and returns the response whose body is the answer.
    async fn send(
        &self,
        request: &ModelRequest,
        body: &Value,
        habits: &Habits,
    ) -> Result<reqwest::Response, ModelError> {
        let exchange = Exchange::new(
            self.http.clone(),
            self.config.api_key.clone(),
            &self.config.base_url,
        );
        let exchange = exchange.with(Further {
            headers: habits.headers.0.clone(),
            query: habits.query.clone(),
        });
        // The client is made for this one exchange, so that the response comes back to this call.
        let client = Client::build(self.http.clone(), self.library.clone())
            .with_http_service(exchange.clone());
        let chat = client
            .chat()
            .header(IDEMPOTENCY_KEY, request.idempotency_key.as_str())
            .map_err(unwrapped)?;
        let sent = chat.create_stream_byot::<_, Value>(body);
        match timeout(habits.times(&self.config.limits).first_byte, sent).await {
            Ok(stream) => drop(stream.map_err(unwrapped)?),
            Err(_) => return Err(too_slow("sent no answer in time")),
        }
        Ok(exchange
            .take_response()
            .expect("a call that succeeded has put its response away"))
    }
}

/// A question of fewer tokens is estimated too roughly to say that a part of it was cut off.
const CUT_TOKENS: u64 = 2_000;
/// A model that counts less than this part of the estimate has not seen all of a question: estimates are off by a half at most.
const CUT_SHARE: u64 = 3;

#[async_trait]
impl Model for OpenAiModel {
    fn output_tokens(&self, request: &ModelRequest) -> u32 {
        let habits = self.known.habits(&request.model);
        habits.limit_for(
            request.max_output_tokens,
            request.spare_tokens,
            request.tokens(),
        )
    }

    async fn call(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        let habits = self.known.habits(&request.model);
        let total = habits.times(&self.config.limits).total;
        let cancelled = || ModelError::new(ModelErrorKind::Cancelled, "the call was cancelled");
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        // Leaving the select drops the exchange and with it the connection. An answer that has arrived was paid for, also where it
        // is not wanted any longer.
        tokio::select! {
            biased;
            outcome = timeout(total, self.exchange(request, sink)) => match outcome {
                Ok(answer) => answer.map_err(|error| self.without_secrets(error, &habits.headers)),
                Err(_) => Err(too_slow(&format!("was not done after {} s", total.as_secs()))),
            },
            () = cancel.cancelled() => Err(cancelled()),
        }
    }
}

impl OpenAiModel {
    /// Providers repeat what they refuse, keys included.
    fn without_secrets(&self, error: ModelError, headers: &Headers) -> ModelError {
        let message = without_secrets_of(&self.config.base_url, &error.message);
        let message = self.config.api_key.redact(&message);
        ModelError {
            message: headers.redact(&message),
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
        .tcp_keepalive(KEEPALIVE)
        // A redirect would carry the prompt to an address that nobody configured.
        .redirect(reqwest::redirect::Policy::none());
    if is_loopback(&address) {
        // A proxy cannot reach this machine's own servers.
        http = http.no_proxy();
    }
    http.build()
        .map_err(|error| OpenAiConfigError::Http(error.to_string()))
}

/// The library's configuration of the provider. Every field is set, because the library would fill gaps from the environment.
pub(super) fn library_of(base_url: &str, api_key: &Secret) -> OpenAIConfig {
    // The library would put a query into the middle of its addresses; the exchange puts it at their end.
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

/// Whether a model reasoned before it answered.
fn thought(answer: &ModelAnswer) -> bool {
    !answer.reasoning.trim().is_empty() || answer.usage.is_some_and(|usage| usage.reasoning > 0)
}

/// The body of a request to a model of these habits.
fn body_for(request: &ModelRequest, habits: &Habits) -> Value {
    let mut body = Map::new();
    let mut put = |field: &str, value: Value| {
        if habits.takes(field) {
            body.insert(field.to_owned(), value);
        }
    };
    put("model", json!(request.model));
    let sends_back = habits.sends_back != Some(false);
    let messages = request.messages.iter();
    let mut messages: Vec<_> = messages
        .map(|message| wire_message(message, sends_back))
        .collect();
    let capability = habits.capability();
    if let Some(schema) = &request.schema
        && capability != Capability::JsonSchema
    {
        tell_shape(&mut messages, schema);
    }
    if habits.system == Some(false) {
        without_system(&mut messages);
    }
    if habits.alternates == Some(true) {
        take_turns(&mut messages);
    }
    put("messages", Value::Array(messages));
    if let Some(schema) = &request.schema {
        match capability {
            Capability::JsonSchema => put("response_format", schema_format(schema, habits)),
            Capability::JsonObjectWithSchema => {
                let schema = strict_schema(&schema.schema, &habits.omit_keywords);
                let format = json!({"type": "json_object", "schema": schema});
                put("response_format", format);
            }
            Capability::JsonObject => put("response_format", json!({"type": "json_object"})),
            Capability::Text => {}
        }
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let parameters = without_keywords(&tool.parameters, &habits.omit_keywords);
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": parameters}})
        });
        put("tools", tools.collect());
    }
    if let Some(temperature) = request.temperature {
        // Through its shortest text, since 0.2 as a double would be sent as 0.20000000298.
        put("temperature", json!(shortest(temperature)));
    }
    if let Some(penalty) = request.frequency_penalty {
        put("frequency_penalty", json!(shortest(penalty)));
    }
    if let Some(effort) = &habits.reasoning_effort {
        put("reasoning_effort", json!(effort));
    }
    let limit = habits.limit_for(
        request.max_output_tokens,
        request.spare_tokens,
        request.tokens(),
    );
    put(
        habits.output_limit.unwrap_or_default().field(),
        json!(limit),
    );
    // With request types of ours the library leaves it to us to ask for a stream.
    put("stream", json!(true));
    put("stream_options", json!({"include_usage": true}));
    for (field, value) in &habits.body {
        put(field, value.clone());
    }
    Value::Object(body)
}

fn wire_message(message: &Message, sends_back: bool) -> Value {
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
            let mut wire = json!({"id": call.id, "type": "function",
                "function": {"name": call.name, "arguments": call.arguments}});
            if sends_back {
                put_beside(&mut wire, &call.beside);
            }
            wire
        });
        wire["tool_calls"] = calls.collect();
        // Some providers refuse an empty text beside calls; none refuses its absence.
        if message.content.is_empty() {
            wire["content"] = Value::Null;
        }
        if sends_back {
            put_beside(&mut wire, &message.beside);
        }
    }
    if let Some(call) = &message.tool_call_id {
        wire["tool_call_id"] = json!(call);
    }
    wire
}

/// Sends back what came with a message, except fields that are empty.
fn put_beside(wire: &mut Value, beside: &Map<String, Value>) {
    let is_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    for (name, value) in beside.iter().filter(|(_, value)| !is_nothing(value)) {
        wire[name] = value.clone();
    }
}

/// Puts the instructions before the first words of the user, for models that accept no system message.
fn without_system(messages: &mut Vec<Value>) {
    if messages
        .first()
        .is_none_or(|first| first["role"] != json!(Role::System))
    {
        return;
    }
    let mut system = messages.remove(0);
    system["role"] = json!(Role::User);
    match messages.first_mut() {
        Some(first) if first["role"] == json!(Role::User) => {
            join_messages(&mut system, first);
            *first = system;
        }
        Some(_) | None => messages.insert(0, system),
    }
}

/// Joins neighbouring messages of the same role into one, except tool calls and results of tools.
fn take_turns(messages: &mut Vec<Value>) {
    let mut turns: Vec<Value> = vec![];
    for message in messages.drain(..) {
        let is_plain = |message: &Value| {
            message.get("tool_calls").is_none() && message.get("tool_call_id").is_none()
        };
        match turns.last_mut() {
            Some(last)
                if last["role"] == message["role"] && is_plain(last) && is_plain(&message) =>
            {
                join_messages(last, &message);
            }
            Some(_) | None => turns.push(message),
        }
    }
    *messages = turns;
}

/// Adds the content of a message to the end of another: two texts become one text, otherwise parts stay parts.
fn join_messages(first: &mut Value, second: &Value) {
    let parts = |content: &Value| match content.as_array() {
        Some(parts) => parts.clone(),
        None => vec![json!({"type": "text", "text": content})],
    };
    first["content"] = match (first["content"].as_str(), second["content"].as_str()) {
        (Some(one), Some(other)) => json!(format!("{one}\n\n{other}")),
        _ => [parts(&first["content"]), parts(&second["content"])]
            .concat()
            .into(),
    };
}

/// Puts the schema into the prompt, for models whose provider does not enforce it. It is put after the instructions, because some models
/// accept only one system message.
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
        None => messages.insert(0, wire_message(&Message::new(Role::System, shape), true)),
    }
}

fn schema_format(named: &NamedSchema, habits: &Habits) -> Value {
    let schema = strict_schema(&named.schema, &habits.omit_keywords);
    let strict = fits_strict(&schema);
    json!({"type": "json_schema", "json_schema": {"name": named.name, "strict": strict, "schema": schema}})
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
