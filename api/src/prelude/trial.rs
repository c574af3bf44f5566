//! The layer of tests: a program in memory, with a person who answers what is asked.

pub use crate::trial::Trial;
