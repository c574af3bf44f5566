//! What an accepted chapter says, with the sentence that says it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hash::Sha256;
use crate::ids::EntryId;

/// The name of the reader of a chapter where no model reads it.
pub const BY_RULES: &str = "rules";

/// Hexadecimal digits of a fact's id.
const ID_DIGITS: usize = 20;

/// A sentence of a chapter.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Quote {
    pub text: String,
    /// The number of characters in the chapter before the sentence.
    pub start: usize,
}

/// One thing that a chapter says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Unique within its project.
    pub id: String,
    pub says: Says,
    pub quote: Quote,
    /// Who found the fact, where it is not the one who read the chapter: `rules`, where a model read it and rules found more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Fact {
    /// What a sentence of this chapter says, found by the one who read the chapter. The same content makes the same fact, no matter who
    /// finds it.
    pub fn new(chapter: &EntryId, says: Says, quote: Quote) -> Self {
        let told = serde_json::to_string(&says).unwrap_or_default();
        let parts = [chapter.as_str(), &told, &quote.text];
        let hash = Sha256::of_parts(parts.map(str::as_bytes));
        let id = format!("fact_{}", &hash.hex()[..ID_DIGITS]);
        Self {
            id,
            says,
            quote,
            by: None,
        }
    }
}

/// What is said. The one concerned is an entry of the bible; somebody new is given by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Says {
    /// Somebody is in the chapter whom the bible does not know.
    NewCharacter {
        name: String,
    },
    /// A place is named that the bible does not know.
    NewPlace {
        name: String,
    },
    /// How somebody looks.
    Appearance {
        character: EntryId,
        feature: String,
        value: String,
    },
    Age {
        character: EntryId,
        years: u32,
    },
    Death {
        character: EntryId,
    },
    /// Somebody is at a place.
    Presence {
        character: EntryId,
        place: EntryId,
    },
    /// Somebody has a thing from now on.
    Possession {
        item: EntryId,
        owner: EntryId,
    },
    /// A thing is at a place from now on.
    Lies {
        item: EntryId,
        place: EntryId,
    },
    /// What somebody is to somebody else.
    Relation {
        source: EntryId,
        target: EntryId,
        relation: String,
    },
    /// A chapter speaks of a plot loop.
    Touches {
        plot_loop: EntryId,
    },
    /// Something happens that later chapters may refer to.
    Happens {
        what: String,
        who: Vec<EntryId>,
    },
}

impl Says {
    /// The entries that it speaks of.
    pub fn concerns(&self) -> Vec<&EntryId> {
        match self {
            Self::NewCharacter { .. } | Self::NewPlace { .. } => vec![],
            Self::Appearance { character, .. }
            | Self::Age { character, .. }
            | Self::Death { character } => vec![character],
            Self::Presence { character, place } => vec![character, place],
            Self::Possession { item, owner } => vec![item, owner],
            Self::Lies { item, place } => vec![item, place],
            Self::Relation { source, target, .. } => vec![source, target],
            Self::Touches { plot_loop } => vec![plot_loop],
            Self::Happens { who, .. } => who.iter().collect(),
        }
    }
}

/// What a person said of a fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// Nobody has looked at it yet.
    #[default]
    New,
    Taken,
    Refused,
}
