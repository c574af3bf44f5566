//! `story`: stories in folders, without a session: checks and exports them, and shows where a message about them would go.

mod check;
mod export;
mod route;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use commands::project::as_project;
use domain::story::book::{Book, ProseText};
use domain::story::folder::{FolderRead, read as read_folder};
use serde_json::to_value;

use super::Settings;
use super::exit::{Exit, Failure};
use super::{out, projects};

/// Stories in folders of text files.
#[derive(Args, Debug)]
pub(super) struct Story {
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

pub(super) fn story(_: &Settings, args: &Story) -> Result<Exit, Failure> {
    match &args.command {
        Command::Check(args) => check::check(args),
        Command::Export(args) => export::export(args),
        Command::Route(args) => route::route(args),
    }
}

/// The story of a folder, as a project would have it.
fn book(folder: &Path) -> Result<Book, Failure> {
    let files = projects::text_files(folder)?;
    let FolderRead {
        description,
        entries,
        texts,
        remarks,
    } = read_folder(&projects::called(folder)?, &files);
    let remarks: Vec<_> = remarks.iter().filter_map(|it| to_value(it).ok()).collect();
    for line in projects::remark_lines(&remarks) {
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
