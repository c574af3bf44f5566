//! `POST /api/decks:check`: reads the text of a deck and says what is wrong with it.

use axum::Json;
use palimpsest::prelude::wire::{ApiError, ApiJson, ErrorAnswer, Owner};
use sdsl::Mode;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A deck as text.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckRequest {
    /// The deck in SlideDSL.
    dsl: String,
    /// Whether what a model would be asked to mend is an error.
    #[serde(default)]
    strict: bool,
}

/// Say what is wrong with a deck
///
/// `{passed, diagnostics, presentation}`: each diagnostic has `code`, `severity`, `message`, `slide`, `line` and `column` from 1;
/// the presentation is the deck as it was read. The same as `deck check --json`.
#[utoipa::path(post, path = "/api/decks:check", tag = "decks", request_body = CheckRequest,
    responses(
        (status = 200, description = "what was found, also where that is nothing", body = Object),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "no deck: too large, too many slides", body = ErrorAnswer)))]
pub(super) async fn check(
    _owner: Owner,
    ApiJson(request): ApiJson<CheckRequest>,
) -> Result<Json<Value>, ApiError> {
    let parsed = sdsl::read(request.dsl.as_bytes()).map_err(|error| bad_deck(&error))?;
    let mode = if request.strict {
        Mode::Strict
    } else {
        Mode::Lenient
    };
    Ok(Json(crate::pages::checked(&request.dsl, &parsed, mode)))
}

pub(super) fn bad_deck(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::unprocessable("bad_deck", format!("the deck is not read: {error}"))
}
