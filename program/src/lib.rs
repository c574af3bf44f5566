//! The program `palimpsest`: the library of the same name with five products.

use palimpsest::{Builder, Server};

/// The program before it is put together. One that serves more beside these products goes on from here.
pub fn built_in() -> Builder {
    Server::builder()
        .first_tags(&["notes", "templates"])
        .add(course::add)
        .add(report::add)
        .add(post::add)
        .add(deck::add)
        .add(story::add)
}
