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
        words.filter_map(|word| Self::deserialize(word).ok()).collect()
    }

    /// Reads a file with a line for each word, such as `autumn: harvest moon`.
    ///
    /// # Errors
    ///
    /// The first line that is not written like that.
    pub(crate) fn read(file: &str) -> Result<Vec<Self>, String> {
        let lines = file.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let words = lines.map(|(at, line)| {
            let parts = line.split_once(':').map(|(season, word)| (season.trim(), word.trim()));
            match parts {
                Some((season, word)) if !season.is_empty() && !word.is_empty() => Ok(Self {
                    word: word.to_owned(),
                    season: season.to_owned(),
                }),
                _ => Err(format!("line {} is not written as `season: word`", at + 1)),
            }
        });
        words.collect()
    }
}
