//! The payloads of commands, by their type, as clients write them.

use domain::RunId;
use serde::Deserialize;
use serde_json::Value;
use ts_rs::TS;
use utoipa::ToSchema;

use crate::settings::SettingsRequest;
use crate::uploads::Attachment;

/// The payload of `open_session`: a session begins before anything is said in it.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct OpenSessionPayload {
    pub pipeline: String,
}

/// The payload of `send_message`.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct SendMessagePayload {
    #[serde(alias = "text")]
    pub message: String,
    pub message_id: Option<String>,
    pub pipeline: Option<String>,
    #[serde(default)]
    #[schema(value_type = Object)]
    #[ts(type = "unknown", optional)]
    pub input: Value,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub settings: SettingsRequest,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub attachments: Vec<Attachment>,
}

/// The payload of `answer_gate`.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct AnswerGatePayload {
    pub gate: String,
    /// As the gate's schema wants it. Where what is asked about can be edited, `edits` holds what is to be different.
    #[schema(value_type = Object)]
    #[ts(type = "unknown")]
    pub answer: Value,
}

/// The payload of `refine`: a new run redoes the stage and every later one.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct RefinePayload {
    pub stage: String,
    /// The parts of the stage that are to be different, such as the numbers of pages; all of it where absent.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub items: Vec<String>,
    pub feedback: String,
    /// The head where absent.
    #[schema(value_type = Option<String>)]
    pub base_run: Option<RunId>,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub settings: SettingsRequest,
}

/// The payload of `restart_step`: one step is done again, with everything made from it.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct RestartStepPayload {
    pub stage: String,
    /// Absent for a stage with a single step.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub item: String,
    /// The active run, else the head, where absent.
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
    pub feedback: Option<String>,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub settings: SettingsRequest,
}

/// What becomes of what was made from the version before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Following {
    /// What asks no model and no paid tool is made again; the rest stays, and is older than what it was made from.
    #[default]
    Stays,
    /// All of it is made again.
    Redone,
}

impl From<Following> for commands::Following {
    fn from(following: Following) -> Self {
        match following {
            Following::Stays => Self::Stays,
            Following::Redone => Self::Redone,
        }
    }
}

/// The payload of `edit_artifact`: a person writes the next version of an artifact. Later changes keep it unless they are about it.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct EditArtifactPayload {
    /// The current version, of the run that is the head.
    pub artifact: String,
    /// All of it, as the schema of its kind wants it; see `GET /v1/pipelines`.
    #[schema(value_type = Object)]
    #[ts(type = "unknown")]
    pub content: Value,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub following: Following,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub settings: SettingsRequest,
}

/// The payload of `skip_step`: one piece of a stage is left out, the others go on.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct SkipStepPayload {
    pub stage: String,
    pub item: String,
    /// The active run where absent.
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
}

/// The payload of `resume`: a failed or cancelled run is taken up where it stopped.
#[derive(Clone, Debug, Default, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ResumePayload {
    /// The latest run where absent.
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub settings: SettingsRequest,
}

/// The payload of `cancel`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct CancelPayload {
    /// The active run where absent. The run of a queued message is cancelled when its turn comes, before anything is paid for.
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
    pub reason: Option<String>,
}

/// The payload of `move_head`: another branch becomes the current one.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct MoveHeadPayload {
    #[schema(value_type = String)]
    pub run: RunId,
}

/// The payload of `fork`.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct ForkPayload {
    /// The last version that is taken from this session.
    pub at: u64,
    /// The name of the child; made where absent.
    pub session: Option<String>,
}

/// The payload of `delete_session`.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct DeleteSessionPayload {
    /// Whether sessions that were forked from this one are erased with it; else it is refused while there are any.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub forks: bool,
}
