//! Names that the log itself uses: streams, commands, nodes.

use std::fmt;

use data_encoding::HEXLOWER;
use domain::hash::Sha256;
use domain::{EventId, SessionId};
use smol_str::SmolStr;

/// A session of an owner: one stream of the log. Session ids are unique within an owner.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    pub owner: SmolStr,
    pub session: SessionId,
}

impl StreamId {
    pub fn new(owner: impl Into<SmolStr>, session: SessionId) -> Self {
        Self {
            owner: owner.into(),
            session,
        }
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.session)
    }
}

/// What makes an append happen once: a repetition under the same id returns the first answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(pub [u8; 16]);

impl CommandId {
    /// The id of a command to a session under the name that its sender gave it. Two owners, or two sessions, never share
    /// one, whatever names their clients choose.
    pub fn of(stream: &StreamId, client_id: &str) -> Self {
        Self::hash(
            "palimpsest-command",
            &[&stream.owner, stream.session.as_str(), client_id],
        )
    }

    /// The id of a command that follows from this one on another session.
    pub fn also_for(&self, stream: &StreamId) -> Self {
        Self::hash(
            "palimpsest-command-also",
            &[
                &HEXLOWER.encode(&self.0),
                &stream.owner,
                stream.session.as_str(),
            ],
        )
    }

    fn hash(domain: &str, parts: &[&str]) -> Self {
        let parts = std::iter::once(&domain).chain(parts);
        let hash = Sha256::of_parts(parts.map(|part| part.as_bytes()));
        let mut id = [0; 16];
        id.copy_from_slice(&hash.as_bytes()[..16]);
        Self(id)
    }

    /// The id of the event at this place in the command. The first event has the bytes of the command; for the following ones the last four
    /// bytes are counted up.
    pub fn event_id(&self, ordinal: u32) -> EventId {
        let mut id = self.0;
        let last = u32::from_be_bytes([id[12], id[13], id[14], id[15]]).wrapping_add(ordinal);
        id[12..].copy_from_slice(&last.to_be_bytes());
        EventId(id)
    }
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommandId({})", HEXLOWER.encode(&self.0))
    }
}

/// A process that carries out steps. A process that starts again takes a new id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub SmolStr);

impl NodeId {
    pub fn new(name: impl Into<SmolStr>) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
