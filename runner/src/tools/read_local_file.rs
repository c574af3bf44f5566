//! `read_local_file`: a file of the session as text, whole.

use async_trait::async_trait;
use domain::carry::ToolOutcome;
use serde_json::{Value, json};
use spec::source::{RichText, SourceDocument};

use super::{Tool, ToolContext, ToolError, refused};

/// The largest file that is read as text, in bytes; whoever needs more of a table asks for a part of it.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// `{path}` gives `{path, format, text}`: the text of the file, or what is in it as Markdown, and then `text_format` says so. With `body`,
/// the Markdown of a document is without its page headers, footers and comments, which are given as `aside`.
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
            if input["body"] == true {
                let (body, aside) = body(&read.document);
                output["text"] = json!(intake::markdown(&body));
                output["aside"] = json!(aside);
            }
        }
        Ok(ToolOutcome::gave(output, summary))
    }
}

/// A document without what stands around its text, and what that says.
fn body(document: &SourceDocument) -> (SourceDocument, Vec<String>) {
    let mut body = document.clone();
    let around = body
        .blocks
        .iter()
        .filter_map(|block| block.content.around());
    let aside = around.map(RichText::words).collect();
    body.blocks.retain(|block| block.content.around().is_none());
    (body, aside)
}

#[cfg(test)]
mod tests {
    use spec::source::{BlockContent, Location, NoteKind, SourceBlock};

    use super::*;

    #[test]
    fn what_stands_around_the_text_of_a_document_is_set_aside() {
        let note = |kind, text: &str| BlockContent::Note {
            kind,
            label: Some("1".to_owned()),
            text: RichText::plain(text),
        };
        let contents = [
            note(NoteKind::Furniture, "Confidential"),
            BlockContent::Paragraph(RichText::plain("Costs of {{year}}")),
            note(NoteKind::Footnote, "In euros."),
            note(NoteKind::Comment, "Shorter?"),
        ];
        let blocks = contents.into_iter().map(|content| SourceBlock {
            location: Location::File,
            content,
        });
        let document = SourceDocument {
            blocks: blocks.collect(),
            ..SourceDocument::default()
        };
        let (body, aside) = body(&document);
        assert_eq!(aside, ["Confidential", "Shorter?"]);
        assert_eq!(body.blocks, document.blocks[1..3]);
    }
}
