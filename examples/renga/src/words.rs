//! Season words: the kind of collection that an owner keeps them in, and how they are read from a file.

use palimpsest::prelude::*;
use serde::{Deserialize, Serialize};

/// A word that stands for a season in a verse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeasonWord {
    pub(crate) word: String,
    pub(crate) season: String,
}

impl SeasonWord {
    /// The words that a tool found.
    pub(crate) fn list(found: &Value) -> Vec<Self> {
        let words = found["words"].as_array().into_iter().flatten();
        words
            .filter_map(|word| Self::deserialize(word).ok())
            .collect()
    }
}
