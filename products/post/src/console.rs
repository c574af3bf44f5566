//! The view of posts in the console: the folder `console/` of this crate.

use palimpsest::{ConsoleFiles, ConsoleFolder};

#[derive(palimpsest::rust_embed::RustEmbed)]
#[crate_path = "palimpsest::rust_embed"]
#[folder = "console/"]
struct Files;

pub(crate) const FOLDER: ConsoleFolder = ConsoleFolder {
    name: "post",
    places: &[],
    files: ConsoleFiles::embedded::<Files>(),
};
