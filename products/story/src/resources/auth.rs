//! Keys in the form of tokens, as front ends expect them. There are no accounts here: an owner has keys, which the operator gives out, and
//! a token is the key itself.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use palimpsest::prelude::wire::{ApiError, ApiJson, App, Caller, ErrorAnswer, Owner};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Seconds for which an answer says that its token is valid: seven days, after which a front end asks again. The key itself is valid as
/// long as it is configured.
const TOKEN_SECONDS: u64 = 7 * 24 * 60 * 60;

/// The key that shows who somebody is. Front ends send an `identifier` beside it, which decides nothing.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoginRequest {
    /// A key of an owner; anything where the server has no keys.
    #[serde(default)]
    password: String,
}

/// A key to be given again.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefreshRequest {
    #[serde(default)]
    refresh_token: String,
}

/// An owner as a user.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoryUser {
    id: String,
    username: String,
    display_name: String,
}

/// A key as tokens.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenAnswer {
    /// To be sent as `Authorization: Bearer`.
    access_token: String,
    refresh_token: String,
    token_type: &'static str,
    /// Seconds.
    expires_in: u64,
    user: StoryUser,
}

/// Log in with a key
///
/// Without keys anything is taken for the owner `local`.
#[utoipa::path(post, path = "/api/auth/login", security(()), operation_id = "log_in", tag = "stories", request_body = LoginRequest,
    responses(
        (status = 200, description = "the key as tokens, and its owner", body = TokenAnswer),
        (status = 401, description = "the password is no key", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
pub(super) async fn login(
    State(app): State<App>,
    mut caller: Caller,
    ApiJson(request): ApiJson<LoginRequest>,
) -> Result<Json<TokenAnswer>, ApiError> {
    tokens(&app, &mut caller, request.password)
}

/// Say why nobody registers here
#[utoipa::path(post, path = "/api/auth/register", security(()), operation_id = "register", tag = "stories",
    responses((status = 403, description = "owners have keys, which the operator gives out", body = ErrorAnswer)))]
pub(super) async fn register() -> ApiError {
    let message =
        "nobody registers here: owners have keys, which the operator of this server gives out";
    ApiError::new(StatusCode::FORBIDDEN, "no_registration", message)
        .hint("ask the operator for a key and log in with it as the password")
}

/// Give tokens for a token
#[utoipa::path(post, path = "/api/auth/refresh", security(()), operation_id = "refresh_token", tag = "stories", request_body = RefreshRequest,
    responses(
        (status = 200, description = "the same key", body = TokenAnswer),
        (status = 401, description = "the token is no key", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
pub(super) async fn refresh(
    State(app): State<App>,
    mut caller: Caller,
    ApiJson(request): ApiJson<RefreshRequest>,
) -> Result<Json<TokenAnswer>, ApiError> {
    tokens(&app, &mut caller, request.refresh_token)
}

/// Log out
///
/// A key holds until the operator takes it away; a front end forgets it.
#[utoipa::path(post, path = "/api/auth/logout", security(()), operation_id = "log_out", tag = "stories",
    responses((status = 204, description = "there is nothing to forget here")))]
pub(super) async fn logout() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// Say who asks
#[utoipa::path(get, path = "/api/auth/me", operation_id = "show_me", tag = "stories",
    responses(
        (status = 200, description = "the owner of the key", body = StoryUser)))]
pub(super) async fn me(owner: Owner) -> Json<StoryUser> {
    Json(user(&owner))
}

fn tokens(app: &App, caller: &mut Caller, key: String) -> Result<Json<TokenAnswer>, ApiError> {
    let owner = app.keys.owner(caller, Some(&key))?;
    // Without keys, the typed text is not returned as if it were a key.
    let token = if app.keys.are_wanted() {
        key
    } else {
        owner.0.clone()
    };
    Ok(Json(TokenAnswer {
        access_token: token.clone(),
        refresh_token: token,
        token_type: "Bearer",
        expires_in: TOKEN_SECONDS,
        user: user(&owner),
    }))
}

fn user(owner: &Owner) -> StoryUser {
    StoryUser {
        id: owner.0.clone(),
        username: owner.0.clone(),
        display_name: owner.0.clone(),
    }
}
