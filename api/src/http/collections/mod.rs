//! The documents of collections over HTTP: one resource, generic over the kind. Lists with pages, `ETag`, limits and removal are
//! shared; each kind has a file with what it says about itself and how its documents come in.

mod body;
mod databases;
mod describe;
mod documents;
mod notes;
mod page;
mod resource;
mod templates;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::app::App;

pub(crate) use notes::IMPORT_BYTES_MAX;

/// The routes that answer within the time that a request may take.
pub(super) fn answers() -> OpenApiRouter<App> {
    let template = DefaultBodyLimit::max(templates::BODY_BYTES_MAX);
    resource::routes::<templates::Templates>()
        .routes(routes!(templates::put).layer(template))
        .routes(routes!(templates::put_file).layer(template))
        .merge(resource::routes::<databases::Databases>())
        .merge(resource::routes::<notes::Notes>())
}

/// The routes whose bodies are as large, and come as slowly, as uploads.
pub(super) fn uploads() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(databases::put).layer(DefaultBodyLimit::max(databases::BODY_BYTES_MAX)))
        .routes(routes!(notes::import).layer(DefaultBodyLimit::max(notes::IMPORT_BYTES_MAX)))
}
