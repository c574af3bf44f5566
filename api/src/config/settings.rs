//! Every setting, each once: its name in the file, its flag and its variable, what it means, its default. From this table come the file,
//! the flags and the layers between them; [`Config`](super::Config) is what is made of it once it was checked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use confique::Config as Layered;
use domain::settings::OnBusy;
use runner::ports::{Family, SearchKind, Secret};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Limits, PipelineConfig};

/// What one place says: flags with their variables, variables without a flag, the file, or the defaults.
pub(crate) type Layer = <Settings as Layered>::Layer;

/// The settings of a process, not checked yet. Beside each stands what its flag says of it in the help.
#[derive(Debug, Layered)]
#[config(layer_attr(derive(Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
#[config(layer_attr(command(next_help_heading = "Settings")))]
pub(crate) struct Settings {
    /// Address to serve on [default: 127.0.0.1:8080]
    #[config(default = "127.0.0.1:8080")]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_LISTEN",
        global = true,
        value_name = "ADDRESS"
    )))]
    pub(crate) listen: String,
    /// `sqlite:<file>` or `postgres://...` [default: sqlite:palimpsest.db]
    #[config(default = "sqlite:palimpsest.db")]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_DATABASE",
        global = true,
        value_name = "URL",
        hide_env_values = true
    )))]
    pub(crate) database: String,
    /// Folder for keys, spool, uploads and large files [default: ./palimpsest-data]
    #[config(default = "./palimpsest-data")]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_DATA",
        global = true,
        value_name = "FOLDER"
    )))]
    pub(crate) data: PathBuf,
    /// Model of every role, or `offline` to force the offline author
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_MODEL",
        global = true,
        value_name = "NAME"
    )))]
    pub(crate) model: Option<String>,
    /// Model that is asked where the first choice cannot be reached
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_FALLBACK_MODEL",
        global = true,
        value_name = "NAME"
    )))]
    pub(crate) fallback_model: Option<String>,
    #[config(nested, layer_attr(command(flatten)))]
    pub(crate) search: Search,
    #[config(nested, layer_attr(command(flatten)))]
    pub(crate) images: Images,
    #[config(nested, layer_attr(command(flatten)))]
    pub(crate) embeddings: Embeddings,
    /// Hosts that pictures to go by are fetched from, separated by commas: `example.com`, `*.example.com`, or an origin
    /// [default: none]
    #[config(default = [])]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_FETCH_HOSTS",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )))]
    pub(crate) fetch_hosts: Vec<String>,
    /// Origins of browser pages that may ask, separated by commas
    #[config(default = [])]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_ORIGINS",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )))]
    pub(crate) origins: Vec<String>,
    /// Host names by which the server is reached, separated by commas
    #[config(default = [])]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_HOSTS",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )))]
    pub(crate) hosts: Vec<String>,
    /// Proxies that are believed when they name the client, separated by commas: addresses, or networks such as `10.0.0.0/8`
    /// [default: none]
    // Anybody can write the headers that name a client, so they are believed of nobody else.
    #[config(default = [])]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_TRUSTED_PROXIES",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )))]
    pub(crate) trusted_proxies: Vec<String>,
    /// Attempts that a step has [default: 3]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_ATTEMPTS",
        global = true,
        value_name = "N"
    )))]
    pub(crate) attempts: Option<u32>,
    /// Steps of one stage that work at the same time [default: 3]
    #[config(layer_attr(arg(long, env = "PALIMPSEST_WIDTH", global = true, value_name = "N")))]
    pub(crate) width: Option<u32>,
    /// What happens to a message to a busy session: `enqueue`, `refuse` or `interrupt` [default: enqueue]
    #[config(default = "enqueue")]
    #[config(layer_attr(arg(long, env = "PALIMPSEST_ON_BUSY", global = true, value_name = "WHAT", value_parser = named::<OnBusy>)))]
    pub(crate) on_busy: OnBusy,
    /// Days after which a quiet session is erased [default: never]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_RETAIN_DAYS",
        global = true,
        value_name = "DAYS"
    )))]
    pub(crate) retain_days: Option<u32>,
    /// Seconds until the steps of a process that is gone are taken over, on PostgreSQL [default: 15]
    // Long compared with a pause of the machine, short enough for a person to wait.
    #[config(default = 15)]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_LEASE_SECONDS",
        global = true,
        value_name = "SECONDS"
    )))]
    pub(crate) lease_seconds: u32,
    /// Seconds that calls under way have to end in once the server is told to stop [default: 30]
    // Most answers are whole within it, and a restart of several servers one by one still ends within minutes.
    #[config(default = 30)]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_DRAIN_SECONDS",
        global = true,
        value_name = "SECONDS"
    )))]
    pub(crate) drain_seconds: u32,
    /// Whether what is kept in collections is worked on after each change, which a model is paid for
    /// [default: true]
    #[config(default = true)]
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_CURATE",
        global = true,
        value_name = "true|false"
    )))]
    pub(crate) curate: bool,
    /// Folder with fonts that are preferred to the system's
    #[config(layer_attr(arg(
        long,
        env = "PALIMPSEST_FONTS",
        global = true,
        value_name = "FOLDER"
    )))]
    pub(crate) fonts: Option<PathBuf>,
    #[config(nested, layer_attr(command(flatten)))]
    pub(crate) blobs: Blobs,
    #[config(nested, layer_attr(command(flatten)))]
    pub(crate) provider: Provider,
    /// The model of each role; `PALIMPSEST_MODEL_<ROLE>` wins.
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) models: BTreeMap<String, String>,
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) pipelines: BTreeMap<String, PipelineConfig>,
    /// Settings of single wires. Each wire reads its own.
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) wires: BTreeMap<String, toml::Table>,
    /// Settings of single products. Each product reads its own.
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) products: BTreeMap<String, toml::Table>,
    /// What is known of models beyond `models.toml`; it takes precedence over that file.
    #[config(default = [], layer_attr(arg(skip)))]
    pub(crate) family: Vec<Family>,
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) prices: BTreeMap<String, Price>,
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) budget: Budget,
    /// Who may ask; `PALIMPSEST_KEYS` wins.
    #[config(default = [], layer_attr(arg(skip)))]
    pub(crate) keys: Vec<KeyEntry>,
    #[config(env = "PALIMPSEST_OPERATOR_KEY", layer_attr(arg(skip)))]
    pub(crate) operator_key: Option<Secret>,
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) limits: Limits,
}

/// An OpenAI-compatible provider of models.
#[derive(Debug, Layered)]
#[config(layer_attr(derive(Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
pub(crate) struct Provider {
    #[config(env = "OPENAI_BASE_URL", layer_attr(arg(skip)))]
    pub(crate) base_url: Option<String>,
    #[config(env = "OPENAI_API_KEY", layer_attr(arg(skip)))]
    pub(crate) api_key: Option<Secret>,
    #[config(layer_attr(arg(skip)))]
    pub(crate) concurrency: Option<usize>,
    #[config(layer_attr(arg(skip)))]
    pub(crate) requests_per_minute: Option<u32>,
    #[config(layer_attr(arg(skip)))]
    pub(crate) tokens_per_minute: Option<u32>,
}

/// A search engine; without an address nothing is searched.
#[derive(Debug, Layered)]
#[config(layer_attr(derive(Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
#[config(layer_attr(command(next_help_heading = "Settings")))]
pub(crate) struct Search {
    /// Address of the search engine; without one nothing is searched
    #[config(layer_attr(arg(
        id = "search-url",
        long,
        env = "PALIMPSEST_SEARCH_URL",
        global = true,
        value_name = "URL"
    )))]
    pub(crate) url: Option<String>,
    /// `searxng`, `tavily` or `brave`
    #[config(default = "searxng")]
    #[config(layer_attr(arg(id = "search-kind", long, env = "PALIMPSEST_SEARCH_KIND", global = true, value_name = "KIND", value_parser = named::<SearchKind>)))]
    pub(crate) kind: SearchKind,
    #[config(env = "PALIMPSEST_SEARCH_KEY", layer_attr(arg(skip)))]
    pub(crate) key: Option<Secret>,
}

/// Who draws pictures, where a model is named.
#[derive(Debug, Layered)]
#[config(layer_attr(derive(Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
#[config(layer_attr(command(next_help_heading = "Settings")))]
pub(crate) struct Images {
    /// Model that draws pictures; without one they are drawn here, of type and shapes
    #[config(layer_attr(arg(
        id = "images-model",
        long,
        env = "PALIMPSEST_IMAGES_MODEL",
        global = true,
        value_name = "NAME"
    )))]
    pub(crate) model: Option<String>,
    /// Address of the provider of pictures [default: `OPENAI_BASE_URL`]
    #[config(layer_attr(arg(
        id = "images-url",
        long,
        env = "PALIMPSEST_IMAGES_URL",
        global = true,
        value_name = "URL"
    )))]
    pub(crate) base_url: Option<String>,
    #[config(env = "PALIMPSEST_IMAGES_KEY", layer_attr(arg(skip)))]
    pub(crate) api_key: Option<Secret>,
    // Calls at once. A picture takes a minute, and accounts are commonly allowed five a minute.
    #[config(default = 2, layer_attr(arg(skip)))]
    pub(crate) concurrency: usize,
    #[config(layer_attr(arg(skip)))]
    pub(crate) requests_per_minute: Option<u32>,
}

/// Who makes vectors of texts, where a model is named.
#[derive(Debug, Layered)]
#[config(layer_attr(derive(Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
#[config(layer_attr(command(next_help_heading = "Settings")))]
pub(crate) struct Embeddings {
    /// Model that makes vectors of texts, so that searches find what means the same; without one they compare words alone
    #[config(layer_attr(arg(
        id = "embeddings-model",
        long,
        env = "PALIMPSEST_EMBEDDINGS_MODEL",
        global = true,
        value_name = "NAME"
    )))]
    pub(crate) model: Option<String>,
    /// Address of the provider of vectors [default: `OPENAI_BASE_URL`]
    #[config(layer_attr(arg(
        id = "embeddings-url",
        long,
        env = "PALIMPSEST_EMBEDDINGS_URL",
        global = true,
        value_name = "URL"
    )))]
    pub(crate) base_url: Option<String>,
    #[config(env = "PALIMPSEST_EMBEDDINGS_KEY", layer_attr(arg(skip)))]
    pub(crate) api_key: Option<Secret>,
    #[config(layer_attr(arg(skip)))]
    pub(crate) dimensions: Option<usize>,
    #[config(layer_attr(arg(skip)))]
    pub(crate) texts: Option<usize>,
    #[config(layer_attr(arg(skip)))]
    pub(crate) chars: Option<usize>,
    // Calls at once: three steps of a stage, and a search.
    #[config(default = 4, layer_attr(arg(skip)))]
    pub(crate) concurrency: usize,
    #[config(layer_attr(arg(skip)))]
    pub(crate) requests_per_minute: Option<u32>,
}

/// Where large files are.
#[derive(Debug, Layered)]
#[config(layer_attr(derive(Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
#[config(layer_attr(command(next_help_heading = "Settings")))]
pub(crate) struct Blobs {
    /// Folder or `s3://bucket/prefix` for large files [default: <data>/blobs]
    #[config(layer_attr(arg(
        id = "blobs",
        long,
        env = "PALIMPSEST_BLOBS",
        global = true,
        value_name = "PLACE"
    )))]
    pub(crate) place: Option<String>,
    /// Options of the store, such as `aws_endpoint`; `AWS_…` variables win.
    #[config(default = {}, layer_attr(arg(skip)))]
    pub(crate) options: BTreeMap<String, Secret>,
}

/// Prices in units of the currency for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Price {
    pub(crate) input: f64,
    pub(crate) output: f64,
    /// The price of a picture, in units of the currency.
    pub(crate) image: f64,
    /// The price of cached input; that of other input if absent.
    pub(crate) cached: Option<f64>,
}

/// The limits of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budget {
    pub(crate) calls: Option<u64>,
    pub(crate) tokens: Option<u64>,
    /// In units of the currency.
    pub(crate) cost: Option<f64>,
    pub(crate) working_minutes: Option<u64>,
}

/// A key that stands for an owner: either its secret, of 128 bits at least, or the SHA-256 of it, in hexadecimal. An owner may have
/// several, so that they can be rotated.
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

/// One of the words of a setting, in capital letters or small ones.
fn named<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let word = serde_json::Value::String(text.to_lowercase());
    serde_json::from_value(word).map_err(|error| error.to_string())
}
