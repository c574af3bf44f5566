//! The metadata in front of a document.

use serde_json::Value;

use super::TemplateError;

/// Bytes of front matter that are read: a title, an author and a few keywords are a tenth of it, and YAML is the slowest
/// format to read here.
pub const FRONT_MATTER_BYTES_MAX: usize = 16 * 1024;

/// The most references to anchors that are followed. A title needs none, and each may repeat a large part of the text.
const ALIASES_MAX: usize = 16;
/// Nesting of lists and maps in front matter, for the same reason.
const DEPTH_MAX: usize = 16;
/// The most values in front matter; about as many fit into the bytes.
const NODES_MAX: usize = 4_096;

/// Front matter that was found at the beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Front {
    /// Where it ends, with the line that closes it.
    pub(super) end: usize,
    pub(super) title: Option<String>,
}

/// The front matter at the beginning of a text, if there is any: a line of three dashes, a YAML map, and a line of three dashes
/// or three dots. Anything else between such lines is text between rules.
pub(super) fn front(text: &str) -> Result<Option<Front>, TemplateError> {
    let Some((start, yaml_end, end)) = fences(text) else {
        return Ok(None);
    };
    let yaml = &text[start..yaml_end];
    if !looks_like_map(yaml) {
        return Ok(None);
    }
    if yaml.len() > FRONT_MATTER_BYTES_MAX {
        return Err(TemplateError::FrontMatterTooLarge {
            bytes: yaml.len(),
            max: FRONT_MATTER_BYTES_MAX,
        });
    }
    let title = title(yaml)?;
    Ok(Some(Front { end, title }))
}

/// Where the YAML begins and ends, and where the line after it does.
pub fn fences(text: &str) -> Option<(usize, usize, usize)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if first.trim_end() != "---" || !first.ends_with('\n') {
        return None;
    }
    let mut at = first.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((first.len(), at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// Whether the first line that says something begins with a key, or the text is empty.
pub fn looks_like_map(yaml: &str) -> bool {
    let mut lines = yaml.lines().map(str::trim_end);
    let said = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(line) = said else {
        // Two lines of dashes directly below each other are front matter without content; with blank lines between them they are horizontal
        // rules.
        return yaml.trim().is_empty() == yaml.is_empty();
    };
    let key = line.split_once(": ").map(|(key, _)| key);
    let Some(key) = key.or_else(|| line.strip_suffix(':')) else {
        return false;
    };
    let key = key.trim_matches(['"', '\'']);
    let in_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !key.is_empty() && key.chars().all(in_key)
}

/// The limits on reading front matter, no matter who wrote it.
pub fn budget() -> Option<serde_saphyr::Budget> {
    serde_saphyr::budget! {
        max_aliases: ALIASES_MAX,
        max_anchors: ALIASES_MAX,
        max_depth: DEPTH_MAX,
        max_nodes: NODES_MAX,
    }
}

fn title(yaml: &str) -> Result<Option<String>, TemplateError> {
    if yaml.trim().is_empty() {
        return Ok(None);
    }
    let options = serde_saphyr::options! { budget: budget() };
    let value: Value = serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        // The first line names the error; the other lines show the text around it.
        let told = error.to_string();
        let reason = told.lines().next().unwrap_or_default().to_owned();
        TemplateError::FrontMatter { reason }
    })?;
    let title = match value.get("title") {
        Some(Value::String(title)) => title.split_whitespace().collect::<Vec<_>>().join(" "),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => {
            return Ok(None);
        }
    };
    Ok(Some(title).filter(|title| !title.is_empty()))
}
