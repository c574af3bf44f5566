//! The configuration file: TOML. Every field is optional, and unknown fields are refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::settings::OnBusy;
use domain::shown::HIDDEN;
use runner::ports::{Family, SearchKind};
use serde::{Deserialize, Serialize};

use super::check::micros;
use super::{ConfigError, PipelineConfig};

/// The file as it is written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub listen: Option<String>,
    pub database: Option<String>,
    pub data: Option<PathBuf>,
    /// The model of every role that `[models]` does not name, or `offline`.
    pub model: Option<String>,
    pub fallback_model: Option<String>,
    #[serde(default)]
    pub origins: Vec<String>,
    #[serde(default)]
    pub hosts: Vec<String>,
    pub attempts: Option<u32>,
    pub width: Option<u32>,
    pub on_busy: Option<OnBusy>,
    pub retain_days: Option<u32>,
    pub lease_seconds: Option<u32>,
    pub curate: Option<bool>,
    pub fonts: Option<PathBuf>,
    #[serde(default)]
    pub provider: Provider,
    /// The model of each role.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
    #[serde(default)]
    pub pipelines: BTreeMap<String, Pipeline>,
    /// Settings of single wires. Each wire reads its own.
    #[serde(default)]
    pub wires: BTreeMap<String, toml::Table>,
    /// What is known of models beyond `models.toml`; it takes precedence over that file.
    #[serde(default)]
    pub family: Vec<Family>,
    #[serde(default)]
    pub prices: BTreeMap<String, Price>,
    #[serde(default)]
    pub budget: Budget,
    #[serde(default)]
    pub search: Search,
    #[serde(default)]
    pub images: super::images::File,
    #[serde(default)]
    pub embeddings: super::embeddings::File,
    #[serde(default)]
    pub fetch_hosts: Vec<String>,
    #[serde(default)]
    pub keys: Vec<KeyEntry>,
    pub operator_key: Option<String>,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub blobs: Blobs,
}

/// An OpenAI-compatible provider.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    pub base_url: Option<String>,
    pub api_key: Option<String>,
    pub concurrency: Option<usize>,
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u32>,
}

/// What is different for one pipeline.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pipeline {
    #[serde(default)]
    pub models: BTreeMap<String, String>,
    pub attempts: Option<u32>,
    pub width: Option<u32>,
    pub on_busy: Option<OnBusy>,
    /// Settings of the pipeline's own.
    #[serde(default)]
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// Prices in units of the currency for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Price {
    #[serde(default)]
    pub input: f64,
    #[serde(default)]
    pub output: f64,
    /// The price of a picture, in units of the currency.
    #[serde(default)]
    pub image: f64,
    /// The price of cached input; that of other input if absent.
    pub cached: Option<f64>,
}

/// The limits of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Budget {
    pub calls: Option<u64>,
    pub tokens: Option<u64>,
    /// In units of the currency.
    pub cost: Option<f64>,
    pub working_minutes: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    pub url: Option<String>,
    pub kind: Option<SearchKind>,
    pub key: Option<String>,
}

/// A key that stands for an owner: either its secret or the SHA-256 of it, in hexadecimal. An owner may have several, so that
/// they can be rotated.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    pub owner: String,
    #[serde(default, skip_serializing)]
    pub secret: Option<String>,
    #[serde(default, skip_serializing)]
    pub sha256: Option<String>,
}

impl std::fmt::Debug for KeyEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyEntry")
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

/// See [`super::Limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    pub message_bytes: Option<usize>,
    pub upload_bytes: Option<u64>,
    pub uploads_bytes: Option<u64>,
    pub connections_per_owner: Option<usize>,
    pub subscriptions_per_connection: Option<usize>,
    pub requests: Option<usize>,
    pub request_seconds: Option<u64>,
    pub typesetting_seconds: Option<u64>,
    pub connections: Option<usize>,
    pub connections_share: Option<usize>,
    pub head_seconds: Option<u64>,
    pub idle_seconds: Option<u64>,
    pub requests_share: Option<usize>,
    pub uploads: Option<usize>,
    pub uploads_share: Option<usize>,
    pub body_seconds: Option<u64>,
    pub bytes_per_second: Option<u64>,
    pub handshakes: Option<usize>,
    pub handshakes_share: Option<usize>,
    pub bodies_bytes: Option<u64>,
    pub answers_bytes: Option<u64>,
    pub decoding_bytes: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Blobs {
    /// A folder or the address of a store.
    pub place: Option<String>,
    /// Options of the store, such as `aws_endpoint`.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl File {
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|cause| ConfigError::Unreadable {
            path: shown.clone(),
            cause: cause.to_string(),
        })?;
        toml::from_str(&text).map_err(|cause| ConfigError::Malformed {
            path: shown,
            cause: in_one_line(&cause, &text),
        })
    }
}

pub(super) fn prices_of(
    file: BTreeMap<String, Price>,
) -> Result<BTreeMap<String, domain::settings::Price>, ConfigError> {
    let price = |(model, price): (String, Price)| {
        let name = format!("prices.{model}");
        let input = micros(&name, price.input)?;
        let cached = price
            .cached
            .map_or(Ok(input), |cached| micros(&name, cached))?;
        let output = micros(&name, price.output)?;
        Ok((
            model,
            domain::settings::Price {
                input,
                output,
                cached,
                image: micros(&name, price.image)?,
            },
        ))
    };
    file.into_iter().map(price).collect()
}

pub(super) fn budget_of(file: Budget) -> Result<domain::settings::Budget, ConfigError> {
    let default = domain::settings::Budget::default();
    Ok(domain::settings::Budget {
        calls: file.calls.unwrap_or(default.calls),
        tokens: file.tokens.unwrap_or(default.tokens),
        cost_micros: file
            .cost
            .map_or(Ok(default.cost_micros), |cost| micros("budget.cost", cost))?,
        working_ms: file
            .working_minutes
            .map_or(default.working_ms, |minutes| minutes.saturating_mul(60_000)),
    })
}

pub(super) fn pipeline_of(file: Pipeline) -> PipelineConfig {
    PipelineConfig {
        models: file.models,
        attempts: file.attempts,
        width: file.width,
        on_busy: file.on_busy,
        options: file.options,
        ..PipelineConfig::default()
    }
}

pub(super) fn limits_of(file: Limits) -> super::Limits {
    let default = super::Limits::default();
    super::Limits {
        message_bytes: file.message_bytes.unwrap_or(default.message_bytes),
        upload_bytes: file.upload_bytes.unwrap_or(default.upload_bytes),
        uploads_bytes: file.uploads_bytes.unwrap_or(default.uploads_bytes),
        connections_per_owner: file
            .connections_per_owner
            .unwrap_or(default.connections_per_owner),
        subscriptions_per_connection: file
            .subscriptions_per_connection
            .unwrap_or(default.subscriptions_per_connection),
        requests: file.requests.unwrap_or(default.requests),
        request_seconds: file.request_seconds.unwrap_or(default.request_seconds),
        typesetting_seconds: file
            .typesetting_seconds
            .unwrap_or(default.typesetting_seconds),
        connections: file.connections.unwrap_or(default.connections),
        connections_share: file.connections_share.unwrap_or(default.connections_share),
        head_seconds: file.head_seconds.unwrap_or(default.head_seconds),
        idle_seconds: file.idle_seconds.unwrap_or(default.idle_seconds),
        requests_share: file.requests_share.unwrap_or(default.requests_share),
        uploads: file.uploads.unwrap_or(default.uploads),
        uploads_share: file.uploads_share.unwrap_or(default.uploads_share),
        body_seconds: file.body_seconds.unwrap_or(default.body_seconds),
        bytes_per_second: file.bytes_per_second.unwrap_or(default.bytes_per_second),
        handshakes: file.handshakes.unwrap_or(default.handshakes),
        handshakes_share: file.handshakes_share.unwrap_or(default.handshakes_share),
        bodies_bytes: file.bodies_bytes.unwrap_or(default.bodies_bytes),
        answers_bytes: file.answers_bytes.unwrap_or(default.answers_bytes),
        decoding_bytes: file.decoding_bytes.unwrap_or(default.decoding_bytes),
    }
}

/// The place and the reason of an error, without the line and its values: they may hold a secret.
fn in_one_line(error: &toml::de::Error, text: &str) -> String {
    let line = error
        .span()
        .map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let message = without_value(&error.message().replace('\n', " "));
    line.map_or(message.clone(), |line| format!("line {line}: {message}"))
}

/// A message about a value of a wrong type, without the value.
fn without_value(message: &str) -> String {
    const BEGIN: &str = "string \"";
    let begin = message.find(BEGIN).map(|at| at + BEGIN.len());
    let end = message.rfind("\", expected");
    match (begin, end) {
        (Some(begin), Some(end)) if begin <= end => {
            format!("{}{HIDDEN}{}", &message[..begin], &message[end..])
        }
        _ => message.to_owned(),
    }
}
