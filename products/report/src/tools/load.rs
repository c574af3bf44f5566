//! `load_resources`: what a run starts from.

use std::sync::Arc;

use async_trait::async_trait;
use palimpsest::prelude::tool::{Tool, ToolContext, ToolError, ToolOutcome};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Hints, Loaded, Resources};

/// Returns the template and the knowledge base that its input names ([`Hints`]), as [`Loaded`] in JSON.
pub(crate) struct LoadResources(pub Option<Arc<dyn Resources>>);

#[async_trait]
impl Tool for LoadResources {
    fn name(&self) -> &'static str {
        "load_resources"
    }

    fn schema(&self) -> Value {
        let hint = json!({ "type": ["string", "null"] });
        json!({
            "type": "object",
            "properties": {
                "template_id": hint,
                "template_name": hint,
                "database_id": hint,
                "knowledge_base_name": hint,
                "api_base_url": hint,
            },
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        Ok(self.load(context.owner(), input).await)
    }
}

impl LoadResources {
    pub(crate) async fn load(&self, owner: &str, input: &Value) -> ToolOutcome {
        let Some(resources) = &self.0 else {
            let message =
                "nothing is configured that templates and knowledge bases could come from";
            return ToolOutcome::refused("off", message, false);
        };
        let hints = match Hints::deserialize(input) {
            Ok(hints) => hints,
            Err(cause) => {
                let message = format!("what names the template is not right: {cause}");
                return ToolOutcome::refused("bad_hints", &message, false);
            }
        };
        match resources.load(owner, hints).await {
            Ok(loaded) => ToolOutcome::gave(json!(loaded), summary(&loaded)),
            Err(error) => ToolOutcome::refused(error.code(), &error.to_string(), error.retryable()),
        }
    }
}

fn summary(loaded: &Loaded) -> String {
    let template = loaded.template.as_ref().map(|template| {
        let bytes = template.content.len();
        format!("template `{}` of {bytes} bytes", template.name)
    });
    let database = loaded.database.as_ref().map(|database| {
        let files = database.files.len();
        format!("knowledge base `{}` of {files} files", database.name)
    });
    let parts: Vec<_> = template.into_iter().chain(database).collect();
    if parts.is_empty() {
        "nothing was named".to_owned()
    } else {
        parts.join(", ")
    }
}
