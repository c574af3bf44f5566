//! The native wire and the views, from logs to what a client reads.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

extern crate palimpsest_projections as projections;

mod audit;
mod generator;
mod laws;
mod log;
mod names;
mod native;
mod pages;
mod report;
mod report_generator;
mod report_laws;
mod report_log;
mod report_turns;
mod scenes;
mod session_view;
