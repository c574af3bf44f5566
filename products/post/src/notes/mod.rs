//! Notes of a social platform, which an operator loads and from which posts are written: what a note is, what is known of it without
//! reading it, and how files of notes are read.

mod fields;
mod import;
mod kind;
#[cfg(test)]
mod tests;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use palimpsest::prelude::pipeline::{BlobRef, DocumentId, Sha256};
use palimpsest::prelude::resource::{Document, Entry, SearchWords, index_words};
use serde::{Deserialize, Serialize};

pub(crate) use import::{BadNotes, Format, read};
pub(crate) use kind::NOTES;

/// The media type of a note as it is kept.
pub(crate) const MEDIA_TYPE: &str = "application/json";

/// Characters of a title: what a document's name may have. Platforms take 20 to 100.
pub(crate) const TITLE_CHARS_MAX: usize = 200;

/// Characters of a body: ten times what platforms for short notes allow, so that articles fit too.
pub(crate) const BODY_CHARS_MAX: usize = 10_000;

/// The most tags of one note; platforms allow ten.
pub(crate) const TAGS_MAX: usize = 20;

/// Characters of a tag. Twenty of them are 1.5 KB of Chinese, which still fits into what a document may say about itself.
pub(crate) const TAG_CHARS_MAX: usize = 25;

/// Characters of an author's name.
pub(crate) const AUTHOR_CHARS_MAX: usize = 100;

/// Bytes of an address; browsers take 2,048 and more, links that people share have a few hundred.
pub(crate) const URL_BYTES_MAX: usize = 2_048;

/// A note.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Note {
    /// The given id, or otherwise the hash of title and body.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) body: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) likes: u64,
    #[serde(default)]
    pub(crate) collects: u64,
    #[serde(default)]
    pub(crate) comments: u64,
    pub(crate) author: Option<String>,
    pub(crate) published_at: Option<Published>,
    pub(crate) url: Option<String>,
    pub(crate) theme_id: Option<u64>,
}

impl Note {
    /// The id of a note that was given none: equal notes get equal ids, so that a file may be loaded again.
    pub(crate) fn id_of(title: &str, body: &str) -> String {
        let hash = Sha256::of_parts([title.as_bytes(), body.as_bytes()]);
        format!("note_{}", &hash.hex()[..24])
    }

    /// The note in the form in which it is stored.
    pub(crate) fn content(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a note has only text keys")
    }

    /// Reads a note from the form in which it is stored; `None` for other bytes.
    pub(crate) fn from_content(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The note as a document of a collection.
    pub(crate) fn document(&self) -> Document {
        Document {
            id: DocumentId::new(&self.id),
            name: self.title.clone(),
            media_type: MEDIA_TYPE.to_owned(),
            blob: BlobRef::of(&self.content()),
            facts: self.facts(),
        }
    }

    /// What is known of the note without reading it.
    pub(crate) fn facts(&self) -> serde_json::Value {
        let facts = Facts {
            likes: self.likes,
            collects: self.collects,
            comments: self.comments,
            tags: self.tags.clone(),
            published_at: self.published_at,
            theme_id: self.theme_id,
        };
        let text = serde_json::to_string(&facts).expect("facts have only text keys");
        serde_json::Value::String(text)
    }
}

/// What is known of a note without reading it. It is in memory for every note, so it is stored as one text with short names and without
/// zeros: as a tree of values it took three times as much memory.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    #[serde(rename = "l", default, skip_serializing_if = "is_zero")]
    pub(crate) likes: u64,
    #[serde(rename = "s", default, skip_serializing_if = "is_zero")]
    pub(crate) collects: u64,
    #[serde(rename = "c", default, skip_serializing_if = "is_zero")]
    pub(crate) comments: u64,
    #[serde(rename = "t", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(rename = "p")]
    pub(crate) published_at: Option<Published>,
    #[serde(rename = "m")]
    pub(crate) theme_id: Option<u64>,
}

/// The word by which the notes of a theme are found. It occurs in no text, since no word contains a colon.
pub(crate) fn theme_word(theme: u64) -> String {
    format!("theme:{theme}")
}

/// The words of a note: those of its title, its tags with its theme, and its body.
pub(crate) fn search_words(document: &Document, content: &[u8]) -> SearchWords {
    let note = Note::from_content(content).unwrap_or_default();
    let mut tags = index_words(&note.tags.join(" "));
    tags.extend(note.theme_id.map(theme_word));
    SearchWords {
        title: index_words(&document.name),
        tags,
        body: index_words(&note.body),
    }
}

impl Facts {
    /// The facts of a document in a collection of notes.
    pub(crate) fn of(entry: &Entry) -> Self {
        let text = entry.document.facts.as_str();
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    /// How often people reacted to the note: likes, collects and comments.
    pub(crate) fn engagement(&self) -> u64 {
        self.likes
            .saturating_add(self.collects)
            .saturating_add(self.comments)
    }
}

/// Takes a reference, since serde passes one.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// When a note was published: a moment, or only a day where no time was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Published {
    At(DateTime<Utc>),
    On(NaiveDate),
}

impl Published {
    /// The moment; of a day its beginning in UTC.
    pub(crate) fn at(self) -> DateTime<Utc> {
        match self {
            Self::At(at) => at,
            Self::On(day) => day.and_time(NaiveTime::MIN).and_utc(),
        }
    }

    /// The day in UTC.
    pub(crate) fn day(self) -> NaiveDate {
        match self {
            Self::At(at) => at.date_naive(),
            Self::On(day) => day,
        }
    }
}
