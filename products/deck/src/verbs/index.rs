//! `deck ingest` and `deck search`: the design index from the command line, on this machine or on a server.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::{Args, ValueEnum};
use palimpsest::prelude::verb::{Client, Exit, Failure, VerbContext, in_address, out};
use serde_json::Value;

/// Which decks later ones are made after.
#[derive(Args, Debug)]
pub(super) struct Ingest {
    /// Decks in SlideDSL, and presentations: .sdsl, .pptx, .odp
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// What of a deck is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Granularity {
    Deck,
    Slide,
    Element,
}

/// What is looked for.
#[derive(Args, Debug)]
pub(super) struct Search {
    /// What the slide is about, and what it has: `three KPIs on a dark slide`
    query: String,
    #[arg(
        long,
        env = "PALIMPSEST_GRANULARITY",
        value_enum,
        default_value = "slide"
    )]
    granularity: Granularity,
    /// At most this many
    #[arg(long, env = "PALIMPSEST_LIMIT", default_value_t = 10)]
    limit: usize,
    /// One find a line, as JSON
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) async fn ingest(context: VerbContext, args: &Ingest) -> Result<Exit, Failure> {
    // Files that cannot be read are reported before anything is opened.
    let mut files = vec![];
    for path in &args.files {
        let bytes = std::fs::read(path).map_err(|error| {
            Failure::usage(format!("{} cannot be read: {error}", path.display()))
        })?;
        files.push((path, Bytes::from(bytes)));
    }
    let place = context.host().await?;
    let mut refused = 0;
    let mut done = Ok(());
    for (path, bytes) in files {
        match send(&place.client, path, bytes).await {
            Ok(lines) => done = lines.iter().try_for_each(|line| out::line(line)),
            // One refused deck does not keep the others from being indexed.
            Err(failure) => {
                refused += 1;
                out::error(&format!("{}: {}", path.display(), failure.message));
            }
        }
        if done.is_err() {
            break;
        }
    }
    place.leave().await;
    done?;
    Ok(if refused == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

async fn send(client: &Client, path: &Path, bytes: Bytes) -> Result<Vec<String>, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let address = format!("/api/index/decks?name={}", in_address(&name));
    let answer = client.send_bytes(&address, bytes).await?;
    let (slides, id) = (&answer["slides"], text(&answer, "deck_chunk_id"));
    let what = if answer["added"] == true {
        "new"
    } else {
        "there already"
    };
    let title = text(&answer, "title");
    let mut lines = vec![format!("{id}  {slides} slides  {title} ({what})")];
    for left in answer["left_out"].as_array().into_iter().flatten() {
        let slide = left["slide"].as_u64().unwrap_or_default();
        let (what, why) = (text(left, "what"), text(left, "why"));
        lines.push(format!("  slide {slide}: {what}: {why}"));
    }
    Ok(lines)
}

pub(super) async fn search(context: VerbContext, args: &Search) -> Result<Exit, Failure> {
    let place = context.host().await?;
    let granularity = match args.granularity {
        Granularity::Deck => "deck",
        Granularity::Slide => "slide",
        Granularity::Element => "element",
    };
    let (query, limit) = (in_address(&args.query), args.limit);
    let path = format!("/api/index/search?q={query}&granularity={granularity}&limit={limit}");
    let found = place.client.get(&path).await;
    place.leave().await;
    let found = found?;
    let results = found["results"].as_array().cloned().unwrap_or_default();
    if let Some(remark) = found["remark"].as_str() {
        out::note(remark);
    }
    for hit in &results {
        out::line(&if args.json {
            hit.to_string()
        } else {
            line(hit)
        })?;
    }
    if results.is_empty() && !args.json {
        out::note(&format!(
            "nothing was found; put decks in with `{} deck ingest FILE`",
            out::program()
        ));
    }
    Ok(Exit::Done)
}

fn line(hit: &Value) -> String {
    let score = |part: &str| hit[part].as_f64().unwrap_or_default();
    format!(
        "{:.3} ({:.2} meaning, {:.2} structure, {:.2} words)  {:<14} {}  {}  [{}]",
        score("score"),
        score("semantic_score"),
        score("structural_score"),
        score("keyword_score"),
        text(hit, "slide_type"),
        text(hit, "semantic_summary"),
        text(hit, "deck_title"),
        text(hit, "chunk_id"),
    )
}

/// A text field of an answer; empty if there is none.
fn text<'a>(answer: &'a Value, field: &str) -> &'a str {
    answer[field].as_str().unwrap_or_default()
}
