//! What is asked of models while courses are made.

mod prompts;
mod requests;

use palimpsest::Server;

/// A program that makes courses alone.
fn program() -> Server {
    let server = Server::builder().add(crate::add).build();
    server.expect("it goes together")
}
