//! What the documents of all collections have in common over HTTP.

use axum::http::{HeaderMap, StatusCode};
use domain::collection::{CollectionId, Kind};
use domain::{Actor, DocumentId};
use runner::clock::fresh_id;

use crate::app::App;
use crate::ask::derived;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::request::idempotency_key;

/// The id of a new document: the given one, the same for a repetition, or a fresh one.
pub(super) fn given(
    id: Option<String>,
    prefix: &str,
    owner: &Owner,
    key: Option<&str>,
) -> DocumentId {
    DocumentId::new(match (id.filter(|id| !id.is_empty()), key) {
        (Some(id), _) => id,
        (None, Some(key)) => derived(prefix, &[&owner.0, "keyed", key]),
        (None, None) => format!("{prefix}_{}", fresh_id()),
    })
}

/// Whether a document is new, or took the place of another.
pub(super) fn status(added: usize) -> StatusCode {
    if added == 0 {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    }
}

/// Removes a document; `gone` is the refusal where there is none.
pub(super) async fn remove(
    app: &App,
    owner: &Owner,
    kind: Kind,
    id: String,
    headers: &HeaderMap,
    gone: fn() -> ApiError,
) -> Result<StatusCode, ApiError> {
    let key = idempotency_key(headers)?.unwrap_or_else(fresh_id);
    let (collection, actor) = (CollectionId::only(kind), Actor::person(&owner.0));
    let ids = vec![DocumentId::new(id)];
    let collections = app.engine.collections();
    let removed = collections.remove(&owner.0, &collection, ids, &key, actor);
    match removed.await?.removed {
        0 => Err(gone()),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

/// The refusal of a body that is too large in the words of its kind; every other one as it is.
pub(super) fn too_large(error: ApiError, ours: fn() -> ApiError) -> ApiError {
    if error.status == StatusCode::PAYLOAD_TOO_LARGE {
        ours()
    } else {
        error
    }
}
