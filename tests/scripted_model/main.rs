//! A model that answers by a script: the other side of the tests that kill the server and count what was paid.
//!
//! `scripted-model --listen 127.0.0.1:0 [--script file.json]` prints `listening on http://127.0.0.1:PORT` as its first line
//! and serves OpenAI's chat completions and images under `/v1`. Without a script every request gets a valid answer: an instance of the
//! schema that it asks for, or its own last message. The format of a script is described in `script.rs`, the addresses by
//! which a test reads the journal and releases held answers in `server.rs`.

mod answer;
mod instance;
mod journal;
mod modes;
mod pictures;
mod play;
mod script;
mod server;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;

use crate::script::Script;

/// A scripted language model for tests.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// A file with rules and answers.
    #[arg(long)]
    script: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let script = match &arguments.script {
        Some(path) => read(path)?,
        None => Script::default(),
    };
    let listener = tokio::net::TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("cannot listen on {}", arguments.listen))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on http://{}", listener.local_addr()?)?;
    out.flush()?;
    drop(out);
    axum::serve(listener, server::routes(script)).await?;
    Ok(())
}

fn read(path: &PathBuf) -> anyhow::Result<Script> {
    let text = std::fs::read(path)
        .with_context(|| format!("cannot read the script {}", path.display()))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("the script {} cannot be read", path.display()))
}
