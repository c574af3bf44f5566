//! The native wire and the views, from logs to what a client reads.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

extern crate palimpsest_projections as projections;

/// What the logs of pages are written with.
mod given {
    pub(super) use domain::event::*;
    pub(super) use domain::settings::{Budget, Settings};
    pub(super) use domain::{ArtifactId, GateId, MessageId, RunId};
    pub(super) use projections::trial::*;
}

mod audit;
mod generator;
mod laws;
mod names;
mod native;
mod pages;
mod scenes;
mod session_view;
