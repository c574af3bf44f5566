//! The program of this crate: everything that is built in.

use crate::server::{Builder, Server};
use crate::wire::{deck, post, report, socketio, story};

impl Server {
    /// The parts of the program `palimpsest`: its pipelines with their prompts, tools and offline authors, and the protocols of their
    /// clients. A program that serves further pipelines beside them starts from here.
    pub fn built_in() -> Builder {
        Self::builder()
            .first_tags(&["notes", "templates"])
            .add(socketio::product::add)
            .add(report::product::add)
            .add(post::product::add)
            .add(deck::product::add)
            .add(story::product::add)
    }
}

/// The same, put together.
#[cfg(test)]
pub(crate) fn built_in() -> Server {
    Server::built_in().build().expect("it goes together")
}
