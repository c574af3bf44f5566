//! What every handler of a server shares: the engine, who may ask, what was configured.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use runner::Engine;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::console_folders::ConsoleFolders;
use crate::feed::Feeds;
use crate::forms::Forms;
use crate::handshakes::Handshakes;
use crate::in_flight::InFlight;
use crate::keys::Keys;
use crate::known_names::KnownNames;
use crate::operations::Operations;
use crate::readiness::LogProbe;
use crate::signer::Signer;
use crate::uploads::Uploads;

/// The state of a server. A clone is another handle on the same.
#[derive(Clone)]
pub struct App {
    pub engine: Engine,
    /// Who may ask.
    pub keys: Keys,
    pub config: Arc<Config>,
    /// Hosts and origins that are let in.
    pub names: KnownNames,
    /// Places for connections that have not shown a key yet.
    pub handshakes: Handshakes,
    /// Large contents that are being sent.
    pub in_flight: InFlight,
    /// The frames of sessions, for everybody who follows one.
    pub feeds: Arc<Feeds>,
    /// The forms in which contents are made when they are asked for.
    pub forms: Forms,
    /// Signs what is handed out and comes back: file addresses, reconnect states.
    pub signer: Signer,
    /// Files that no message has attached yet.
    pub uploads: Uploads,
    /// The files of the console.
    pub console: ConsoleFolders,
    /// What an operator looks at.
    pub operations: Arc<Operations>,
    /// What `/readyz` goes by.
    pub probe: Arc<LogProbe>,
    /// What `/metrics` answers.
    pub metrics: PrometheusHandle,
    /// Cancelled when the server stops: connections that never end by themselves close then.
    pub stopping: CancellationToken,
}
