//! Which tool messages a client asked for. Filtering comes after cursors are counted, so that a cursor means the same to
//! every client.

use std::str::FromStr;

use super::frames::ToolStatus;

/// The `toolMessages` of a client's handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Family {
    /// `tool:message:start` and `tool:message:complete`.
    V1,
    /// `tool:start` and `tool:update`.
    V2,
    #[default]
    Both,
}

/// Why a text is not a family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no family of tool messages; use `v1`, `v2` or `both`")]
pub(crate) struct UnknownFamily(pub String);

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(text: &str) -> Result<Self, UnknownFamily> {
        match text {
            "v1" => Ok(Self::V1),
            "v2" => Ok(Self::V2),
            "both" => Ok(Self::Both),
            other => Err(UnknownFamily(other.chars().take(32).collect())),
        }
    }
}

impl Family {
    /// The frames that a client of this family does not get, by their names. Frames that belong to no family are sent to all clients.
    pub(crate) fn left_out(self) -> &'static [&'static str] {
        match self {
            Self::V1 => &["tool:start", "tool:update"],
            Self::V2 => &["tool:message:start", "tool:message:complete"],
            Self::Both => &[],
        }
    }

    /// The word for a status in stored messages: the same as in the last live frame that this client got.
    pub(super) fn word(self, status: ToolStatus) -> &'static str {
        match self {
            Self::V2 => status.in_update(),
            Self::V1 | Self::Both => status.in_message(),
        }
    }
}
