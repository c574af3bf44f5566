//! How far a project has come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a project stands, in the order in which fiction is usually made.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Phase {
    Idea,
    Worldbuilding,
    Character,
    Outline,
    Writing,
    Revision,
    Completed,
}

impl Phase {
    pub const ALL: [Self; 7] = [
        Self::Idea,
        Self::Worldbuilding,
        Self::Character,
        Self::Outline,
        Self::Writing,
        Self::Revision,
        Self::Completed,
    ];

    /// The name on the wire: `WORLDBUILDING`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idea => "IDEA",
            Self::Worldbuilding => "WORLDBUILDING",
            Self::Character => "CHARACTER",
            Self::Outline => "OUTLINE",
            Self::Writing => "WRITING",
            Self::Revision => "REVISION",
            Self::Completed => "COMPLETED",
        }
    }

    /// The phase of this name on the wire, in letters of either case; an unknown name is no phase.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL
            .into_iter()
            .find(|phase| phase.as_str().eq_ignore_ascii_case(name))
    }
}
