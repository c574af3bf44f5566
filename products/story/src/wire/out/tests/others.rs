//! Logs of a pipeline that makes pages, which the wire of stories meets as well.

/// What these logs are written with.
mod given {
    pub(super) use palimpsest::prelude::pipeline::event::*;
    pub(super) use palimpsest::prelude::pipeline::{
        ArtifactId, Budget, GateId, MessageId, RunId, Settings,
    };
    pub(super) use palimpsest::prelude::trial::logs::*;
}
#[path = "../../../../../../projections/tests/wires/generator.rs"]
pub(super) mod generator;
#[path = "../../../../../../projections/tests/wires/names.rs"]
mod names;
#[path = "../../../../../../projections/tests/wires/pages.rs"]
#[expect(dead_code, reason = "the tests of the views use what is left")]
mod pages;
