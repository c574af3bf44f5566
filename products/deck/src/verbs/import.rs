//! `deck import`: reads a presentation of another program as a deck in SlideDSL.

use std::path::{Path, PathBuf};

use clap::Args;
use intake::IntakeLimits;
use palimpsest::prelude::verb::{Exit, Failure, OutFolder, out};
use spec::source::SourceFormat;

use crate::pages::ImportedDeck;

/// Which presentation, and where the deck goes.
#[derive(Args, Debug)]
pub(super) struct Import {
    /// A presentation: .pptx or .odp
    file: PathBuf,
    /// The folder for the deck and its pictures
    #[arg(long, env = "PALIMPSEST_OUT", value_name = "FOLDER")]
    out: PathBuf,
}

pub(super) fn import(args: &Import) -> Result<Exit, Failure> {
    let shown = args.file.display();
    let refused = |cause: String| Failure::usage(format!("{shown} is not read: {cause}"));
    let bytes = std::fs::read(&args.file).map_err(|error| refused(error.to_string()))?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let document = intake::read(&name, &bytes, &IntakeLimits::default(), &|| false)
        .map_err(|error| refused(error.to_string()))?;
    if !matches!(document.format, SourceFormat::Pptx | SourceFormat::Odp) {
        let format = document.format.title();
        return Err(refused(format!(
            "it is of the format {format}; give a .pptx or .odp file"
        )));
    }
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
    let imported = crate::pages::import(&document, &stem);
    write(&args.out, &imported)?;
    out::line(&format!(
        "{}: {} slides, {} pictures",
        args.out.join("deck.sdsl").display(),
        imported.deck.slides.len(),
        imported.pictures.len()
    ))?;
    for left in &imported.left {
        let slide = match left.slide {
            0 => "the presentation".to_owned(),
            number => format!("slide {number}"),
        };
        out::line(&format!("  {slide}: {}: {}", left.what, left.why))?;
    }
    Ok(Exit::Done)
}

fn write(folder: &Path, imported: &ImportedDeck) -> Result<(), Failure> {
    let folder = OutFolder::open(folder)?;
    let put = |place: &str, bytes: &[u8]| folder.write(Path::new(place), bytes).map(drop);
    put("deck.sdsl", sdsl::format(&imported.deck).as_bytes())?;
    for picture in &imported.pictures {
        put(&picture.path, &picture.bytes)?;
    }
    let report = serde_json::to_vec_pretty(&imported.left)
        .map_err(|error| Failure::unusable(error.to_string()))?;
    put("import_report.json", &report)
}
