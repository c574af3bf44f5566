//! The tool that finds the season words which suit a line: by nearness of meaning where a model of vectors is configured, otherwise by the
//! words of the line. It says which of the two.

use std::sync::Arc;

use palimpsest::prelude::pipeline::tokens::Query;
use palimpsest::prelude::pipeline::vectors::TextHash;
use palimpsest::prelude::resource::Collection;
use palimpsest::prelude::tool::{Surroundings, anyhow};
use palimpsest::prelude::*;
use serde::Deserialize;

use crate::almanac;
use crate::settings::RengaSettings;
use crate::words::{SeasonWord, kept};

struct NearestWords {
    /// How many words are wanted.
    verses: usize,
}

#[derive(Deserialize)]
struct Line {
    line: String,
}

/// Made when a process starts: its settings say how many verses a renga has.
pub(crate) fn tools(of: &Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let settings = of.config.of_product::<RengaSettings>();
    let verses = settings.map_or(0, |settings| settings.verses);
    Ok(vec![
        Arc::new(NearestWords { verses }),
        Arc::new(almanac::EmbedWords),
    ])
}

#[async_trait]
impl Tool for NearestWords {
    fn name(&self) -> &'static str {
        "nearest_words"
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "required": ["line"], "properties": { "line": { "type": "string" } } })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let Line { line } =
            Line::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
        let all = context.collections().get(context.owner(), &kept()).await?;
        if all.documents.is_empty() {
            let message = "there are no season words; load some with `renga words load FILE`";
            return Err(ToolError::new("no_words", message, false));
        }
        let near = self.by_nearness(context, &all, &line).await?;
        let (found_by, words) = match near {
            Some(words) => ("nearness", words),
            None => ("words", self.by_words(context, &all, &line).await?),
        };
        let summary = format!(
            "{} of {} words, by {found_by}",
            words.len(),
            all.documents.len()
        );
        Ok(ToolOutcome::gave(
            json!({ "found_by": found_by, "words": words }),
            summary,
        ))
    }
}

impl NearestWords {
    /// Nothing where there are no vectors to compare with.
    async fn by_nearness(
        &self,
        context: &ToolContext<'_>,
        all: &Collection,
        line: &str,
    ) -> Result<Option<Vec<SeasonWord>>, ToolError> {
        let Some(embedder) = context.embedder() else {
            return Ok(None);
        };
        // The embedder logs why a query has no vector.
        let Ok(query) = embedder.query(line).await else {
            return Ok(None);
        };
        let vectors = almanac::vectors(context).await?;
        let Some(vectors) = vectors.named(query.near().name) else {
            return Ok(None);
        };
        let mut near: Vec<(f64, SeasonWord)> = vec![];
        for word in all.documents.values().map(SeasonWord::of) {
            let vector = vectors.get(&TextHash::of(&word.word));
            let nearness = vector.and_then(|vector| vector.nearness(query.near().vector));
            near.extend(nearness.map(|nearness| (nearness, word)));
        }
        near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let words: Vec<_> = near
            .into_iter()
            .map(|(_, word)| word)
            .take(self.verses)
            .collect();
        Ok((!words.is_empty()).then_some(words))
    }

    /// Those that share a word with the line, best first, then the others in their order.
    async fn by_words(
        &self,
        context: &ToolContext<'_>,
        all: &Collection,
        line: &str,
    ) -> Result<Vec<SeasonWord>, ToolError> {
        let (words, query, owner) = (kept(), Query::new(line), context.owner());
        let found = context
            .collections()
            .search(owner, &words, &query, &[], self.verses);
        let mut words: Vec<_> = found.await?.entries.iter().map(SeasonWord::of).collect();
        for other in all.documents.values().map(SeasonWord::of) {
            if words.len() < self.verses && !words.contains(&other) {
                words.push(other);
            }
        }
        Ok(words)
    }
}
