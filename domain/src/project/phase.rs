//! How far a project has come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};

/// Where a project stands, in the order in which fiction is usually made.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", const_into_str)]
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
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// The name on the wire: `WORLDBUILDING`.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// The phase of this name on the wire, in letters of either case; an unknown name is no phase.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL
            .into_iter()
            .find(|phase| phase.as_str().eq_ignore_ascii_case(name))
    }
}
