//! Tests of the engine as a whole.

pub(crate) mod laws;
