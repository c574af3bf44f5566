//! The native wire and the views, from logs to what a client reads.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

extern crate palimpsest_projections as projections;

mod audit;
mod generator;
mod laws;
mod names;
mod native;
mod pages;
mod scenes;
mod session_view;
