//! A passage that a person selected, with what stands around it. What cannot be worked on is an answer that says what to do.

use palimpsest::prelude::pipeline::{EntryId, ToolOutcome};
use palimpsest::prelude::tool::{ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::missing;
use crate::readings::passage::{
    PassageRefusal, PassageSelection, PassageWish, SelectedPassage, read as read_in, select,
};

#[derive(Deserialize)]
struct Asked {
    project: String,
    selection: PassageSelection,
    /// The chapter that is open.
    #[serde(default)]
    chapter: Option<EntryId>,
    wish: PassageWish,
}

pub(super) async fn read(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Asked::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let projects = context.projects();
    let project = projects.get(context.owner(), &asked.project).await?;
    if !project.exists() {
        return Ok(missing(&asked.project));
    }
    let selected = match select(&project, &asked.selection, asked.chapter.as_ref()) {
        Ok(selected) => selected,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    let text = &selected.version.text;
    let text = projects.text(context.owner(), &asked.project, text).await?;
    Ok(
        match read_in(&selected, &asked.selection, &text, asked.wish) {
            Ok(passage) => gave(&passage),
            Err(refusal) => refused(&refusal),
        },
    )
}

fn refused(refusal: &PassageRefusal) -> ToolOutcome {
    ToolOutcome::refused(refusal.code(), &refusal.to_string(), false)
}

fn gave(passage: &SelectedPassage) -> ToolOutcome {
    let summary = format!(
        "{} characters of version {}",
        passage.text.chars().count(),
        passage.version
    );
    ToolOutcome::gave(json!(passage), summary)
}
