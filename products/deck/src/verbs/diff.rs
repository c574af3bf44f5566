//! `deck diff`: which slides of a deck were added, removed, moved and changed.

use std::path::PathBuf;

use clap::Args;
use palimpsest::prelude::pipeline::shown;
use palimpsest::prelude::verb::{Exit, Failure, out};
use sdsl::{SlideChange, TextMark};

use super::DeckFile;

/// Which decks are compared.
#[derive(Args, Debug)]
pub(super) struct Diff {
    /// The deck as it was
    old: PathBuf,
    /// The deck as it is
    new: PathBuf,
    /// A change a line, as JSON
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) fn diff(args: &Diff) -> Result<Exit, Failure> {
    let (old, new) = (DeckFile::read(&args.old)?, DeckFile::read(&args.new)?);
    let changes = sdsl::changes(&old.parsed.presentation, &new.parsed.presentation);
    let colored = out::answers_are_seen();
    for change in &changes {
        if args.json {
            out::line(&serde_json::json!(change).to_string())?;
        } else {
            for line in lines(change, colored) {
                out::drawn(&line)?;
            }
        }
    }
    if old.parsed.presentation.meta != new.parsed.presentation.meta && !args.json {
        out::line("front matter changed")?;
    }
    Ok(Exit::Done)
}

fn lines(change: &SlideChange, colored: bool) -> Vec<String> {
    match change {
        SlideChange::Added { name, to } => vec![format!("added   {to}: {}", shown::line(name))],
        SlideChange::Removed { name, from } => {
            vec![format!("removed {from}: {}", shown::line(name))]
        }
        SlideChange::Moved { name, from, to } => {
            vec![format!("moved   {from} -> {to}: {}", shown::line(name))]
        }
        SlideChange::Changed { name, to, marks } => {
            let changed = marks.iter().filter(|mark| mark.sign != ' ');
            std::iter::once(format!("changed {to}: {}", shown::line(name)))
                .chain(changed.map(|mark| line(mark, colored)))
                .collect()
        }
    }
}

/// A line that changed, with the changed words marked.
fn line(mark: &TextMark, colored: bool) -> String {
    let (begin, end) = match (colored, mark.sign) {
        (true, '-') => ("\u{1b}[31;7m", "\u{1b}[0m"),
        (true, _) => ("\u{1b}[32;7m", "\u{1b}[0m"),
        (false, '-') => ("[-", "-]"),
        (false, _) => ("{+", "+}"),
    };
    let whole = mark.pieces.iter().all(|(changed, _)| *changed);
    let pieces = mark.pieces.iter().map(|(changed, text)| {
        let text = shown::line(text);
        match changed {
            true if !whole => format!("{begin}{text}{end}"),
            _ => text.into_owned(),
        }
    });
    format!("  {} {}", mark.sign, pieces.collect::<String>())
}
