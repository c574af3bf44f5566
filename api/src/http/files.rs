//! Uploads, which messages attach.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use futures::TryStreamExt as _;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::{ApiQuery, Form, FormError, is_form};
use crate::uploads::{Reservation, Uploaded};

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
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "the name is not allowed", body = ErrorAnswer),
        (status = 429, description = "too many uploads of this key at a time", body = ErrorAnswer),
        (status = 507, description = "the disk is full", body = ErrorAnswer)))]
pub(super) async fn upload(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<UploadQuery>,
    request: Request,
) -> Result<(StatusCode, Json<Uploaded>), ApiError> {
    // Before anything is read, so that no other upload can take the room that this one may need.
    let room = app
        .uploads
        .reserve(&owner, announced(&request), is_form(request.headers()))
        .await?;
    let uploaded = if is_form(request.headers()) {
        from_form(&app, room, request).await?
    } else {
        let name = query.name.unwrap_or_default();
        let bytes = request.into_body().into_data_stream();
        let bytes =
            bytes.map_err(|error| ApiError::bad_request(format!("the upload broke off: {error}")));
        app.uploads.put(room, &name, bytes).await?
    };
    Ok((StatusCode::CREATED, Json(uploaded)))
}

/// The number of bytes that the request announces, if it does.
fn announced(request: &Request) -> Option<u64> {
    request
        .headers()
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// The first part that is a file.
async fn from_form(app: &App, room: Reservation, request: Request) -> Result<Uploaded, ApiError> {
    let mut form = Form::of(request, app.uploads.form_bytes_max())?;
    while let Some(part) = form.next().await? {
        let Some(name) = part.file_name else {
            // Fields that are no files are skipped. In a form made by a browser they are short.
            continue;
        };
        let pieces = futures::stream::try_unfold(form, async |mut form| {
            let piece = form.chunk().await?;
            Ok::<_, FormError>(piece.map(|piece| (piece, form)))
        });
        return app.uploads.put(room, &name, pieces).await;
    }
    Err(ApiError::bad_request("the form holds no file").hint("send it as a field with a file name"))
}
