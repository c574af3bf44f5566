//! The tool that finds the season words which suit a line.

use std::sync::Arc;

use palimpsest::prelude::tool::{Surroundings, anyhow};
use palimpsest::prelude::*;

use crate::settings::RengaSettings;

struct NearestWords {
    /// How many words are wanted.
    verses: usize,
}

/// Made when a process starts: its settings say how many verses a renga has.
pub(crate) fn tools(of: &Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let settings = of.config.of_product::<RengaSettings>();
    let verses = settings.map_or(0, |settings| settings.verses);
    Ok(vec![Arc::new(NearestWords { verses })])
}

#[async_trait]
impl Tool for NearestWords {
    fn name(&self) -> &'static str {
        "nearest_words"
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "required": ["line"], "properties": { "line": { "type": "string" } } })
    }

    async fn call(&self, _: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
        let words =
            json!([{ "word": "mist", "season": "spring" }, { "word": "frog", "season": "spring" }]);
        Ok(ToolOutcome::gave(
            json!({ "words": words, "found_by": "words" }),
            format!("{}", self.verses),
        ))
    }
}
