//! Whether the log can be used, for whoever asks whether the server is ready. A probe of the log is a durable write, and anybody may ask,
//! so the log is probed once a second at most, and everybody is told what the last probe found.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use store::{AppendError, AppendFailure, Log, NodeId};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::config::LOCAL_OWNER;
use crate::error::ApiError;

/// How long the answer of a probe is given. Those who look after servers ask every few seconds; one probe a second is next to nothing
/// beside the appends of a server at work.
const PROBE_HOLDS: Duration = Duration::from_secs(1);

/// How long a probe may take, as everybody who asks meanwhile waits for it. A log that does not answer for so long is of no use.
const PROBE_TIME_MAX: Duration = Duration::from_secs(5);

/// How long an append that failed speaks against the log where none was tried after it. A server that is not ready is asked for nothing by
/// those who heed this, so the next append has to be let through some time; a few probes of whoever looks after the server come before.
const FAILURE_HOLDS: Duration = Duration::from_secs(30);

/// Probes a log.
pub struct LogProbe {
    log: Arc<dyn Log>,
    last: LastAnswer,
}

impl LogProbe {
    pub fn new(log: Arc<dyn Log>) -> Self {
        Self {
            log,
            last: LastAnswer::default(),
        }
    }

    /// Whether the log takes appends and can be read.
    ///
    /// # Errors
    ///
    /// It does not or cannot, as far as is known from appends and from the last probe.
    pub async fn check(&self) -> Result<(), ApiError> {
        // The probe does not need as much room on a disk as an append does, and so may succeed where all appends fail.
        check_appends(self.log.append_failure())?;
        self.last.or_ask(probe(Arc::clone(&self.log))).await
    }
}

fn check_appends(failure: Option<AppendFailure>) -> Result<(), ApiError> {
    match failure {
        Some(failure) if failure.cause.is_loss() => Err(log_lost()),
        Some(failure) if failure.ago < FAILURE_HOLDS => Err(unusable("the log takes no appends")),
        Some(_) | None => Ok(()),
    }
}

async fn probe(log: Arc<dyn Log>) -> Result<(), ApiError> {
    match tokio::time::timeout(PROBE_TIME_MAX, write_and_read(&*log)).await {
        Ok(found) => found,
        Err(_) => {
            let seconds = PROBE_TIME_MAX.as_secs();
            tracing::error!(seconds, "the log did not answer a probe");
            Err(unusable("the log does not answer"))
        }
    }
}

async fn write_and_read(log: &dyn Log) -> Result<(), ApiError> {
    // Renews a lease with no duration: this shows that the log can be written, and claims nothing.
    let node = NodeId::new("readiness");
    match log.renew(&node, Duration::ZERO).await {
        Err(AppendError::Storage(storage)) if storage.is_loss() => return Err(log_lost()),
        done => drop(done?),
    }
    log.sessions(LOCAL_OWNER, None, 1).await?;
    Ok(())
}

fn log_lost() -> ApiError {
    ApiError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "log_lost",
        "files that the log is written to were removed, replaced or cut; nothing is taken any longer",
    )
    .hint("the server's log names the file; put back what belongs together, then restart the server")
}

fn unusable(message: &str) -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "storage", message)
        .hint("the server's log says why")
        .retryable()
}

/// What was found last, as long as it holds.
#[derive(Default)]
struct LastAnswer(Arc<Mutex<Option<ProbeAnswer>>>);

struct ProbeAnswer {
    at: Instant,
    found: Result<(), ApiError>,
}

impl LastAnswer {
    /// What was found last, or, where that is too old, what this finds. Whoever asks meanwhile waits for it.
    async fn or_ask(
        &self,
        ask: impl Future<Output = Result<(), ApiError>> + Send + 'static,
    ) -> Result<(), ApiError> {
        let mut last = Arc::clone(&self.0).lock_owned().await;
        if let Some(answered) = &*last
            && answered.at.elapsed() < PROBE_HOLDS
        {
            return answered.found.clone();
        }
        // On a task of its own: a client that goes away does not break it off, or clients that come and go would ask again and again.
        let asking = tokio::spawn(async move {
            let found = ask.await;
            *last = Some(ProbeAnswer {
                at: Instant::now(),
                found: found.clone(),
            });
            found
        });
        let found = asking.await;
        found.unwrap_or_else(|error| Err(ApiError::internal("probing the log", error)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;
    use runner::clock::Clock;
    use store::{MasterKey, MemoryLog, Storage};
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn however_many_ask_there_is_one_probe_a_second() {
        let (last, asked) = (LastAnswer::default(), Arc::new(AtomicUsize::new(0)));
        let ask = || {
            let asked = Arc::clone(&asked);
            last.or_ask(async move {
                let before = asked.fetch_add(1, Ordering::Relaxed);
                if before == 0 {
                    return Ok(());
                }
                Err(unusable("the second one"))
            })
        };
        let found = join_all((0..300).map(|_| ask())).await;
        assert!(found.iter().all(Result::is_ok));
        tokio::time::advance(PROBE_HOLDS - Duration::from_millis(1)).await;
        assert_eq!(ask().await, Ok(()));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        tokio::time::advance(Duration::from_millis(1)).await;
        let found = join_all((0..300).map(|_| ask())).await;
        assert!(found.iter().all(Result::is_err));
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_goes_away_does_not_break_a_probe_off() {
        let (last, goes_on) = (LastAnswer::default(), Arc::new(Notify::new()));
        let waits = Arc::clone(&goes_on);
        let asked = last.or_ask(async move {
            waits.notified().await;
            Ok(())
        });
        let asked = tokio::time::timeout(Duration::from_millis(1), asked);
        assert!(asked.await.is_err(), "the client did not wait any longer");
        goes_on.notify_one();
        let again = last.or_ask(async { Err(unusable("a second probe")) });
        assert_eq!(again.await, Ok(()));
    }

    #[tokio::test]
    async fn a_log_that_can_be_used_is_ready() {
        let clock = Clock::system();
        let log = MemoryLog::open(MasterKey::new([7; 32]), clock.as_fn()).await;
        assert_eq!(LogProbe::new(Arc::new(log)).check().await, Ok(()));
    }

    #[test]
    fn an_append_that_failed_speaks_against_the_log_for_a_while() {
        let failed = |seconds| AppendFailure {
            ago: Duration::from_secs(seconds),
            cause: Storage::new("appending", "the disk is full", "make room"),
        };
        assert_eq!(check_appends(None), Ok(()));
        let refused = check_appends(Some(failed(29))).map_err(|error| error.error.code);
        assert_eq!(refused, Err("storage".into()));
        assert_eq!(check_appends(Some(failed(30))), Ok(()));
    }
}
