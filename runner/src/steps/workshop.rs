//! What steps are carried out with.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::pipeline::Pipeline;
use domain::wording::Instructions;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::deltas::Deltas;
use super::registry::Registry;
use super::tries::ClosedModels;
use crate::collections::Collections;
use crate::computing::Computing;
use crate::parts::Parts;
use crate::ports::{Limiter, Spool};
use crate::projects::Projects;
use crate::reading::FileReader;
use crate::sessions::Sessions;
use crate::typesetting::Press;
use crate::waits::WaitTable;

/// What steps are carried out with, for as long as the process lives.
pub(crate) struct Workshop {
    pub(crate) parts: Parts,
    pub(crate) limiter: Limiter,
    pub(crate) closed: ClosedModels,
    pub(crate) press: Press,
    pub(crate) computing: Computing,
    pub(crate) reader: FileReader,
    pub(crate) collections: Collections,
    pub(crate) projects: Projects,
    pub(crate) registry: Registry,
    pub(crate) deltas: Deltas,
    pub(crate) waits: WaitTable,
    /// What the prompts of each pipeline say, by its name.
    pub(crate) instructions: BTreeMap<&'static str, Arc<Instructions>>,
    /// Cancelled when no step, call or tool is begun any longer; those that are under way still end.
    pub(crate) draining: CancellationToken,
    /// Cancelled when steps are carried out no longer; commands still are.
    pub(crate) hand_over: CancellationToken,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl Workshop {
    pub(crate) fn new(parts: Parts, sessions: Arc<dyn Sessions>) -> Self {
        let (log, clock) = (Arc::clone(&parts.log), parts.clock.clone());
        let stop = CancellationToken::new();
        let hand_over = stop.child_token();
        Self {
            limiter: Limiter::new(parts.limits.provider),
            closed: ClosedModels::default(),
            waits: WaitTable::new(clock.clone()),
            press: Press::new(Arc::clone(&parts.typesetter), parts.limits.typesetting),
            computing: Computing::new(),
            reader: FileReader::new(),
            projects: Projects::curated(
                Arc::clone(&log),
                clock.clone(),
                &parts.curators,
                Arc::clone(&sessions),
            ),
            collections: Collections::curated(log, clock, parts.curators.clone(), sessions),
            registry: Registry::default(),
            deltas: Deltas::default(),
            instructions: instructions(&parts),
            draining: hand_over.child_token(),
            hand_over,
            stop,
            tasks: TaskTracker::new(),
            parts,
        }
    }

    pub(crate) fn spool(&self) -> Option<&Spool> {
        self.parts.spool.as_ref()
    }
}

/// The instructions of each pipeline: its prompts, and what its schemas say of their fields.
fn instructions(parts: &Parts) -> BTreeMap<&'static str, Arc<Instructions>> {
    let of = |pipeline: &'static dyn Pipeline| {
        let mut texts = parts.prompts.instructions(pipeline.name());
        for kind in pipeline.describe(false).artifacts {
            collect_descriptions(&kind.schema, &mut texts);
        }
        let texts = texts.iter().map(String::as_str);
        (pipeline.name(), Arc::new(Instructions::of(texts)))
    };
    parts.pipelines.iter().map(of).collect()
}

/// Adds what a schema says of its fields.
fn collect_descriptions(schema: &Value, texts: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            texts.extend(schema["description"].as_str().map(str::to_owned));
            fields
                .values()
                .for_each(|field| collect_descriptions(field, texts));
        }
        Value::Array(all) => all
            .iter()
            .for_each(|value| collect_descriptions(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
