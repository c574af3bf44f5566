//! Flags and environment variables, and how they override the file.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use clap::Args;
use confique::meta::{FieldKind, Meta};
use confique::{Config as _, Layer as _};
use runner::ports::{ProviderLimits, Secret};
use serde::de::DeserializeOwned;

use super::check::{self, micros};
use super::embeddings::Embeddings;
use super::images::{self, Images};
use super::network::networks;
use super::products::ProductTables;
use super::settings::{self, Budget, KeyEntry, Layer, Price, Settings};
use super::wires::{self, Contract, Draft};
use super::{Blobs, Config, ConfigError, Database, Models, SearchEngine, file};

/// An address as it is to be written.
const ADDRESS: &str = "127.0.0.1:8080";

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
    #[command(flatten)]
    pub(crate) given: Layer,
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

    /// The settings that have a variable and no flag. The table names their variables.
    pub(super) fn given(&self) -> Layer {
        let layer = self.layer(&Settings::META);
        layer.expect("each of them is a text")
    }

    /// The variables that this table of settings names.
    pub(super) fn layer<L: DeserializeOwned>(&self, settings: &Meta) -> Result<L, toml::de::Error> {
        L::deserialize(self.table(settings))
    }

    fn table(&self, settings: &Meta) -> toml::Table {
        let known = settings.fields.iter().filter_map(|field| {
            let value = match &field.kind {
                FieldKind::Nested { meta } => self.table(meta).into(),
                FieldKind::Leaf { env, .. } => self.get((*env)?)?.into(),
            };
            Some((field.name.to_owned(), value))
        });
        known.collect()
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
        products: &ProductTables,
    ) -> Result<Self, ConfigError> {
        let beside = PathBuf::from("palimpsest.toml");
        let file = match &flags.config {
            Some(path) => file::read(path)?,
            None if beside.is_file() => file::read(&beside)?,
            None => Layer::empty(),
        };
        Self::assemble(flags, environment, contracts, products, file)
    }

    /// The settings of a process that nothing was said to.
    pub(crate) fn unset(products: &ProductTables) -> Result<Self, ConfigError> {
        let (flags, environment) = (Flags::default(), Environment::default());
        Self::assemble(&flags, &environment, &[], products, Layer::empty())
    }

    pub(super) fn assemble(
        flags: &Flags,
        environment: &Environment,
        contracts: &[&dyn Contract],
        products: &ProductTables,
        file: Layer,
    ) -> Result<Self, ConfigError> {
        let given = flags
            .given
            .clone()
            .with_fallback(environment.given())
            .with_fallback(file)
            .with_fallback(Layer::default_values());
        let given = Settings::from_layer(given).expect("what is required has a default");
        let mut by_role = given.models;
        by_role.extend(environment.models());
        let named = flags.given.model.clone();
        let default = named.or_else(|| by_role.remove("default")).or(given.model);
        let mut pipelines = given.pipelines;
        let has_model = default.is_some() || !by_role.is_empty();
        let mut draft = Draft {
            pipelines: &mut pipelines,
            models: has_model.then_some(&mut by_role),
        };
        let wires = wires::read(contracts, environment, given.wires, &mut draft)?;
        let products = products.read(environment, given.products, &mut draft)?;
        let provider = given.provider;
        let models = Models {
            default,
            own: None,
            by_role,
            fallback: given.fallback_model,
            base_url: provider.base_url,
            api_key: provider.api_key.unwrap_or_default(),
            families: given.family,
            limits: ProviderLimits {
                concurrency: provider
                    .concurrency
                    .unwrap_or(ProviderLimits::default().concurrency),
                requests_per_minute: provider.requests_per_minute.and_then(NonZeroU32::new),
                tokens_per_minute: provider.tokens_per_minute.and_then(NonZeroU32::new),
            },
        };
        let of_run = domain::settings::Settings::default();
        let secret = |name| environment.get(name).map(Secret::new);
        let config = Self {
            listen: address("listen", &given.listen)?,
            wires,
            products,
            database: database_of(&given.database)?,
            images: Images::of(given.images, &models)?,
            embeddings: Embeddings::of(given.embeddings, &models)?,
            fetch_hosts: images::fetch_hosts(given.fetch_hosts)?,
            models,
            search: search_of(given.search),
            keys: match environment.get("PALIMPSEST_KEYS") {
                Some(text) => keys_of(&text)?,
                None => given.keys,
            },
            operator_key: given.operator_key,
            origins: given.origins,
            hosts: given.hosts,
            trusted_proxies: networks("trusted-proxies", &given.trusted_proxies)?,
            prices: prices_of(given.prices)?,
            budget: budget_of(given.budget)?,
            attempts: given.attempts.unwrap_or(of_run.attempts),
            width: given.width.unwrap_or(of_run.width),
            on_busy: given.on_busy,
            pipelines,
            limits: given.limits,
            retain_days: given.retain_days,
            lease_seconds: given.lease_seconds,
            drain_seconds: given.drain_seconds,
            curate: given.curate,
            fonts: given.fonts,
            blobs: blobs_of(given.blobs, environment, &given.data),
            master_key: secret("PALIMPSEST_MASTER_KEY"),
            state_keys: secret("PALIMPSEST_STATE_KEYS"),
            client_key: secret("PALIMPSEST_KEY"),
            crash_at: environment.get("PALIMPSEST_CRASH_AT"),
            data: given.data,
        };
        check::check(&config)?;
        Ok(config)
    }
}

/// An address to listen on, from the setting of this name.
///
/// # Errors
///
/// It is no address with a port.
pub fn address(name: &str, text: &str) -> Result<SocketAddr, ConfigError> {
    text.parse().map_err(|_| {
        let cause = format!("`{text}` is not an address with a port such as {ADDRESS}");
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

fn search_of(given: settings::Search) -> Option<SearchEngine> {
    Some(SearchEngine {
        url: given.url.filter(|url| !url.is_empty())?,
        kind: given.kind,
        key: given.key.unwrap_or_default(),
    })
}

fn blobs_of(given: settings::Blobs, environment: &Environment, data: &Path) -> Blobs {
    match given.place {
        Some(url) if url.contains("://") => {
            let options = given.options.into_iter();
            let mut options: BTreeMap<_, _> = options
                .map(|(name, value)| (name, value.reveal().to_owned()))
                .collect();
            options.extend(environment.store_options());
            Blobs::Url {
                url,
                options: options.into_iter().collect(),
            }
        }
        Some(folder) => Blobs::Folder(folder.into()),
        None => Blobs::Folder(data.join("blobs")),
    }
}

fn prices_of(
    given: BTreeMap<String, Price>,
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
    given.into_iter().map(price).collect()
}

fn budget_of(given: Budget) -> Result<domain::settings::Budget, ConfigError> {
    let default = domain::settings::Budget::default();
    Ok(domain::settings::Budget {
        calls: given.calls.unwrap_or(default.calls),
        tokens: given.tokens.unwrap_or(default.tokens),
        cost_micros: given
            .cost
            .map_or(Ok(default.cost_micros), |cost| micros("budget.cost", cost))?,
        working_ms: given
            .working_minutes
            .map_or(default.working_ms, |minutes| minutes.saturating_mul(60_000)),
    })
}
