//! The resources of the HTTP interface, one file each, and the lists of their routes. A list names only the handler of a route; method,
//! address and description are declared at the handler, so that no route is served without a description.

mod artifacts;
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

pub use commands::{OpenSessionAnswer, OpenSessionRequest};
pub(crate) use operations::{OpenStepRow, WaitingFor};
pub use sessions::SessionRow;

/// The routes that answer at once.
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
}

/// The routes without a time limit: streams, and bodies as large as an upload.
pub(crate) fn streams() -> OpenApiRouter<App> {
    OpenApiRouter::default().routes(routes!(events::events))
}

/// The routes that write their body to the disk as it comes in, and count it themselves.
pub(crate) fn uploads() -> OpenApiRouter<App> {
    OpenApiRouter::default().routes(routes!(files::upload).layer(DefaultBodyLimit::disable()))
}

/// The routes that are answered even if the server is overloaded, and without a key.
pub(crate) fn public() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(health::service))
}

/// The types of this module that the console sends and reads.
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
