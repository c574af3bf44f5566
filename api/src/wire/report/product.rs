//! The product `report`: everything that a program which makes reports registers.

use std::sync::Arc;

use domain::pipelines::report::{DATABASES, Report, TEMPLATES};
use include_dir::{Dir, include_dir};
use runner::tools::Tool;
use tools::resources::{BackEnds, LoadResources, OwnedResources};

use super::databases::Databases;
use super::templates::Templates;
use super::{ReportProtocol, ReportSettings};
use crate::server::{Builder, Surroundings};

static PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/report");

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Report)
        .prompts("report", &PROMPTS)
        .authors(offline::report::authors())
        .tools(tools)
        .kind(TEMPLATES)
        .kind(DATABASES)
        .resource::<Templates>()
        .resource::<Databases>()
        .tag("templates", "what reports are made from")
        .protocol(&ReportProtocol)
        .console(super::console::FOLDER)
}

/// The tool that loads what a run starts from: templates and knowledge bases of the owner, and of back ends as far as the settings allow.
fn tools(of: &Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let back_end = ReportSettings::of(of.config)?.back_end;
    let back_ends =
        BackEnds::new(back_end.base_url, back_end.allowed).map_err(anyhow::Error::msg)?;
    let resources = OwnedResources::new(of.collections.clone(), back_ends);
    Ok(vec![Arc::new(LoadResources(Some(Arc::new(resources))))])
}
