//! Uploads, which messages attach.

use axum::Json;
use axum::extract::multipart::{Multipart, MultipartRejection};
use axum::extract::{FromRequest, Request, State};
use axum::http::{StatusCode, header};
use futures::StreamExt;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::ApiQuery;
use crate::uploads::Uploaded;

/// What is uploaded.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UploadQuery {
    /// Of a raw body: the file's name, which tells kinds of text apart.
    name: Option<String>,
}

/// Upload a file for a message to attach
///
/// Either a form with one file, or the bytes as they are. It is kept for a day.
#[utoipa::path(post, path = "/v1/files", tag = "files", params(UploadQuery),
    request_body(content((Vec<u8> = "application/octet-stream"), (Object = "multipart/form-data"))),
    responses(
        (status = 201, description = "kept", body = Uploaded),
        (status = 400, description = "no file, or not all of it", body = ErrorAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "the name is not allowed", body = ErrorAnswer),
        (status = 507, description = "the disk is full", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn upload(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<UploadQuery>,
    request: Request,
) -> Result<(StatusCode, Json<Uploaded>), ApiError> {
    app.uploads.check_announced(announced(&request))?;
    let uploaded = if is_form(&request) {
        let form = Multipart::from_request(request, &app)
            .await
            .map_err(|error| not_a_form(&error))?;
        from_form(&app, &owner, form).await?
    } else {
        let name = query.name.unwrap_or_default();
        app.uploads
            .put(&owner, &name, request.into_body().into_data_stream())
            .await?
    };
    Ok((StatusCode::CREATED, Json(uploaded)))
}

/// Bytes that the body will have, where the sender says so.
fn announced(request: &Request) -> Option<u64> {
    request
        .headers()
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn is_form(request: &Request) -> bool {
    let media_type = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| {
        media_type
            .to_ascii_lowercase()
            .starts_with("multipart/form-data")
    })
}

fn not_a_form(error: &MultipartRejection) -> ApiError {
    ApiError::bad_request(format!("the form is not right: {}", error.body_text()))
}

/// The first field that is a file.
async fn from_form(app: &App, owner: &Owner, mut form: Multipart) -> Result<Uploaded, ApiError> {
    loop {
        let field = form
            .next_field()
            .await
            .map_err(|error| ApiError::bad_request(format!("the form is not right: {error}")))?;
        let Some(field) = field else {
            return Err(ApiError::bad_request("the form holds no file")
                .hint("send it as a field with a file name"));
        };
        let Some(name) = field.file_name().map(str::to_owned) else {
            continue;
        };
        return app
            .uploads
            .put(
                owner,
                &name,
                field.map(|piece| piece.map_err(|error| error.to_string())),
            )
            .await;
    }
}
