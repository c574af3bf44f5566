//! What an agent planned is added to the bible as proposed.

use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::resource::ProjectError;
use palimpsest::prelude::resource::changes::{Expected, ProjectCommand, PutEntries};
use palimpsest::prelude::tool::{ToolContext, ToolError};
use palimpsest::prelude::wire::Actor;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{bible, missing};
use crate::readings::proposals::proposals;
use crate::readings::routing::Agent;

#[derive(Deserialize)]
struct Asked {
    project: String,
    agent: Agent,
    data: Value,
}

pub(super) async fn propose(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Asked::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let Some(book) = bible(context, &asked.project).await? else {
        return Ok(missing(&asked.project));
    };
    let key = context.key();
    let made = proposals(&book, asked.agent, &asked.data, &key);
    let session = context.session_id();
    let command = ProjectCommand::Put(PutEntries {
        entries: made.entries.clone(),
        expected: Expected::Any,
        why: format!(
            "proposed by {} in session {session}, run {}",
            asked.agent.as_str(),
            context.step().run
        ),
    });
    let changed = context
        .projects()
        .change(
            context.owner(),
            &asked.project,
            command,
            vec![],
            &key,
            Actor::system(),
        )
        .await;
    let version = match changed {
        Ok(changed) => changed.version,
        Err(ProjectError::Refused(refusal)) => {
            let (code, message) = (refusal.code(), refusal.to_string());
            return Ok(ToolOutcome::refused(code, &message, false));
        }
        Err(ProjectError::Log(error)) => return Err(error.into()),
    };
    let summary = format!("{} proposed", made.entries.len());
    let output = json!({
        "project": asked.project, "version": version,
        "entries": made.entries, "remarks": made.remarks,
    });
    Ok(ToolOutcome::gave(output, summary))
}
