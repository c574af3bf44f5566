//! The API's error: the one place that knows statuses. Causes are logged and not sent to clients.

use std::borrow::Cow;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use commands::Refusal;
use commands::collection::CollectionRefusal;
use commands::project::ProjectRefusal;
use runner::{CollectionError, ProjectError, SendError};
use serde::Serialize;
use store::{AppendError, ReadError};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::feed::FeedError;

/// What every error answer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub struct ErrorBody {
    /// For programs; stable.
    #[schema(value_type = String)]
    pub code: Cow<'static, str>,
    /// For people: what was wrong.
    pub message: String,
    /// For people: what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// An error answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
pub struct ErrorAnswer {
    pub error: ErrorBody,
}

/// A request that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", error.message)]
pub struct ApiError {
    pub status: StatusCode,
    pub error: ErrorBody,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let error = ErrorBody {
            code: code.into(),
            message: message.into(),
            hint: None,
            retryable: false,
        };
        Self { status, error }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error.hint = Some(hint.into());
        self
    }

    pub fn retryable(mut self) -> Self {
        self.error.retryable = true;
        self
    }

    pub fn unauthorized(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
            .hint("send a configured key as `Authorization: Bearer <key>`")
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The request can be read, but is not acceptable.
    pub fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// The answer at an address that leads to nothing.
    pub fn nothing_here() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "there is nothing at this address",
        )
        .hint("/openapi.json lists what there is")
    }

    pub fn no_session() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_session",
            "there is no such session",
        )
    }

    pub fn session_exists() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "session_exists",
            "there is a session of this name already",
        )
        .hint("send further messages to it with the command `send_message`, or take another name")
    }

    pub fn no_artifact() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_artifact",
            "there is no such artifact",
        )
    }

    /// Something in the server failed: the cause goes to the log, and the caller may try again.
    pub fn internal(doing: &str, cause: impl std::fmt::Display) -> Self {
        tracing::error!(doing, cause = %cause, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            format!("{doing} failed"),
        )
        .hint("the server's log says why")
        .retryable()
    }

    fn storage(doing: &str, cause: impl std::fmt::Display) -> Self {
        tracing::error!(doing, cause = %cause, "the log cannot be used");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "storage",
            "the log cannot be used at the moment",
        )
        .hint("the server's log says why; try again with the same id")
        .retryable()
    }

    /// One owner, or one address, has as many of something as one may have.
    pub fn too_many(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, message)
            .hint("try again in a moment, after something else has ended")
            .retryable()
    }

    /// The same error with another message.
    pub fn because(mut self, cause: &dyn std::fmt::Display) -> Self {
        self.error.message = cause.to_string();
        self
    }

    pub fn busy() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "overloaded",
            "the server has more to do than it takes",
        )
        .hint("try again in a moment with the same id")
        .retryable()
    }
}

/// Seconds after which a caller that asked too often, or met an overloaded server, should ask again.
const RETRY_AFTER_SECONDS: u64 = 1;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status;
        let told = self.error.clone();
        let mut response = (status, Json(ErrorAnswer { error: self.error })).into_response();
        // For protocols that tell errors in a form of their own.
        response.extensions_mut().insert(told);
        if matches!(
            status,
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
        ) {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS.into());
        }
        if matches!(
            status,
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT
        ) {
            // The rest of the body is not read, so that no other request can follow on this connection.
            response
                .headers_mut()
                .insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let (status, retryable) = match &refusal {
            Refusal::NoSession => return Self::no_session(),
            Refusal::Erased => (StatusCode::GONE, false),
            Refusal::NoRun { .. }
            | Refusal::NoGate { .. }
            | Refusal::NoStep { .. }
            | Refusal::NoArtifact { .. } => (StatusCode::NOT_FOUND, false),
            Refusal::Busy { .. } | Refusal::QueueFull { .. } => (StatusCode::CONFLICT, true),
            Refusal::MessageReused { .. }
            | Refusal::NothingTo { .. }
            | Refusal::NotEnded { .. }
            | Refusal::NothingMissing { .. }
            | Refusal::Ended { .. }
            | Refusal::GateAnswered { .. }
            | Refusal::StepDone { .. }
            | Refusal::SessionOpen
            | Refusal::NothingMade { .. }
            | Refusal::AttemptOver { .. }
            | Refusal::TurnAnswered { .. }
            | Refusal::BudgetUsedUp { .. }
            | Refusal::AskedEnough { .. }
            | Refusal::NotCurrent { .. }
            | Refusal::NobodyAsked { .. } => (StatusCode::CONFLICT, false),
            Refusal::UnknownPipeline { .. }
            | Refusal::EmptyMessage
            | Refusal::MessageTooLong { .. }
            | Refusal::BadInput { .. }
            | Refusal::BadFileName { .. }
            | Refusal::UnknownStage { .. }
            | Refusal::UnknownPart { .. }
            | Refusal::EmptyFeedback
            | Refusal::BadEdits { .. }
            | Refusal::NotEditable { .. }
            | Refusal::BadContent { .. }
            | Refusal::Unchanged
            | Refusal::NotLeftOut { .. }
            | Refusal::BadAnswer { .. } => (StatusCode::UNPROCESSABLE_ENTITY, false),
        };
        let error = Self::new(status, refusal.code(), refusal.to_string());
        if retryable { error.retryable() } else { error }
    }
}

impl From<CollectionRefusal> for ApiError {
    fn from(refusal: CollectionRefusal) -> Self {
        let status = match &refusal {
            CollectionRefusal::Erased => StatusCode::GONE,
            CollectionRefusal::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            CollectionRefusal::TooMany { .. } => StatusCode::CONFLICT,
            CollectionRefusal::BadId { .. }
            | CollectionRefusal::BadName { .. }
            | CollectionRefusal::BadMediaType { .. }
            | CollectionRefusal::FactsTooLarge { .. }
            | CollectionRefusal::BatchTooLarge { .. }
            | CollectionRefusal::Twice { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, refusal.code(), refusal.to_string())
    }
}

impl From<CollectionError> for ApiError {
    fn from(error: CollectionError) -> Self {
        match error {
            CollectionError::Refused(refusal) => refusal.into(),
            CollectionError::Log(SendError::Erased) => CollectionRefusal::Erased.into(),
            CollectionError::Log(error) => error.into(),
        }
    }
}

impl From<ProjectRefusal> for ApiError {
    fn from(refusal: ProjectRefusal) -> Self {
        let status = match &refusal {
            ProjectRefusal::NoProject
            | ProjectRefusal::NoEntry { .. }
            | ProjectRefusal::NoVersion { .. }
            | ProjectRefusal::NoFact { .. } => StatusCode::NOT_FOUND,
            ProjectRefusal::Erased => StatusCode::GONE,
            ProjectRefusal::EntryTooLarge { .. } | ProjectRefusal::TextTooLarge { .. } => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            ProjectRefusal::TooMany { .. }
            | ProjectRefusal::Changed { .. }
            | ProjectRefusal::StaleText { .. }
            | ProjectRefusal::Locked { .. }
            | ProjectRefusal::ProjectExists
            | ProjectRefusal::VersionInUse { .. }
            | ProjectRefusal::NotAccepted { .. } => StatusCode::CONFLICT,
            ProjectRefusal::BadId { .. }
            | ProjectRefusal::BadName { .. }
            | ProjectRefusal::TooLong { .. }
            | ProjectRefusal::BadValue { .. }
            | ProjectRefusal::BatchTooLarge { .. }
            | ProjectRefusal::Twice { .. }
            | ProjectRefusal::OtherKind { .. }
            | ProjectRefusal::TooManyFacts { .. }
            | ProjectRefusal::NoReason => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self::new(status, refusal.code(), refusal.to_string())
    }
}

impl From<ProjectError> for ApiError {
    fn from(error: ProjectError) -> Self {
        match error {
            ProjectError::Refused(refusal) => refusal.into(),
            ProjectError::Log(SendError::Erased) => ProjectRefusal::Erased.into(),
            ProjectError::Log(error) => error.into(),
        }
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NoStream { .. } => Self::no_session(),
            ReadError::Erased { .. } => erased(),
            ReadError::Undecodable { .. }
            | ReadError::Sealed { .. }
            | ReadError::BlobSealed { .. }
            | ReadError::Gap { .. }
            | ReadError::Closed
            | ReadError::Storage(_) => Self::storage("reading", error),
        }
    }
}

impl From<AppendError> for ApiError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Conflict {
                expected, actual, ..
            } => stale(expected, actual),
            AppendError::NoParent { .. } => Self::no_session(),
            AppendError::ForkOutside { at, actual, .. } => no_version(at, actual),
            AppendError::Erased { .. } => erased(),
            AppendError::LiveForks { ref forks, .. } => live_forks(forks.len()),
            AppendError::Busy => Self::busy(),
            AppendError::TooLarge { .. } | AppendError::BlobTooLarge { .. } => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                error.to_string(),
            ),
            AppendError::Empty
            | AppendError::Misplaced
            | AppendError::ClaimLost { .. }
            | AppendError::ReadOnly
            | AppendError::Closed
            | AppendError::Storage(_) => Self::storage("appending", error),
        }
    }
}

impl From<SendError> for ApiError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Refused(refusal) => refusal.into(),
            SendError::NoSession { .. } => Self::no_session(),
            SendError::Stale { expected, actual } => stale(expected, actual),
            SendError::Busy => Self::busy(),
            SendError::Storage { cause } | SendError::Unusable { cause } => {
                Self::storage("deciding", cause)
            }
            // This error occurs only for the process that carries out a step, never for a client's command.
            SendError::ClaimLost => Self::busy(),
            SendError::Erased => erased(),
            SendError::IdReused => Self::new(StatusCode::CONFLICT, "id_reused", error.to_string())
                .hint("take a fresh id for every command"),
            SendError::LiveForks { forks } => live_forks(forks.len()),
            SendError::NoVersion { at, head } => no_version(at, head),
            SendError::Stopped => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "stopping",
                "the server is stopping",
            )
            .hint("try again with the same id once it is back")
            .retryable(),
            SendError::SessionExists { .. } => Self::session_exists(),
        }
    }
}

impl From<FeedError> for ApiError {
    fn from(error: FeedError) -> Self {
        match error {
            FeedError::NoSession { .. } => Self::no_session(),
            FeedError::Erased { .. } => erased(),
            FeedError::UnknownWire(unknown) => {
                Self::unprocessable("unknown_wire", unknown.to_string())
            }
            FeedError::Log(error) => error.into(),
        }
    }
}

fn erased() -> ApiError {
    ApiError::new(
        StatusCode::GONE,
        "erased",
        "the session was erased and cannot be read any longer",
    )
}

fn stale(expected: u64, actual: u64) -> ApiError {
    let message = format!("the session is at version {actual}, not at {expected}");
    ApiError::new(StatusCode::CONFLICT, "stale", message).hint("read it again and decide again")
}

fn live_forks(count: usize) -> ApiError {
    ApiError::new(
        StatusCode::CONFLICT,
        "live_forks",
        format!("sessions that were forked from this one live on it: {count}"),
    )
    .hint("erase them first, or with it (`forks=true`, on the command line `--forks`)")
}

pub fn no_version(at: u64, head: u64) -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "no_version",
        format!("the session has versions 1 to {head}, and not {at}"),
    )
}
