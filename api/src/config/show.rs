//! The effective settings as `serve --check` prints them: everything but secrets.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use domain::shown;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Config, Database};

impl Config {
    /// One setting a line, with the names of the file. For a secret, only whether it is given.
    pub fn shown(&self) -> String {
        let author = if self.is_offline() {
            "offline"
        } else {
            "model"
        };
        let mut text = format!("author = {author}\n");
        let settings = serde_json::to_value(self).expect("all names are texts");
        list("", &settings, &mut text);
        // Names and tables in lists may contain addresses as well.
        shown::without_secrets(&text).into_owned()
    }
}

/// Lists a value under its name, and those of a table under the name of the table as well.
fn list(name: &str, value: &Value, text: &mut String) {
    let Value::Object(table) = value else {
        writeln!(text, "{name} = {}", line(value)).expect("a string takes any text");
        return;
    };
    for (key, value) in table {
        let dot = if name.is_empty() { "" } else { "." };
        list(&format!("{name}{dot}{key}"), value, text);
    }
}

fn line(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        // Addresses may hold secrets.
        Value::String(text) if text.contains("://") => shown::address(text),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(line).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

impl Database {
    /// The address without user and password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite { path } => format!("sqlite:{}", path.display()),
            Self::Postgres { url } => {
                let place = url.reveal().rsplit('@').next().unwrap_or_default();
                let place = place
                    .trim_start_matches("postgresql://")
                    .trim_start_matches("postgres://");
                format!("postgres://{}", place.split('?').next().unwrap_or_default())
            }
        }
    }
}

impl Serialize for Database {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

/// A path need not be UTF-8, and is shown all the same.
pub(super) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

pub(super) fn fonts<S: Serializer>(
    folder: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let system = Path::new("the system's");
    path(folder.as_deref().unwrap_or(system), serializer)
}

/// The names of options, whose values may be secret.
pub(super) fn names<S: Serializer>(
    options: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(options.iter().map(|(name, _)| name))
}
