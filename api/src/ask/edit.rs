//! Edits by hand.

use commands::Command;
use domain::hash::Sha256;
use domain::{Actor, ArtifactId};
use runner::Envelope;
use store::StreamId;

use super::{CommandAnswer, answer};
use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::payloads::EditArtifactPayload;

/// An edit by hand, and how it is carried out.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) payload: EditArtifactPayload,
    /// The sender's name for it; a repetition gets the first answer.
    pub(crate) id: String,
    /// The hash of what the sender asks for.
    pub(crate) content: Option<Sha256>,
    pub(crate) expected_version: Option<u64>,
    /// Whether only the plan is wanted.
    pub(crate) dry_run: bool,
}

impl App {
    /// Makes what a person wrote the next version of an artifact, or, on a dry run, tells what that would cause.
    pub(crate) async fn edit(
        &self,
        owner: &Owner,
        stream: &StreamId,
        edit: Edit,
    ) -> Result<CommandAnswer, ApiError> {
        // For a repetition, the version that was edited is no longer the current one, so that editing it again would be refused.
        if let Some(before) = self
            .engine
            .find_command(stream, &edit.id, edit.content)
            .await?
        {
            return Ok(answer(before, None));
        }
        let EditArtifactPayload {
            artifact,
            content,
            following,
            settings,
        } = edit.payload;
        let settings = self.settings_on(stream, None, &settings).await?;
        let artifact = ArtifactId::new(artifact);
        let (command, blobs) = self
            .engine
            .edit_artifact(stream, artifact, content, following.into(), settings)
            .await?;
        let command = Command::EditArtifact(Box::new(command));
        if edit.dry_run {
            return self.planned(stream, command).await;
        }
        let envelope = Envelope {
            command,
            client_id: edit.id,
            actor: Actor::person(&owner.0),
            expected_version: edit.expected_version,
            blobs,
            content: edit.content,
        };
        Ok(answer(self.engine.send(stream, envelope).await?, None))
    }
}
