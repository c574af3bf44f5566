//! `read_local_file`: a text file of the session, whole.

use async_trait::async_trait;
use domain::carry::ToolOutcome;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolError, refused};

/// The largest file that is read as text, in bytes; whoever needs more of a table asks for a part of it.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// `{path}` gives `{path, text}`.
pub(super) struct ReadLocalFile;

#[async_trait]
impl Tool for ReadLocalFile {
    fn name(&self) -> &'static str {
        "read_local_file"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "path": { "type": "string" } },
            "required": ["path"],
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let path = input.get("path").and_then(Value::as_str);
        let path = path.unwrap_or_default();
        let session = context.session().await?;
        let Some(file) = session.files.get(path) else {
            let shown: String = path.chars().take(200).collect();
            let message =
                format!("there is no file `{shown}` in this session; list the folders first");
            return Ok(refused("no_file", &message, false));
        };
        if file.blob.size > FILE_BYTES_MAX {
            let message = format!(
                "`{path}` has {} bytes; at most {FILE_BYTES_MAX} are read",
                file.blob.size
            );
            return Ok(refused("file_too_large", &message, false));
        }
        let bytes = context.blob(&file.blob.sha256).await?;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let message = format!("`{path}` is {} and no text", file.media_type);
            return Ok(refused("no_text", &message, false));
        };
        let text = text.trim_start_matches('\u{feff}');
        let summary = format!("{path}: {} characters", text.chars().count());
        Ok(ToolOutcome::gave(
            json!({ "path": path, "text": text }),
            summary,
        ))
    }
}
