//! The story protocol: logs in, frames out.

mod frames;
mod generator;
mod laws;
mod others;
mod runs;
