//! The product `report`: everything that a program which makes reports registers.

use domain::pipelines::report::Report;

use super::ReportProtocol;
use crate::server::Builder;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Report)
        .authors(offline::report::authors())
        .protocol(&ReportProtocol)
}
