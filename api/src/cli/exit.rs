//! How the program ends, and why.

use std::process::ExitCode;

use axum::http::StatusCode;
use store::OpenError;

use crate::config::ConfigError;
use crate::error::ApiError;

/// The exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Done = 0,
    RunFailed = 1,
    Usage = 2,
    Unusable = 3,
    Broken = 4,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command was not carried out.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    pub(super) fn unusable(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Unusable,
            message: message.into(),
        }
    }

    /// An error of the API as a person at a terminal reads it.
    pub(super) fn of_api(status: StatusCode, message: &str, hint: Option<&str>) -> Self {
        let exit = if status.is_server_error() {
            Exit::Unusable
        } else {
            Exit::Usage
        };
        let message = hint.map_or_else(|| message.to_owned(), |hint| format!("{message}; {hint}"));
        Self { exit, message }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::unusable(error.to_string())
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::of_api(
            error.status,
            &error.error.message,
            error.error.hint.as_deref(),
        )
    }
}

/// What goes wrong while a process is put together: files, addresses, keys.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::unusable(format!("{error:#}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::unusable(error.to_string())
    }
}
