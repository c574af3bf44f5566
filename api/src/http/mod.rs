//! The HTTP interface, one file a resource.

mod access;
mod artifacts;
#[cfg(test)]
mod assets_tests;
mod commands;
pub(crate) mod console;
mod contents;
mod databases;
mod documents;
mod events;
mod extract;
mod files;
mod guard;
mod health;
mod notes;
mod openapi;
mod operations;
mod pipelines;
mod range;
mod records;
mod sessions;
mod templates;
#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};

use crate::app::App;
use crate::error::ApiError;

pub(crate) use commands::idempotency_key;
pub use commands::{OpenSessionAnswer, OpenSessionRequest};
pub use extract::{ApiJson, ApiPath, ApiQuery};
pub(crate) use notes::IMPORT_BYTES_MAX;
pub use openapi::document;
pub use sessions::SessionRow;

/// Every route of the server behind its checks: what it answers to on a socket and what the command line asks within the
/// process.
pub fn router(app: App) -> Router {
    let limits = app.config.limits;
    let bounded = Router::new()
        .route("/v1/pipelines", get(pipelines::list))
        .route("/v1/sessions", get(sessions::list).post(commands::open))
        .route(
            "/v1/sessions/{session}",
            get(sessions::show).delete(commands::delete),
        )
        .route("/v1/sessions/{session}/commands", post(commands::ask))
        .route("/v1/sessions/{session}/artifacts", get(sessions::artifacts))
        .route("/v1/sessions/{session}/history", get(sessions::history))
        .route("/v1/sessions/{session}/branches", get(sessions::branches))
        .route(
            "/v1/sessions/{session}/events/{version}",
            get(records::show),
        )
        .route("/v1/sessions/{session}/blobs/{sha256}", get(records::blob))
        .route("/v1/operations", get(operations::show))
        .route("/v1/operations/verify", post(operations::verify))
        .route("/v1/artifacts/{artifact}", get(artifacts::show))
        .route("/v1/artifacts/{artifact}/content", get(artifacts::content))
        .route("/api/assets/{number}", get(artifacts::asset))
        .route(
            "/api/templates",
            get(templates::list)
                .post(templates::put)
                .layer(DefaultBodyLimit::max(templates::BODY_BYTES_MAX)),
        )
        .route(
            "/api/templates/{template}",
            get(templates::show)
                .put(templates::put_file)
                .delete(templates::remove)
                .layer(DefaultBodyLimit::max(templates::BODY_BYTES_MAX)),
        )
        .route("/api/databases", get(databases::list))
        .route(
            "/api/databases/{database}",
            get(databases::show).delete(databases::remove),
        )
        .merge(crate::wire::post::answers())
        .route("/api/notes", get(notes::list))
        .route("/api/notes/{note}", get(notes::show).delete(notes::remove))
        .layer(from_fn_with_state(
            Duration::from_secs(limits.request_seconds),
            access::in_time,
        ))
        .layer(DefaultBodyLimit::max(limits.message_bytes));
    let unbounded = Router::new()
        .route("/v1/sessions/{session}/events", get(events::events))
        // As large as an upload, and as slow.
        .route(
            "/api/databases",
            post(databases::put).layer(DefaultBodyLimit::max(databases::BODY_BYTES_MAX)),
        )
        .route(
            "/api/notes/import",
            post(notes::import).layer(DefaultBodyLimit::max(notes::IMPORT_BYTES_MAX)),
        )
        // The upload counts its bytes itself, while they come in.
        .route(
            "/v1/files",
            post(files::upload).layer(DefaultBodyLimit::disable()),
        )
        .merge(crate::wire::post::streams());
    let public = Router::new()
        .route("/console/{tag}/{*path}", get(console::file))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/api/health", get(health::service))
        .route("/openapi.json", get(openapi::serve));
    let ours = bounded
        .merge(unbounded)
        .layer(from_fn_with_state(
            access::Seats::new(limits.requests),
            access::seated,
        ))
        .merge(public)
        .with_state(app.clone());
    ours.merge(crate::wire::routes(app.clone()))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(
            guard::Guard::new(&app.config),
            guard::check,
        ))
        .layer(from_fn(access::log))
}

async fn not_found() -> ApiError {
    nothing_here()
}

/// The answer where nothing is.
pub(crate) fn nothing_here() -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is nothing at this address",
    )
    .hint("/openapi.json lists what there is")
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this address does not take this method",
    )
    .hint("the header `allow` names those it takes")
}

/// What the console sends and reads here.
#[cfg(test)]
pub(crate) fn types(found: &mut impl ts_rs::TypeVisitor) {
    found.visit::<artifacts::ArtifactAnswer>();
    found.visit::<commands::OpenSessionAnswer>();
    found.visit::<commands::OpenSessionRequest>();
    found.visit::<crate::ask::CommandAnswer>();
    found.visit::<crate::ask::CommandRequest>();
    found.visit::<crate::error::ErrorAnswer>();
    found.visit::<crate::uploads::Uploaded>();
    found.visit::<events::EventPage>();
    found.visit::<operations::OperationsAnswer>();
    found.visit::<operations::Verifying>();
    found.visit::<pipelines::Pipelines>();
    found.visit::<records::EventRecord>();
    found.visit::<sessions::Artifacts>();
    found.visit::<sessions::Branches>();
    found.visit::<sessions::HistoryAnswer>();
    found.visit::<sessions::NamedView>();
    found.visit::<sessions::SessionPage>();
}
