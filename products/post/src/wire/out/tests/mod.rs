//! The post protocol: logs in, frames out.

mod frames;
mod generator;
mod laws;
mod runs;
