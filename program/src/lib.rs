//! The program `palimpsest`: the library of the same name with five products, each a feature.

use palimpsest::{Builder, Server};

/// The program before it is put together. One that serves more beside these products goes on from here.
pub fn built_in() -> Builder {
    let builder = Server::builder().first_tags(&["notes", "templates"]);
    #[cfg(feature = "course")]
    let builder = builder.add(course::add);
    #[cfg(feature = "report")]
    let builder = builder.add(report::add);
    #[cfg(feature = "post")]
    let builder = builder.add(post::add);
    #[cfg(feature = "deck")]
    let builder = builder.add(deck::add);
    #[cfg(feature = "story")]
    let builder = builder.add(story::add);
    builder
}
