//! Edits by hand: what a person wrote as the next version of an artifact is checked by the pipeline in the way in which its step will read
//! it, and is kept, before the command is decided.

use std::sync::Arc;

use commands::{Aggregate, Command, EditArtifact, Following, Refusal};
use domain::carry::{Carry, Work};
use domain::decision::Context;
use domain::event::{Body, Violation};
use domain::hash::Blob;
use domain::pipeline::Pipeline;
use domain::settings::Settings;
use domain::{ArtifactId, Session, StepId, by_hand, schema};
use serde_json::Value;
use store::{CommandId, StreamId};

use super::Engine;
use crate::error::SendError;
use crate::steps::{keep, loading};

impl Engine {
    /// The command that makes this the next version of an artifact, with what goes into its append.
    ///
    /// # Errors
    ///
    /// [`SendError::Refused`] if the artifact does not exist, is not the current version or is not edited by hand, or if what was written
    /// is the same as before or is not accepted; the error has everything that is wrong with it.
    pub async fn edit_artifact(
        &self,
        stream: &StreamId,
        artifact: ArtifactId,
        content: Value,
        following: Following,
        settings: Settings,
    ) -> Result<(EditArtifact, Vec<Blob>), SendError> {
        let session = self.session(stream).await?;
        let mut edit = EditArtifact {
            artifact,
            body: Body::Event {
                json: Arc::new(content),
            },
            items: vec![],
            following,
            settings,
        };
        let id = CommandId::of(stream, &format!("edit:{}", session.version));
        let context = self.0.sessions.context(id);
        // The decision comes first because it may refuse: an artifact that is not edited by hand has no content to be checked.
        let mut after = (*session).clone();
        after.decide(Command::EditArtifact(Box::new(edit.clone())), &context)?;
        let made = session.artifacts.get(&edit.artifact).cloned();
        let made = made.ok_or_else(|| Refusal::NoArtifact {
            artifact: edit.artifact.clone(),
        })?;
        let log = self.log().as_ref();
        let was = loading::input(log, stream, made.clone()).await?.body;
        let Body::Event { json } = &edit.body else {
            return Err(Refusal::Unchanged.into());
        };
        let content = Arc::clone(json);
        if *content == *was {
            return Err(Refusal::Unchanged.into());
        }
        let run = after.run(after.runs.keys().next_back().copied().unwrap_or_default());
        let pipeline = run.and_then(|run| self.pipelines().find(&run.pipeline));
        let pipeline = pipeline.ok_or(Refusal::NothingTo { verb: "edit" })?;
        fits_schema(pipeline, &made.kind, &was, &content)?;
        edit.items = pipeline.differing(&made.kind, &was, &content);
        self.is_taken(stream, &session, &edit, pipeline, &context)
            .await?;
        let mut blobs = vec![];
        edit.body = keep::json(log, stream, content.as_ref().clone(), &mut blobs).await?;
        Ok((edit, blobs))
    }

    /// Checks that the step would accept what was written.
    async fn is_taken(
        &self,
        stream: &StreamId,
        session: &Session,
        edit: &EditArtifact,
        pipeline: &dyn Pipeline,
        context: &Context,
    ) -> Result<(), SendError> {
        let mut after = session.clone();
        after.decide(Command::EditArtifact(Box::new(edit.clone())), context)?;
        let run = after.runs.values().next_back();
        let step = run.and_then(|run| Some(run.edit.as_ref()?.step.clone()));
        let Some((run, step)) = run.zip(step) else {
            return Ok(());
        };
        let StepId { stage, item, .. } = &step;
        let (sees, revises) = (pipeline.sees(stage, item), pipeline.revises(stage, item));
        let Some((mut work, wanted)) = Work::of(&after, run, &step, sees, revises, &[]) else {
            return Ok(());
        };
        let log = self.log().as_ref();
        let wanted = domain::carry::Material {
            // The text is already written, so the sources need not be read.
            files: vec![],
            ..wanted
        };
        loading::load(log, &self.0.workshop.reader, stream, &mut work, wanted).await?;
        if let Some(written) = by_hand::written_for(&after, run, &step, pipeline) {
            work.written = Some(loading::written(log, stream, written).await?);
        }
        let carry = || by_hand::carry(pipeline, &work, &[]);
        match self.0.workshop.computing.run(carry).await {
            Carry::Reject(found) => Err(refused(&found)),
            Carry::Fail { message, .. } => Err(refused(&[Violation::new("", message)])),
            Carry::Model(_) | Carry::Tool(_) | Carry::Render(_) | Carry::Done(_) => Ok(()),
        }
    }
}

/// Violations for the fields of an object that are not known, and for changes to fields that the person may not change.
fn fields_of(fields: &Value, was: &Value, now: &Value, at: &str) -> Vec<Violation> {
    let (Some(known), Some(given)) = (fields.as_object(), now.as_object()) else {
        return vec![];
    };
    let writable = || {
        let writable = known.iter().filter(|(_, field)| field["readOnly"] != true);
        let names: Vec<&str> = writable.map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    };
    let wrong = |name: &String| match known.get(name) {
        None => Some(format!(
            "is not known; what can be written is {}",
            writable()
        )),
        Some(field) if field["readOnly"] == true && now.get(name) != was.get(name) => {
            Some(format!(
                "follows from the rest, or is not changed by hand; what can be written is {}",
                writable()
            ))
        }
        Some(_) => None,
    };
    let gone = known.iter().filter(|(name, field)| {
        field["readOnly"] == true && was.get(name.as_str()).is_some() && !given.contains_key(*name)
    });
    let names = given.keys().chain(gone.map(|(name, _)| name));
    names
        .filter_map(|name| Some(Violation::new(format!("{at}/{name}"), wrong(name)?)))
        .collect()
}

fn refused(found: &[Violation]) -> SendError {
    let problems = Violation::listed(found);
    SendError::Refused(Refusal::BadContent { problems })
}

/// Checks the content against the schema that clients are told. Unknown fields are refused, and so are changes to fields that follow from
/// others: nobody reads them, so they would be ignored without notice.
fn fits_schema(
    pipeline: &dyn Pipeline,
    kind: &str,
    was: &Value,
    content: &Value,
) -> Result<(), SendError> {
    let described = pipeline.describe(false).artifacts.into_iter();
    let Some(known) = described.into_iter().find(|known| known.kind == kind) else {
        return Ok(());
    };
    let mut found = schema::violations(&known.schema, content);
    match (content.as_array(), was.as_array()) {
        (Some(entries), Some(before)) => {
            let fields = &known.schema["items"]["properties"];
            for (place, (entry, was)) in entries.iter().zip(before).enumerate() {
                found.extend(fields_of(fields, was, entry, &format!("/{place}")));
            }
        }
        _ => found.extend(fields_of(&known.schema["properties"], was, content, "")),
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(refused(&found))
    }
}
