//! Records sessions of every pipeline: their databases, the frames folded from them, and what clients were sent live.
//!
//!     cargo test --test record -- <folder>
//!
//! The recordings of the first version are kept in `tests/recorded` for ever, and `tests/recorded.rs` holds every later
//! version against them. They are not made again. A recording of today is made into another folder, to compare what clients
//! are sent live: times and ids are left out of that, so that two recordings can be compared with `diff -r`.

#[expect(dead_code, reason = "the tests use what is left")]
#[path = "../support/mod.rs"]
mod support;

mod folded;
mod live;
mod offline;
mod scripted;
mod story;

use std::path::PathBuf;

#[tokio::main]
async fn main() {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.expect("usage: cargo test --test record -- <folder>");
    scripted::record(&folder.join("scripted")).await;
    offline::record(&folder.join("offline")).await;
    story::record(&folder.join("story")).await;
}
