//! `deck pull`: brings what people changed in a PowerPoint file of a deck back into the deck's text.

use std::path::{Path, PathBuf};

use clap::Args;
use intake::IntakeLimits;
use palimpsest::prelude::verb::{Exit, Failure, OutFolder, out};
use sdsl::SlideChange;
use spec::drawn::DrawnPresentation;

use super::{DeckFile, fmt};
use crate::pages::pull::{
    Conflict, PullError, PullInto, Pulled, base_of, carried, mark_of, named_deck,
};
use crate::pages::{DeckAssets, LeftOver, NamedAssets};
use crate::wire::assets::{self, AssetPlace};

/// The name that `deck render` gives to the deck's text beside its other files.
const DECK: &str = "deck.sdsl";

/// Which file, and which deck it goes into.
#[derive(Args, Debug)]
pub(super) struct Pull {
    /// A .pptx file that was drawn from a deck, as people have changed it
    file: PathBuf,
    /// The deck as it is now; `deck.sdsl` beside the file, if it is there
    #[arg(long, env = "PALIMPSEST_DECK", value_name = "FILE")]
    deck: Option<PathBuf>,
    /// The deck as it was when the file was drawn; the file carries it
    #[arg(long, env = "PALIMPSEST_BASE", value_name = "FILE")]
    base: Option<PathBuf>,
    /// Where the deck is written to, instead of into its file
    #[arg(long, env = "PALIMPSEST_OUT", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write to the standard output and change no file
    #[arg(long, env = "PALIMPSEST_STDOUT", conflicts_with = "out")]
    stdout: bool,
}

pub(super) async fn pull(args: &Pull) -> Result<Exit, Failure> {
    let shown = args.file.display();
    let refused = |cause: String| Failure::usage(format!("{shown} is not read: {cause}"));
    let bytes = std::fs::read(&args.file).map_err(|error| refused(error.to_string()))?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let drawn = intake::read_drawn(&name, &bytes, &IntakeLimits::default(), &|| false)
        .map_err(|error| refused(error.to_string()))?;
    let beside = args.file.with_file_name(DECK);
    let place = match &args.deck {
        Some(place) => Some(place.clone()),
        None => beside.exists().then(|| beside.clone()),
    };
    let ours = place.as_deref().map(DeckFile::read).transpose()?;
    let base = base(args, &drawn, ours.as_ref()).map_err(|error| match error {
        BaseError::Unread(failure) => failure,
        BaseError::None(error) => refused(error.to_string()),
    })?;
    let target = args.out.clone().or(place.clone()).unwrap_or(beside);
    let ours_name = place.as_ref().unwrap_or(&target).file_name();
    let ours_name = ours_name.unwrap_or_default().to_string_lossy();
    let assets = named(&base, place.as_deref().unwrap_or(&args.file)).await?;
    let into = PullInto {
        base: Some(&base),
        ours: ours.as_ref().map(|file| file.text.as_str()),
        names: (&ours_name, &name),
        assets: &assets,
    };
    let pulled = crate::pages::pull::pull(&drawn, &into)
        .map_err(|error| Failure::usage(format!("nothing of {shown} is pulled: {error}")))?;
    let before = match &ours {
        Some(ours) => ours.parsed.presentation.clone(),
        None => sdsl::parse(&base).presentation,
    };
    let changes = sdsl::changes(&before, &pulled.deck);
    if args.stdout {
        out::document(pulled.text.trim_end_matches('\n'))?;
    } else {
        let same = ours.is_some_and(|ours| ours.text == pulled.text);
        write(&target, &pulled, same && args.out.is_none())?;
    }
    tell(args, &target, &changes, &pulled)
}

/// Why there is no base.
enum BaseError {
    Unread(Failure),
    None(PullError),
}

/// The deck as it was drawn: the given one, or the one in the file, or the deck beside the file if it has not changed since.
fn base(
    args: &Pull,
    drawn: &DrawnPresentation,
    ours: Option<&DeckFile>,
) -> Result<String, BaseError> {
    if let Some(path) = &args.base {
        let file = DeckFile::read(path).map_err(BaseError::Unread)?;
        let text = carried(&file.parsed.presentation);
        let marks = named_deck(drawn);
        if marks.is_some_and(|mark| mark != mark_of(&text)) {
            out::note(&format!(
                "{} is not the deck that {} was drawn from: its slides are told by their words",
                path.display(),
                args.file.display()
            ));
        }
        return Ok(text);
    }
    let carried_text = match base_of(drawn) {
        Ok(text) => text.to_owned(),
        Err(PullError::NoBase) => {
            let unchanged = ours
                .map(|ours| carried(&ours.parsed.presentation))
                .filter(|text| named_deck(drawn) == Some(mark_of(text)));
            unchanged.ok_or(BaseError::None(PullError::NoBase))?
        }
        Err(error) => return Err(BaseError::None(error)),
    };
    sdsl::read(carried_text.as_bytes()).map_err(|error| {
        let message = format!(
            "the deck in {} cannot be read: {error}",
            args.file.display()
        );
        BaseError::Unread(Failure::usage(message))
    })?;
    Ok(carried_text)
}

/// The tables and pictures that the base names and that are in the folder of the deck.
async fn named(base: &str, beside: &Path) -> Result<DeckAssets, Failure> {
    let deck = sdsl::parse(base).presentation;
    let named = crate::pages::named_assets(&deck);
    // Pictures at addresses are left out: they are not fetched again.
    let pictures = named
        .pictures
        .into_iter()
        .filter(|name| !name.contains("://"));
    let named = NamedAssets {
        pictures: pictures.collect(),
        tables: named.tables,
    };
    let folder = beside
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let read = assets::read(named, AssetPlace::Folder(folder.unwrap_or(Path::new("."))));
    read.await
        .map_err(|busy| Failure::unusable(busy.to_string()))
}

fn write(target: &Path, pulled: &Pulled, same: bool) -> Result<(), Failure> {
    let folder = OutFolder::open(target.parent().unwrap_or(Path::new("")))?;
    for picture in &pulled.pictures {
        folder.write(Path::new(&picture.path), &picture.bytes)?;
    }
    if same {
        return Ok(());
    }
    fmt::write(target, &pulled.text)
}

/// Reports what was taken over and what was not: on the standard output, or on the standard error if the deck's text goes to the standard
/// output.
fn tell(
    args: &Pull,
    target: &Path,
    changes: &[SlideChange],
    pulled: &Pulled,
) -> Result<Exit, Failure> {
    let say = |line: &str| -> Result<(), Failure> {
        match args.stdout {
            true => out::note(line),
            false => out::line(line)?,
        }
        Ok(())
    };
    let count = |fits: fn(&SlideChange) -> bool| changes.iter().filter(|one| fits(one)).count();
    say(&format!(
        "{}: {} slides changed, {} added, {} removed, {} moved; {} conflicts",
        target.display(),
        count(|one| matches!(one, SlideChange::Changed { .. })),
        count(|one| matches!(one, SlideChange::Added { .. })),
        count(|one| matches!(one, SlideChange::Removed { .. })),
        count(|one| matches!(one, SlideChange::Moved { .. })),
        pulled.conflicts.len()
    ))?;
    for change in changes {
        say(&format!("  {}", told(change)))?;
    }
    for LeftOver { slide, what, why } in &pulled.left {
        let slide = match slide {
            0 => "the file".to_owned(),
            number => format!("slide {number} of the file"),
        };
        say(&format!("  {slide}: {what}: {why}"))?;
    }
    for Conflict { slide, what } in &pulled.conflicts {
        let slide = slide.as_deref().unwrap_or("the deck");
        out::note(&format!("conflict in {slide}: {what}"));
    }
    Ok(match pulled.conflicts.is_empty() {
        true => Exit::Done,
        false => Exit::Failed,
    })
}

fn told(change: &SlideChange) -> String {
    match change {
        SlideChange::Added { name, to } => format!("added   {to}: {name}"),
        SlideChange::Removed { name, from } => format!("removed {from}: {name}"),
        SlideChange::Moved { name, from, to } => format!("moved   {from} -> {to}: {name}"),
        SlideChange::Changed { name, to, .. } => format!("changed {to}: {name}"),
    }
}
