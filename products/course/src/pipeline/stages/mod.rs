//! The stages with one question to a model each: what the model is asked, and what is checked in its answer; and the search before the
//! first.

pub(super) mod analyze;
pub(super) mod config;
pub(super) mod outline;
pub(super) mod scripts;
pub(super) mod search;
pub(super) mod theme;
