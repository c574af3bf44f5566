//! `story export`: a story as a book.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use palimpsest::prelude::verb::{Exit, Failure, OutFolder, out};
use palimpsest::prelude::wire::Clock;
use render::document::book::{docx, epub, markdown};

use super::book;
use crate::readings::printed::printed;

/// What the book is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Epub,
    Docx,
    Md,
}

/// Which story, and as what.
#[derive(Args, Debug)]
pub(super) struct Export {
    /// The folder of the story (`docs/stories.md`)
    folder: PathBuf,
    #[arg(long, env = "PALIMPSEST_FORMAT", value_enum, default_value = "epub")]
    format: Format,
    /// The file
    #[arg(long, env = "PALIMPSEST_OUT", value_name = "FILE")]
    out: PathBuf,
    /// Chapters that are drafts as well
    #[arg(long, env = "PALIMPSEST_DRAFTS")]
    drafts: bool,
}

pub(super) fn export(args: &Export) -> Result<Exit, Failure> {
    let story = book(&args.folder)?;
    let printed = printed(&story, args.drafts);
    let chapters: usize = printed
        .volumes
        .iter()
        .map(|volume| volume.chapters.len())
        .sum();
    if chapters == 0 {
        return Err(Failure::usage(format!(
            "{} has no chapter that is not a draft; `--drafts` takes those as well",
            args.folder.display()
        )));
    }
    // Before the book is made.
    OutFolder::of_file(&args.out)?.0.try_writing()?;
    let bytes = match args.format {
        Format::Epub => {
            let modified = Clock::system()
                .now()
                .format("%Y-%m-%dT%H:%M:%SZ")
                .to_string();
            epub(&printed, &modified)
        }
        Format::Docx => docx(&printed),
        Format::Md => markdown(&printed).map(String::into_bytes),
    };
    let bytes = bytes.map_err(|error| Failure::usage(error.to_string()))?;
    write(&args.out, &bytes)?;
    let counted = match chapters {
        1 => "1 chapter".to_owned(),
        _ => format!("{chapters} chapters"),
    };
    out::line(&format!("{} ({counted})", args.out.display()))?;
    let drafts = story.chapters().len() - chapters;
    if drafts > 0 {
        let left_out = match drafts {
            1 => "1 chapter is a draft or empty, and was left out".to_owned(),
            _ => format!("{drafts} chapters are drafts or empty, and were left out"),
        };
        out::note(&left_out);
    }
    Ok(Exit::Done)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let (folder, name) = OutFolder::of_file(path)?;
    folder.write(&name, bytes).map(drop)
}
