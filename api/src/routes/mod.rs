//! Every address of the server, and the document that describes them: both are made from one list. Left out of the document are
//! the sockets, whose frames OpenAPI has no words for, and the files of the console, which no program asks for.

mod access;
mod guard;
mod openapi;
#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::config::Limits;
use crate::error::ApiError;
use crate::{console, http, wire};

pub use openapi::document;

/// Every route of the server behind its checks: what it answers to on a socket and what the command line asks within the
/// process.
pub fn router(app: App) -> Router {
    let (described, _) = described(&app.config.limits).split_for_parts();
    described
        .merge(console::routes())
        .with_state(app.clone())
        .merge(wire::routes(app.clone()))
        .fallback(|| async { ApiError::nothing_here() })
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(
            guard::Guard::new(&app.config),
            guard::check,
        ))
        .layer(from_fn(access::log))
}

/// Every route that the document describes.
fn described(limits: &Limits) -> OpenApiRouter<App> {
    let bounded = http::answers()
        .merge(wire::answers())
        .layer(from_fn_with_state(
            Duration::from_secs(limits.request_seconds),
            access::in_time,
        ))
        .layer(DefaultBodyLimit::max(limits.message_bytes));
    let seated = bounded
        .merge(http::streams())
        .merge(wire::streams())
        .layer(from_fn_with_state(
            access::Seats::new(limits.requests),
            access::seated,
        ));
    openapi::router()
        .merge(seated)
        .merge(http::public())
        .routes(routes!(openapi::serve))
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this address does not take this method",
    )
    .hint("the header `allow` names those it takes")
}
