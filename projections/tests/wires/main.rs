//! The wires and views, from logs to what a client reads.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

extern crate palimpsest_projections as projections;

mod audit;
mod course;
mod generator;
mod init;
mod laws;
mod log;
mod native;
mod post;
mod post_generator;
mod post_laws;
mod post_log;
mod session_view;
mod story;
mod story_generator;
mod story_laws;
mod story_log;
