//! Verbs: commands of the command line that a program brings along, beside those that every program has.
//!
//! A verb says with `clap` what it is called and what it takes, and is called with what was given and a [`VerbContext`]. It may ask the
//! API ([`CommandHost`]), print ([`out`]) and write files ([`OutFolder`]). It ends with an [`Exit`] or a [`Failure`], which is printed.

mod client;
mod exit;
mod folder;
mod host;
pub mod out;
mod text_folder;

use async_trait::async_trait;
pub use clap;
use clap::{ArgMatches, Command};
pub use domain::shown;

pub use crate::request::in_address;
pub use client::Client;
pub use exit::{Exit, FailedWhen, Failure};
pub use folder::OutFolder;
pub(crate) use folder::{cannot, keep_private};
pub use host::{CommandHost, VerbContext};
pub(crate) use text_folder::unreadable;
pub use text_folder::{list_remarks, name_folder, read_text_files};

/// A command that a program brings along. It is called once, by the thread of the program, so that what it does may stay on that thread.
#[async_trait(?Send)]
pub trait Verb: Send + Sync {
    /// Its name, the line about it in the list of commands, its subcommands and flags. Each flag has a variable, `PALIMPSEST_` and its name.
    fn command(&self) -> Command;

    /// What makes it end with [`Exit::Failed`], for the list of exit codes in the help.
    fn failures(&self) -> &'static [FailedWhen] {
        &[]
    }

    /// Carries it out with what was given.
    ///
    /// # Errors
    ///
    /// It cannot be carried out; the message is printed.
    async fn call(&self, given: &ArgMatches, context: VerbContext) -> Result<Exit, Failure>;
}

/// The verbs of a program.
pub(crate) type Verbs = Vec<&'static dyn Verb>;

/// The names of the commands that every program has.
pub(crate) const COMMANDS: [&str; 19] = [
    "serve",
    "run",
    "sessions",
    "show",
    "replay",
    "fork",
    "refine",
    "cancel",
    "delete",
    "export",
    "operations",
    "models",
    "verify",
    "anchor",
    "backup",
    "restore",
    "migrate",
    "settings",
    "help",
];

/// The name of the first of these verbs that is the name of another one, or of a command that every program has.
pub(crate) fn named_twice(verbs: &Verbs) -> Option<String> {
    let mut names: Vec<String> = COMMANDS.map(str::to_owned).into();
    for verb in verbs {
        let name = verb.command().get_name().to_owned();
        if names.contains(&name) {
            return Some(name);
        }
        names.push(name);
    }
    None
}
