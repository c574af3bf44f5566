//! Flags and environment variables, and how they override the file.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;
use domain::settings::OnBusy;
use runner::ports::{ProviderLimits, SearchKind, Secret};

use super::check;
use super::embeddings::Embeddings;
use super::file::{self, File, KeyEntry, budget_of, limits_of, pipeline_of, prices_of};
use super::images::{self, Images};
use super::wires::{self, Contract, Draft};
use super::{Blobs, Config, ConfigError, Database, Models, PipelineConfig, SearchEngine};

/// The listening address where none is configured.
const LISTEN: &str = "127.0.0.1:8080";
/// The database where none is configured.
const DATABASE: &str = "sqlite:palimpsest.db";
/// The data folder where none is configured.
const DATA: &str = "./palimpsest-data";

/// Seconds of a lease if none are configured: long compared with a pause of the machine, short enough for a person to wait.
const LEASE_SECONDS: u32 = 15;

/// What a variable such as `PALIMPSEST_MODEL_WRITER` begins with.
const ROLE_PREFIX: &str = "PALIMPSEST_MODEL_";

/// Settings of every command. Each flag has the variable that is named with it; a flag wins over its variable, a variable
/// over the file.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
pub struct Flags {
    /// Configuration file (TOML); `palimpsest.toml` in this folder where there is one
    #[arg(long, env = "PALIMPSEST_CONFIG", global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address to serve on [default: 127.0.0.1:8080]
    #[arg(long, env = "PALIMPSEST_LISTEN", global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// `sqlite:<file>` or `postgres://...` [default: sqlite:palimpsest.db]
    #[arg(
        long,
        env = "PALIMPSEST_DATABASE",
        global = true,
        value_name = "URL",
        hide_env_values = true
    )]
    pub database: Option<String>,
    /// Folder for keys, spool, uploads and large files [default: ./palimpsest-data]
    #[arg(long, env = "PALIMPSEST_DATA", global = true, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Model of every role, or `offline` to force the offline author
    #[arg(long, env = "PALIMPSEST_MODEL", global = true, value_name = "NAME")]
    pub model: Option<String>,
    /// Model that is asked where the first choice cannot be reached
    #[arg(
        long,
        env = "PALIMPSEST_FALLBACK_MODEL",
        global = true,
        value_name = "NAME"
    )]
    pub fallback_model: Option<String>,
    /// Address of the search engine; without one nothing is searched
    #[arg(long, env = "PALIMPSEST_SEARCH_URL", global = true, value_name = "URL")]
    pub search_url: Option<String>,
    /// `searxng`, `tavily` or `brave`
    #[arg(
        long,
        env = "PALIMPSEST_SEARCH_KIND",
        global = true,
        value_name = "KIND"
    )]
    pub search_kind: Option<String>,
    /// Model that draws pictures; without one they are drawn here, of type and shapes
    #[arg(
        long,
        env = "PALIMPSEST_IMAGES_MODEL",
        global = true,
        value_name = "NAME"
    )]
    pub images_model: Option<String>,
    /// Address of the provider of pictures [default: `OPENAI_BASE_URL`]
    #[arg(long, env = "PALIMPSEST_IMAGES_URL", global = true, value_name = "URL")]
    pub images_url: Option<String>,
    /// Model that makes vectors of texts, for the design index and for stories; without one both are searched by words alone
    #[arg(
        long,
        env = "PALIMPSEST_EMBEDDINGS_MODEL",
        global = true,
        value_name = "NAME"
    )]
    pub embeddings_model: Option<String>,
    /// Address of the provider of vectors [default: `OPENAI_BASE_URL`]
    #[arg(
        long,
        env = "PALIMPSEST_EMBEDDINGS_URL",
        global = true,
        value_name = "URL"
    )]
    pub embeddings_url: Option<String>,
    /// Hosts that pictures to go by are fetched from, separated by commas: `example.com`, `*.example.com`, or an origin
    /// [default: none]
    #[arg(
        long,
        env = "PALIMPSEST_FETCH_HOSTS",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub fetch_hosts: Option<Vec<String>>,
    /// Origins of browser pages that may ask, separated by commas
    #[arg(
        long,
        env = "PALIMPSEST_ORIGINS",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub origins: Option<Vec<String>>,
    /// Host names by which the server is reached, separated by commas
    #[arg(
        long,
        env = "PALIMPSEST_HOSTS",
        global = true,
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub hosts: Option<Vec<String>>,
    /// Attempts that a step has [default: 3]
    #[arg(long, env = "PALIMPSEST_ATTEMPTS", global = true, value_name = "N")]
    pub attempts: Option<u32>,
    /// Steps of one stage that work at the same time [default: 3]
    #[arg(long, env = "PALIMPSEST_WIDTH", global = true, value_name = "N")]
    pub width: Option<u32>,
    /// What happens to a message to a busy session: `enqueue`, `refuse` or `interrupt` [default: enqueue]
    #[arg(long, env = "PALIMPSEST_ON_BUSY", global = true, value_name = "WHAT")]
    pub on_busy: Option<String>,
    /// Days after which a quiet session is erased [default: never]
    #[arg(
        long,
        env = "PALIMPSEST_RETAIN_DAYS",
        global = true,
        value_name = "DAYS"
    )]
    pub retain_days: Option<u32>,
    /// Seconds until the steps of a process that is gone are taken over, on PostgreSQL [default: 15]
    #[arg(
        long,
        env = "PALIMPSEST_LEASE_SECONDS",
        global = true,
        value_name = "SECONDS"
    )]
    pub lease_seconds: Option<u32>,
    /// Whether what is kept in collections is worked on after each change, such as summaries of designs, which a model is paid for
    /// [default: true]
    #[arg(
        long,
        env = "PALIMPSEST_CURATE",
        global = true,
        value_name = "true|false"
    )]
    pub curate: Option<bool>,
    /// Folder with fonts that are preferred to the system's
    #[arg(long, env = "PALIMPSEST_FONTS", global = true, value_name = "FOLDER")]
    pub fonts: Option<PathBuf>,
    /// Folder or `s3://bucket/prefix` for large files [default: <data>/blobs]
    #[arg(long, env = "PALIMPSEST_BLOBS", global = true, value_name = "PLACE")]
    pub blobs: Option<String>,
}

/// The variables that have no flag, because a command line is visible to every process, or because their names vary.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process. Empty ones count as absent.
    pub fn of_process() -> Self {
        Self::from_pairs(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
    }

    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(
            pairs
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        )
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    /// Models by role, as `PALIMPSEST_MODEL_<ROLE>` names them.
    fn models(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.0.iter().filter_map(|(name, value)| {
            Some((
                name.strip_prefix(ROLE_PREFIX)?.to_lowercase(),
                value.clone(),
            ))
        })
    }

    /// What the object store reads, such as `AWS_ACCESS_KEY_ID`.
    fn store_options(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.0
            .iter()
            .filter(|(name, _)| name.starts_with("AWS_"))
            .map(|(name, value)| (name.to_lowercase(), value.clone()))
    }
}

impl Config {
    /// Reads the settings: flags override variables, variables the file, and the file the defaults. Checks the result.
    pub fn load(
        flags: &Flags,
        environment: &Environment,
        contracts: &[&dyn Contract],
    ) -> Result<Self, ConfigError> {
        let beside = PathBuf::from("palimpsest.toml");
        let file = match &flags.config {
            Some(path) => File::read(path)?,
            None if beside.is_file() => File::read(&beside)?,
            None => File::default(),
        };
        Self::assemble(flags, environment, contracts, file)
    }

    pub(super) fn assemble(
        flags: &Flags,
        environment: &Environment,
        contracts: &[&dyn Contract],
        file: File,
    ) -> Result<Self, ConfigError> {
        let listen = flags
            .listen
            .clone()
            .or(file.listen)
            .unwrap_or_else(|| LISTEN.to_owned());
        let database = flags
            .database
            .clone()
            .or(file.database)
            .unwrap_or_else(|| DATABASE.to_owned());
        let data = flags
            .data
            .clone()
            .or(file.data)
            .unwrap_or_else(|| PathBuf::from(DATA));
        let mut by_role = file.models;
        by_role.extend(environment.models());
        let default = flags
            .model
            .clone()
            .or_else(|| by_role.remove("default"))
            .or(file.model);
        let keys = match environment.get("PALIMPSEST_KEYS") {
            Some(text) => keys_of(&text)?,
            None => file.keys,
        };
        let place = flags.blobs.clone().or(file.blobs.place);
        let mut pipelines: BTreeMap<String, PipelineConfig> = file
            .pipelines
            .into_iter()
            .map(|(name, pipeline)| (name, pipeline_of(pipeline)))
            .collect();
        let has_model = default.is_some() || !by_role.is_empty();
        let mut draft = Draft {
            pipelines: &mut pipelines,
            models: has_model.then_some(&mut by_role),
        };
        let wires = wires::read(contracts, environment, file.wires, &mut draft)?;
        let models = Models {
            default,
            own: None,
            by_role,
            fallback: flags.fallback_model.clone().or(file.fallback_model),
            base_url: environment
                .get("OPENAI_BASE_URL")
                .or(file.provider.base_url),
            api_key: Secret::new(
                environment
                    .get("OPENAI_API_KEY")
                    .or(file.provider.api_key)
                    .unwrap_or_default(),
            ),
            families: file.family,
            limits: ProviderLimits {
                concurrency: file
                    .provider
                    .concurrency
                    .unwrap_or(ProviderLimits::default().concurrency),
                requests_per_minute: file.provider.requests_per_minute.and_then(NonZeroU32::new),
                tokens_per_minute: file.provider.tokens_per_minute.and_then(NonZeroU32::new),
            },
        };
        let config = Self {
            listen: address("listen", &listen)?,
            wires,
            database: database_of(&database)?,
            images: Images::of(flags, environment, file.images, &models)?,
            embeddings: Embeddings::of(flags, environment, file.embeddings, &models)?,
            fetch_hosts: images::fetch_hosts(flags, file.fetch_hosts)?,
            models,
            search: search_of(flags, environment, file.search)?,
            keys,
            operator_key: environment
                .get("PALIMPSEST_OPERATOR_KEY")
                .or(file.operator_key)
                .map(Secret::new),
            origins: flags.origins.clone().unwrap_or(file.origins),
            hosts: flags.hosts.clone().unwrap_or(file.hosts),
            prices: prices_of(file.prices)?,
            budget: budget_of(file.budget)?,
            attempts: flags
                .attempts
                .or(file.attempts)
                .unwrap_or(domain::settings::Settings::default().attempts),
            width: flags
                .width
                .or(file.width)
                .unwrap_or(domain::settings::Settings::default().width),
            on_busy: on_busy_of(flags, file.on_busy)?,
            pipelines,
            limits: limits_of(file.limits),
            retain_days: flags.retain_days.or(file.retain_days),
            lease_seconds: flags
                .lease_seconds
                .or(file.lease_seconds)
                .unwrap_or(LEASE_SECONDS),
            curate: flags.curate.or(file.curate).unwrap_or(true),
            fonts: flags.fonts.clone().or(file.fonts),
            blobs: match place {
                Some(url) if url.contains("://") => Blobs::Url {
                    url,
                    options: environment
                        .store_options()
                        .chain(file.blobs.options)
                        .collect::<BTreeMap<_, _>>()
                        .into_iter()
                        .collect(),
                },
                Some(folder) => Blobs::Folder(folder.into()),
                None => Blobs::Folder(data.join("blobs")),
            },
            master_key: environment.get("PALIMPSEST_MASTER_KEY").map(Secret::new),
            state_keys: environment.get("PALIMPSEST_STATE_KEYS").map(Secret::new),
            client_key: environment.get("PALIMPSEST_KEY").map(Secret::new),
            crash_at: environment.get("PALIMPSEST_CRASH_AT"),
            data,
        };
        check::check(&config)?;
        Ok(config)
    }
}

pub(crate) fn address(name: &str, text: &str) -> Result<SocketAddr, ConfigError> {
    text.parse().map_err(|_| {
        let cause = format!("`{text}` is not an address with a port such as {LISTEN}");
        ConfigError::bad(name, cause)
    })
}

fn database_of(text: &str) -> Result<Database, ConfigError> {
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Ok(Database::Postgres {
            url: Secret::new(text),
        });
    }
    let path = text
        .strip_prefix("sqlite:")
        .map(|rest| rest.strip_prefix("//").unwrap_or(rest));
    match path {
        Some(path) if !path.is_empty() => Ok(Database::Sqlite { path: path.into() }),
        _ => Err(ConfigError::bad(
            "database",
            "it is neither `sqlite:<file>` nor `postgres://<server>/<database>`",
        )),
    }
}

/// `owner:secret,owner:secret`; a secret may hold colons, but no commas.
fn keys_of(text: &str) -> Result<Vec<KeyEntry>, ConfigError> {
    let entry = |pair: &str| {
        let (owner, secret) = pair.split_once(':').ok_or_else(|| {
            ConfigError::bad(
                "PALIMPSEST_KEYS",
                "it is a list of `owner:secret` with commas between them",
            )
        })?;
        Ok(KeyEntry {
            owner: owner.trim().to_owned(),
            secret: Some(secret.to_owned()),
            sha256: None,
        })
    };
    text.split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(entry)
        .collect()
}

fn search_of(
    flags: &Flags,
    environment: &Environment,
    file: file::Search,
) -> Result<Option<SearchEngine>, ConfigError> {
    let Some(url) = flags
        .search_url
        .clone()
        .filter(|url| !url.is_empty())
        .or(file.url)
    else {
        return Ok(None);
    };
    let kind = match &flags.search_kind {
        Some(text) => serde_json::from_value(serde_json::Value::String(text.to_lowercase()))
            .map_err(|_| {
                ConfigError::bad(
                    "search-kind",
                    format!("`{text}` is none of searxng, tavily, brave"),
                )
            })?,
        None => file.kind.unwrap_or(SearchKind::Searxng),
    };
    let key = Secret::new(
        environment
            .get("PALIMPSEST_SEARCH_KEY")
            .or(file.key)
            .unwrap_or_default(),
    );
    Ok(Some(SearchEngine { kind, url, key }))
}

fn on_busy_of(flags: &Flags, file: Option<OnBusy>) -> Result<OnBusy, ConfigError> {
    let Some(text) = &flags.on_busy else {
        return Ok(file.unwrap_or_default());
    };
    let known = serde_json::from_value(serde_json::Value::String(text.to_lowercase()));
    known.map_err(|_| {
        ConfigError::bad(
            "on-busy",
            format!("`{text}` is none of enqueue, refuse, interrupt"),
        )
    })
}
