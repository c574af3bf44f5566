//! Readings of a project of fiction: pure functions of the bible and its prose.

pub mod book;
pub mod folder;
