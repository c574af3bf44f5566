//! Makes sure that outcomes that were paid for are in the log sooner or later.

use std::time::Duration;

use commands::Refusal;
use store::StreamId;
use tokio_util::sync::CancellationToken;

use super::{Applied, Request, Sessions, Stop};
use crate::error::SendError;

/// The pause before an outcome that could not be stored is offered again; it doubles up to `STORE_PAUSE_MAX`.
const STORE_PAUSE: Duration = Duration::from_millis(200);
const STORE_PAUSE_MAX: Duration = Duration::from_secs(30);

/// Sends a command of our own until it is in the log: a full disk or a busy log is waited for, since what it records was
/// paid for.
pub(crate) async fn persist(
    sessions: &dyn Sessions,
    stream: &StreamId,
    request: &Request,
    cancel: &CancellationToken,
) -> Result<Applied, Stop> {
    let mut pauses = Pauses::new();
    loop {
        match sessions.process(stream, request).await {
            Ok(applied) => return Ok(applied),
            Err(error @ (SendError::Storage { .. } | SendError::Busy)) => {
                tracing::error!(%error, session.id = %stream.session, "the log does not take an outcome; it is offered again");
            }
            Err(SendError::Refused(Refusal::TurnAnswered { .. })) => return Err(Stop::Again),
            Err(SendError::Refused(refusal)) => {
                if !matches!(refusal, Refusal::AttemptOver { .. }) {
                    tracing::error!(%refusal, session.id = %stream.session, "an outcome was refused");
                }
                return Err(Stop::Over);
            }
            Err(error) => return Err(error.into()),
        }
        pauses.rest(cancel).await?;
    }
}

/// The pauses of a caller that waits for the log.
pub(crate) struct Pauses(Duration);

impl Pauses {
    pub(crate) fn new() -> Self {
        Self(STORE_PAUSE)
    }

    /// Waits, unless the attempt is over before.
    pub(crate) async fn rest(&mut self, cancel: &CancellationToken) -> Result<(), Stop> {
        tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            () = tokio::time::sleep(self.0) => {}
        }
        self.0 = (self.0 * 2).min(STORE_PAUSE_MAX);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use commands::{Command, OpenSession};
    use domain::Actor;
    use domain::hash::Blob;
    use domain::pipeline::Pipelines;
    use store::{MasterKey, SMALL_BLOB, SqliteLog, SqliteOptions};

    use super::*;
    use crate::clock::Clock;
    use crate::tests::laws::Fan;
    use crate::{Engine, Parts};

    #[tokio::test]
    async fn a_large_answer_that_finds_no_room_is_kept_and_offered_again() {
        let data = tempfile::tempdir().expect("a folder");
        let options = SqliteOptions::new(
            MasterKey::new([7; 32]),
            Clock::system().as_fn(),
            data.path(),
        );
        let log = SqliteLog::open(&data.path().join("log.db"), options).await;
        let log = std::sync::Arc::new(log.expect("a fresh log opens"));
        let parts = Parts::new(log, Pipelines::new(vec![&Fan]));
        let engine = Engine::start(parts).await.expect("an engine starts");
        let stream = StreamId::new("p", "s".into());
        let large = Blob::of(vec![b'a'; SMALL_BLOB + 1]);
        let command = Command::OpenSession(OpenSession {
            pipeline: "fan".to_owned(),
        });
        let blobs = vec![large.clone()];
        let request = Request::own(&stream, "o", command, Actor::system(), blobs);

        // A file is in the place of the folder for large blobs.
        let folder = data.path().join("blobs");
        std::fs::remove_dir(&folder).expect("it is empty");
        std::fs::write(&folder, "").expect("a file fits");
        let gone = CancellationToken::new();
        gone.cancel();
        let offered = persist(&engine, &stream, &request, &gone).await;
        assert!(matches!(offered, Err(Stop::Over)));

        std::fs::remove_file(&folder).expect("it is there");
        let waits = CancellationToken::new();
        let offered = persist(&engine, &stream, &request, &waits).await;
        assert_eq!(offered.ok().map(|applied| applied.version), Some(1));
        let name = &large.reference().sha256;
        let kept = engine.log().get_blob(&stream, name).await;
        assert_eq!(kept.expect("it can be read").as_ref(), Some(large.bytes()));
        engine.stop().await;
        engine.log().close().await;
    }
}
