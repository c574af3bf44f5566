//! The pages of stories in the console: the folder `console/` beside this file.

use rust_embed::RustEmbed;

use crate::console_folders::{ConsoleFiles, ConsoleFolder};

#[derive(RustEmbed)]
#[folder = "src/wire/story/console/"]
struct Files;

pub(super) const FOLDER: ConsoleFolder = ConsoleFolder {
    name: "story",
    places: &["stories"],
    files: ConsoleFiles::embedded::<Files>(),
};
