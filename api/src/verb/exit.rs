//! How the program ends, and why.

use std::process::ExitCode;

use axum::http::StatusCode;
use store::{BackupError, OpenError};

use crate::config::ConfigError;
use crate::error::ApiError;

/// The exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It was done.
    Done = 0,
    /// It was carried out, and what it was about failed: a run, a check.
    Failed = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// The log or a server cannot be used.
    Unusable = 3,
    /// The log is not what was written.
    Broken = 4,
    /// A person stopped it; it can be resumed.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A reason for [`Exit::Failed`], as a sentence for the help: `a poem`, `did not scan`. Reasons that end in the same way are put together
/// there: `a poem or a song did not scan`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedWhen {
    /// What failed, with its article.
    pub subject: &'static str,
    /// How.
    pub predicate: &'static str,
}

impl FailedWhen {
    /// These reasons as one line.
    pub(crate) fn listed(reasons: impl IntoIterator<Item = Self>) -> String {
        let mut sentences: Vec<(Vec<String>, &str)> = vec![];
        for Self { subject, predicate } in reasons {
            let known = sentences.iter_mut().find(|(_, known)| *known == predicate);
            match known {
                Some((subjects, _)) => subjects.push(subject.to_owned()),
                None => sentences.push((vec![subject.to_owned()], predicate)),
            }
        }
        let sentences = sentences
            .into_iter()
            .map(|(subjects, predicate)| format!("{} {predicate}", join_with_or(&subjects)));
        join_with_or(&sentences.collect::<Vec<_>>())
    }
}

fn join_with_or(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [one, other] => format!("{one} or {other}"),
        [before @ .., last] => format!("{}, or {last}", before.join(", ")),
    }
}

/// Why a command was not carried out.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    /// What is printed.
    pub message: String,
}

impl Failure {
    /// What was asked for is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// Something that is needed cannot be used.
    pub fn unusable(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Unusable,
            message: message.into(),
        }
    }

    /// An error of the API as a person at a terminal reads it.
    pub(crate) fn of_api(status: StatusCode, message: &str, hint: Option<&str>) -> Self {
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

/// The arguments are not those that the verb has declared.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::unusable(error.to_string())
    }
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        let exit = match &error {
            BackupError::Occupied { .. }
            | BackupError::Unfinished(_)
            | BackupError::NoBackup { .. }
            | BackupError::OtherKind { .. } => Exit::Usage,
            BackupError::Damaged { .. } => Exit::Broken,
            BackupError::OtherForm { .. }
            | BackupError::Open(_)
            | BackupError::Read(_)
            | BackupError::Storage(_) => Exit::Unusable,
        };
        let message = error.to_string();
        Self { exit, message }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_end_in_the_same_way_are_one_sentence() {
        let reasons = |reasons: &[(&'static str, &'static str)]| {
            let reasons = reasons.iter();
            let reasons = reasons.map(|&(subject, predicate)| FailedWhen { subject, predicate });
            FailedWhen::listed(reasons.collect::<Vec<_>>())
        };
        let (run, poem, song) = (
            ("the run", "failed"),
            ("a poem", "did not scan"),
            ("a song", "did not scan"),
        );
        assert_eq!(reasons(&[run]), "the run failed");
        let two = "the run failed or a poem did not scan";
        assert_eq!(reasons(&[run, poem]), two);
        let three = "the run failed, a poem or a song did not scan, or a rhyme was bad";
        let bad = ("a rhyme", "was bad");
        assert_eq!(reasons(&[run, poem, bad, song]), three);
    }
}
