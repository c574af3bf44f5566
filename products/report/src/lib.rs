//! The product `report`: a report out of a template and data. The folder has all of it: the pipeline with its stages and shapes, what its
//! steps do, offline authors, tools, the protocol, what owners keep for it, and its view in the console.

mod authors;
mod delivery;
mod flow;
mod pipeline;
mod resources;
mod shapes;
mod stages;
mod steps;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use palimpsest::embedded_folder;
use palimpsest::prelude::Builder;

pub use pipeline::Report;
use resources::{DATABASES, Databases, TEMPLATES, Templates};
use wire::into::ReportProtocol;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Report)
        .prompts("report", &embedded_folder!("../../prompts/report/"))
        .authors(authors::authors())
        .tools(tools::tools)
        .kind(TEMPLATES)
        .kind(DATABASES)
        .resource::<Templates>()
        .resource::<Databases>()
        .tag("templates", "what reports are made from")
        .protocol(&ReportProtocol)
        .console(palimpsest::console_folder!("report", []))
}
