//! Commands as clients write them: the same for HTTP, the native socket and Socket.IO.

use commands::{
    AnswerGate, Cancel, Command, MoveHead, NewFile, OpenSession, Refine, RestartStep, Resume,
    SendMessage, SkipStep,
};
use domain::event::{Event, RunEvent, SessionEvent};
use domain::hash::{Blob, Sha256};
use domain::pipeline::Pipeline;
use domain::settings::Settings;
use domain::streams::reserved_prefix;
use domain::text::language_of;
use domain::{Actor, ArtifactId, GateId, MessageId, RunId, SessionId};
use runner::clock::fresh_id;
use runner::{Applied, Envelope, SendError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::StreamId;
use ts_rs::TS;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::payloads::{
    AnswerGatePayload, CancelPayload, DeleteSessionPayload, EditArtifactPayload, ForkPayload,
    MoveHeadPayload, OpenSessionPayload, RefinePayload, RestartStepPayload, ResumePayload,
    SendMessagePayload, SkipStepPayload,
};
use crate::plan::{Plan, plan};
use crate::settings::{SettingsRequest, on_busy, resolve};
use crate::uploads::Attachment;

/// The longest id that a client may give to a command or a session, in bytes. A UUID has 36; ids made of several of them fit.
pub const ID_BYTES_MAX: usize = 128;

/// The types of commands, as clients write them.
pub const COMMAND_TYPES: [&str; 12] = [
    "open_session",
    "send_message",
    "answer_gate",
    "refine",
    "restart_step",
    "edit_artifact",
    "skip_step",
    "resume",
    "cancel",
    "move_head",
    "fork",
    "delete_session",
];

/// The types of commands whose effects can be planned without carrying them out (`dry_run`).
const PLANNED: [&str; 5] = [
    "send_message",
    "refine",
    "restart_step",
    "edit_artifact",
    "resume",
];

/// A command to a session.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct CommandRequest {
    /// The sender's name for this command; a repetition gets the first answer.
    pub id: String,
    /// `open_session`, `send_message`, `answer_gate`, `refine`, `restart_step`, `edit_artifact`, `skip_step`, `resume`, `cancel`,
    /// `move_head`, `fork` or `delete_session`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the command needs, by its type.
    #[serde(default)]
    #[schema(value_type = Object)]
    #[ts(type = "unknown", optional)]
    pub payload: Value,
    /// Refused unless the session is at this version.
    pub expected_version: Option<u64>,
    /// Whether only the plan is wanted: what would be made again, what kept, and the most that it could cost. Nothing is done. For
    /// `send_message`, `refine`, `restart_step`, `edit_artifact` and `resume`.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub dry_run: bool,
}

impl CommandRequest {
    /// A command that cancels a run, whatever the version of its session.
    pub(crate) fn cancel(id: String, run: RunId, reason: Option<&str>) -> Self {
        Self {
            id,
            kind: "cancel".to_owned(),
            payload: json!({ "run": run, "reason": reason }),
            expected_version: None,
            dry_run: false,
        }
    }
}

/// What a command became.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub struct CommandAnswer {
    /// The version of the session that has it.
    pub applied_version: u64,
    /// The run that it started or queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
    /// The child of a fork.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub session: Option<SessionId>,
    /// The command had been carried out before; this is the first answer.
    pub duplicate: bool,
    /// What would be done, where only that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Plan>>,
}

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
    pub expected_version: Option<u64>,
}

/// An edit by hand, and how it is carried out.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) payload: EditArtifactPayload,
    /// The sender's name for it; a repetition gets the first answer.
    pub(crate) id: String,
    pub(crate) expected_version: Option<u64>,
    /// Whether only the plan is wanted.
    pub(crate) dry_run: bool,
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
    /// Carries a command out.
    pub async fn ask(
        &self,
        owner: &Owner,
        session: &SessionId,
        request: CommandRequest,
    ) -> Result<CommandAnswer, ApiError> {
        check_client_id("id", &request.id)?;
        check_session(session)?;
        let stream = owner.stream(session);
        let expected = request.expected_version;
        let mut blobs = vec![];
        if request.dry_run && !PLANNED.contains(&request.kind.as_str()) {
            let message = format!("`dry_run` is for {}", PLANNED.join(", "));
            return Err(ApiError::unprocessable("no_plan", message));
        }
        let command = match request.kind.as_str() {
            "send_message" if request.dry_run => {
                self.message_to_try(&stream, read(request.payload)?).await?
            }
            "send_message" => {
                return self
                    .send_message(owner, session, read(request.payload)?, request.id, expected)
                    .await;
            }
            "fork" => {
                return self
                    .fork(owner, &stream, read(request.payload)?, &request.id)
                    .await;
            }
            "delete_session" => {
                let payload: DeleteSessionPayload = read(request.payload)?;
                return self.erase(owner, &stream, payload.forks, &request.id).await;
            }
            "answer_gate" => {
                let payload: AnswerGatePayload = read(request.payload)?;
                let gate = GateId::new(payload.gate);
                let edited = self.engine.edited(&stream, &gate, &payload.answer).await?;
                let (edited, kept) = edited.unzip();
                blobs = kept.unwrap_or_default();
                Command::AnswerGate(AnswerGate {
                    gate,
                    answer: payload.answer,
                    edited: edited.map(Box::new),
                })
            }
            "refine" => {
                let payload: RefinePayload = read(request.payload)?;
                let settings = self
                    .settings_on(&stream, payload.base_run, &payload.settings)
                    .await?;
                let RefinePayload {
                    stage,
                    items,
                    feedback,
                    base_run,
                    ..
                } = payload;
                Command::Refine(Refine {
                    base_run,
                    stage: stage.into(),
                    items,
                    feedback,
                    settings,
                })
            }
            "restart_step" => {
                let payload: RestartStepPayload = read(request.payload)?;
                let settings = self
                    .settings_on(&stream, payload.run, &payload.settings)
                    .await?;
                let RestartStepPayload {
                    stage,
                    item,
                    run,
                    feedback,
                    ..
                } = payload;
                Command::RestartStep(RestartStep {
                    run,
                    stage,
                    item,
                    feedback,
                    settings,
                })
            }
            "edit_artifact" => {
                let edit = Edit {
                    payload: read(request.payload)?,
                    id: request.id,
                    expected_version: expected,
                    dry_run: request.dry_run,
                };
                return self.edit(owner, &stream, edit).await;
            }
            "open_session" => {
                let payload: OpenSessionPayload = read(request.payload)?;
                Command::OpenSession(OpenSession {
                    pipeline: payload.pipeline,
                })
            }
            "skip_step" => {
                let payload: SkipStepPayload = read(request.payload)?;
                let SkipStepPayload { stage, item, run } = payload;
                Command::SkipStep(SkipStep { run, stage, item })
            }
            "resume" => {
                let payload: ResumePayload = read(request.payload)?;
                let settings = self
                    .settings_on(&stream, payload.run, &payload.settings)
                    .await?;
                Command::Resume(Resume {
                    run: payload.run,
                    settings,
                })
            }
            "cancel" => {
                let payload: CancelPayload = read(request.payload)?;
                let reason = payload
                    .reason
                    .unwrap_or_else(|| "a person asked for it".to_owned());
                Command::Cancel(Cancel {
                    run: payload.run,
                    reason,
                })
            }
            "move_head" => {
                let payload: MoveHeadPayload = read(request.payload)?;
                Command::MoveHead(MoveHead { run: payload.run })
            }
            unknown => {
                let shown: String = unknown.chars().take(40).collect();
                let message = format!(
                    "there is no command `{shown}`; there are {}",
                    COMMAND_TYPES.join(", ")
                );
                return Err(ApiError::unprocessable("unknown_command", message));
            }
        };
        if request.dry_run {
            return self.planned(&stream, command).await;
        }
        let envelope = Envelope {
            command,
            client_id: request.id,
            actor: Actor::person(&owner.0),
            expected_version: expected,
            blobs,
        };
        Ok(answer(self.engine.send(&stream, envelope).await?, None))
    }

    /// Makes what a person wrote the next version of an artifact, or, on a dry run, tells what that would cause.
    pub(crate) async fn edit(
        &self,
        owner: &Owner,
        stream: &StreamId,
        edit: Edit,
    ) -> Result<CommandAnswer, ApiError> {
        // For a repetition, the version that was edited is no longer the current one, so that editing it again would be refused.
        if let Some(before) = self.engine.find_command(stream, &edit.id).await? {
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
        };
        Ok(answer(self.engine.send(stream, envelope).await?, None))
    }

    /// What a command would do.
    async fn planned(
        &self,
        stream: &StreamId,
        command: Command,
    ) -> Result<CommandAnswer, ApiError> {
        let preview = self.engine.preview(stream, command).await?;
        let run = preview.run.and_then(|run| preview.after.run(run));
        let pipeline = run.and_then(|run| self.engine.pipelines().find(&run.pipeline));
        Ok(CommandAnswer {
            applied_version: preview.version,
            run: None,
            session: None,
            duplicate: false,
            plan: Some(Box::new(plan(&preview, pipeline)?)),
        })
    }

    /// The pipeline and the settings for a message: the named pipeline, else the session's own, and the settings of the run.
    async fn said_with(
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
    async fn message_to_try(
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

    /// Cancels runs that nobody waits for any longer. The newest is cancelled first, so that no later run is started for a moment when the
    /// one before it ends.
    pub(crate) async fn abandon(
        &self,
        owner: &Owner,
        session: &SessionId,
        mut runs: Vec<RunId>,
        reason: &str,
    ) {
        runs.sort_unstable_by(|a, b| b.cmp(a));
        for run in runs {
            let request = CommandRequest::cancel(fresh_id(), run, Some(reason));
            // The run may have ended by itself.
            if let Err(error) = self.ask(owner, session, request).await {
                tracing::debug!(session.id = %session, %run, %error, "an abandoned run was not cancelled");
            }
        }
    }

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
                .said_before(owner, &say.session, &say.client_id)
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
                },
            )
            .await?;
        said(say.session, applied, Some(message))
    }

    /// The answer to an earlier message with this name. `None` if there was no such message, or if its session was erased since.
    pub(crate) async fn said_before(
        &self,
        owner: &Owner,
        session: &SessionId,
        client_id: &str,
    ) -> Result<Option<MessageAnswer>, ApiError> {
        let stream = owner.stream(session);
        let found = self.engine.find_command(&stream, client_id).await?;
        found
            .filter(|applied| !applied.events.is_empty())
            .map(|applied| said(session.clone(), applied, None))
            .transpose()
    }

    async fn send_message(
        &self,
        owner: &Owner,
        session: &SessionId,
        payload: SendMessagePayload,
        client_id: String,
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

    async fn fork(
        &self,
        owner: &Owner,
        parent: &StreamId,
        payload: ForkPayload,
        id: &str,
    ) -> Result<CommandAnswer, ApiError> {
        let child = match payload.session {
            Some(child) => {
                check_session_id("session", &child)?;
                child
            }
            None => derived("s", &["fork", &owner.0, parent.session.as_str(), id]),
        };
        let child = SessionId::new(child);
        let applied = self
            .engine
            .fork(
                parent,
                child.clone(),
                payload.at,
                id,
                Actor::person(&owner.0),
            )
            .await?;
        Ok(answer(applied, Some(child)))
    }

    /// Erases a session for good, and drops what was folded from it.
    pub async fn erase(
        &self,
        owner: &Owner,
        stream: &StreamId,
        forks: bool,
        id: &str,
    ) -> Result<CommandAnswer, ApiError> {
        let erased = self
            .engine
            .erase(stream, forks, id, Actor::person(&owner.0))
            .await?;
        // If the session was erased before and the process ended in between, an upload of the session may still be there.
        self.uploads.forget(owner, &stream.session).await;
        for session in &erased.sessions {
            self.feeds.forget(&owner.stream(session)).await;
            self.uploads.forget(owner, session).await;
        }
        Ok(CommandAnswer {
            applied_version: erased.version,
            run: None,
            session: None,
            duplicate: erased.duplicate,
            plan: None,
        })
    }

    /// The settings of a run that is based on an earlier one: what is configured now, in the earlier run's language unless the request
    /// names another.
    async fn settings_on(
        &self,
        stream: &StreamId,
        base: Option<RunId>,
        request: &SettingsRequest,
    ) -> Result<Settings, ApiError> {
        let session = self.engine.session(stream).await?;
        let base = base
            .or(session.refinable())
            .and_then(|run| session.run(run));
        let mut request = request.clone();
        if let Some(run) = base {
            request
                .language
                .get_or_insert_with(|| run.settings.language.clone());
            if request.options.is_null() {
                request.options = run.settings.options.clone();
            }
        }
        let pipeline = base.map_or(session.pipeline.as_str(), |run| run.pipeline.as_str());
        let served = self.engine.pipelines().find(pipeline);
        resolve(&self.config, served, "", &request, None)
    }

    /// The language of the latest run, for a message that has none.
    async fn language_so_far(
        &self,
        stream: &StreamId,
        text: &str,
    ) -> Result<Option<String>, ApiError> {
        if language_of(text).is_some() {
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

/// The payload of a command, as the type that this command needs.
fn read<T: DeserializeOwned>(payload: Value) -> Result<T, ApiError> {
    let payload = if payload.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        payload
    };
    serde_json::from_value(payload).map_err(|error| {
        ApiError::unprocessable(
            "bad_payload",
            format!("the payload does not fit the command: {error}"),
        )
    })
}

fn answer(applied: Applied, session: Option<SessionId>) -> CommandAnswer {
    let run = started(&applied);
    CommandAnswer {
        applied_version: applied.version,
        run,
        session,
        duplicate: applied.duplicate,
        plan: None,
    }
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

/// The run that these events start or queue.
fn started(applied: &Applied) -> Option<RunId> {
    applied.events.iter().find_map(|recorded| {
        if let Event::Session(SessionEvent::MessageReceived(e)) = &recorded.event {
            return Some(e.run);
        }
        if let Event::Run(RunEvent::RunStarted(e)) = &recorded.event {
            Some(e.run)
        } else {
            None
        }
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

/// A name that is derived from other names, so that a repetition gives the same name.
pub(crate) fn derived(prefix: &str, parts: &[&str]) -> String {
    let hash = Sha256::of_parts(parts.iter().map(|part| part.as_bytes()));
    format!("{prefix}_{}", &hash.hex()[..24])
}

/// Checks that a client may use this as an id. Ids are parts of addresses, so characters with a meaning in addresses are refused.
pub(crate) fn check_id(name: &str, id: &str) -> Result<(), ApiError> {
    let fits = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '/' | '?' | '#' | '%' | '\\')
    };
    if id.is_empty() || id.len() > ID_BYTES_MAX || id == "." || id == ".." || !id.chars().all(fits)
    {
        let message = format!(
            "`{name}` is 1 to {ID_BYTES_MAX} bytes without spaces, control characters, / ? # % and \\"
        );
        return Err(ApiError::unprocessable("bad_id", message));
    }
    Ok(())
}

/// Checks that a session can have this name. A name that no session can have is refused before the log is asked.
pub(crate) fn check_session(session: &SessionId) -> Result<(), ApiError> {
    check_session_id("session", session.as_str())
}

/// The same for an id that the request calls something else than `session`. Ids that begin like the names of streams which are not sessions
/// are refused.
pub(crate) fn check_session_id(name: &str, id: &str) -> Result<(), ApiError> {
    check_id(name, id)?;
    if let Some(prefix) = reserved_prefix(&SessionId::new(id)) {
        let message = format!("`{name}` may not begin with `{prefix}`");
        return Err(ApiError::unprocessable("bad_id", message));
    }
    Ok(())
}

/// Checks that a client may use this as the id of a command. The id is only compared, so that any text without control characters will do.
pub(crate) fn check_client_id(name: &str, id: &str) -> Result<(), ApiError> {
    if id.is_empty() || id.len() > ID_BYTES_MAX || id.chars().any(char::is_control) {
        let message = format!("`{name}` is 1 to {ID_BYTES_MAX} bytes without control characters");
        return Err(ApiError::unprocessable("bad_id", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_what_fits_into_an_address() {
        for id in ["s1", "msg_0190", "7f9c-11", "会话", "a:b@c"] {
            assert_eq!(check_id("id", id), Ok(()), "{id}");
        }
        for id in [
            "",
            ".",
            "..",
            "a b",
            "a/b",
            "a?b",
            "a%2f",
            "a\n",
            &"x".repeat(129),
        ] {
            assert!(check_id("id", id).is_err(), "{id}");
        }
    }

    #[test]
    fn no_session_is_called_like_a_collection() {
        let check = |id: &str| check_session(&SessionId::new(id));
        assert_eq!(check("my:collection:templates"), Ok(()));
        assert_eq!(check("collections"), Ok(()));
        for id in ["collection:", "collection:templates"] {
            assert_eq!(check(id).map_err(|e| e.error.code), Err("bad_id".into()));
        }
    }
}
