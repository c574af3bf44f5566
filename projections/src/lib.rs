//! Readings of the log: views, the audit, and one fold for each wire's outgoing half. Pure functions of recorded events:
//! nothing here waits, reads, asks the time or rolls dice.

mod across;
pub mod cause;
pub mod history;
pub mod laws;
pub mod trial;
pub mod view;
pub mod wire;

pub use across::ledger;
pub use wire::{AnyFold, AnyOverview, Cursor, Fold, Frame, Parting, SessionRef, Wire, Wires};

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::event::{ArtifactProduced, Body};
use serde_json::Value;

/// A time as clients read it: RFC 3339 in UTC, to the millisecond.
pub fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The media type of the contents that have a place in frames; every other one is a file.
pub const JSON: &str = "application/json";

/// Characters of an artifact's title that its file name has: what file systems and mail programs take without cutting.
const FILE_NAME_CHARS: usize = 80;

/// What an artifact is called as a file: its title with the ending of its media type.
pub fn file_name(artifact: &ArtifactProduced, media_type: &str) -> String {
    let unsafe_in_names = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let title = artifact.title.trim();
    let stem = if title.is_empty() {
        artifact.kind.as_str()
    } else {
        title
    };
    let stem: String = stem
        .chars()
        .map(|c| if unsafe_in_names(c) { '_' } else { c })
        .take(FILE_NAME_CHARS)
        .collect();
    format!("{}.{}", stem.trim_end(), ending(media_type))
}

/// The ending of a file with this content.
pub fn ending(media_type: &str) -> &'static str {
    let essence = media_type.split(';').next().unwrap_or_default();
    match essence.trim() {
        JSON => "json",
        "application/pdf" => "pdf",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/zip" => "zip",
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/svg+xml" => "svg",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/markdown" => "md",
        "text/plain" => "txt",
        _ => "bin",
    }
}

/// The content of an artifact, where it is JSON and stands in the event.
pub fn held_content(artifact: &ArtifactProduced) -> Option<&Arc<Value>> {
    match &artifact.body {
        Body::Event { json } => Some(json),
        Body::Blob { .. } => None,
    }
}

/// Where the content of an artifact is served.
pub fn content_path(artifact: &domain::ArtifactId) -> String {
    format!("/v1/artifacts/{artifact}/content")
}

#[cfg(test)]
extern crate self as projections;

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn office_files_have_their_endings() {
        for (what, expected) in [
            ("presentationml.presentation", "pptx"),
            ("spreadsheetml.sheet", "xlsx"),
            ("wordprocessingml.document", "docx"),
        ] {
            let media_type = format!("application/vnd.openxmlformats-officedocument.{what}");
            assert_eq!(ending(&media_type), expected);
        }
        assert_eq!(ending("text/markdown; charset=utf-8"), "md");
        assert_eq!(ending("application/unheard-of"), "bin");
    }
}
