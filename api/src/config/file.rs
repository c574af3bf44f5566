//! The configuration file: TOML. Every field is optional, and unknown fields are refused.

use std::path::Path;

use domain::shown::HIDDEN;

use super::ConfigError;
use super::settings::Layer;

/// What a file says.
pub(super) fn read(path: &Path) -> Result<Layer, ConfigError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|cause| ConfigError::Unreadable {
        path: shown.clone(),
        cause: cause.to_string(),
    })?;
    toml::from_str(&text).map_err(|cause| ConfigError::Malformed {
        path: shown,
        cause: in_one_line(&cause, &text),
    })
}

/// The place and the reason of an error, without the line and its values: they may hold a secret.
fn in_one_line(error: &toml::de::Error, text: &str) -> String {
    let line = error
        .span()
        .map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let message = without_value(&error.message().replace('\n', " "));
    line.map_or(message.clone(), |line| format!("line {line}: {message}"))
}

/// A message about a value of a wrong type, without the value.
fn without_value(message: &str) -> String {
    const BEGIN: &str = "string \"";
    let begin = message.find(BEGIN).map(|at| at + BEGIN.len());
    let end = message.rfind("\", expected");
    match (begin, end) {
        (Some(begin), Some(end)) if begin <= end => {
            format!("{}{HIDDEN}{}", &message[..begin], &message[end..])
        }
        _ => message.to_owned(),
    }
}
