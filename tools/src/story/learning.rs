//! Accepted chapters are read for what they say.

use domain::Actor;
use domain::carry::ToolOutcome;
use domain::ids::EntryId;
use domain::story::book::ProseText;
use domain::story::extract::facts;
use domain::streams::PROJECT;
use runner::ProjectError;
use runner::changes::{ProjectCommand, TellFacts};
use runner::tools::{ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{bible, missing};

/// Chapters that one run reads; what is left is read after the next change.
const CHAPTERS_MAX: usize = 500;

/// Who reads, where no model does.
const BY: &str = "rules";

#[derive(Deserialize)]
struct OfStream {
    stream: String,
}

/// The project whose stream this is.
fn project_of(stream: &str) -> &str {
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
    let chapters: Vec<&EntryId> = unread.map(|(id, _)| id).take(CHAPTERS_MAX).collect();
    let summary = format!("{} chapters", chapters.len());
    Ok(ToolOutcome::gave(json!({ "chapters": chapters }), summary))
}

#[derive(Deserialize)]
struct OfChapter {
    stream: String,
    chapter: EntryId,
}

pub(super) async fn learn(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfChapter::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let project = project_of(&asked.stream);
    let Some(book) = bible(context, project).await? else {
        return Ok(missing(project));
    };
    let prose = book.project().prose.get(&asked.chapter);
    let accepted = prose.and_then(|prose| prose.accepted()).cloned();
    // What a chapter says depends on the bible and on no other chapter: reading all of them for each would take the square of a novel.
    let (version, book) = match accepted {
        Some(accepted) => {
            let projects = context.projects();
            let text = projects.text(context.owner(), project, &accepted.text);
            let (version, text) = (accepted.version, text.await?);
            let prose = ProseText { version, text };
            (version, book.with(asked.chapter.clone(), prose))
        }
        None => (0, book),
    };
    let chapter = asked.chapter.clone();
    let found = tokio::task::spawn_blocking(move || facts(&book, &chapter)).await;
    let found = found.map_err(|error| ToolError::new("not_read", &error.to_string(), true))?;
    let count = found.len();
    let command = ProjectCommand::TellFacts(TellFacts {
        chapter: asked.chapter,
        version,
        facts: found,
        by: BY.to_owned(),
    });
    let key = context.key();
    let changed = context
        .projects()
        .change(
            context.owner(),
            project,
            command,
            vec![],
            &key,
            Actor::system(),
        )
        .await;
    match changed {
        Ok(_) => {
            let output = json!({ "facts": count, "version": version, "by": BY });
            Ok(ToolOutcome::gave(output, format!("{count} facts")))
        }
        // It was accepted anew meanwhile; that version is read by the run that this began.
        Err(ProjectError::Refused(refusal)) => Ok(ToolOutcome::refused(
            refusal.code(),
            &refusal.to_string(),
            false,
        )),
        Err(ProjectError::Log(error)) => Err(error.into()),
    }
}
