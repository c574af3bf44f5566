//! Where typesetting is done: on threads of their own, no more at a time than there are cores, each job within a time limit.

use std::sync::Arc;
use std::time::Duration;

use domain::typeset::RenderJob;
use domain::typeset::Typeset;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::ports::{TypesetError, Typesetter};
use crate::sessions::Stop;
use store::panics;

/// The code of a step whose pages or files could not be made.
const TYPESETTING: &str = "typesetting";
/// The code of a step that typesetting took too long for.
const TYPESETTING_SLOW: &str = "typesetting_slow";

pub(crate) struct Press {
    typesetter: Arc<dyn Typesetter>,
    /// As many as there are cores: more would only make each of them slower.
    free: Arc<Semaphore>,
    limit: Duration,
}

impl Press {
    pub(crate) fn new(typesetter: Arc<dyn Typesetter>, limit: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            typesetter,
            free: Arc::new(Semaphore::new(cores)),
            limit,
        }
    }

    /// Does a job, unless it is cancelled. A job that is given up ends at its next page and holds its core until then.
    pub(crate) async fn typeset(
        &self,
        job: RenderJob,
        cancel: &CancellationToken,
    ) -> Result<Typeset, Stop> {
        let core = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Stop::Over),
            core = Arc::clone(&self.free).acquire_owned() => core,
        };
        let typesetter = Arc::clone(&self.typesetter);
        let waited_for = cancel.child_token();
        // When this function ends, however it ends, nobody waits for the work any longer.
        let _end = waited_for.clone().drop_guard();
        let work = tokio::task::spawn_blocking(move || {
            let _core = core;
            typesetter.typeset(job, &|| !waited_for.is_cancelled())
        });
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Stop::Over),
            ended = tokio::time::timeout(self.limit, work) => ended,
        };
        let Ok(ended) = ended else {
            let seconds = self.limit.as_secs();
            let message = format!("typesetting took longer than {seconds} seconds");
            return Err(Stop::fail(TYPESETTING_SLOW, &message, true));
        };
        match ended {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(TypesetError::GivenUp)) => Err(Stop::Over),
            // The same job would fail again in the same way.
            Ok(Err(TypesetError::Failed { cause })) => Err(Stop::fail(TYPESETTING, &cause, false)),
            Err(broken) => {
                let cause = match broken.try_into_panic() {
                    Ok(panic) => panics::noted("typesetting", panic.as_ref()),
                    Err(broken) => broken.to_string(),
                };
                let message = format!("typesetting broke down: {cause}");
                Err(Stop::fail(TYPESETTING, &message, false))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::typeset::SlideSet;

    use super::*;

    /// Goes on until nobody waits, or panics.
    struct Stubborn {
        panics: bool,
    }

    impl Typesetter for Stubborn {
        fn typeset(&self, _: RenderJob, go_on: &dyn Fn() -> bool) -> Result<Typeset, TypesetError> {
            assert!(!self.panics, "a fault of the program");
            while go_on() {
                std::thread::yield_now();
            }
            Err(TypesetError::GivenUp)
        }
    }

    async fn stopped(typesetter: Stubborn, limit: Duration, cancel: &CancellationToken) -> Stop {
        let press = Press::new(Arc::new(typesetter), limit);
        let job = RenderJob::Slides(SlideSet {
            title: String::new(),
            language: "en".to_owned(),
            theme: spec::default_theme(),
            slides: vec![],
            sheets_max: None,
            written: None,
            author: None,
            created: None,
        });
        let stop = press
            .typeset(job, cancel)
            .await
            .expect_err("nothing is made");
        // The core is free again once the thread has noticed.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cores = u32::try_from(cores).expect("a machine's cores");
        let all = press.free.acquire_many(cores).await;
        all.expect("it stays open").forget();
        stop
    }

    #[tokio::test]
    async fn what_takes_too_long_fails_and_may_be_tried_again() {
        let never = CancellationToken::new();
        let stop = stopped(Stubborn { panics: false }, Duration::ZERO, &never).await;
        let Stop::Failed {
            code, retryable, ..
        } = stop
        else {
            panic!("not failed")
        };
        assert_eq!((code.as_str(), retryable), (TYPESETTING_SLOW, true));
    }

    #[tokio::test]
    async fn what_breaks_down_fails_for_good() {
        let never = CancellationToken::new();
        let stop = stopped(Stubborn { panics: true }, Duration::MAX, &never).await;
        let Stop::Failed {
            code, retryable, ..
        } = stop
        else {
            panic!("not failed")
        };
        assert_eq!((code.as_str(), retryable), (TYPESETTING, false));
    }

    #[tokio::test]
    async fn what_is_cancelled_reports_nothing() {
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let stop = stopped(Stubborn { panics: false }, Duration::MAX, &cancelled).await;
        assert!(matches!(stop, Stop::Over));
    }
}
