//! Artifacts: what they are, and their contents.

use axum::Json;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use domain::ArtifactId;
use domain::event::Body as Stored;
use domain::numbers::asset_prefix;
use domain::pipelines::post::stage::IMAGE_ID_PREFIX;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::contents;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::{Owner, bearer};
use crate::read::{self, Found};
use crate::request::{ApiPath, ApiQuery};
use crate::signer::Signer;
use crate::time::rfc3339;

/// What a browser may do with a content that is opened as a page of its own: a sandbox without an origin, so that nothing
/// in it can reach this server's other answers. Scripts are let in for the deck alone, whose own policy names its one.
const SANDBOX: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
const DECK_SANDBOX: &str = "sandbox allow-scripts allow-modals; default-src 'none'; style-src 'unsafe-inline'; \
                            script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Browsers show a PDF with a viewer of their own, which a sandbox keeps from starting.
const PDF: &str = "application/pdf";
const PDF_POLICY: &str = "default-src 'none'; frame-ancestors 'self'";

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
    params(("artifact" = String, Path, description = "the artifact")),
    responses(
        (status = 200, description = "the artifact", body = ArtifactAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such artifact", body = ErrorAnswer),
        (status = 410, description = "its session was erased", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<ArtifactAnswer>, ApiError> {
    let found = read::artifact(app.engine.log().as_ref(), &owner.0, &ArtifactId::new(id)).await?;
    let Found {
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

/// How a content is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ContentQuery {
    /// `html`: the whole deck as one HTML file, for a `ppt_html_doc`, or one page of it; a `ppt_html` as a file; what is HTML
    /// already as it is.
    #[serde(rename = "as")]
    form: Option<String>,
    /// Of `as=html`: this page alone, from 1.
    page: Option<usize>,
    /// `1`: as a file to be saved.
    download: Option<String>,
    /// Of a signed address: when it expires, in seconds since 1970.
    exp: Option<i64>,
    /// Of a signed address.
    sig: Option<String>,
}

/// The content of an artifact
///
/// With a key, or by a signed address without one.
#[utoipa::path(get, path = "/v1/artifacts/{artifact}/content", tag = "artifacts",
    params(("artifact" = String, Path, description = "the artifact"), ContentQuery,
        ("If-None-Match" = Option<String>, Header, description = "the `ETag` of what is there already"),
        ("Range" = Option<String>, Header, description = "one range of bytes")),
    responses(
        (status = 200, description = "the content, with its media type", content_type = "application/octet-stream",
            headers(("etag" = String, description = "the hash of the content"))),
        (status = 206, description = "the part of it", content_type = "application/octet-stream"),
        (status = 304, description = "as it is there already"),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 403, description = "the address is wrong or has expired", body = ErrorAnswer),
        (status = 404, description = "no such artifact", body = ErrorAnswer),
        (status = 410, description = "its session was erased", body = ErrorAnswer),
        (status = 416, description = "the content ends before the range", body = ErrorAnswer),
        (status = 422, description = "it cannot be had in this form", body = ErrorAnswer)),
    security(("key" = []), ()))]
pub(super) async fn content(
    State(app): State<App>,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<ContentQuery>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let id = ArtifactId::new(id);
    let owner = owner(&app, &id, &query, &parts)?;
    served(&app, &owner, &id, &query, &parts).await
}

/// A picture of a post, by its number
///
/// As the content of its artifact: with a key, or by the signed query of the artifact's address.
#[utoipa::path(get, path = "/api/assets/{number}", tag = "artifacts",
    params(("number" = u64, Path, description = "the picture's number"), ContentQuery,
        ("If-None-Match" = Option<String>, Header, description = "the `ETag` of what is there already"),
        ("Range" = Option<String>, Header, description = "one range of bytes")),
    responses(
        (status = 200, description = "the picture, with its media type", content_type = "application/octet-stream",
            headers(("etag" = String, description = "the hash of the content"))),
        (status = 206, description = "the part of it", content_type = "application/octet-stream"),
        (status = 304, description = "as it is there already"),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 403, description = "the address is wrong or has expired", body = ErrorAnswer),
        (status = 404, description = "no such picture", body = ErrorAnswer),
        (status = 416, description = "the content ends before the range", body = ErrorAnswer)),
    security(("key" = []), ()))]
pub(super) async fn asset(
    State(app): State<App>,
    ApiPath(number): ApiPath<String>,
    ApiQuery(query): ApiQuery<ContentQuery>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let claimed = match &query.sig {
        Some(signature) => Signer::claimed_owner(signature).ok_or_else(bad_address)?,
        None => app.keys.owner(bearer(&parts))?.0,
    };
    // What is no number has no picture, like a number that has none.
    let number = number.parse().ok();
    let found = match number.and_then(|number| asset_prefix(IMAGE_ID_PREFIX, number)) {
        Some(prefix) => {
            let log = app.engine.log();
            log.find_artifact_by_prefix(&claimed, &prefix).await?
        }
        None => None,
    };
    let Some(id) = found else {
        // Whoever only claims to be somebody is not told what that one has.
        return Err(if query.sig.is_some() {
            bad_address()
        } else {
            ApiError::no_artifact()
        });
    };
    let owner = owner(&app, &id, &query, &parts)?;
    served(&app, &owner, &id, &query, &parts).await
}

async fn served(
    app: &App,
    owner: &str,
    id: &ArtifactId,
    query: &ContentQuery,
    parts: &Parts,
) -> Result<Response, ApiError> {
    let log = app.engine.log().as_ref();
    let found = read::artifact(log, owner, id).await?;
    let Found {
        stream, artifact, ..
    } = &found;
    let stored_as = match &artifact.body {
        Stored::Blob { media_type, .. } => media_type.as_str(),
        Stored::Event { .. } => "application/json",
    };
    let as_it_is = || read::content(log, stream, artifact);
    let (content, sandbox) = match (query.form.as_deref(), query.page) {
        (None | Some(""), _) if stored_as == PDF => (as_it_is().await?, PDF_POLICY),
        (None | Some(""), _) => (as_it_is().await?, SANDBOX),
        (Some("html"), _) if stored_as.starts_with("text/html") => (as_it_is().await?, SANDBOX),
        (Some("html"), None) if read::is_deck(artifact) => {
            (read::deck_html(log, stream, artifact).await?, DECK_SANDBOX)
        }
        (Some("html"), page) => (
            read::page_html(log, stream, artifact, page.unwrap_or(1)).await?,
            SANDBOX,
        ),
        (Some(_), _) => {
            return Err(ApiError::unprocessable(
                "unknown_form",
                "`as` is `html` or absent",
            ));
        }
    };
    let mut response = contents::respond(&content, &parts.headers, sandbox);
    let saved = query
        .download
        .as_deref()
        .is_some_and(|download| download != "0");
    let shown_as = if saved { "attachment" } else { "inline" };
    let name = projections::file_name(&found.artifact, &content.media_type);
    let named = disposition(shown_as, &name);
    response
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, named);
    Ok(response)
}

/// Whose artifact is asked for: by the signature where there is one, else by the key.
fn owner(
    app: &App,
    id: &ArtifactId,
    query: &ContentQuery,
    parts: &Parts,
) -> Result<String, ApiError> {
    let Some(signature) = &query.sig else {
        return app.keys.owner(bearer(parts)).map(|owner| owner.0);
    };
    let now = app.engine.clock().now();
    let expires = query.exp.unwrap_or(0);
    app.signer
        .address_owner(id, expires, signature, now)
        .ok_or_else(bad_address)
}

fn bad_address() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "bad_address",
        "the address is wrong or has expired",
    )
    .hint("ask for the artifact again to get a fresh one")
}

/// The name for every browser: in plain letters, and as RFC 5987 has it.
fn disposition(shown_as: &str, name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    HeaderValue::from_str(&format!(
        "{shown_as}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
    ))
    .expect("only plain letters are left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_survives_in_every_script() {
        assert_eq!(
            disposition("attachment", "光合\"作用\r\n.html"),
            "attachment; filename=\"_______.html\"; filename*=UTF-8''%E5%85%89%E5%90%88%22%E4%BD%9C%E7%94%A8%0D%0A.html"
        );
    }
}
