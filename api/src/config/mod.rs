//! Everything that can be configured: the table of settings, how its sources are laid over each other, and the checks made at start.

mod check;
mod embeddings;
mod file;
mod flags;
mod images;
mod network;
mod products;
#[cfg(test)]
mod products_tests;
mod secrets;
mod settings;
mod show;
mod strength;
#[cfg(test)]
mod tests;
mod wires;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use domain::settings::{Budget, OnBusy, Price};
use runner::EngineLimits;
use runner::ports::{Family, KnownModels, ProviderLimits, SearchKind, Secret};
use serde::{Deserialize, Serialize};

pub use check::{check_listen, check_pipelines, check_provider, is_loopback_host};
pub use embeddings::Embeddings;
pub use flags::{Environment, Flags, address};
pub use images::Images;
pub use network::{BadNetwork, Network};
pub(crate) use products::ProductTable;
pub use products::{ProductConfig, ProductSettings, ProductTables};
pub use settings::KeyEntry;
pub use wires::{Contract, Draft, WireConfig};

/// The name that forces the offline author.
pub const OFFLINE: &str = "offline";

/// The owner of everything where no keys are configured.
pub const LOCAL_OWNER: &str = "local";

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("the configuration file {path} cannot be read: {cause}")]
    Unreadable { path: String, cause: String },
    #[error("the configuration file {path} is not right: {cause}")]
    Malformed { path: String, cause: String },
    #[error("`{name}` is not right: {cause}")]
    Bad { name: String, cause: String },
    #[error(
        "listening on {listen} without keys would let everybody on the network in; configure `[[keys]]` in the file or \
         PALIMPSEST_KEYS, or listen on 127.0.0.1"
    )]
    OpenToAll { listen: SocketAddr },
    #[error(
        "the model `{model}` is named without a provider: set OPENAI_BASE_URL to the provider's address, or OPENAI_API_KEY alone for OpenAI; \
         or set PALIMPSEST_MODEL=offline to work without a model"
    )]
    NoProvider { model: String },
}

impl ConfigError {
    /// A setting is not right.
    pub fn bad(name: impl Into<String>, cause: impl ToString) -> Self {
        Self::Bad {
            name: name.into(),
            cause: cause.to_string(),
        }
    }
}

/// The settings of a process, from file, environment and flags together.
#[derive(Clone, Serialize)]
pub struct Config {
    /// Where `serve` listens.
    pub listen: SocketAddr,
    /// The settings of single wires, by their names.
    pub wires: BTreeMap<&'static str, WireConfig>,
    /// The settings of single products, by their names.
    pub products: BTreeMap<&'static str, ProductConfig>,
    /// `sqlite:<path>` or `postgres://…`.
    pub database: Database,
    /// Keys, spool, uploads and large blobs of this process.
    #[serde(serialize_with = "show::path")]
    pub data: PathBuf,
    /// Which model answers, and how.
    #[serde(flatten)]
    pub models: Models,
    /// Web search; absent means off.
    pub search: Option<SearchEngine>,
    /// Who draws pictures; absent means that they are drawn here.
    pub images: Option<Images>,
    /// Who makes vectors of texts for searches; if absent, searches compare words only.
    pub embeddings: Option<Embeddings>,
    /// Hosts that reference pictures may be fetched from: `example.com`, `*.example.com`, `http://127.0.0.1:9000`. If there are none,
    /// nothing is fetched.
    pub fetch_hosts: Vec<String>,
    /// The keys of clients. Without keys everything belongs to [`LOCAL_OWNER`], and the server listens on loopback only.
    pub keys: Vec<KeyEntry>,
    /// The key of whoever runs this server: it opens `/metrics`, and shows what belongs to all owners.
    pub operator_key: Option<Secret>,
    /// Origins of browser pages, beside the server's own, that may ask: `https://app.example.com`.
    pub origins: Vec<String>,
    /// Names, beside loopback ones, by which this server is reached; requests for any other host are refused.
    pub hosts: Vec<String>,
    /// Proxies that are believed when they say whose request they pass on. Nobody else is.
    pub trusted_proxies: Vec<Network>,
    /// Prices by model name.
    pub prices: BTreeMap<String, Price>,
    /// The limits of one run.
    pub budget: Budget,
    /// Attempts that a step has: the first and its repetitions.
    pub attempts: u32,
    /// Steps of one stage that work at the same time.
    pub width: u32,
    /// What happens to a message to a busy session if the message does not say it itself.
    pub on_busy: OnBusy,
    /// What is different for a pipeline, by its name.
    pub pipelines: BTreeMap<String, PipelineConfig>,
    pub limits: Limits,
    /// Days after which a session that nothing happens in is erased; absent means never.
    pub retain_days: Option<u32>,
    /// Seconds after which another process that shares the database carries out the steps of a process that no longer renews its lease. An
    /// SQLite database is never shared.
    pub lease_seconds: u32,
    /// Seconds that calls under way have to end in once the server is told to stop; 0 cuts them at once.
    pub drain_seconds: u32,
    /// Whether collections are worked on after each change of them.
    pub curate: bool,
    /// Fonts that are preferred to the system's.
    #[serde(serialize_with = "show::fonts")]
    pub fonts: Option<PathBuf>,
    /// Where blobs too large for rows are kept.
    pub blobs: Blobs,
    /// The master key in hexadecimal, in the place of the key file; from `PALIMPSEST_MASTER_KEY` alone.
    pub master_key: Option<Secret>,
    /// The keys that sign reconnect states, in the place of those of the data folder; from `PALIMPSEST_STATE_KEYS` alone.
    pub state_keys: Option<Secret>,
    /// The key with which the command line asks a server that wants one; from `PALIMPSEST_KEY` alone.
    #[serde(skip)]
    pub client_key: Option<Secret>,
    /// Where to crash on purpose, such as `answered:3`; from `PALIMPSEST_CRASH_AT` alone, and only in builds for tests.
    #[serde(skip)]
    pub crash_at: Option<String>,
}

/// The log's database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    Sqlite { path: PathBuf },
    Postgres { url: Secret },
}

/// Models and who provides them.
#[derive(Clone, Serialize)]
pub struct Models {
    /// The model of every role that is not named; [`OFFLINE`] forces the offline author.
    #[serde(rename = "model")]
    pub default: Option<String>,
    /// The model that the program brings along, in the place of a provider's.
    #[serde(skip)]
    pub own: Option<String>,
    /// By role.
    #[serde(rename = "models")]
    pub by_role: BTreeMap<String, String>,
    /// Asked where the first choice of a role cannot be reached.
    #[serde(rename = "fallback_model")]
    pub fallback: Option<String>,
    /// OpenAI-compatible; used as given.
    #[serde(rename = "provider.base_url")]
    pub base_url: Option<String>,
    #[serde(rename = "provider.api_key")]
    pub api_key: Secret,
    /// What is known of models beyond `models.toml`; it takes precedence over that file.
    #[serde(rename = "family")]
    pub families: Vec<Family>,
    #[serde(rename = "provider")]
    pub limits: ProviderLimits,
}

/// A search engine.
#[derive(Clone, Serialize)]
pub struct SearchEngine {
    pub kind: SearchKind,
    pub url: String,
    pub key: Secret,
}

/// What is different for one pipeline.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PipelineConfig {
    /// By role; `default` for the others.
    pub models: BTreeMap<String, String>,
    pub attempts: Option<u32>,
    pub width: Option<u32>,
    pub on_busy: Option<OnBusy>,
    /// Milliseconds before the second attempt of a step; the engine's own where absent. A wire sets it, the file does not.
    #[serde(skip_deserializing)]
    pub retry_wait_ms: Option<u64>,
    /// Settings of the pipeline's own; a request overrides them.
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// Where large blobs are.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Blobs {
    #[serde(serialize_with = "show::path")]
    Folder(PathBuf),
    /// The address of a store, such as `s3://bucket/prefix`, with its options; `aws_secret_access_key` and the like come from the
    /// environment.
    Url {
        url: String,
        #[serde(serialize_with = "show::names")]
        options: Vec<(String, String)>,
    },
}

/// What clients may ask of this server: the table `[limits]` of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a JSON body, and of a message on a socket.
    pub message_bytes: usize,
    /// Bytes of an uploaded file.
    pub upload_bytes: u64,
    /// Bytes of all uploads of an owner that no message has attached yet.
    pub uploads_bytes: u64,
    /// Sockets and event streams of one owner at the same time.
    pub connections_per_owner: usize,
    /// Sessions that one socket follows.
    pub subscriptions_per_connection: usize,
    /// Requests of this server that are answered at the same time, streams left out.
    pub requests: usize,
    /// Seconds that a request may take, streams and uploads left out.
    pub request_seconds: u64,
    /// Seconds that typesetting a page, or all files of a deck, may take.
    pub typesetting_seconds: u64,
    /// Connections in all; fewer where the process may not have so many files open.
    pub connections: usize,
    /// Connections of one address, and of one owner once a key was recognised on them.
    pub connections_share: usize,
    /// Seconds that the head of a request may take.
    pub head_seconds: u64,
    /// Seconds that a connection may wait for its next request.
    pub idle_seconds: u64,
    /// Requests of one owner, or of one address without a key, that are answered at the same time.
    pub requests_share: usize,
    /// Uploads that come in at the same time.
    pub uploads: usize,
    /// Uploads of one owner that come in at the same time.
    pub uploads_share: usize,
    /// Seconds that the body of a request may take.
    pub body_seconds: u64,
    /// The fewest bytes a second that a client has to send, or to take, while the server waits for it.
    pub bytes_per_second: u64,
    /// Connections in all whose owner is not known yet: handshakes of Socket.IO, sockets before their `hello`.
    pub handshakes: usize,
    /// The same of one address.
    pub handshakes_share: usize,
    /// Bytes of bodies that are in memory while they come in; half of them for one owner at most.
    pub bodies_bytes: u64,
    /// Bytes of large answers that are in memory while they are sent; half of them for one owner at most.
    pub answers_bytes: u64,
    /// Bytes that decoding pictures takes, over all that have pictures decoded.
    pub decoding_bytes: u64,
    /// Bytes that the content of files takes while they are read, over all files.
    pub reading_bytes: u64,
}

impl Limits {
    /// Each limit by its name in the file, in the order above.
    fn listed(&self) -> Vec<(String, u64)> {
        let limits = serde_json::to_value(self).expect("numbers with names");
        let limits = limits.as_object().into_iter().flatten();
        let listed = limits.filter_map(|(name, limit)| Some((name.clone(), limit.as_u64()?)));
        listed.collect()
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // A message of 20,000 characters is 60 kB of UTF-8 Chinese and twice that escaped; inputs add little. A
            // megabyte leaves room and is what web sockets are commonly limited to.
            message_bytes: 1024 * 1024,
            // Sources are texts and pictures; a scanned book chapter is about twenty megabytes.
            upload_bytes: 32 * 1024 * 1024,
            // A message's worth of sources, several times.
            uploads_bytes: 512 * 1024 * 1024,
            // A person has a few tabs with a few connections each; a team's backend behind one key has more.
            connections_per_owner: 256,
            // As many sessions as a dashboard shows at once.
            subscriptions_per_connection: 64,
            // Each holds at most a message; a thousand of them are bounded by a gigabyte.
            requests: 1024,
            // Reading a long session at an old version is the slowest thing asked for; it takes well under a second.
            request_seconds: 60,
            typesetting_seconds: EngineLimits::default().typesetting.as_secs(),
            // Each costs some ten kilobytes while it waits. Most systems let a process have more files open.
            connections: 4096,
            // One address takes at most a quarter, so that at least four addresses are needed to fill the server.
            connections_share: 1024,
            // A head is one packet; a phone that lost its network twice still sends it.
            head_seconds: 10,
            // Longer than the sixty seconds after which proxies close idle connections, so that the proxy closes them and not the server.
            idle_seconds: 75,
            // Half for one busy back end behind one key, and as many for everybody else.
            requests_share: 512,
            // Each holds a file and a task.
            uploads: 256,
            // A folder of sources that is dropped on a page; browsers send six at a time.
            uploads_share: 16,
            // The largest file at forty kilobytes a second.
            body_seconds: 15 * 60,
            // The speed of a telephone line of 1985. A client that is slower than this over ten seconds is taken to be gone.
            bytes_per_second: 1024,
            // Enough for all clients of a large installation that come back at once after a restart.
            handshakes: 1024,
            handshakes_share: 256,
            // The largest form eight times.
            bodies_bytes: 512 * 1024 * 1024,
            // Eight times the largest file. Clients that wait for the same file share it.
            answers_bytes: 256 * 1024 * 1024,
            decoding_bytes: render::decoding::DECODING_BYTES,
            reading_bytes: intake::budget::READING_BYTES,
        }
    }
}

/// Where the models are, unless something else is configured.
pub(crate) const PROVIDER_URL: &str = "https://api.openai.com/v1";

impl Models {
    /// The address of the provider.
    pub fn url(&self) -> &str {
        self.base_url.as_deref().unwrap_or(PROVIDER_URL)
    }

    /// Whether a provider is named, by its address, or by a key alone, which is one for OpenAI.
    pub fn has_provider(&self) -> bool {
        !self.api_key.is_empty() || self.base_url.is_some()
    }

    /// What a model costs by the lists of prices, in millionths for a million tokens; nothing where no list names it.
    pub fn list_price(&self, model: &str) -> Option<Price> {
        let known = KnownModels::at(self.url(), &self.families);
        let price = known.habits(model).price?;
        let micros = |amount: f64| check::micros("price", amount).ok();
        Some(Price {
            input: micros(price.input)?,
            output: micros(price.output)?,
            cached: micros(price.cached.unwrap_or(price.input))?,
            image: 0,
        })
    }
}

impl Config {
    /// Whether the offline author writes: it was asked for, or nothing else is configured.
    pub fn is_offline(&self) -> bool {
        let models = &self.models;
        let forced = models.default.as_deref() == Some(OFFLINE);
        if models.own.is_some() {
            return forced;
        }
        let has_model = models.default.is_some() || !models.by_role.is_empty();
        forced || !models.has_provider() || !has_model
    }
}
