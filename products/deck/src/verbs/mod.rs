//! `deck`: decks that people write by hand, without a session: checked, formatted, compared, drawn, and kept in the design index.

mod check;
mod diff;
mod fmt;
mod import;
mod index;
mod pull;
mod render;
mod template;
mod watch;

use std::path::Path;

use async_trait::async_trait;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use palimpsest::prelude::verb::{Exit, FailedWhen, Failure, Verb, VerbContext};
use sdsl::Parsed;

/// The verb `deck`.
pub(super) struct DeckVerb;

#[async_trait(?Send)]
impl Verb for DeckVerb {
    fn command(&self) -> clap::Command {
        Deck::command()
    }

    fn failures(&self) -> &'static [FailedWhen] {
        const FAILURES: [FailedWhen; 2] = [
            FailedWhen {
                subject: "a deck",
                predicate: "did not pass its check",
            },
            FailedWhen {
                subject: "`deck pull`",
                predicate: "left conflicts",
            },
        ];
        &FAILURES
    }

    async fn call(&self, given: &ArgMatches, context: VerbContext) -> Result<Exit, Failure> {
        match Deck::from_arg_matches(given)?.command {
            Command::Check(args) => check::check(&args),
            Command::Fmt(args) => fmt::fmt(&args),
            Command::Render(args) => render::render(&context, args).await,
            Command::Diff(args) => diff::diff(&args),
            Command::Template(args) => template::template(&context, args).await,
            Command::Import(args) => import::import(&args),
            Command::Ingest(args) => index::ingest(context, &args).await,
            Command::Search(args) => index::search(context, &args).await,
            Command::Pull(args) => pull::pull(&args).await,
        }
    }
}

/// Look at, put in order, compare and draw decks that are written by hand
#[derive(Parser, Debug)]
#[command(name = "deck")]
struct Deck {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Say what is wrong with decks, with line and column
    Check(check::Check),
    /// Write decks in the usual form
    Fmt(fmt::Fmt),
    /// Draw a deck as PowerPoint, PDF, HTML and pictures
    Render(render::Render),
    /// Say which slides were added, removed, moved and changed
    Diff(diff::Diff),
    /// Put decks into the design index, which later decks are made after
    Ingest(index::Ingest),
    /// Find designs of earlier decks
    Search(index::Search),
    /// Look at PowerPoint templates that decks are drawn in
    #[command(subcommand)]
    Template(template::Command),
    /// Read a presentation of PowerPoint or LibreOffice as a deck in SlideDSL
    Import(import::Import),
    /// Bring what was changed in a PowerPoint file of a deck back into its text
    Pull(pull::Pull),
}

/// A deck with its text.
struct DeckFile {
    text: String,
    parsed: Parsed,
}

impl DeckFile {
    fn read(path: &Path) -> Result<Self, Failure> {
        let at = |cause: &dyn std::fmt::Display| {
            Failure::usage(format!(
                "the deck {} cannot be read: {cause}",
                path.display()
            ))
        };
        let bytes = std::fs::read(path).map_err(|error| at(&error))?;
        let parsed = sdsl::read(&bytes).map_err(|error| at(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| at(&error))?;
        Ok(Self { text, parsed })
    }
}
