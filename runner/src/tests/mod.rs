//! Tests of the engine as a whole.

mod exporting;
pub(crate) mod laws;
