//! The views of courses and of their pages in the console: the folder `console/` beside this file.

use rust_embed::RustEmbed;

use crate::console_folders::{ConsoleFiles, ConsoleFolder};

#[derive(RustEmbed)]
#[folder = "src/wire/socketio/console/"]
struct Files;

pub(super) const FOLDER: ConsoleFolder = ConsoleFolder {
    name: "course",
    places: &[],
    files: ConsoleFiles::embedded::<Files>(),
};
