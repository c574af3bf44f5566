//! The pipelines that this server has.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use domain::pipeline::Description;
use serde::Serialize;
use ts_rs::TS;

use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;

/// Every pipeline.
#[derive(Serialize, TS)]
pub(super) struct Pipelines {
    pipelines: Vec<Description>,
}

/// Each pipeline with its input schema, stages and artifact kinds
///
/// Titles and descriptions are in the language that `Accept-Language` wants most, Chinese or English.
#[utoipa::path(get, path = "/v1/pipelines", operation_id = "list_pipelines", tag = "pipelines",
    params(("Accept-Language" = Option<String>, Header, description = "`zh`, or English where it wants anything else")),
    responses(
        (status = 200, description = "the pipelines", body = super::schemas::PipelinesDoc)))]
pub(super) async fn list(
    State(app): State<App>,
    _owner: Owner,
    headers: HeaderMap,
) -> Result<Json<Pipelines>, ApiError> {
    let wanted = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|wanted| wanted.to_str().ok())
        .unwrap_or_default();
    // Browsers put the preferred language first.
    let chinese = wanted.trim_start().to_ascii_lowercase().starts_with("zh");
    Ok(Json(Pipelines {
        pipelines: app
            .engine
            .pipelines()
            .iter()
            .map(|pipeline| pipeline.describe(chinese))
            .collect(),
    }))
}
