//! The only crate that knows sockets, the command line and the environment. It puts the rest together.

pub mod app;
pub mod ask;
pub mod cli;
pub mod config;
pub mod data;
pub mod error;
pub mod feed;
pub mod http;
pub mod keys;
pub mod operations;
pub mod payloads;
#[cfg(test)]
mod protocol_tests;
pub mod read;
pub mod settings;
pub mod signer;
pub mod sniff;
pub mod start;
mod threads;
mod time;
pub mod uploads;
pub mod wire;

pub use threads::runtime;

/// Threads pass what they make to others all the time (a step to the writer, the writer to readers); the system's allocator
/// is slow at that, by a seventh of the engine's speed (`cargo bench --bench palimpsest -- engine` with and without it).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
