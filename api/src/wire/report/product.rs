//! The product `report`: everything that a program which makes reports registers.

use domain::pipelines::report::{DATABASES, Report, TEMPLATES};

use super::ReportProtocol;
use super::databases::Databases;
use super::templates::Templates;
use crate::server::Builder;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Report)
        .authors(offline::report::authors())
        .kind(TEMPLATES)
        .kind(DATABASES)
        .resource::<Templates>()
        .resource::<Databases>()
        .protocol(&ReportProtocol)
        .console(super::console::FOLDER)
}
