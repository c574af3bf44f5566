//! `deck fmt`: decks in the usual form.

use std::path::PathBuf;

use clap::Args;
use palimpsest::prelude::verb::{Exit, Failure, OutFolder, out};

use super::DeckFile;

/// Which decks, and where they are written to.
#[derive(Args, Debug)]
pub(super) struct Fmt {
    /// Decks in SlideDSL
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; name the decks that are not in the usual form and fail if there are some
    #[arg(long, env = "PALIMPSEST_CHECK", conflicts_with = "stdout")]
    check: bool,
    /// Write to the standard output instead of into the files
    #[arg(long, env = "PALIMPSEST_STDOUT")]
    stdout: bool,
}

pub(super) fn fmt(args: &Fmt) -> Result<Exit, Failure> {
    let mut formatted = true;
    for path in &args.files {
        let file = DeckFile::read(path)?;
        let text = sdsl::format(&file.parsed.presentation);
        if args.stdout {
            out::document(text.trim_end_matches('\n'))?;
        } else if text == file.text {
            continue;
        } else if args.check {
            formatted = false;
            out::line(&format!("{} is not in the usual form", path.display()))?;
        } else {
            write(path, &text)?;
            out::note(&format!("formatted {}", path.display()));
        }
    }
    Ok(if formatted { Exit::Done } else { Exit::Failed })
}

/// Writes the file whole or not at all.
pub(super) fn write(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::unusable(format!("{} cannot be written: {error}", path.display()))
    };
    let (folder, name) = OutFolder::of_file(path)?;
    let beside = folder.write(&name.with_extension("sdsl.new"), text.as_bytes())?;
    std::fs::rename(&beside, path).map_err(cannot)
}
