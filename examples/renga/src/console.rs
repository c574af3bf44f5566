//! What the console shows of a renga: the folder `console/`, which is part of the program.

use palimpsest::prelude::wire::{ConsoleFiles, ConsoleFolder};
use palimpsest::rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[crate_path = "palimpsest::rust_embed"]
#[folder = "console/"]
struct Files;

pub(crate) const CONSOLE: ConsoleFolder = ConsoleFolder {
    name: "renga",
    places: &["words"],
    files: ConsoleFiles::embedded::<Files>(),
};
