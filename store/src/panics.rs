//! Faults of the program: a panic ends only the task that it happened in, and is counted.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

/// How often in a row a task that lives as long as the process is started again before it is given up. A task that panics at every start
/// reaches this number within seconds; a fault that is caused by one event passes within a few tries.
const RESTARTS_MAX: u32 = 10;

/// How long such a task waits before it begins again, so that one that always panics does not fill the log.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// How long a task has to work until its next panic no longer counts as one in a row.
const STEADY_AFTER: Duration = Duration::from_secs(600);

static CAUGHT: AtomicU64 = AtomicU64::new(0);
static GIVEN_UP: AtomicU64 = AtomicU64::new(0);

/// Panics that were caught since the process began.
pub fn caught_so_far() -> u64 {
    CAUGHT.load(Ordering::Relaxed)
}

/// Tasks meant to live as long as the process that could not be kept alive.
pub fn given_up() -> u64 {
    GIVEN_UP.load(Ordering::Relaxed)
}

/// The result of the future, or the message of its panic.
pub async fn caught<T>(task: &'static str, future: impl Future<Output = T>) -> Result<T, String> {
    // Boxed: tasks hold many of these at once.
    let caught = Box::pin(AssertUnwindSafe(future).catch_unwind()).await;
    caught.map_err(|panic| noted(task, panic.as_ref()))
}

/// Counts and logs a panic that was caught, and gives its message.
pub fn noted(task: &'static str, panic: &(dyn Any + Send)) -> String {
    let message = message_of(panic);
    CAUGHT.fetch_add(1, Ordering::Relaxed);
    metrics::counter!("palimpsest_panics_total", "task" => task).increment(1);
    tracing::error!(task, "a fault of the program was caught: {message}");
    message
}

/// Begins a task of its own that ends by itself, and keeps it alive until then.
pub fn keep_alive<F>(task: &'static str, begin: impl Fn() -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(supervised(task, CancellationToken::new(), begin));
}

/// Keeps a task alive until it ends by itself or is stopped. `begin` makes it anew after each panic.
pub async fn supervised<F: Future<Output = ()>>(
    task: &'static str,
    stop: CancellationToken,
    begin: impl Fn() -> F,
) {
    let mut in_a_row = 0;
    loop {
        let began = tokio::time::Instant::now();
        if caught(task, begin()).await.is_ok() {
            return;
        }
        if began.elapsed() >= STEADY_AFTER {
            in_a_row = 0;
        }
        in_a_row += 1;
        if in_a_row > RESTARTS_MAX {
            GIVEN_UP.fetch_add(1, Ordering::Relaxed);
            tracing::error!(
                task,
                "a task that panics again and again is given up; restart the program"
            );
            return;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(RESTART_PAUSE) => {}
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it left no message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_begins_again_after_a_panic_until_it_panics_too_often() {
        let begun = AtomicU64::new(0);
        let stop = CancellationToken::new();
        supervised("test", stop.clone(), || async {
            assert!(begun.fetch_add(1, Ordering::Relaxed) >= 3, "not yet");
        })
        .await;
        assert_eq!(begun.load(Ordering::Relaxed), 4);
        let before = given_up();
        supervised("test", stop, || async { panic!("always") }).await;
        assert_eq!(given_up(), before + 1);
    }
}
