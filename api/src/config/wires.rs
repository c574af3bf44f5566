//! Settings that belong to one wire. Each wire declares, reads and checks its own; here they are only kept, so that the configuration
//! depends on no wire.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::flags::Environment;
use super::{Config, ConfigError, PipelineConfig};

/// Reads the settings that a wire has under names of its own.
pub trait Contract {
    /// The name of the wire, whose table in the file is `[wires.<name>]`.
    fn wire(&self) -> &'static str;

    /// Reads the settings, and puts what they say about pipelines and models into the draft.
    fn read(
        &self,
        environment: &Environment,
        table: toml::Table,
        draft: &mut Draft<'_>,
    ) -> Result<WireConfig, ConfigError>;
}

/// What a contract may change.
pub struct Draft<'a> {
    /// What is different for a pipeline, by its name.
    pub pipelines: &'a mut BTreeMap<String, PipelineConfig>,
    /// The models by role; nothing where none is configured.
    pub models: Option<&'a mut BTreeMap<String, String>>,
}

/// The settings of one wire.
#[derive(Clone, Debug, Serialize)]
pub struct WireConfig {
    /// Another address to serve on, which clients of this wire know.
    pub listen: Option<SocketAddr>,
    /// What `serve --check` prints of the others.
    #[serde(rename = "settings")]
    shown: Value,
    /// Settings that only the wire itself can read.
    #[serde(skip)]
    own: Arc<dyn Any + Send + Sync>,
}

impl WireConfig {
    /// `own` are settings that only the wire itself can read.
    ///
    /// # Panics
    ///
    /// If they cannot be written as JSON.
    pub fn new<T: Serialize + Any + Send + Sync>(listen: Option<SocketAddr>, own: T) -> Self {
        Self {
            listen,
            shown: serde_json::to_value(&own).expect("the settings have names"),
            own: Arc::new(own),
        }
    }
}

/// Reads the settings of all wires. `tables` are the tables of the file, by wire.
pub(super) fn read(
    contracts: &[&dyn Contract],
    environment: &Environment,
    mut tables: BTreeMap<String, toml::Table>,
    draft: &mut Draft<'_>,
) -> Result<BTreeMap<&'static str, WireConfig>, ConfigError> {
    let mut wires = BTreeMap::new();
    for contract in contracts {
        let table = tables.remove(contract.wire()).unwrap_or_default();
        wires.insert(contract.wire(), contract.read(environment, table, draft)?);
    }
    match tables.keys().next() {
        None => Ok(wires),
        Some(unknown) => {
            let known: Vec<_> = wires.keys().copied().collect();
            let cause = format!("there are settings of {} alone", known.join(", "));
            Err(ConfigError::bad(format!("wires.{unknown}"), cause))
        }
    }
}

impl Config {
    /// The settings of a wire as its contract read them; `None` if this process was started without the wire.
    pub fn of_wire<T: Any + Send + Sync>(&self, wire: &str) -> Option<&T> {
        self.wires.get(wire)?.own.downcast_ref()
    }

    /// The further addresses to serve on, each with the wire whose clients know it.
    pub fn further_listens(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> + '_ {
        let listens = self.wires.iter();
        listens.filter_map(|(wire, config)| Some((*wire, config.listen?)))
    }
}
