//! The only crate that knows sockets, the command line and the environment. It puts the rest together.
//!
//! A module knows only what is below it; `tests/layout.rs` lists the levels.

pub mod app;
pub mod ask;
mod bucket;
pub mod cli;
pub mod config;
mod connections;
pub mod console;
mod console_folders;
mod contents;
pub mod data;
mod described;
#[cfg(test)]
mod doors_tests;
pub mod error;
pub mod feed;
pub mod forms;
mod handshakes;
pub mod http;
mod in_flight;
pub mod keys;
mod known_names;
mod node;
pub mod operations;
pub mod payloads;
pub mod plan;
pub mod prelude;
pub mod protocol;
#[cfg(test)]
mod protocol_tests;
pub mod read;
mod readiness;
mod request;
mod resource;
pub mod routes;
pub mod server;
pub mod settings;
mod shares;
pub mod signer;
pub mod sniff;
pub mod start;
#[cfg(test)]
mod testing;
mod threads;
pub mod trial;
pub mod typescript;
pub mod uploads;
pub mod verb;
pub mod wire;

pub use chrono;
pub use cli::main;
pub use console_folders::{ConsoleError, ConsoleFolder, ConsoleFolders, EmbeddedFiles};
pub use domain::schema;
pub use rust_embed;
pub use server::{BuildError, Builder, Server};
pub use threads::runtime;

/// Threads hand what they allocate to other threads all the time (a step to the writer, the writer to readers). The system's allocator is
/// slow at that: it costs a seventh of the engine's speed (`cargo bench --bench palimpsest -- engine` with and without this one).
#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A folder as a part of the program, by its path from the crate in which this stands. Debug builds read it each time.
#[macro_export]
macro_rules! embedded_folder {
    ($folder:literal) => {{
        #[derive($crate::rust_embed::RustEmbed)]
        #[crate_path = "palimpsest::rust_embed"]
        #[folder = $folder]
        struct Files;
        $crate::EmbeddedFiles::embedded::<Files>()
    }};
}

/// The folder `console/` of the crate in which this stands, by the name of the product, with the places of its pages.
#[macro_export]
macro_rules! console_folder {
    ($name:literal, $places:expr) => {
        $crate::ConsoleFolder {
            name: $name,
            places: &$places,
            files: $crate::embedded_folder!("console/"),
        }
    };
}
