//! Readings of a project of fiction: pure functions of the bible and its prose, and where a message about it goes.

pub mod book;
pub mod folder;
pub mod printed;
pub mod proposals;
pub mod routing;
