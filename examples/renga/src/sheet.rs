//! The sheet with all verses.

use palimpsest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A verse with its season word.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Verse {
    pub(crate) lines: Vec<String>,
    pub(crate) word: String,
    pub(crate) season: String,
}

/// A renga.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RengaSheet {
    /// What was asked for.
    pub(crate) title: String,
    /// How the season words were found: by `nearness` of meaning, or by the `words` of the message.
    pub(crate) found_by: String,
    pub(crate) verses: Vec<Verse>,
}

/// All verses in their order.
pub(crate) fn carry(work: &Work) -> Carry {
    let found_by = work
        .body("words")
        .and_then(|words| words["found_by"].as_str());
    let verses = work.inputs.get("verse").into_iter().flatten();
    let sheet = RengaSheet {
        title: work.brief.clone(),
        found_by: found_by.unwrap_or_default().to_owned(),
        verses: verses
            .filter_map(|verse| Verse::deserialize(&*verse.body).ok())
            .collect(),
    };
    let content = Content::Json(json!(sheet));
    NewArtifact::new("renga", "art_renga_", "Renga", content, work.lineage()).into()
}
