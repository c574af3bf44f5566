//! Liveness, readiness, metrics.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use store::panics;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::request::Operator;

/// That the server is there.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`.
    status: &'static str,
    version: &'static str,
}

const OK: Health = Health {
    status: "ok",
    version: env!("CARGO_PKG_VERSION"),
};

/// That the server is ready, with what went wrong in it so far.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Readiness {
    /// `ok`.
    status: &'static str,
    version: &'static str,
    /// Faults of the program that were caught since it began. Each ended one attempt of a step, or had a task begin again.
    panics: u64,
}

/// Whether the process is alive
#[utoipa::path(get, path = "/healthz", security(()), tag = "server",
    responses((status = 200, description = "the process is alive", body = Health)))]
pub(super) async fn alive() -> Json<Health> {
    Json(OK)
}

/// Whether the log can be used and the server is not stopping
#[utoipa::path(get, path = "/readyz", security(()), tag = "server",
    responses((status = 200, description = "ready", body = Readiness), (status = 503, description = "not ready", body = ErrorAnswer)))]
pub(super) async fn ready(State(app): State<App>) -> Result<Json<Readiness>, ApiError> {
    if app.engine.is_draining() {
        return Err(runner::SendError::Stopped.into());
    }
    if panics::given_up() > 0 {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "panicked",
            "a task of the server panicked too often and was given up",
        )
        .hint("restart the server; its log has the message of the panic"));
    }
    app.probe.check().await?;
    Ok(Json(Readiness {
        status: OK.status,
        version: OK.version,
        panics: panics::caught_so_far(),
    }))
}

/// Prometheus metrics
///
/// For the operator of the server, where it has keys.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, description = "the text format of Prometheus", content_type = "text/plain"),
        (status = 401, description = "not the operator's key", body = ErrorAnswer),
        (status = 403, description = "the operator has no key", body = ErrorAnswer)),
    security(("key" = []), ()))]
pub(super) async fn metrics(State(app): State<App>, _: Operator) -> impl IntoResponse {
    memory_told();
    (
        [(
            header::CONTENT_TYPE,
            "text/plain; version=0.0.4; charset=utf-8",
        )],
        app.metrics.render(),
    )
}

/// Updates the metrics of the memory that decoding pictures and reading files take.
fn memory_told() {
    #[expect(clippy::cast_precision_loss, reason = "metrics are floating point")]
    let number = |count: u64| count as f64;
    let usage = render::decoding::usage();
    metrics::gauge!("palimpsest_decoding_bytes").set(number(usage.held));
    metrics::gauge!("palimpsest_decoding_bytes_max").set(number(usage.limit));
    metrics::gauge!("palimpsest_decoding_waiting").set(number(usage.waiting as u64));
    metrics::counter!("palimpsest_decoding_refused_total").absolute(usage.refused);
    let usage = intake::budget::usage();
    metrics::gauge!("palimpsest_reading_bytes").set(number(usage.held));
    metrics::gauge!("palimpsest_reading_bytes_max").set(number(usage.limit));
    metrics::counter!("palimpsest_reading_refused_total").absolute(usage.refused);
}

/// What the back end of the contract says of itself.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ServiceHealth {
    ok: bool,
    /// `palimpsest`.
    service: &'static str,
}

/// Whether templates and knowledge bases are served here
#[utoipa::path(get, path = "/api/health", security(()), tag = "templates",
    responses((status = 200, description = "they are served here", body = ServiceHealth)))]
pub(super) async fn service() -> Json<ServiceHealth> {
    Json(ServiceHealth {
        ok: true,
        service: env!("CARGO_PKG_NAME"),
    })
}
