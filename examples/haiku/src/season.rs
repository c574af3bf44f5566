//! The tool: which season it is, and the words for it in a poem. The date comes from outside of the log, so a tool has to ask for it.
//! The result of the tool is in the log, so that a poem that was begun in autumn stays one of autumn when it is continued in winter.

use palimpsest::chrono::Datelike as _;
use palimpsest::prelude::*;

pub(crate) struct Season;

#[async_trait]
impl Tool for Season {
    fn name(&self) -> &'static str {
        "season"
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "additionalProperties": false })
    }

    async fn call(&self, context: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
        let (season, words) = match context.clock().now().month() {
            3..=5 => ("spring", ["frog", "plum", "mist", "new leaves"]),
            6..=8 => ("summer", ["heat", "moth", "dusk", "long grass"]),
            9..=11 => ("autumn", ["moon", "crow", "leaf", "first frost"]),
            _ => ("winter", ["snow", "hearth", "ice", "bare trees"]),
        };
        let output = json!({ "season": season, "words": words });
        Ok(ToolOutcome::gave(output, format!("it is {season}")))
    }
}
