//! What an engine is put together from, and its limits.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use domain::pipeline::Pipelines;
use store::{Log, NodeId};

use crate::authors::Authors;
use crate::clock::{Clock, fresh_id};
use crate::crash::CrashPlan;
use crate::ports::{Model, ProviderLimits, RetryPolicy, Spool, Typesetter};
use crate::prompts::Prompts;
use crate::streams::Curator;
use crate::tools::{Embedder, Outside, Tools};
use crate::typesetting::FontTypesetter;

/// Limits and policies of the engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineLimits {
    pub provider: ProviderLimits,
    pub retry: RetryPolicy,
    /// How long a process that is not heard from keeps its steps. This is long compared with a pause of the machine, and short compared
    /// with a person's patience.
    pub lease: Duration,
    /// How long one job of typesetting may take. Thirty pages take a few seconds; a job that takes this long would never end.
    pub typesetting: Duration,
}

impl Default for EngineLimits {
    fn default() -> Self {
        Self {
            provider: ProviderLimits::default(),
            retry: RetryPolicy::default(),
            lease: Duration::from_secs(15),
            typesetting: Duration::from_secs(120),
        }
    }
}

/// What an engine is put together from.
pub struct Parts {
    pub log: Arc<dyn Log>,
    pub pipelines: Pipelines,
    pub prompts: Prompts,
    pub clock: Clock,
    /// Without one, the offline authors write.
    pub model: Option<Arc<dyn Model>>,
    /// Makes vectors of texts, for searches; without it searches compare words alone.
    pub embedder: Option<Embedder>,
    /// The tools that steps may call by name.
    pub tools: Tools,
    /// The authors that write where there is no model, by prompt.
    pub authors: Authors,
    /// The curators that work on the changes of collections, by the name of their kind, and of projects.
    pub curators: BTreeMap<&'static str, Curator>,
    pub typesetter: Arc<dyn Typesetter>,
    pub spool: Option<Spool>,
    pub limits: EngineLimits,
    /// Whether other processes may append to this log.
    pub shared: bool,
    /// The name by which this process claims steps; nobody else has it.
    pub node: NodeId,
    /// Processes that are known to be gone, whose claims end at once.
    pub gone: Vec<NodeId>,
    /// The file whose lock tells others that this process lives, held for as long as the engine does.
    pub alive: Option<File>,
    pub crash: Option<CrashPlan>,
}

impl Parts {
    /// The minimum: no model, no offline authors, no tools but those that serve any pipeline, no search engine, no spool, no fonts but the
    /// embedded ones, and a log for this process alone.
    pub fn new(log: Arc<dyn Log>, pipelines: Pipelines) -> Self {
        Self {
            log,
            pipelines,
            prompts: Prompts::empty(),
            clock: Clock::system(),
            model: None,
            embedder: None,
            tools: Tools::general(Outside::nothing()),
            authors: Authors::default(),
            curators: BTreeMap::new(),
            typesetter: Arc::new(FontTypesetter::new(render::Fonts::embedded())),
            spool: None,
            limits: EngineLimits::default(),
            shared: false,
            node: NodeId::new(fresh_id()),
            gone: vec![],
            alive: None,
            crash: None,
        }
    }
}
