//! Accepted chapters are read for the facts that they state.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::event::Body;
use palimpsest::prelude::pipeline::{EntryId, StepState, ToolOutcome};
use palimpsest::prelude::resource::changes::{ProjectCommand, TellFacts};
use palimpsest::prelude::resource::project::{BY_RULES, Project};
use palimpsest::prelude::resource::{PROJECT, ProjectError};
use palimpsest::prelude::tool::{Stop, ToolContext, ToolError};
use palimpsest::prelude::wire::Actor;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{bible, missing};
use crate::readings::book::{Book, ProseText};
use crate::readings::extract::{
    KNOWN_CHARS, SaidFacts, WhoRead, facts_said, known_names, ranges, remarks,
};

/// Chapters that one run reads; the others are read after the next change.
const CHAPTERS_MAX: usize = 500;

#[derive(Deserialize)]
struct OfStream {
    stream: String,
}

/// The project whose stream this is.
pub(super) fn project_of(stream: &str) -> &str {
    stream.strip_prefix(PROJECT).unwrap_or(stream)
}

pub(super) async fn unread(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfStream::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let project = project_of(&asked.stream);
    let state = context.projects().get(context.owner(), project).await?;
    let unread = state.prose.iter().filter(|(_, prose)| prose.is_unread());
    let (mut chapters, mut versions, mut bytes) = (vec![], BTreeMap::new(), BTreeMap::new());
    for (id, prose) in unread.take(CHAPTERS_MAX) {
        chapters.push(id);
        versions.insert(id, prose.accepted);
        bytes.insert(id, prose.accepted().map_or(0, |version| version.text.size));
    }
    let summary = format!("{} chapters", chapters.len());
    let output = json!({ "chapters": chapters, "versions": versions, "bytes": bytes });
    Ok(ToolOutcome::gave(output, summary))
}

#[derive(Deserialize)]
struct OfChapter {
    stream: String,
    chapter: EntryId,
    /// The version that was found unread. Runs from before this was recorded have none, and read the accepted one.
    #[serde(default)]
    version: Option<u32>,
    /// The kind of artifact that holds a model's reading of a chapter, and the stage that makes it.
    #[serde(default)]
    said: String,
    #[serde(default)]
    asked: String,
}

impl OfChapter {
    fn project(&self) -> &str {
        project_of(&self.stream)
    }

    /// The version to read; `None` if another version has been accepted by now, which is read by the run that its acceptance began.
    fn version(&self, project: &Project) -> Option<u32> {
        let prose = project.prose.get(&self.chapter);
        let accepted = prose.and_then(|prose| prose.accepted)?;
        (self.version.is_none() || self.version == Some(accepted)).then_some(accepted)
    }
}

/// The bible with the accepted text of this chapter alone: its facts depend on no other chapter, and if all chapters were read for each
/// one, the time would grow with the square of the length of a novel.
async fn of_chapter(
    context: &ToolContext<'_>,
    asked: &OfChapter,
) -> Result<Option<Book>, ToolError> {
    let Some(book) = bible(context, asked.project()).await? else {
        return Ok(None);
    };
    let prose = book.project().prose.get(&asked.chapter);
    let Some(accepted) = prose.and_then(|prose| prose.accepted()).cloned() else {
        return Ok(Some(book));
    };
    let projects = context.projects();
    let text = projects.text(context.owner(), asked.project(), &accepted.text);
    let (version, text) = (accepted.version, text.await?);
    let prose = ProseText { version, text };
    Ok(Some(book.with(asked.chapter.clone(), prose)))
}

fn superseded() -> ToolOutcome {
    let output = json!({ "superseded": true });
    ToolOutcome::gave(
        output,
        "another version was accepted, which the next run reads",
    )
}

pub(super) async fn chapter(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfChapter::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let Some(book) = of_chapter(context, &asked).await? else {
        return Ok(missing(asked.project()));
    };
    let Some(version) = asked.version(book.project()) else {
        return Ok(superseded());
    };
    let read = tokio::task::spawn_blocking(move || in_ranges(&book, &asked.chapter, version));
    read.await
        .map_err(|error| ToolError::new("not_read", &error.to_string(), true))
}

/// A chapter as a model is shown it.
fn in_ranges(book: &Book, chapter: &EntryId, version: u32) -> ToolOutcome {
    let chapters = book.chapters();
    let placed = chapters.iter().find(|it| it.id == chapter);
    let text = placed.map_or("", |it| it.text);
    let known = known_names(book, text, KNOWN_CHARS);
    let ranges: Vec<&str> = ranges(text).into_iter().map(|range| &text[range]).collect();
    let language = if book.is_chinese() {
        "简体中文"
    } else {
        "English"
    };
    let summary = format!("{} parts", ranges.len());
    let output = json!({
        "version": version, "language": language,
        "title": placed.map_or("", |it| it.chapter.title.as_str()),
        "bible": known.text, "bibleLeftOut": known.left_out, "ranges": ranges,
    });
    ToolOutcome::gave(output, summary)
}

/// What a model said about a chapter, as the step that asked the model recorded it.
#[derive(Deserialize)]
struct Said {
    version: u32,
    by: Option<String>,
    parts: usize,
    unread: usize,
    said: Vec<SaidFacts>,
}

/// What a model said about the chapter in this run, and which model read it.
async fn of_model(
    context: &ToolContext<'_>,
    asked: &OfChapter,
    version: u32,
) -> Result<(WhoRead, Option<Said>), ToolError> {
    let session = context.session().await?;
    let run = session.run(context.step().run).ok_or(Stop::Over)?;
    let found = run
        .artifacts_of(&asked.said)
        .find(|(item, _)| *item == asked.chapter.as_str());
    if let Some((_, artifact)) = found {
        let body = match &artifact.body {
            Body::Event { json } => json.as_ref().clone(),
            Body::Blob { blob, .. } => {
                let bytes = context.blob(&blob.sha256).await?;
                serde_json::from_slice(&bytes).unwrap_or_default()
            }
        };
        let said = Said::deserialize(&body).ok();
        if let Some(said) = said.filter(|said| said.version == version) {
            let (parts, unread) = (said.parts, said.unread);
            return Ok((WhoRead::Model { parts, unread }, Some(said)));
        }
    }
    let step = run.step(&asked.asked, asked.chapter.as_str());
    let who = match step.map(|step| &step.state) {
        _ if run.settings.ports.is_offline() => WhoRead::NoModel,
        Some(StepState::Failed { message, .. }) => WhoRead::NoAnswer {
            why: message.clone(),
        },
        Some(StepState::Succeeded) => WhoRead::NoAnswer { why: String::new() },
        Some(StepState::Open | StepState::Cancelled | StepState::Reopened) | None => {
            WhoRead::NoBudget
        }
    };
    Ok((who, None))
}

pub(super) async fn learn(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfChapter::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let project = asked.project().to_owned();
    let Some(book) = of_chapter(context, &asked).await? else {
        return Ok(missing(&project));
    };
    let Some(version) = asked.version(book.project()) else {
        return Ok(superseded());
    };
    let (who, said) = of_model(context, &asked, version).await?;
    let by = said.as_ref().and_then(|said| said.by.clone());
    let by = by.filter(|_| who.is_model());
    let by = by.unwrap_or_else(|| BY_RULES.to_owned());
    let (chapter, chinese) = (asked.chapter.clone(), book.is_chinese());
    let found = tokio::task::spawn_blocking(move || {
        let said = said.map(|said| said.said).unwrap_or_default();
        facts_said(&book, &chapter, &said)
    });
    let found = found.await;
    let found = found.map_err(|error| ToolError::new("not_read", &error.to_string(), true))?;
    let told = remarks(&who, &found, chinese);
    let output = json!({
        "facts": found.facts.len(), "version": version, "by": by, "remarks": told,
        "notInText": found.not_in_text, "notInBible": found.not_in_bible,
    });
    let summary = format!("{} facts by {by}", found.facts.len());
    let command = ProjectCommand::TellFacts(TellFacts {
        chapter: asked.chapter,
        version,
        facts: found.facts,
        by,
        remarks: told,
    });
    let (projects, owner, key) = (context.projects(), context.owner(), context.key());
    let changed = projects.change(owner, &project, command, vec![], &key, Actor::system());
    match changed.await {
        Ok(_) => Ok(ToolOutcome::gave(output, summary)),
        // Another version was accepted meanwhile; it is read by the run that its acceptance began.
        Err(ProjectError::Refused(refusal)) => Ok(ToolOutcome::refused(
            refusal.code(),
            &refusal.to_string(),
            false,
        )),
        Err(ProjectError::Log(error)) => Err(error.into()),
    }
}
