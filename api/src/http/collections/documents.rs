//! Reading and changing the documents of any kind.

use std::marker::PhantomData;
use std::ops::Bound;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use domain::collection::{Collection, CollectionId, Entry};
use domain::{Actor, DocumentId};
use runner::clock::fresh_id;
use runner::{Collections, NewDocument};

use super::page::{Page, PageRequest};
use super::resource::Resource;
use crate::app::App;
use crate::ask::derived;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::request::idempotency_key;

/// Whether a document belongs to a list.
pub(super) type Filter<'a> = &'a (dyn Fn(&Entry) -> bool + Sync);

/// The documents of one kind that an owner keeps.
pub(super) struct Documents<'a, R> {
    pub(super) collections: &'a Collections,
    pub(super) owner: &'a Owner,
    collection: CollectionId,
    resource: PhantomData<fn() -> R>,
}

impl<'a, R: Resource> Documents<'a, R> {
    pub(super) fn of(app: &'a App, owner: &'a Owner) -> Self {
        Self {
            collections: app.engine.collections(),
            owner,
            collection: CollectionId::only(R::KIND),
            resource: PhantomData,
        }
    }

    /// The whole collection.
    pub(super) async fn all(&self) -> Result<Arc<Collection>, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.collection);
        Ok(self.collections.get(owner, collection).await?)
    }

    /// A page of the documents that pass the filter, by id. The cursor is the last id of the page.
    pub(super) async fn page(
        &self,
        wanted: &PageRequest<'_>,
        filter: Option<Filter<'_>>,
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

    /// The document with this id.
    pub(super) async fn find(&self, id: &str) -> Result<Entry, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.collection);
        let found = self.collections.find(owner, collection, Some(id), None);
        found.await?.ok_or_else(R::missing)
    }

    pub(super) async fn content(&self, entry: &Entry) -> Result<Bytes, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.collection);
        let content = self.collections.content(owner, collection, &entry.document);
        Ok(content.await?)
    }

    /// The id of a new document: the given one; else one that a repetition of the request gets again; else a fresh one.
    pub(super) fn new_id(
        &self,
        given: Option<String>,
        prefix: &str,
        key: Option<&str>,
    ) -> DocumentId {
        DocumentId::new(match (given.filter(|id| !id.is_empty()), key) {
            (Some(id), _) => id,
            (None, Some(key)) => derived(prefix, &[&self.owner.0, "keyed", key]),
            (None, None) => format!("{prefix}_{}", fresh_id()),
        })
    }

    /// Puts a document in, in place of the one with its id, and gives the status and the document as it is afterwards.
    pub(super) async fn put(
        &self,
        document: NewDocument,
        key: Option<String>,
    ) -> Result<(StatusCode, Entry), ApiError> {
        let (owner, collection) = (&self.owner.0, &self.collection);
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
    pub(super) async fn remove(
        &self,
        id: String,
        headers: &HeaderMap,
    ) -> Result<StatusCode, ApiError> {
        let (owner, collection) = (&self.owner.0, &self.collection);
        let key = idempotency_key(headers)?.unwrap_or_else(fresh_id);
        let (ids, actor) = (vec![DocumentId::new(id)], Actor::person(owner));
        let removed = self.collections.remove(owner, collection, ids, &key, actor);
        match removed.await?.removed {
            0 => Err(R::missing()),
            _ => Ok(StatusCode::NO_CONTENT),
        }
    }
}
