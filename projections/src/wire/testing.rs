//! Logs of a pipeline that makes pages, which wires of other pipelines meet as well.

#[path = "../../tests/wires/generator.rs"]
pub(crate) mod generator;
#[path = "../../tests/wires/names.rs"]
mod names;
#[path = "../../tests/wires/pages.rs"]
#[expect(dead_code, reason = "the tests of the views use what is left")]
mod pages;
