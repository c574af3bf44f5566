//! A command on its way to a session, and what it becomes.

use std::sync::Arc;

use commands::Command;
use domain::hash::{Blob, Sha256};
use domain::{Actor, Recorded};
use store::{Claim, CommandId, Committed, StreamId};

use super::Hold;
use crate::error::SendError;

/// A command with what comes with it.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub command: Command,
    /// The sender's name for this command; a repetition gets the first answer.
    pub client_id: String,
    pub actor: Actor,
    pub expected_version: Option<u64>,
    /// Contents that come with it.
    pub blobs: Vec<Blob>,
    /// The hash of what the client sent. Under the same name, something else is refused; where it is absent, nothing is compared.
    pub content: Option<Sha256>,
}

/// The outcome of a command.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The version of the session that has it.
    pub version: u64,
    /// Whether it had been carried out before; then this is the outcome of that time.
    pub duplicate: bool,
    pub events: Vec<Arc<Recorded>>,
}

impl Applied {
    /// What was committed, now or before.
    ///
    /// # Errors
    ///
    /// [`SendError::IdReused`] where the command was another one then.
    pub(crate) fn of(committed: Committed) -> Result<Self, SendError> {
        if committed.reused {
            return Err(SendError::IdReused);
        }
        Ok(Self {
            version: committed.version,
            duplicate: committed.duplicate,
            events: committed.recorded,
        })
    }
}

/// The id that a client's command is stored under.
pub(crate) fn client_command(stream: &StreamId, client_id: &str) -> CommandId {
    CommandId::of(stream, &format!("client:{client_id}"))
}

/// A command on its way to its stream.
pub(crate) struct Request<C = Command> {
    pub(crate) command: C,
    pub(crate) id: CommandId,
    pub(crate) actor: Actor,
    pub(crate) expected_version: Option<u64>,
    pub(crate) blobs: Vec<Blob>,
    /// The claim that the sender must still have.
    pub(crate) claim: Option<Claim>,
    /// The hash of what the sender asked for, where it is compared.
    pub(crate) content: Option<Sha256>,
}

impl Request {
    /// A command of our own, under a name that is the same each time it is sent.
    pub(crate) fn own(
        stream: &StreamId,
        own_id: &str,
        command: Command,
        actor: Actor,
        blobs: Vec<Blob>,
    ) -> Self {
        Self {
            command,
            id: CommandId::of(stream, own_id),
            actor,
            expected_version: None,
            blobs,
            claim: None,
            content: None,
        }
    }

    /// The same, with the claim of a worker whose step others may have taken.
    pub(crate) fn by(mut self, hold: Option<&Hold>) -> Self {
        self.claim = hold.map(|hold| hold.claim.clone());
        self
    }
}
