//! Commands as clients write them: the same for HTTP, the native socket and Socket.IO.

mod edit;
mod ids;
mod say;

use commands::{
    AnswerGate, Cancel, Command, MoveHead, OpenSession, Refine, RestartStep, Resume, SkipStep,
};
use domain::event::{Event, RunEvent, SessionEvent};
use domain::hash::Sha256;
use domain::settings::Settings;
use domain::{Actor, GateId, RunId, SessionId};
use runner::clock::fresh_id;
use runner::{Applied, Envelope};
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
use crate::settings::{SettingsRequest, resolve};

pub(crate) use edit::Edit;
pub use ids::ID_BYTES_MAX;
pub use ids::{check_client_id, check_id, check_session, check_session_id, content_hash, derived};
pub use say::{MessageAnswer, Say};

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

/// A payload under the type of its command.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Asked {
    OpenSession(OpenSessionPayload),
    SendMessage(SendMessagePayload),
    AnswerGate(AnswerGatePayload),
    Refine(RefinePayload),
    RestartStep(RestartStepPayload),
    EditArtifact(EditArtifactPayload),
    SkipStep(SkipStepPayload),
    Resume(ResumePayload),
    Cancel(CancelPayload),
    MoveHead(MoveHeadPayload),
    Fork(ForkPayload),
    DeleteSession(DeleteSessionPayload),
}

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
    /// A command, whatever the version of its session.
    pub fn new(id: String, kind: &str, payload: Value) -> Self {
        Self {
            id,
            kind: kind.to_owned(),
            payload,
            expected_version: None,
            dry_run: false,
        }
    }

    pub fn cancel(id: String, run: RunId, reason: Option<&str>) -> Self {
        Self::new(id, "cancel", json!({ "run": run, "reason": reason }))
    }

    pub fn answer_gate(id: String, gate: &GateId, answer: Value) -> Self {
        Self::new(id, "answer_gate", json!({ "gate": gate, "answer": answer }))
    }
}

/// What a command became.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema, TS)]
#[ts(optional_fields)]
pub struct CommandAnswer {
    /// The version of the session that has it.
    pub applied_version: u64,
    /// The run that it started or queued.
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
    /// The child of a fork.
    #[schema(value_type = Option<String>)]
    pub session: Option<SessionId>,
    /// The command had been carried out before; this is the first answer.
    pub duplicate: bool,
    /// What would be done, where only that was asked.
    pub plan: Option<Box<Plan>>,
}

impl App {
    /// Carries a command out that is made here.
    pub async fn ask(
        &self,
        owner: &Owner,
        session: &SessionId,
        request: CommandRequest,
    ) -> Result<CommandAnswer, ApiError> {
        self.ask_with(owner, session, request, None).await
    }

    /// Carries a command out as a client sent it: under the id of another one it is refused.
    pub async fn ask_as_sent(
        &self,
        owner: &Owner,
        session: &SessionId,
        request: CommandRequest,
    ) -> Result<CommandAnswer, ApiError> {
        let content = content_hash(&(&request.kind, &request.payload));
        self.ask_with(owner, session, request, Some(content)).await
    }

    /// Carries a command out that is made here of what a client sent, whose hash is `content`.
    pub async fn ask_with(
        &self,
        owner: &Owner,
        session: &SessionId,
        request: CommandRequest,
        content: Option<Sha256>,
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
        let command = match read(request.kind, request.payload)? {
            Asked::SendMessage(payload) if request.dry_run => {
                self.message_to_try(&stream, payload).await?
            }
            Asked::SendMessage(payload) => {
                let name = (request.id, content);
                return self
                    .send_message(owner, session, payload, name, expected)
                    .await;
            }
            Asked::Fork(payload) => {
                let name = (request.id.as_str(), content);
                return self.fork(owner, &stream, payload, name).await;
            }
            Asked::DeleteSession(DeleteSessionPayload { forks }) => {
                return self.erase(owner, &stream, forks, &request.id).await;
            }
            Asked::EditArtifact(payload) => {
                let edit = Edit {
                    payload,
                    id: request.id,
                    content,
                    expected_version: expected,
                    dry_run: request.dry_run,
                };
                return self.edit(owner, &stream, edit).await;
            }
            Asked::AnswerGate(AnswerGatePayload { gate, answer }) => {
                let gate = GateId::new(gate);
                let edited = self.engine.edited(&stream, &gate, &answer).await?;
                let (edited, kept) = edited.unzip();
                blobs = kept.unwrap_or_default();
                Command::AnswerGate(AnswerGate {
                    gate,
                    answer,
                    edited: edited.map(Box::new),
                })
            }
            Asked::Refine(payload) => Command::Refine(Refine {
                settings: self
                    .settings_on(&stream, payload.base_run, &payload.settings)
                    .await?,
                base_run: payload.base_run,
                stage: payload.stage.into(),
                items: payload.items,
                feedback: payload.feedback,
            }),
            Asked::RestartStep(payload) => Command::RestartStep(RestartStep {
                settings: self
                    .settings_on(&stream, payload.run, &payload.settings)
                    .await?,
                run: payload.run,
                stage: payload.stage,
                item: payload.item,
                feedback: payload.feedback,
            }),
            Asked::Resume(ResumePayload { run, settings }) => Command::Resume(Resume {
                settings: self.settings_on(&stream, run, &settings).await?,
                run,
            }),
            Asked::OpenSession(OpenSessionPayload { pipeline }) => {
                Command::OpenSession(OpenSession { pipeline })
            }
            Asked::SkipStep(SkipStepPayload { stage, item, run }) => {
                Command::SkipStep(SkipStep { run, stage, item })
            }
            Asked::Cancel(CancelPayload { run, reason }) => {
                let reason = reason.unwrap_or_else(|| "a person asked for it".to_owned());
                Command::Cancel(Cancel { run, reason })
            }
            Asked::MoveHead(MoveHeadPayload { run }) => Command::MoveHead(MoveHead { run }),
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
            content,
        };
        Ok(answer(self.engine.send(&stream, envelope).await?, None))
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

    /// Cancels runs that nobody waits for any longer. The newest is cancelled first, so that no later run is started for a moment when the
    /// one before it ends.
    pub async fn abandon(
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

    async fn fork(
        &self,
        owner: &Owner,
        parent: &StreamId,
        payload: ForkPayload,
        (id, content): (&str, Option<Sha256>),
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
                content,
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
}

/// What a command asks for. Its payload depends on its type.
fn read(kind: String, payload: Value) -> Result<Asked, ApiError> {
    if !COMMAND_TYPES.contains(&kind.as_str()) {
        let shown: String = kind.chars().take(40).collect();
        let message = format!(
            "there is no command `{shown}`; there are {}",
            COMMAND_TYPES.join(", ")
        );
        return Err(ApiError::unprocessable("unknown_command", message));
    }
    let payload = if payload.is_null() {
        json!({})
    } else {
        payload
    };
    let tagged = Value::Object([(kind, payload)].into_iter().collect());
    serde_json::from_value(tagged).map_err(|error| {
        let message = format!("the payload does not fit the command: {error}");
        ApiError::unprocessable("bad_payload", message)
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
