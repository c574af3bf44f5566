//! The view of reports in the console: the folder `console/` beside this file.

use rust_embed::RustEmbed;

use crate::console_folders::{ConsoleFiles, ConsoleFolder};

#[derive(RustEmbed)]
#[folder = "src/wire/report/console/"]
struct Files;

pub(super) const FOLDER: ConsoleFolder = ConsoleFolder {
    name: "report",
    places: &[],
    files: ConsoleFiles::embedded::<Files>(),
};
