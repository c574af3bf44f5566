//! Artifacts: their descriptions and their contents.

use axum::Json;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::ArtifactId;
use domain::event::Body as Stored;
use runner::clock::fresh_id;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::ask::{CommandAnswer, Edit, content_hash};
use crate::contents::{ContentQuery, if_match, serve};
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::payloads::{EditArtifactPayload, Following};
use crate::read::{self, RecordedArtifact};
use crate::request::{ApiJson, ApiPath, ApiQuery, idempotency_key};
use crate::settings::SettingsRequest;
use projections::rfc3339;

/// What an artifact is.
#[derive(Clone, Debug, Serialize, ToSchema, TS)]
pub(super) struct ArtifactAnswer {
    artifact: String,
    kind: String,
    /// Counts the versions of this kind and item in the session, from 1.
    number: u32,
    title: String,
    /// Where it was recorded: of an artifact that a fork inherited, the parent.
    session: String,
    run: String,
    stage: String,
    /// Which one it is, where the stage makes several of this kind; else empty.
    item: String,
    attempt: u32,
    /// The version of the session that recorded it.
    version: u64,
    recorded_at: String,
    /// What it was made from.
    from: Vec<String>,
    shown: bool,
    media_type: String,
    /// What it is called as a file.
    file_name: String,
    /// Bytes.
    size: u64,
    /// Of the content.
    sha256: String,
    /// Where the content is served.
    content: String,
    /// The same, signed: it opens without a key until it expires.
    url: String,
}

/// What an artifact is
#[utoipa::path(get, path = "/v1/artifacts/{artifact}", operation_id = "show_artifact", tag = "artifacts",
    responses(
        (status = 200, description = "the artifact", body = ArtifactAnswer),
        (status = 404, description = "no such artifact", body = ErrorAnswer),
        (status = 410, description = "its session was erased", body = ErrorAnswer)))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<ArtifactAnswer>, ApiError> {
    let found = read::artifact(app.engine.log().as_ref(), &owner.0, &ArtifactId::new(id)).await?;
    let RecordedArtifact {
        stream,
        recorded,
        artifact,
    } = &found;
    let (media_type, size, sha256) = match &artifact.body {
        Stored::Blob { blob, media_type } => (media_type.clone(), blob.size, blob.sha256),
        Stored::Event { .. } => {
            let content = read::content(app.engine.log().as_ref(), stream, artifact).await?;
            (
                content.media_type,
                content.bytes.len() as u64,
                content.sha256,
            )
        }
    };
    let content = projections::content_path(&artifact.artifact);
    let query = app
        .signer
        .address_query(&owner.0, &artifact.artifact, app.engine.clock().now());
    Ok(Json(ArtifactAnswer {
        artifact: artifact.artifact.to_string(),
        kind: artifact.kind.to_string(),
        number: artifact.number,
        title: artifact.title.to_string(),
        session: stream.session.to_string(),
        run: artifact.step.run.to_string(),
        stage: artifact.step.stage.to_string(),
        item: artifact.item().to_string(),
        attempt: artifact.attempt,
        version: recorded.version,
        recorded_at: rfc3339(recorded.recorded_at),
        from: artifact.from.iter().map(ToString::to_string).collect(),
        shown: artifact.shown,
        file_name: projections::file_name(artifact, &media_type),
        media_type,
        size,
        sha256: sha256.to_string(),
        url: format!("{content}?{query}"),
        content,
    }))
}

/// How an edit by hand is carried out.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EditQuery {
    /// `stays` where absent: what asks no model and no paid tool is made again, the rest stays and is older than what it was made
    /// from. `redone`: all that was made from it is made again.
    #[serde(default)]
    following: Following,
    /// Whether only the plan is wanted. Nothing is done.
    #[serde(default)]
    dry_run: bool,
}

/// Write the next version of an artifact
///
/// The body is all of its content. It is checked as its kind wants it, and becomes a run on the one that is the head, in which nobody
/// is asked for it. Later changes keep what a person wrote unless they are about it, and say so where they cannot.
#[utoipa::path(put, path = "/v1/artifacts/{artifact}/content", operation_id = "edit_artifact", tag = "artifacts",
    params(("artifact" = String, Path, description = "the current version"), EditQuery,
        ("If-Match" = String, Header, description = "the `ETag` of the content that was edited"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    request_body = Object,
    responses(
        (status = 200, description = "taken, now or before; the run makes what follows", body = CommandAnswer),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 404, description = "no such artifact", body = ErrorAnswer),
        (status = 409, description = "a run is at work", body = ErrorAnswer),
        (status = 410, description = "its session was erased", body = ErrorAnswer),
        (status = 412, description = "not the current version, or another content", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken, with everything that is wrong", body = ErrorAnswer),
        (status = 428, description = "without `If-Match`", body = ErrorAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = ErrorAnswer)))]
pub(super) async fn edit(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<EditQuery>,
    headers: HeaderMap,
    ApiJson(content): ApiJson<Value>,
) -> Result<Json<CommandAnswer>, ApiError> {
    let key = idempotency_key(&headers)?;
    let log = app.engine.log().as_ref();
    let artifact = ArtifactId::new(id);
    let found = read::artifact(log, &owner.0, &artifact).await?;
    let before = read::content(log, &found.stream, &found.artifact).await?;
    let failed = |status, code, message: &str| Err(ApiError::new(status, code, message));
    match if_match(&before.sha256, &headers) {
        Some(true) => {}
        Some(false) => {
            let says = "what is there has another `ETag`: read it, and edit that";
            return failed(StatusCode::PRECONDITION_FAILED, "not_current", says);
        }
        None => {
            let says = "say with `If-Match` which content was edited: the `ETag` that came with it";
            return failed(StatusCode::PRECONDITION_REQUIRED, "no_if_match", says);
        }
    }
    let payload = EditArtifactPayload {
        artifact: artifact.to_string(),
        content,
        following: query.following,
        settings: SettingsRequest::default(),
    };
    let edit = Edit {
        content: Some(content_hash(&(&payload.artifact, &payload.content))),
        payload,
        id: key.unwrap_or_else(fresh_id),
        expected_version: None,
        dry_run: query.dry_run,
    };
    let edited = app.edit(&owner, &found.stream, edit).await;
    edited.map(Json).map_err(|mut error| {
        if error.error.code == "not_current" {
            error.status = StatusCode::PRECONDITION_FAILED;
        }
        error
    })
}

/// The content of an artifact
///
/// With a key, or by a signed address without one.
#[utoipa::path(get, path = "/v1/artifacts/{artifact}/content", tag = "artifacts", security(("key" = []), ()),
    params(ContentQuery, ("If-None-Match" = Option<String>, Header, description = "the `ETag` of what is there already"),
        ("Range" = Option<String>, Header, description = "one range of bytes")),
    responses(
        (status = 200, description = "the content, with its media type", content_type = "application/octet-stream",
            headers(("etag" = String, description = "the hash of the content"))),
        (status = 206, description = "the part of it", content_type = "application/octet-stream"),
        (status = 304, description = "as it is there already"),
        (status = 403, description = "the address is wrong or has expired", body = ErrorAnswer),
        (status = 404, description = "no such artifact", body = ErrorAnswer),
        (status = 410, description = "its session was erased", body = ErrorAnswer),
        (status = 416, description = "the content ends before the range", body = ErrorAnswer),
        (status = 422, description = "it cannot be had in this form", body = ErrorAnswer)))]
pub(super) async fn content(
    State(app): State<App>,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<ContentQuery>,
    parts: Parts,
) -> Result<Response, ApiError> {
    serve(&app, &ArtifactId::new(id), &query, &parts).await
}
