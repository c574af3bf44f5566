//! Checks the passage of a message before a run is begun, so that nothing is paid for a run that cannot succeed.

use axum::http::StatusCode;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::wire::{ApiError, App, Owner};

use super::errors::StoryRefusal;
use super::request::ChatRequest;
use crate::readings::passage::{PassageRefusal, read, select, wish};

/// Refuses a message about a passage that does not exist, or that nobody may change.
pub(super) async fn check(
    app: &App,
    owner: &Owner,
    request: &ChatRequest,
    project: &Project,
) -> Result<(), StoryRefusal> {
    let Some(selection) = request.selection()? else {
        return Ok(());
    };
    let open = request.chapter();
    let selected = select(project, &selection, open.as_ref()).map_err(refused)?;
    let id = request.project().unwrap_or_default();
    let projects = app.engine.projects();
    let text = projects.text(&owner.0, id, &selected.version.text).await?;
    let wish = wish(request.message()?, selection.task);
    read(&selected, &selection, &text, wish).map_err(refused)?;
    Ok(())
}

fn refused(refusal: PassageRefusal) -> StoryRefusal {
    let status = match &refusal {
        PassageRefusal::NoChapter { .. }
        | PassageRefusal::NothingWritten { .. }
        | PassageRefusal::NoVersion { .. } => StatusCode::NOT_FOUND,
        PassageRefusal::Locked { .. }
        | PassageRefusal::Changed { .. }
        | PassageRefusal::OtherText { .. } => StatusCode::CONFLICT,
        PassageRefusal::NoPlace
        | PassageRefusal::Place(_)
        | PassageRefusal::Empty { .. }
        | PassageRefusal::TooLong { .. } => StatusCode::UNPROCESSABLE_ENTITY,
    };
    ApiError::new(status, refusal.code(), refusal.to_string()).into()
}
