//! What steps see of files and of artifacts.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::event::ArtifactProduced;
use crate::hash::Sha256;
use crate::pictures::CarriedPicture;
use spec::source::{SourceDocument, SourceFormat};

/// A file of the session, read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    pub path: String,
    /// The file as models read it: its own text, or the document as Markdown.
    pub text: Arc<str>,
    /// The whole document, in blocks.
    #[serde(skip)]
    pub document: Arc<SourceDocument>,
    /// The pictures in the file that pages can show.
    #[serde(skip)]
    pub pictures: Arc<[CarriedPicture]>,
    /// The hash of the file's bytes.
    #[serde(skip)]
    pub sha256: Sha256,
}

impl Source {
    /// Whether the file is a picture, and no document with pictures.
    pub fn is_picture(&self) -> bool {
        self.document.format == SourceFormat::Picture
    }
}

/// A part of what was made, with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct MadePart {
    pub name: String,
    pub text: String,
    /// The pictures of sources that the part shows, or from which it was made.
    pub pictures: Vec<Sha256>,
}

impl MadePart {
    /// A part without pictures.
    pub fn of_text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            pictures: vec![],
        }
    }
}

/// A file of the session that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadFile {
    pub path: String,
    /// Why the file could not be read, and what to do about it, in words for the person who gave it.
    pub why: String,
}

/// An artifact that a step works from, with its content.
#[derive(Clone, Debug)]
pub struct Input {
    pub artifact: Arc<ArtifactProduced>,
    pub body: Arc<Value>,
}
