//! The resources of the HTTP interface, one file each, and the lists of their routes. A route is named by its handler alone:
//! method, address and description are said beside that, so that none is served without being described.

mod artifacts;
mod collections;
mod commands;
mod events;
mod files;
mod health;
mod operations;
mod pipelines;
mod projects;
mod records;
pub(crate) mod schemas;
mod sessions;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::app::App;

pub(crate) use collections::IMPORT_BYTES_MAX;
pub use commands::{OpenSessionAnswer, OpenSessionRequest};
pub use sessions::SessionRow;

/// What is answered at once.
pub(crate) fn answers() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(pipelines::list))
        .routes(routes!(sessions::list, commands::open))
        .routes(routes!(sessions::show, commands::delete))
        .routes(routes!(commands::ask))
        .routes(routes!(sessions::artifacts))
        .routes(routes!(sessions::history))
        .routes(routes!(sessions::branches))
        .routes(routes!(records::show))
        .routes(routes!(records::blob))
        .routes(routes!(operations::show))
        .routes(routes!(operations::verify))
        .routes(routes!(artifacts::show))
        .routes(routes!(artifacts::content, artifacts::edit))
        .routes(routes!(projects::list))
        .merge(collections::answers())
}

/// What takes as long as it takes: streams, and bodies as large as an upload.
pub(crate) fn streams() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(events::events))
        .merge(collections::uploads())
        .routes(
            routes!(projects::put_folder).layer(DefaultBodyLimit::max(projects::FOLDER_BYTES_MAX)),
        )
}

/// What keeps the bytes of its body as they come in, and counts them itself.
pub(crate) fn uploads() -> OpenApiRouter<App> {
    OpenApiRouter::default().routes(routes!(files::upload).layer(DefaultBodyLimit::disable()))
}

/// What is answered however busy the server is, and without a key.
pub(crate) fn public() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(health::service))
}

/// What the console sends and reads here.
#[cfg(test)]
pub(crate) fn types(found: &mut impl ts_rs::TypeVisitor) {
    found.visit::<artifacts::ArtifactAnswer>();
    found.visit::<commands::OpenSessionAnswer>();
    found.visit::<commands::OpenSessionRequest>();
    found.visit::<crate::ask::CommandAnswer>();
    found.visit::<crate::ask::CommandRequest>();
    found.visit::<crate::error::ErrorAnswer>();
    found.visit::<crate::uploads::Uploaded>();
    found.visit::<events::EventPage>();
    found.visit::<operations::OperationsAnswer>();
    found.visit::<operations::Verifying>();
    found.visit::<pipelines::Pipelines>();
    found.visit::<records::EventRecord>();
    found.visit::<sessions::Artifacts>();
    found.visit::<sessions::Branches>();
    found.visit::<sessions::HistoryAnswer>();
    found.visit::<sessions::NamedView>();
    found.visit::<sessions::SessionPage>();
}
