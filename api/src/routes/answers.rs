//! The memory for large answers that a handler made whole.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures::StreamExt as _;

use crate::connections::Caller;
use crate::in_flight::{Counted, Held, InFlight, LARGE_BYTES};

/// Counts the memory of a large answer until it was sent. Contents were counted before they were loaded and are not counted again.
pub(super) async fn counted(
    State(in_flight): State<InFlight>,
    request: Request,
    next: Next,
) -> Response {
    let caller = Caller::of(request.extensions());
    let response = next.run(request).await;
    let size = response.body().size_hint().exact();
    let Some(size) = size.filter(|size| *size >= LARGE_BYTES) else {
        return response;
    };
    if response.extensions().get::<Counted>().is_some() {
        return response;
    }
    let memory = match in_flight.memory(caller.account(), size) {
        Ok(memory) => Arc::new(memory),
        Err(error) => return error.into_response(),
    };
    let (mut parts, body) = response.into_parts();
    // As a stream the body no longer knows its size.
    parts
        .headers
        .entry(axum::http::header::CONTENT_LENGTH)
        .or_insert(size.into());
    let pieces = body.into_data_stream().map(move |piece| {
        let memory = Arc::clone(&memory);
        piece.map(|bytes| Bytes::from_owner(Held::new(bytes, memory)))
    });
    Response::from_parts(parts, Body::from_stream(pieces))
}
