//! Messages to sessions.

use commands::{Command, NewFile, SendMessage};
use domain::event::{Event, SessionEvent};
use domain::hash::{Blob, Sha256};
use domain::language;
use domain::pipeline::Pipeline;
use domain::settings::Settings;
use domain::{Actor, MessageId, RunId, SessionId};
use runner::{Applied, Envelope, SendError};
use serde_json::Value;
use store::StreamId;

use super::{CommandAnswer, check_client_id, check_session, derived, started};
use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::payloads::SendMessagePayload;
use crate::settings::{SettingsRequest, on_busy, resolve};
use crate::uploads::Attachment;

/// A message to a session. The message opens the session if it does not exist yet.
#[derive(Clone, Debug)]
pub struct Say {
    pub session: SessionId,
    pub message_id: Option<String>,
    /// The pipeline that takes the message; the session's own if absent.
    pub pipeline: Option<String>,
    pub text: String,
    pub input: Value,
    pub settings: SettingsRequest,
    pub attachments: Vec<Attachment>,
    /// The sender's name for this message; a repetition gets the first answer.
    pub client_id: String,
    /// The hash of what the sender sent, see [`content_hash`](super::content_hash); under the same name, something else is refused.
    pub content: Option<Sha256>,
    pub expected_version: Option<u64>,
}

/// The answer to a message: the run that takes it, or the first answer if the message was a repetition.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageAnswer {
    pub session: SessionId,
    pub run: RunId,
    pub version: u64,
    pub message: MessageId,
    pub duplicate: bool,
}

impl App {
    /// Says something in a session.
    pub async fn say(&self, owner: &Owner, say: Say) -> Result<MessageAnswer, ApiError> {
        check_session(&say.session)?;
        check_client_id("id", &say.client_id)?;
        let message = MessageId::new(match say.message_id {
            Some(id) => {
                check_client_id("message_id", &id)?;
                id
            }
            None => derived("msg", &[&say.client_id]),
        });
        let stream = owner.stream(&say.session);
        // For a repetition, the attached files may be gone by now, so that the first answer is looked for before they are read.
        if !say.attachments.is_empty()
            && let Some(said) = self
                .said_before(owner, &say.session, &say.client_id, say.content)
                .await?
        {
            return Ok(said);
        }
        let named = say.pipeline.as_deref();
        let with = self.said_with(&stream, named, &say.text, &say.settings);
        let (pipeline, settings) = with.await?;
        let served = self.engine.pipelines().find(&pipeline);
        if let Some(pipeline) = served.filter(|_| !say.attachments.is_empty()) {
            check_takes_files(pipeline)?;
        }
        let (files, blobs) = self.attach(owner, &stream, &say.attachments).await?;
        let command = Command::SendMessage(Box::new(SendMessage {
            message: message.clone(),
            text: say.text,
            files,
            pipeline: say.pipeline,
            input: say.input,
            settings,
            on_busy: on_busy(&self.config, &pipeline, &say.settings),
        }));
        let actor = Actor::person(&owner.0);
        let (client_id, expected_version) = (say.client_id, say.expected_version);
        let content = say.content;
        let applied = self
            .engine
            .send(
                &stream,
                Envelope {
                    command,
                    client_id,
                    actor,
                    expected_version,
                    blobs,
                    content,
                },
            )
            .await?;
        said(say.session, applied, Some(message))
    }

    /// The answer to an earlier message with this name. `None` if there was no such message, or if its session was erased since. Refused
    /// where `content` is not what that message was sent with.
    pub async fn said_before(
        &self,
        owner: &Owner,
        session: &SessionId,
        client_id: &str,
        content: Option<Sha256>,
    ) -> Result<Option<MessageAnswer>, ApiError> {
        let stream = owner.stream(session);
        let found = self.engine.find_command(&stream, client_id, content);
        let found = found.await?;
        found
            .filter(|applied| !applied.events.is_empty())
            .map(|applied| said(session.clone(), applied, None))
            .transpose()
    }

    pub(super) async fn send_message(
        &self,
        owner: &Owner,
        session: &SessionId,
        payload: SendMessagePayload,
        (client_id, content): (String, Option<Sha256>),
        expected_version: Option<u64>,
    ) -> Result<CommandAnswer, ApiError> {
        // A message by HTTP or the native socket goes to a session that is there; POST /v1/sessions opens one.
        self.engine.session(&owner.stream(session)).await?;
        let SendMessagePayload {
            message,
            message_id,
            pipeline,
            input,
            settings,
            attachments,
        } = payload;
        let session = session.clone();
        let say = Say {
            session,
            message_id,
            pipeline,
            text: message,
            input,
            settings,
            attachments,
            client_id,
            content,
            expected_version,
        };
        let said = self.say(owner, say).await?;
        Ok(CommandAnswer {
            applied_version: said.version,
            run: Some(said.run),
            session: None,
            duplicate: said.duplicate,
            plan: None,
        })
    }

    /// The pipeline and the settings for a message: the named pipeline, else the session's own, and the settings of the run.
    pub(super) async fn said_with(
        &self,
        stream: &StreamId,
        named: Option<&str>,
        text: &str,
        asked: &SettingsRequest,
    ) -> Result<(String, Settings), ApiError> {
        let pipeline = match named {
            Some(pipeline) => pipeline.to_owned(),
            None => self.pipeline_of(stream).await?,
        };
        let spoken = self.language_so_far(stream, text).await?;
        let served = self.engine.pipelines().find(&pipeline);
        let settings = resolve(&self.config, served, text, asked, spoken.as_deref())?;
        Ok((pipeline, settings))
    }

    /// A message as it would be said, without the files that come with it.
    pub(super) async fn message_to_try(
        &self,
        stream: &StreamId,
        payload: SendMessagePayload,
    ) -> Result<Command, ApiError> {
        let named = payload.pipeline.as_deref();
        let (text, asked) = (&payload.message, &payload.settings);
        let (pipeline, settings) = self.said_with(stream, named, text, asked).await?;
        Ok(Command::SendMessage(Box::new(SendMessage {
            message: MessageId::new(derived("msg", &["plan", text])),
            on_busy: on_busy(&self.config, &pipeline, asked),
            settings,
            text: payload.message,
            files: vec![],
            pipeline: payload.pipeline,
            input: payload.input,
        })))
    }

    /// The language of the latest run, for a message of which none is sure.
    async fn language_so_far(
        &self,
        stream: &StreamId,
        text: &str,
    ) -> Result<Option<String>, ApiError> {
        if language::of_message(text).is_some() {
            return Ok(None);
        }
        match self.engine.session(stream).await {
            Ok(session) => {
                let latest = session.runs.values().next_back();
                Ok(latest.map(|run| run.settings.language.clone()))
            }
            Err(SendError::NoSession { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn pipeline_of(&self, stream: &StreamId) -> Result<String, ApiError> {
        match self.engine.session(stream).await {
            Ok(session) => Ok(session.pipeline.to_string()),
            Err(SendError::NoSession { .. }) => Ok(String::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// The contents of attachments.
    async fn attach(
        &self,
        owner: &Owner,
        stream: &StreamId,
        attachments: &[Attachment],
    ) -> Result<(Vec<NewFile>, Vec<Blob>), ApiError> {
        let (mut files, mut blobs) = (vec![], vec![]);
        for attachment in attachments {
            commands::check_path(&attachment.path).map_err(ApiError::from)?;
            let upload = self.uploads.get(owner, attachment).await?;
            self.uploads
                .attached(owner, attachment, &stream.session)
                .await;
            files.push(NewFile {
                path: attachment.path.clone(),
                blob: self.engine.keep(stream, upload.bytes, &mut blobs).await?,
                media_type: upload.media_type,
            });
        }
        Ok((files, blobs))
    }
}

/// Refuses files for a pipeline that has no use for them. They are not dropped silently.
fn check_takes_files(pipeline: &dyn Pipeline) -> Result<(), ApiError> {
    if !pipeline.describe(false).takes_files.is_empty() {
        return Ok(());
    }
    let message = format!("the pipeline `{}` takes no files", pipeline.name());
    let refused = ApiError::unprocessable("takes_no_files", message);
    Err(refused.hint("send the message without attachments"))
}

/// The answer that these events give to the message that they record. For a repetition, the id of the first message is answered, even if
/// the repetition had another id.
fn said(
    session: SessionId,
    applied: Applied,
    message: Option<MessageId>,
) -> Result<MessageAnswer, ApiError> {
    let (run, message) = started(&applied)
        .zip(received(&applied).or(message))
        .ok_or(SendError::IdReused)?;
    Ok(MessageAnswer {
        session,
        run,
        version: applied.version,
        message,
        duplicate: applied.duplicate,
    })
}

fn received(applied: &Applied) -> Option<MessageId> {
    applied.events.iter().find_map(|recorded| {
        if let Event::Session(SessionEvent::MessageReceived(e)) = &recorded.event {
            Some(e.message.clone())
        } else {
            None
        }
    })
}
