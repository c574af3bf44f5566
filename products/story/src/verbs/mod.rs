//! `story`: stories in folders, without a session: checks and exports them, and shows where a message about them would go.

mod check;
mod export;
mod route;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use palimpsest::prelude::resource::project_commands::as_project;
use palimpsest::prelude::verb::{
    Exit, FailedWhen, Failure, Verb, VerbContext, list_remarks, name_folder, out, read_text_files,
};
use serde_json::to_value;

use crate::readings::book::{Book, ProseText};
use crate::readings::folder::{FolderRead, read as read_folder};

/// The verb `story`.
pub(super) struct StoryVerb;

#[async_trait(?Send)]
impl Verb for StoryVerb {
    fn command(&self) -> clap::Command {
        Story::command()
    }

    fn failures(&self) -> &'static [FailedWhen] {
        const FAILURES: [FailedWhen; 1] = [FailedWhen {
            subject: "a story",
            predicate: "did not pass its check",
        }];
        &FAILURES
    }

    async fn call(&self, given: &ArgMatches, _: VerbContext) -> Result<Exit, Failure> {
        match &Story::from_arg_matches(given)?.command {
            Command::Check(args) => check::check(args),
            Command::Export(args) => export::export(args),
            Command::Route(args) => route::route(args),
        }
    }
}

/// Check and export stories that are folders of text files
#[derive(Parser, Debug)]
#[command(name = "story")]
struct Story {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Say what contradicts itself, by rules
    Check(check::Check),
    /// Leave the accepted chapters as a book
    Export(export::Export),
    /// Say where a message would go
    Route(route::Route),
}

/// The story of a folder, as a project would have it.
fn book(folder: &Path) -> Result<Book, Failure> {
    let files = read_text_files(folder)?;
    let FolderRead {
        description,
        entries,
        texts,
        remarks,
    } = read_folder(&name_folder(folder)?, &files);
    let remarks: Vec<_> = remarks.iter().filter_map(|it| to_value(it).ok()).collect();
    for line in list_remarks(&remarks) {
        out::note(&line);
    }
    let prose: Vec<_> = texts
        .iter()
        .map(|text| (text.chapter.clone(), Arc::<str>::from(text.text.as_str())))
        .collect();
    let project = as_project(description, entries, texts)
        .map_err(|refusal| Failure::usage(format!("{}: {refusal}", folder.display())))?;
    let prose: BTreeMap<_, _> = prose
        .into_iter()
        .map(|(chapter, text)| {
            let saved = project.prose.get(&chapter).and_then(|prose| prose.draft());
            let version = saved.map_or(1, |draft| draft.version);
            (chapter, ProseText { version, text })
        })
        .collect();
    Ok(Book::new(Arc::new(project), prose))
}
