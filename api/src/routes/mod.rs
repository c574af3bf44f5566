//! Every address of the server, and the document that describes them: both are made from one list. The document leaves out the sockets,
//! whose frames OpenAPI cannot describe, and the files of the console, which only browsers ask for.

mod access;
mod answers;
mod bodies;
mod guard;
mod headers;
mod openapi;

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::config::Limits;
use crate::error::ApiError;
use crate::server::Server;
use crate::{console, http};
use bodies::BodyMemory;
use openapi::Document;
#[cfg(test)]
pub(crate) use openapi::build as document;

/// Every route of the server behind its checks. The server answers with these routes on its sockets, and the command line uses them within
/// the process.
pub fn router(app: App, server: &Server) -> Router {
    let mut limits = app.config.limits;
    if !app.keys.are_wanted() {
        // There is only one owner, so that no share has to be kept for others.
        limits.requests_share = limits.requests;
    }
    let memory = BodyMemory::new(&limits);
    let described = described(&limits, &memory, server);
    let (described, _) = described.split_for_parts();
    let router = described
        .merge(console::routes())
        .layer(Extension(Document::of(server)))
        .with_state(app.clone());
    let sockets = server.protocols.iter().map(|protocol| {
        let counted = from_fn_with_state(memory.clone(), bodies::counted);
        protocol.sockets(&app).layer(counted)
    });
    sockets
        .fold(router, Router::merge)
        .fallback_service(any(elsewhere).with_state(app.clone()))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(app.in_flight.clone(), answers::counted))
        .layer(from_fn_with_state(
            bodies::BodyPace::new(&app.config.limits),
            bodies::paced,
        ))
        .layer(from_fn_with_state(app.keys.clone(), access::recognised))
        .layer(from_fn_with_state(app.names.clone(), guard::check))
        .layer(from_fn(headers::careful))
        .layer(from_fn(access::log))
}

/// Every route that the document describes.
fn described(limits: &Limits, memory: &BodyMemory, server: &Server) -> OpenApiRouter<App> {
    let resources = server.resources.iter();
    let protocols = server.protocols.iter();
    let answers = (resources.clone().map(|resource| (resource.answers)()))
        .chain(protocols.clone().map(|protocol| protocol.answers()));
    let streams = (resources.map(|resource| (resource.uploads)()))
        .chain(protocols.map(|protocol| protocol.streams()));
    let bounded = answers
        .fold(http::answers(), OpenApiRouter::merge)
        .layer(from_fn_with_state(
            Duration::from_secs(limits.request_seconds),
            access::in_time,
        ))
        .layer(DefaultBodyLimit::max(limits.message_bytes));
    let seated = streams
        .fold(bounded.merge(http::streams()), OpenApiRouter::merge)
        .layer(from_fn_with_state(memory.clone(), bodies::counted))
        // Uploads are not counted, because they go to the disk as they come.
        .merge(http::uploads())
        .layer(from_fn_with_state(
            access::Seats::new(limits),
            access::seated,
        ));
    openapi::router()
        .merge(seated)
        .merge(http::public())
        .routes(routes!(openapi::serve))
}

/// Answers addresses without a route. At `/` there is the console, unless a protocol has that address.
async fn elsewhere(
    State(app): State<App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if method == Method::GET && uri.path() == "/" {
        return console::page(&app, &headers);
    }
    Err(ApiError::nothing_here())
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this address does not take this method",
    )
    .hint("the header `allow` names those it takes")
}
