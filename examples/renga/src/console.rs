//! What the console shows of a renga: the folder `console/`, which is part of the program.

use palimpsest::{ConsoleFiles, ConsoleFolder};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "console/"]
struct Files;

pub(crate) const CONSOLE: ConsoleFolder = ConsoleFolder {
    name: "renga",
    places: &["words"],
    files: ConsoleFiles::embedded::<Files>(),
};
