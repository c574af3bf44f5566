//! The notes of an owner: found, shown, and counted. The content of a note is read only where it is shown; lists and trends use the facts
//! that are known without it.

#[cfg(test)]
mod tests;
mod tools;
mod trends;

use palimpsest::prelude::pipeline::tokens::Query;
use palimpsest::prelude::resource::{
    CollectionError, CollectionId, Collections, Entry, Imported, NewDocument,
};
use palimpsest::prelude::wire::{Actor, SendError};
use serde::Serialize;

use crate::notes::{Facts, NOTES, Note, Published, theme_word};
pub(crate) use tools::tools;

/// Characters of a note that a list shows: two lines, enough to tell whether to read on.
const EXCERPT_CHARS: usize = 200;

/// A note as lists and tools show it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoteLine {
    pub(crate) id: String,
    pub(crate) title: String,
    /// The beginning of the body.
    pub(crate) excerpt: String,
    pub(crate) tags: Vec<String>,
    pub(crate) likes: u64,
    pub(crate) collects: u64,
    pub(crate) comments: u64,
    /// Likes, collects and comments together.
    pub(crate) engagement: u64,
    pub(crate) author: Option<String>,
    pub(crate) published_at: Option<Published>,
    pub(crate) url: Option<String>,
    pub(crate) theme_id: Option<u64>,
}

/// Notes that were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NotesFound {
    /// How many notes match.
    pub(crate) total: u64,
    pub(crate) notes: Vec<NoteLine>,
}

/// The collection that notes are in: an owner has one.
pub(crate) fn collection() -> CollectionId {
    CollectionId::only(NOTES)
}

/// Puts notes in, and replaces those with the same ids.
///
/// # Errors
///
/// Those of [`Collections::import_all`].
pub(crate) async fn import(
    collections: &Collections,
    owner: &str,
    batch: &str,
    notes: Vec<Note>,
    client_id: &str,
    actor: Actor,
) -> Result<Imported, CollectionError> {
    let new = notes.into_iter().map(|note| {
        let document = note.document();
        NewDocument {
            id: document.id,
            name: document.name,
            media_type: document.media_type,
            content: note.content().into(),
            facts: document.facts,
        }
    });
    let new = new.collect();
    let id = collection();
    collections
        .import_all(owner, &id, batch, new, client_id, actor)
        .await
}

/// Notes that a query finds, best first: those with all its words; if there are none, those with two of them; otherwise those with any of
/// its terms. A query without words finds nothing. Those from one place to another are read; results before the first are only counted.
///
/// # Errors
///
/// The log cannot be read, or the collection was erased.
pub(crate) async fn search(
    collections: &Collections,
    owner: &str,
    query: &str,
    theme: Option<u64>,
    from: usize,
    to: usize,
) -> Result<NotesFound, SendError> {
    let (total, entries) = find(collections, owner, query, theme, to).await?;
    let rest = entries.get(from..).unwrap_or_default();
    let notes = lines(collections, owner, rest).await?;
    Ok(NotesFound { total, notes })
}

async fn find(
    collections: &Collections,
    owner: &str,
    query: &str,
    theme: Option<u64>,
    limit: usize,
) -> Result<(u64, Vec<Entry>), SendError> {
    let besides: Vec<String> = theme.map(theme_word).into_iter().collect();
    let found = collections
        .search(owner, &collection(), &Query::new(query), &besides, limit)
        .await?;
    Ok((found.total, found.entries))
}

/// Notes with their contents.
///
/// # Errors
///
/// Those of [`search`].
pub(crate) async fn lines(
    collections: &Collections,
    owner: &str,
    entries: &[Entry],
) -> Result<Vec<NoteLine>, SendError> {
    let mut lines = Vec::with_capacity(entries.len());
    for entry in entries {
        let note = read(collections, owner, entry).await?;
        lines.push(line(entry, note));
    }
    Ok(lines)
}

/// A note as it is kept.
///
/// # Errors
///
/// Those of [`search`].
pub(crate) async fn read(
    collections: &Collections,
    owner: &str,
    entry: &Entry,
) -> Result<Note, SendError> {
    let id = collection();
    let content = collections.content(owner, &id, &entry.document).await?;
    // A document that was not put there by an import is shown by its name.
    let note = Note::from_content(&content);
    Ok(note.unwrap_or_else(|| Note {
        id: entry.document.id.to_string(),
        title: entry.document.name.clone(),
        ..Note::default()
    }))
}

/// A note as lists show it.
pub(crate) fn line(entry: &Entry, note: Note) -> NoteLine {
    NoteLine {
        engagement: Facts::of(entry).engagement(),
        id: note.id,
        title: note.title,
        excerpt: excerpt(&note.body),
        tags: note.tags,
        likes: note.likes,
        collects: note.collects,
        comments: note.comments,
        author: note.author,
        published_at: note.published_at,
        url: note.url,
        theme_id: note.theme_id,
    }
}

fn excerpt(body: &str) -> String {
    match body.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", body[..end].trim_end()),
        None => body.to_owned(),
    }
}
