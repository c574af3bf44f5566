//! The pipelines that this server has.

use axum::Json;
use axum::extract::State;
use domain::pipeline::Description;
use serde::Serialize;
use ts_rs::TS;

use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;

/// Every pipeline.
#[derive(Serialize, TS)]
pub(super) struct Pipelines {
    pipelines: Vec<Description>,
}

/// Each pipeline with its input schema, stages and artifact kinds
#[utoipa::path(get, path = "/v1/pipelines", tag = "pipelines",
    responses(
        (status = 200, description = "the pipelines", body = super::openapi::PipelinesDoc),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn list(
    State(app): State<App>,
    _owner: Owner,
) -> Result<Json<Pipelines>, ApiError> {
    Ok(Json(Pipelines {
        pipelines: app
            .engine
            .pipelines()
            .iter()
            .map(|pipeline| pipeline.describe())
            .collect(),
    }))
}
