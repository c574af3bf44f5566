//! The `story` protocol: what is folded from the log, and what clients send.

pub(crate) mod into;
pub(crate) mod out;
