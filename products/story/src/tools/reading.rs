//! What the bible knows, for the tasks that prepare the work of an agent.

use std::sync::Arc;

use palimpsest::prelude::pipeline::{EntryId, ToolOutcome};
use palimpsest::prelude::tool::embedding::cost_micros;
use palimpsest::prelude::tool::{Stop, ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};
use words::sentences::sentences;

use super::books::Edition;
use super::searched::{SearchedStory, searched_story};
use super::searching::StoryQuestion;
use super::{bible, book, missing};
use crate::readings::book::Book;
use crate::readings::check::{PlannedScene, preflight};
use crate::readings::context::{ContextRequest, StoryBlock, context as told, named};
use crate::readings::progress::progress;
use crate::readings::search::StoryFilter;

/// Passages that a search gives; the contract's number.
const FOUND: usize = 5;

/// Tokens that one task adds to a prompt; a prompt has room for six such tasks.
const TASK_TOKENS: u64 = 4_000;

/// Characters of chapters that are read whole.
const CHAPTERS_CHARS: usize = 60_000;

#[derive(Deserialize)]
struct OfProject {
    project: String,
}

pub(super) async fn project(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfProject::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let project = context.projects().get(context.owner(), &asked.project);
    let project = project.await?;
    if !project.exists() {
        return Ok(missing(&asked.project));
    }
    let chapters: Vec<Value> = project
        .chapters()
        .into_iter()
        .zip(1..)
        .map(
            |((id, chapter), number)| json!({ "id": id, "number": number, "title": chapter.title }),
        )
        .collect();
    let summary = format!("{}, {} chapters", project.description.title, chapters.len());
    let output = json!({
        "id": asked.project,
        "version": project.version,
        "title": project.description.title,
        "language": project.description.language,
        "phase": project.description.phase,
        "progress": progress(&project),
        "chapters": chapters,
    });
    Ok(ToolOutcome::gave(output, summary))
}

#[derive(Deserialize)]
pub(super) struct Asked {
    project: String,
    task: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    chapter: Option<EntryId>,
    #[serde(default)]
    chapters: Option<Vec<EntryId>>,
    #[serde(default)]
    characters: Option<Vec<EntryId>>,
}

pub(super) async fn read(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Asked::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    if asked.task == "search" {
        return search(context, asked).await;
    }
    let known = match asked.task.as_str() {
        "chapters" => book(context, &asked.project, Edition::Drafts).await?,
        "style" => book(context, &asked.project, Edition::Accepted).await?,
        _ => bible(context, &asked.project).await?,
    };
    let Some(book) = known else {
        return Ok(missing(&asked.project));
    };
    // Splitting a long book into words takes a separate thread.
    let read = tokio::task::spawn_blocking(move || task(&book, &asked));
    read.await
        .map_err(|error| ToolError::new("not_read", &error.to_string(), true))
}

pub(super) fn task(book: &Book, asked: &Asked) -> ToolOutcome {
    let message = asked.message.as_deref().unwrap_or_default();
    match asked.task.as_str() {
        "preflight" => scene(book, asked, message),
        "characters" => blocks(
            book,
            asked,
            &[
                StoryBlock::Pinned,
                StoryBlock::Cast,
                StoryBlock::ExistingCharacters,
            ],
        ),
        "style" => blocks(book, asked, &[StoryBlock::Style, StoryBlock::PreviousEnd]),
        "summaries" => blocks(book, asked, &[StoryBlock::ChapterSummaries]),
        "plotloops" => blocks(book, asked, &[StoryBlock::PlotLoops]),
        "world" => blocks(book, asked, &[StoryBlock::Pinned, StoryBlock::WorldRules]),
        "archetypes" => blocks(book, asked, &[StoryBlock::Archetypes]),
        "chapters" => chapters(book, asked),
        other => {
            let message = format!("there is no task `{other}`");
            ToolOutcome::refused("unknown_task", &message, false)
        }
    }
}

/// The chapter that is worked on: the open one, otherwise the only one that is mentioned.
fn place(asked: &Asked) -> Option<&EntryId> {
    let spoken = asked.chapters.as_deref().unwrap_or_default();
    asked.chapter.as_ref().or(match spoken {
        [only] => Some(only),
        _ => None,
    })
}

/// Passages that are related to the message, found by words and by vectors.
async fn search(context: &ToolContext<'_>, asked: Asked) -> Result<ToolOutcome, ToolError> {
    let (projects, collections) = (context.projects(), context.collections());
    let searched = searched_story(projects, collections, context.owner(), &asked.project);
    let Some(story) = searched.await? else {
        return Ok(missing(&asked.project));
    };
    let message = asked.message.clone().unwrap_or_default();
    let question = StoryQuestion::of(&story, context.embedder(), &message).await;
    let cost_micros = match context.embedder() {
        Some(embedder) if question.tokens() > 0 => {
            let session = context.session().await?;
            let run = session.run(context.step().run).ok_or(Stop::Over)?;
            cost_micros(&run.settings, embedder, question.tokens())
        }
        Some(_) | None => 0,
    };
    let read = tokio::task::spawn_blocking(move || searched_for(&story, &question, &asked));
    let outcome = read
        .await
        .map_err(|error| ToolError::new("not_read", &error.to_string(), true))?;
    Ok(ToolOutcome {
        cost_micros,
        ..outcome
    })
}

pub(super) fn searched_for(
    story: &SearchedStory,
    question: &StoryQuestion,
    asked: &Asked,
) -> ToolOutcome {
    let message = asked.message.as_deref().unwrap_or_default();
    let filter = StoryFilter {
        // What later chapters say is not yet known in the chapter that is worked on.
        to_chapter: place(asked).and_then(|id| story.project.number(id)),
        limit: FOUND,
        ..StoryFilter::default()
    };
    let found = question.passages(story, message, &filter);
    // The passages that were found contain their words.
    let book = Book::without_prose(Arc::clone(&story.project));
    let context = told(
        &book,
        &ContextRequest {
            message,
            chapter: place(asked),
            characters: asked.characters.as_deref().unwrap_or_default(),
            blocks: &[StoryBlock::Found],
            found: &found,
            budget: TASK_TOKENS,
        },
    );
    let summary = format!("{} passages", found.len());
    let output = json!({
        "text": context.text(), "results": found, "leftOut": context.left_out,
        "by": question.by(), "reason": question.reason,
    });
    ToolOutcome::gave(output, summary)
}

fn blocks(book: &Book, asked: &Asked, blocks: &[StoryBlock]) -> ToolOutcome {
    let context = told(
        book,
        &ContextRequest {
            message: asked.message.as_deref().unwrap_or_default(),
            chapter: place(asked),
            characters: asked.characters.as_deref().unwrap_or_default(),
            blocks,
            found: &[],
            budget: TASK_TOKENS,
        },
    );
    let summary = format!("{} parts, {} tokens", context.parts.len(), context.total);
    let preview = context.preview();
    let output = json!({
        "text": context.text(), "parts": preview.parts, "leftOut": preview.left_out,
    });
    ToolOutcome::gave(output, summary)
}

fn scene(book: &Book, asked: &Asked, message: &str) -> ToolOutcome {
    let chapters = book.chapters();
    let open = place(asked).and_then(|id| chapters.iter().find(|it| it.id == id));
    let number = open.map_or(chapters.len() + 1, |open| open.number);
    let mut cast = asked.characters.clone().unwrap_or_default();
    cast.extend(open.into_iter().flat_map(|open| open.chapter.cast.clone()));
    let people: Vec<EntryId> = book
        .characters()
        .map(|(entry, _)| entry.id.clone())
        .collect();
    cast.extend(
        named(book, message)
            .into_iter()
            .filter(|id| people.contains(id)),
    );
    cast.sort();
    cast.dedup();
    let before = chapters.iter().rev().find(|it| it.number < number);
    let looked = preflight(
        book,
        &PlannedScene {
            chapter_order: i64::try_from(number).unwrap_or(i64::MAX),
            cast,
            place: open
                .and_then(|open| open.chapter.place.as_ref())
                .map(ToString::to_string),
            time: open.and_then(|open| open.chapter.date.clone()),
            previous_time: before.and_then(|before| before.chapter.date.clone()),
        },
    );
    let lines = looked
        .issues
        .iter()
        .map(|issue| format!("- {}", issue.description));
    let text: Vec<String> = lines.collect();
    let summary = format!("{} issues", looked.issues.len());
    let output = json!({
        "text": text.join("\n"), "canProceed": looked.can_proceed, "issues": looked.issues,
    });
    ToolOutcome::gave(output, summary)
}

fn chapters(book: &Book, asked: &Asked) -> ToolOutcome {
    let wanted = asked.chapters.clone().unwrap_or_default();
    let chapters = book.chapters();
    let wanted = chapters.iter().filter(|it| wanted.contains(it.id));
    let (mut text, mut room, mut cut) = (String::new(), CHAPTERS_CHARS, vec![]);
    for chapter in wanted {
        let title = format!("{} {}", chapter.number, chapter.chapter.title);
        let shown: String = chapter.text.chars().take(room).collect();
        room -= shown.chars().count();
        text.push_str(&format!("# {title}\n\n{shown}\n\n"));
        if shown.len() < chapter.text.len() {
            cut.push(title);
        }
    }
    let output = json!({ "named": spoken_of(book, &text), "text": text, "leftOut": cut });
    ToolOutcome::gave(output, "chapters")
}

/// The entries of the bible that a text names, each with the first sentence that names it.
fn spoken_of(book: &Book, text: &str) -> Vec<Value> {
    let found = named(book, text).into_iter().filter_map(|id| {
        let what = &book.project().entry(&id)?.what;
        let names = std::iter::once(what.name()).chain(what.aliases().iter().map(String::as_str));
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let says = |sentence: &&str| names.iter().any(|name| sentence.contains(name));
        let sentences = sentences(text).into_iter().map(|range| &text[range]);
        let sentence = { sentences }.find(says);
        Some(json!({
            "id": id, "kind": what.kind(), "name": what.name(), "aliases": what.aliases(),
            "sentence": sentence,
        }))
    });
    found.collect()
}
