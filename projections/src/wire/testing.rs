//! Logs of a pipeline that makes pages, which wires of other pipelines meet as well.

/// What the logs of pages are written with.
mod given {
    pub(super) use crate::trial::*;
    pub(super) use domain::event::*;
    pub(super) use domain::settings::{Budget, Settings};
    pub(super) use domain::{ArtifactId, GateId, MessageId, RunId};
}

#[path = "../../tests/wires/generator.rs"]
pub(crate) mod generator;
#[path = "../../tests/wires/names.rs"]
mod names;
#[path = "../../tests/wires/pages.rs"]
#[expect(dead_code, reason = "the tests of the views use what is left")]
mod pages;
