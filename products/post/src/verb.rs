//! `notes`: loads, lists, searches and removes the notes that posts are written from.

use std::path::PathBuf;

use async_trait::async_trait;
use bytes::Bytes;
use clap::{
    ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum,
};
use palimpsest::prelude::verb::{Client, Exit, Failure, Verb, VerbContext, in_address, out};
use serde_json::Value;

use super::resources::notes::IMPORT_BYTES_MAX;
use crate::notes;
use crate::notes::Note;

/// The verb `notes`.
pub(crate) struct NotesVerb;

#[async_trait(?Send)]
impl Verb for NotesVerb {
    fn command(&self) -> clap::Command {
        Notes::command()
    }

    async fn call(&self, given: &ArgMatches, context: VerbContext) -> Result<Exit, Failure> {
        let Notes { command } = Notes::from_arg_matches(given)?;
        // Errors in a file are reported before anything is opened.
        let loaded = match &command {
            Command::Import(import) => Some(read(import)?),
            Command::List(_) | Command::Search(_) | Command::Remove(_) => None,
        };
        let place = context.host().await?;
        let done = match command {
            Command::Import(import) => {
                send(&place.client, &import, loaded.unwrap_or_default()).await
            }
            Command::List(list) => show(&place.client, None, &list).await,
            Command::Search(search) => show(&place.client, Some(&search.query), &search.list).await,
            Command::Remove(remove) => self::remove(&place.client, &remove.ids).await,
        };
        place.leave().await;
        done?;
        Ok(Exit::Done)
    }
}

/// Load, list, search and remove the notes that posts are written from
#[derive(Parser, Debug)]
#[command(name = "notes")]
struct Notes {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Load notes from a file; nothing of it is taken where anything in it is wrong
    Import(Import),
    /// List notes, by id
    List(List),
    /// Find notes, best first
    Search(Search),
    /// Remove notes
    Remove(Remove),
}

#[derive(Args, Debug)]
struct Import {
    /// A table with a line of headings, or an object a line
    file: PathBuf,
    /// How it is written; told from its name where absent
    #[arg(long, env = "PALIMPSEST_FORMAT", value_enum)]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Jsonl,
}

#[derive(Args, Debug)]
struct List {
    /// At most this many
    #[arg(long, env = "PALIMPSEST_LIMIT", default_value_t = 50)]
    limit: usize,
    /// One note a line, as JSON
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

#[derive(Args, Debug)]
struct Search {
    /// Words to look for
    query: String,
    #[command(flatten)]
    list: List,
}

#[derive(Args, Debug)]
struct Remove {
    /// The ids
    #[arg(required = true)]
    ids: Vec<String>,
}

fn read(import: &Import) -> Result<Vec<Note>, Failure> {
    let name = import.file.display();
    let extension = import
        .file
        .extension()
        .unwrap_or_default()
        .to_string_lossy();
    let format = match (import.format, &*extension.to_lowercase()) {
        (Some(Format::Csv), _) | (None, "csv") => notes::Format::Csv,
        (Some(Format::Jsonl), _) | (None, "jsonl" | "ndjson") => notes::Format::JsonLines,
        (None, _) => {
            let message = format!("{name} is neither .csv nor .jsonl; say `--format`");
            return Err(Failure::usage(message));
        }
    };
    let bytes = std::fs::read(&import.file);
    let bytes = bytes.map_err(|error| Failure::usage(format!("{name} cannot be read: {error}")))?;
    notes::read(format, intake::text(&bytes).as_bytes())
        .map_err(|bad| Failure::usage(format!("{name}: {bad}")))
}

/// Sends notes in as few parts as the server accepts. The whole file was checked before, so that a part is refused only if the collection
/// is full.
async fn send(client: &Client, import: &Import, notes: Vec<Note>) -> Result<(), Failure> {
    let count = notes.len();
    let name = import
        .file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let path = format!("/api/notes/import?format=jsonl&name={}", in_address(&name));
    let (mut added, mut replaced, mut unchanged) = (0, 0, 0);
    for part in parts(notes) {
        let answer = client
            .send_lines(&path, part)
            .await
            .map_err(|mut failure| {
                let taken = added + replaced + unchanged;
                if taken > 0 {
                    let rest = format!("; {taken} of {count} notes had been taken before");
                    failure.message.push_str(&rest);
                }
                failure
            })?;
        added += number(&answer, "added");
        replaced += number(&answer, "replaced");
        unchanged += number(&answer, "unchanged");
    }
    out::line(&format!(
        "{count} notes: {added} new, {replaced} replaced, {unchanged} unchanged"
    ))
}

fn parts(notes: Vec<Note>) -> Vec<Bytes> {
    let mut parts = vec![];
    let mut part = vec![];
    for note in notes {
        let line = note.content();
        if part.len() + line.len() >= IMPORT_BYTES_MAX {
            parts.push(Bytes::from(std::mem::take(&mut part)));
        }
        part.extend(line);
        part.push(b'\n');
    }
    parts.push(Bytes::from(part));
    parts
}

async fn show(client: &Client, query: Option<&str>, list: &List) -> Result<(), Failure> {
    let (mut left, mut cursor, mut shown) = (list.limit, None::<String>, 0);
    while left > 0 {
        let mut path = format!("/api/notes?limit={}", left.min(200));
        if let Some(query) = query {
            path.push_str(&format!("&query={}", in_address(query)));
        }
        if let Some(cursor) = &cursor {
            path.push_str(&format!("&cursor={}", in_address(cursor)));
        }
        let page = client.get(&path).await?;
        let notes = page["notes"].as_array().cloned().unwrap_or_default();
        left = left.saturating_sub(notes.len());
        shown += notes.len();
        for note in &notes {
            out::line(&line(note, list.json))?;
        }
        match page["next"].as_str() {
            Some(next) if !notes.is_empty() => cursor = Some(next.to_owned()),
            Some(_) | None => break,
        }
    }
    if shown == 0 && !list.json {
        out::note(&match query {
            Some(_) => "nothing was found".to_owned(),
            None => format!(
                "there are no notes yet; load some with `{} notes import FILE`",
                out::program()
            ),
        });
    }
    Ok(())
}

fn line(note: &Value, json: bool) -> String {
    if json {
        return note.to_string();
    }
    let text = |field: &str| note[field].as_str().unwrap_or_default();
    let tags = note["tags"].as_array().cloned().unwrap_or_default();
    let tags: Vec<String> = tags
        .iter()
        .filter_map(Value::as_str)
        .map(|tag| format!("#{tag}"))
        .collect();
    format!(
        "{}  {:>7}  {:<20}  {}  {}",
        text("id"),
        number(note, "engagement"),
        text("publishedAt"),
        text("title"),
        tags.join(" ")
    )
}

async fn remove(client: &Client, ids: &[String]) -> Result<(), Failure> {
    for id in ids {
        client
            .remove(&format!("/api/notes/{}", in_address(id)))
            .await?;
    }
    out::line(&format!("{} removed", ids.len()))
}

fn number(answer: &Value, field: &str) -> u64 {
    answer[field].as_u64().unwrap_or_default()
}
