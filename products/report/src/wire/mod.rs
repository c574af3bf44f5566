//! The protocol of reports: `out` folds the log into its frames, `into` is what its clients send.

pub(crate) mod into;
pub(crate) mod out;
