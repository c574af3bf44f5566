//! What passes between sessions and those who work for them: commands with what comes with them, the bytes that events name, the
//! turn that is being made, and why work for a session ends.

pub(crate) mod blobs;
mod call;
mod claim;
mod command;
mod context;
mod persist;
mod stop;

use std::sync::Arc;

use async_trait::async_trait;
use domain::Session;
use store::{Append, Committed, StreamId};

use crate::error::SendError;

pub(crate) use call::Keeping;
pub(crate) use claim::{ALL_TURNS, Hold, Turns};
pub use command::{Applied, Envelope};
pub(crate) use command::{Request, client_command};
pub(crate) use context::StepContext;
pub(crate) use persist::{Pauses, persist};
pub use stop::Stop;

/// The sessions of a log, as seen by code that works for one of them: it reads the current state of a session, and reports by commands what
/// happened. The engine implements this trait. The engine starts the work, so the work knows nothing more of the engine.
#[async_trait]
pub(crate) trait Sessions: Send + Sync {
    /// A session as of now.
    async fn session(&self, stream: &StreamId) -> Result<Arc<Session>, SendError>;

    /// Decides a command and appends what follows from it. The command stays with its sender, who may offer it again.
    async fn process(&self, stream: &StreamId, request: &Request) -> Result<Applied, SendError>;

    /// The same together with an append to another stream: both or neither. Returns the outcome of that append; where that stream has moved
    /// on, the command is stale. The work goes on even if the caller goes away.
    async fn process_beside(
        &self,
        stream: StreamId,
        request: Request,
        other: Append,
    ) -> Result<Committed, SendError>;
}
