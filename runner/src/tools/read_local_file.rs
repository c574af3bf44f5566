//! `read_local_file`: a file of the session as text, whole.

use async_trait::async_trait;
use domain::carry::ToolOutcome;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolError, refused};

/// The largest file that is read as text, in bytes; whoever needs more of a table asks for a part of it.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// `{path}` gives `{path, format, text}`: the text of the file, or what is in it as Markdown, and then `text_format` says so.
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
        let read = match context.read_file(file).await? {
            Ok(read) => read,
            Err(cause) => {
                return Ok(refused("unreadable", &format!("`{path}`: {cause}"), false));
            }
        };
        let format = read.document.format.title();
        let summary = format!("{path}: {format}, {} characters", read.chars);
        let mut output = json!({ "path": path, "format": format, "text": *read.text });
        if read.text_format != read.document.format {
            output["text_format"] = json!(read.text_format.title());
        }
        Ok(ToolOutcome::gave(output, summary))
    }
}
