//! Tests of the engine as a whole.

mod curating;
pub(crate) mod laws;
mod panics;
