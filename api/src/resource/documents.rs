//! Reading and changing the documents of any kind.

use std::marker::PhantomData;
use std::ops::Bound;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use domain::collection::{Collection, CollectionId, Entry};
use domain::tokens::Query;
use domain::{Actor, DocumentId};
use runner::clock::fresh_id;
use runner::{Collections, NewDocument};

use super::Resource;
use super::page::{Page, PageRequest};
use crate::app::App;
use crate::ask::derived;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::request::idempotency_key;

/// Whether a document belongs to a list.
pub type EntryFilter<'a> = &'a (dyn Fn(&Entry) -> bool + Sync);

/// The documents of one kind that an owner keeps.
pub struct Documents<'a, R> {
    pub collections: &'a Collections,
    pub owner: &'a Owner,
    pub id: CollectionId,
    resource: PhantomData<fn() -> R>,
}

impl<'a, R: Resource> Documents<'a, R> {
    /// Those of this owner.
    pub fn of(app: &'a App, owner: &'a Owner) -> Self {
        Self {
            collections: app.engine.collections(),
            owner,
            id: CollectionId::only(R::KIND),
            resource: PhantomData,
        }
    }

    /// The whole collection.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn all(&self) -> Result<Arc<Collection>, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.id);
        Ok(self.collections.get(owner, collection).await?)
    }

    /// A page of the documents that pass the filter, by id. The cursor is the last id of the page.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn page(
        &self,
        wanted: &PageRequest<'_>,
        filter: Option<EntryFilter<'_>>,
    ) -> Result<Page<Entry>, ApiError> {
        let all = self.all().await?;
        let passes = |entry: &&Entry| filter.is_none_or(|filter| filter(entry));
        let total = match filter {
            None => all.documents.len(),
            Some(_) => all.documents.values().filter(passes).count(),
        };
        let after = match wanted.cursor {
            Some(id) => Bound::Excluded(DocumentId::new(id)),
            None => Bound::Unbounded,
        };
        let rest = all.documents.range((after, Bound::Unbounded));
        let mut rest = rest.map(|(_, entry)| entry).filter(passes);
        let rows: Vec<Entry> = rest.by_ref().take(wanted.limit::<R>()).cloned().collect();
        let last = rest.next().and_then(|_| rows.last());
        Ok(Page {
            total: total as u64,
            next: last.map(|entry| entry.document.id.to_string()),
            rows,
        })
    }

    /// A page of the documents that match these words, best first, of a kind whose documents are searched.
    ///
    /// # Errors
    ///
    /// The cursor is not that of a page before, or the log cannot be read.
    pub async fn search(
        &self,
        words: &str,
        wanted: &PageRequest<'_>,
    ) -> Result<Page<Entry>, ApiError> {
        let places = wanted.places::<R>()?;
        let (owner, collection) = (&self.owner.0, &self.id);
        let query = Query::new(words);
        let found = self
            .collections
            .search(owner, collection, &query, &[], places.end);
        let found = found.await?;
        let rows = found.entries.into_iter().skip(places.start).collect();
        Ok(Page::found(found.total, rows, &places))
    }

    /// The document with this id.
    ///
    /// # Errors
    ///
    /// [`Resource::missing`], or the log cannot be read.
    pub async fn find(&self, id: &str) -> Result<Entry, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.id);
        let found = self.collections.find(owner, collection, Some(id), None);
        found.await?.ok_or_else(R::missing)
    }

    /// The content of a document.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub async fn content(&self, entry: &Entry) -> Result<Bytes, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.id);
        let content = self.collections.content(owner, collection, &entry.document);
        Ok(content.await?)
    }

    /// The id of a new document: the given one; else one that a repetition of the request gets again; else a fresh one.
    pub fn new_id(&self, given: Option<String>, prefix: &str, key: Option<&str>) -> DocumentId {
        DocumentId::new(match (given.filter(|id| !id.is_empty()), key) {
            (Some(id), _) => id,
            (None, Some(key)) => derived(prefix, &[&self.owner.0, "keyed", key]),
            (None, None) => format!("{prefix}_{}", fresh_id()),
        })
    }

    /// The id of a new document that is known by its name: two requests that send the same name at the same time are meant for the same
    /// document.
    pub fn named_id(&self, prefix: &str, name: &str) -> DocumentId {
        DocumentId::new(derived(prefix, &[&self.owner.0, "named", name]))
    }

    /// Puts a document in, in place of the one with its id, and gives the status and the document as it is afterwards.
    ///
    /// # Errors
    ///
    /// The document is refused, the key was given to another change, or the log cannot be written to.
    pub async fn put(
        &self,
        document: NewDocument,
        key: Option<String>,
    ) -> Result<(StatusCode, Entry), ApiError> {
        let (owner, collection) = (&self.owner.0, &self.id);
        let id = document.id.clone();
        let (key, actor) = (key.unwrap_or_else(fresh_id), Actor::person(owner));
        let put = self
            .collections
            .put(owner, collection, document, &key, actor);
        let status = match put.await?.added {
            0 => StatusCode::OK,
            _ => StatusCode::CREATED,
        };
        // Another request may have removed it in the meantime.
        Ok((status, self.find(id.as_str()).await?))
    }

    /// Removes the document with this id.
    ///
    /// # Errors
    ///
    /// [`Resource::missing`], or the log cannot be written to.
    pub async fn remove(&self, id: String, headers: &HeaderMap) -> Result<StatusCode, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.id);
        let key = idempotency_key(headers)?.unwrap_or_else(fresh_id);
        let (ids, actor) = (vec![DocumentId::new(id)], Actor::person(owner));
        let removed = self.collections.remove(owner, collection, ids, &key, actor);
        match removed.await?.removed {
            0 => Err(R::missing()),
            _ => Ok(StatusCode::NO_CONTENT),
        }
    }
}
