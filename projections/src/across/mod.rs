//! Readings that belong to no session: each folds the events of all streams, in the order of the log, into an answer that no single
//! session could give. What is asked of one session is in `view`, `history` or `wire`.

pub mod ledger;
