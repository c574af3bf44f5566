//! The views of decks and of designs in the console: the folder `console/` beside this file.

use rust_embed::RustEmbed;

use crate::console_folders::{ConsoleFiles, ConsoleFolder};

#[derive(RustEmbed)]
#[folder = "src/wire/deck/console/"]
struct Files;

pub(super) const FOLDER: ConsoleFolder = ConsoleFolder {
    name: "deck",
    places: &[],
    files: ConsoleFiles::embedded::<Files>(),
};
