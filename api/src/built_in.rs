//! The program of this crate: everything that is built in.

use runner::prompts;

use crate::server::{Builder, Server};
use crate::start::built_in_tools;
use crate::wire::{deck, post, report, socketio, story};

impl Server {
    /// The parts of the program `palimpsest`: its pipelines with their prompts, tools and offline authors, and the protocols of their
    /// clients. A program that serves further pipelines beside them starts from here.
    pub fn built_in() -> Builder {
        let mut server = Self::builder()
            .tools(built_in_tools)
            .add(socketio::product::add)
            .add(report::product::add)
            .add(post::product::add)
            .add(deck::product::add)
            .add(story::product::add);
        for (id, text) in prompts::embedded() {
            server = server.prompt(&id, text);
        }
        server
    }
}

/// The same, put together.
#[cfg(test)]
pub(crate) fn built_in() -> Server {
    Server::built_in().build().expect("it goes together")
}
