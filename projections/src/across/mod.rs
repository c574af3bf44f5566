//! Readings that belong to no single session: each folds the events of all streams, in the order of the log, into an answer that no session
//! alone could give. Answers about one session are in `view`, `history` or `wire`.

pub mod ledger;
