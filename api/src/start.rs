//! Starts a process: data folder, log, ports, engine, and what handlers share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use metrics_exporter_prometheus::PrometheusHandle;
use render::Fonts;
use runner::clock::Clock;
use runner::crash::CrashPlan;
use runner::ports::{
    Model, OpenAiConfig, OpenAiEmbeddings, OpenAiEmbeddingsConfig, OpenAiImages,
    OpenAiImagesConfig, OpenAiModel, References, RetryPolicy, Search, SearchConfig, Spool,
    WebSearch,
};
use runner::tools::{Embedder, Painter, Searches, Tools};
use runner::{Collections, Curator, Engine, EngineLimits, FontTypesetter, Parts};
use store::{
    Acceptance, AnswerStore, Backup, BackupError, EventLog, HeadOptions, Log, MasterKey, MemoryLog,
    ObjectOptions, OpenError, PostgresLog, PostgresOptions, SqliteLog, SqliteOptions,
};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::{Blobs, Config, Database, PROVIDER_URL};
use crate::data::DataFolder;
use crate::feed::Feeds;
use crate::handshakes::Handshakes;
use crate::in_flight::InFlight;
use crate::keys::Keys;
use crate::known_names::KnownNames;
use crate::node::Node;
use crate::operations::Operations;
use crate::readiness::LogProbe;
use crate::server::{Server, Surroundings};
use crate::settings::{self, SettingsRequest};
use crate::signer::Signer;
use crate::uploads::Uploads;

/// The file in the data folder with what the program has learned about models from their refusals.
const LESSONS: &str = "models-learned.json";

/// Opens the log for reading and writing. `address` is where others can reach this process.
pub async fn own_log(
    server: &Server,
    config: &Config,
    data: &DataFolder,
    clock: &Clock,
    address: &str,
) -> Result<Arc<dyn Log>, OpenError> {
    writable_log(server, config, data, clock, address, None).await
}

/// The same for a log that is behind its head file, if somebody has accepted this.
pub async fn accepted_log(
    server: &Server,
    config: &Config,
    data: &DataFolder,
    clock: &Clock,
    acceptance: Acceptance,
) -> Result<Arc<dyn Log>, OpenError> {
    writable_log(server, config, data, clock, "", Some(acceptance)).await
}

async fn writable_log(
    server: &Server,
    config: &Config,
    data: &DataFolder,
    clock: &Clock,
    address: &str,
    accept: Option<Acceptance>,
) -> Result<Arc<dyn Log>, OpenError> {
    let heads = HeadOptions {
        accept,
        ..HeadOptions::new(data.heads())
    };
    match &config.database {
        Database::Sqlite { path } => {
            let mut options = SqliteOptions::new(data.master_key(), clock.as_fn(), &config.data);
            options.kinds = server.kinds.clone();
            options.objects = objects(&config.blobs);
            options.heads = Some(heads);
            address.clone_into(&mut options.owner_address);
            Ok(Arc::new(SqliteLog::open(path, options).await?))
        }
        Database::Postgres { url } => {
            let mut options = PostgresOptions::new(data.master_key(), clock.as_fn(), &config.data);
            options.kinds = server.kinds.clone();
            options.objects = objects(&config.blobs);
            options.heads = Some(heads);
            Ok(Arc::new(PostgresLog::open(url.reveal(), options).await?))
        }
    }
}

/// Opens the log for reading only, whether or not another process owns it.
pub async fn read_log(
    server: &Server,
    config: &Config,
    data: &DataFolder,
    clock: &Clock,
) -> Result<Arc<dyn Log>, OpenError> {
    let log = readable_log(server, config, data, clock).await?;
    Ok(Arc::new(log))
}

/// The same log, which can be backed up.
pub(crate) async fn readable_log(
    server: &Server,
    config: &Config,
    data: &DataFolder,
    clock: &Clock,
) -> Result<EventLog, OpenError> {
    match &config.database {
        Database::Sqlite { path } => {
            let mut options = SqliteOptions::new(data.master_key(), clock.as_fn(), &config.data);
            options.kinds = server.kinds.clone();
            options.objects = objects(&config.blobs);
            SqliteLog::open_read_only(path, options).await
        }
        Database::Postgres { url } => {
            let mut options = PostgresOptions::new(data.master_key(), clock.as_fn(), &config.data);
            options.kinds = server.kinds.clone();
            options.objects = objects(&config.blobs);
            PostgresLog::open_read_only(url.reveal(), options).await
        }
    }
}

/// Makes a log out of a backup, in the database and the place for blobs that are configured. The keys are left to the caller.
pub(crate) async fn restore_log(config: &Config, backup: &Backup) -> Result<(), BackupError> {
    let objects = objects(&config.blobs);
    let heads = config.data.join("heads");
    match &config.database {
        Database::Sqlite { path } => SqliteLog::restore(path, backup, &objects, &heads).await,
        Database::Postgres { url } => {
            PostgresLog::restore(url.reveal(), backup, &objects, &heads).await
        }
    }
}

fn objects(blobs: &Blobs) -> ObjectOptions {
    match blobs {
        Blobs::Folder(folder) => ObjectOptions::Folder(folder.clone()),
        Blobs::Url { url, options } => ObjectOptions::Url {
            url: url.clone(),
            options: options.clone(),
        },
    }
}

/// Checks everything that can be checked without a network: prompts, addresses, keys that are sent in headers, and what the tools of the
/// program make of their settings. Returns the fonts, which take time to find.
pub async fn check_ports(server: &Server, config: &Config) -> anyhow::Result<Fonts> {
    model(config)?;
    tools_in_memory(server, config).await?;
    fonts(config)
}

/// The tools of a program over a log in memory.
pub(crate) async fn tools_in_memory(server: &Server, config: &Config) -> anyhow::Result<Tools> {
    let clock = Clock::system();
    let log = MemoryLog::open(MasterKey::new([0; 32]), clock.as_fn()).await;
    server.tools(&surroundings(
        config,
        &(Arc::new(log) as Arc<dyn Log>),
        &clock,
    )?)
}

/// An engine on a log. It continues the work that is unfinished in the log.
pub async fn engine(
    server: &Server,
    config: &Config,
    data: &DataFolder,
    log: Arc<dyn Log>,
    clock: Clock,
    fonts: Fonts,
    retry: RetryPolicy,
) -> anyhow::Result<Engine> {
    let nodes = data.nodes();
    let node = Node::take(&nodes)
        .with_context(|| format!("the folder {} cannot be written to", nodes.display()))?;
    render::decoding::set_limit(config.limits.decoding_bytes);
    intake::budget::set_limit(config.limits.reading_bytes);
    let reached = surroundings(config, &log, &clock)?;
    let parts = Parts {
        node: node.id.clone(),
        gone: node.gone.ids(),
        alive: Some(node.alive),
        prompts: server.prompts.clone(),
        model: match &server.model {
            Some(own) if !config.is_offline() => Some(Arc::clone(&own.port)),
            Some(_) | None => model(config)?,
        },
        authors: server.authors.clone(),
        curators: curators(server, config)?,
        tools: server.tools(&reached)?,
        embedder: reached.embedder,
        clock,
        typesetter: Arc::new(FontTypesetter::new(fonts)),
        spool: Some(spool(config, data)?),
        limits: EngineLimits {
            provider: config.models.limits,
            retry,
            lease: Duration::from_secs(config.lease_seconds.into()),
            typesetting: Duration::from_secs(config.limits.typesetting_seconds),
        },
        shared: matches!(config.database, Database::Postgres { .. }),
        crash: crash(config)?,
        ..Parts::new(log, server.pipelines.clone())
    };
    let engine = Engine::start(parts)
        .await
        .context("the engine cannot take up what the log says is open")?;
    node.gone.forget();
    Ok(engine)
}

/// The folder where models' answers wait to be written to the log. If blobs are kept in a shared store, other processes can find the
/// answers there.
fn spool(config: &Config, data: &DataFolder) -> anyhow::Result<Spool> {
    let spool = Spool::new(data.spool(), data.spool_key())?;
    Ok(match &config.blobs {
        Blobs::Url { .. } => spool.shared_through(AnswerStore::open(&objects(&config.blobs))?),
        Blobs::Folder(_) => spool,
    })
}

/// The pipelines that work on the changes of collections, as configured.
fn curators(server: &Server, config: &Config) -> anyhow::Result<BTreeMap<&'static str, Curator>> {
    let wanted = server.curators.iter().filter(|_| config.curate);
    let each = wanted.map(|(kind, curator)| {
        let pipeline = server.pipelines.find(curator.pipeline);
        let request = SettingsRequest::default();
        let settings = settings::resolve(config, pipeline, "", &request, None)?;
        Ok((*kind, curator.with(settings)))
    });
    each.collect()
}

/// What the tools of this process reach.
pub(crate) fn surroundings<'a>(
    config: &'a Config,
    log: &Arc<dyn Log>,
    clock: &Clock,
) -> anyhow::Result<Surroundings<'a>> {
    Ok(Surroundings {
        config,
        clock: clock.clone(),
        collections: Collections::new(Arc::clone(log), clock.clone()),
        searches: Arc::new(Searches::new(search(config)?, clock.clone())),
        painter: painter(config)?.map(Arc::new),
        embedder: embedder(config, clock)?,
        references: Arc::new(references(config)?),
    })
}

fn model(config: &Config) -> anyhow::Result<Option<Arc<dyn Model>>> {
    if config.is_offline() {
        return Ok(None);
    }
    Ok(Some(Arc::new(provider(config)?)))
}

/// The provider of models, with what earlier processes have learned about models.
pub(crate) fn provider(config: &Config) -> anyhow::Result<OpenAiModel> {
    let models = &config.models;
    let mut provider = OpenAiConfig::new(models.url(), models.api_key.clone());
    provider.families.clone_from(&models.families);
    provider.lessons = Some(config.data.join(LESSONS));
    Ok(OpenAiModel::new(provider)?)
}

fn search(config: &Config) -> anyhow::Result<Option<Arc<dyn Search>>> {
    let Some(engine) = &config.search else {
        return Ok(None);
    };
    let engine = SearchConfig::new(engine.kind, engine.url.clone(), engine.key.clone());
    Ok(Some(Arc::new(WebSearch::new(engine)?)))
}

/// The provider of pictures, with its limits.
fn painter(config: &Config) -> anyhow::Result<Option<Painter>> {
    let Some(images) = &config.images else {
        return Ok(None);
    };
    let url = images.base_url.clone();
    let url = url.unwrap_or_else(|| PROVIDER_URL.to_owned());
    let provider = OpenAiImagesConfig::new(url, images.model.clone(), images.api_key.clone());
    let provider = OpenAiImages::new(provider).context("the provider of pictures")?;
    Ok(Some(Painter::new(Arc::new(provider), images.limits)))
}

/// The provider of vectors of texts, with its limits.
fn embedder(config: &Config, clock: &Clock) -> anyhow::Result<Option<Embedder>> {
    let Some(embeddings) = &config.embeddings else {
        return Ok(None);
    };
    let url = embeddings.base_url.clone();
    let url = url.unwrap_or_else(|| PROVIDER_URL.to_owned());
    let (model, key) = (embeddings.model.clone(), embeddings.api_key.clone());
    let provider = OpenAiEmbeddingsConfig {
        dimensions: embeddings.dimensions,
        texts: embeddings.texts,
        chars: embeddings.chars,
        ..OpenAiEmbeddingsConfig::new(url, model, key)
    };
    let provider = OpenAiEmbeddings::new(provider).context("the provider of vectors")?;
    let limits = embeddings.limits;
    Ok(Some(Embedder::new(
        Arc::new(provider),
        limits,
        clock.clone(),
    )))
}

fn references(config: &Config) -> anyhow::Result<References> {
    References::new(&config.fetch_hosts).map_err(anyhow::Error::msg)
}

/// The fonts that pages are measured and drawn with.
pub fn fonts(config: &Config) -> anyhow::Result<Fonts> {
    Ok(Fonts::load(config.fonts.as_deref())?)
}

/// The family that each script is drawn with, one a line, as `serve --check` prints it.
pub fn shown_fonts(fonts: &Fonts) -> String {
    let line = |(script, family): (&str, Option<String>)| {
        let family =
            family.unwrap_or_else(|| "none: PDF and thumbnails do not show such text".to_owned());
        format!("fonts for {script} = {family}\n")
    };
    fonts.scripts().into_iter().map(line).collect()
}

fn crash(config: &Config) -> anyhow::Result<Option<CrashPlan>> {
    let Some(text) = &config.crash_at else {
        return Ok(None);
    };
    CrashPlan::parse(text).map(Some).with_context(|| {
        format!("PALIMPSEST_CRASH_AT is `{text}`, not a point such as `answered:3`")
    })
}

/// What handlers share.
pub fn app(
    server: &Server,
    config: Arc<Config>,
    data: &DataFolder,
    engine: Engine,
    keys: Keys,
    metrics: PrometheusHandle,
) -> App {
    App {
        feeds: Arc::new(Feeds::new(&engine, server.wires())),
        forms: server.forms.clone(),
        operations: Arc::new(Operations::new(
            Arc::clone(engine.log()),
            engine.clock().clone(),
        )),
        probe: Arc::new(LogProbe::new(Arc::clone(engine.log()))),
        signer: Signer::new(&data.signing_key()).with_state_keys(data.state_keys()),
        names: KnownNames::new(&config),
        handshakes: Handshakes::new(&config.limits),
        in_flight: InFlight::new(&config.limits),
        uploads: Uploads::new(data.uploads(), &config.limits),
        console: server.console.clone(),
        engine,
        keys,
        config,
        metrics,
        stopping: CancellationToken::new(),
    }
}
