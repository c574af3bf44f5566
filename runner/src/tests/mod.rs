//! Tests of the engine as a whole.

mod curating;
mod exchanged;
pub(crate) mod laws;
mod masked;
mod panics;
mod waiting;
