//! The tool that finds the season words which suit a line.

use palimpsest::prelude::*;

pub(crate) struct NearestWords;

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
        Ok(ToolOutcome::gave(json!({ "words": words }), "2 words"))
    }
}
