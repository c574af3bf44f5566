//! What a provider can take: calls at once, requests and tokens a minute, and the pauses it asks for.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Add;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use governor::clock::{Clock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use crate::waits::{WaitGuard, WaitLine, WaitReason};

/// Calls at once to one provider. Small accounts are commonly allowed ten or fewer; a stage is at most five wide.
pub const DEFAULT_CONCURRENCY: usize = 8;

/// The limits of one provider. Absent rates mean that only the number of calls at once is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProviderLimits {
    /// Calls in flight at once, at least one.
    pub concurrency: usize,
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens of prompts and answers together, by the estimate that a call is reserved with.
    pub tokens_per_minute: Option<NonZeroU32>,
}

impl Default for ProviderLimits {
    fn default() -> ProviderLimits {
        ProviderLimits {
            concurrency: DEFAULT_CONCURRENCY,
            requests_per_minute: None,
            tokens_per_minute: None,
        }
    }
}

/// Lets calls to one provider through as its limits allow. Clones share the limits.
#[derive(Clone)]
pub struct Limiter {
    seats: Arc<Semaphore>,
    requests: Option<Arc<Rate>>,
    tokens: Option<Arc<Rate>>,
    /// By model, until when nothing may be sent to it.
    not_before: Arc<Mutex<BTreeMap<String, Instant>>>,
}

/// Permission to make one call; its place is free again when it is dropped.
#[derive(Debug)]
pub struct Permit {
    _seat: OwnedSemaphorePermit,
}

type Rate = RateLimiter<NotKeyed, InMemoryState, RuntimeClock, NoOpMiddleware<RuntimeInstant>>;

impl Limiter {
    /// A provider that was not called yet.
    pub fn new(limits: ProviderLimits) -> Limiter {
        let rate = |per_minute: NonZeroU32| {
            Arc::new(RateLimiter::direct_with_clock(
                Quota::per_minute(per_minute),
                RuntimeClock::start(),
            ))
        };
        Limiter {
            seats: Arc::new(Semaphore::new(limits.concurrency.max(1))),
            requests: limits.requests_per_minute.map(rate),
            tokens: limits.tokens_per_minute.map(rate),
            not_before: Arc::default(),
        }
    }

    /// Waits until one call of this model, of about this many tokens, may be made. Dropping the future gives up the place in the queue.
    /// The step that calls, if it is one, says on its line what it waits for.
    pub async fn permit(&self, model: &str, tokens: u32, waits: Option<WaitLine<'_>>) -> Permit {
        let waiting = begin(waits, WaitReason::Seat);
        let seat = Arc::clone(&self.seats)
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        drop(waiting);
        let waiting = begin(waits, WaitReason::Rate);
        if let Some(requests) = &self.requests {
            wait_for(requests, NonZeroU32::MIN).await;
        }
        if let (Some(rate), Some(tokens)) = (&self.tokens, NonZeroU32::new(tokens)) {
            wait_for(rate, tokens).await;
        }
        drop(waiting);
        let pause = self.pause(model);
        let _waiting = pause.and_then(|_| begin(waits, WaitReason::Pause));
        // Checked last, and again after each wait, because a pause may be asked for while this call waits.
        while let Some(until) = self.pause(model) {
            sleep_until(until).await;
        }
        Permit { _seat: seat }
    }

    /// No call of this model is let through for this long: the provider asked for it. A shorter request does not shorten a
    /// longer one.
    pub fn hold_off(&self, model: &str, pause: Duration) {
        let until = Instant::now() + pause;
        let mut not_before = self
            .not_before
            .lock()
            .expect("nothing panics while a pause is set");
        let known = not_before.entry(model.to_owned()).or_insert(until);
        *known = until.max(*known);
    }

    /// Until when nothing may be sent to a model, if that is still to come.
    fn pause(&self, model: &str) -> Option<Instant> {
        let not_before = self
            .not_before
            .lock()
            .expect("nothing panics while a pause is set");
        let until = not_before.get(model).copied();
        until.filter(|until| *until > Instant::now())
    }
}

impl std::fmt::Debug for Limiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limiter")
            .field("free_seats", &self.seats.available_permits())
            .finish_non_exhaustive()
    }
}

/// Says on the line of a step, if there is one, what it waits for.
fn begin(waits: Option<WaitLine<'_>>, reason: WaitReason) -> Option<WaitGuard<'_>> {
    waits.map(|waits| waits.begin(reason))
}

/// Waits until the rate has room for this many cells and takes them.
async fn wait_for(rate: &Rate, cells: NonZeroU32) {
    let mut cells = cells;
    loop {
        match rate.check_n(cells) {
            Ok(Ok(())) => return,
            Ok(Err(too_early)) => {
                tokio::time::sleep(too_early.wait_time_from(rate.clock().now())).await;
            }
            // A call larger than a whole minute's allowance takes a whole minute's allowance.
            Err(capacity) => cells = NonZeroU32::new(capacity.0).unwrap_or(NonZeroU32::MIN),
        }
    }
}

/// The runtime's clock, so that whoever advances the runtime's time advances the limits with it.
#[derive(Debug, Clone)]
struct RuntimeClock {
    start: Instant,
}

impl RuntimeClock {
    fn start() -> RuntimeClock {
        RuntimeClock {
            start: Instant::now(),
        }
    }
}

impl Clock for RuntimeClock {
    type Instant = RuntimeInstant;

    fn now(&self) -> RuntimeInstant {
        RuntimeInstant(self.start.elapsed())
    }
}

/// Time since the clock was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RuntimeInstant(Duration);

impl Add<Nanos> for RuntimeInstant {
    type Output = RuntimeInstant;

    fn add(self, more: Nanos) -> RuntimeInstant {
        RuntimeInstant(self.0 + Duration::from(more))
    }
}

impl Reference for RuntimeInstant {
    fn duration_since(&self, earlier: RuntimeInstant) -> Nanos {
        self.0.saturating_sub(earlier.0).into()
    }

    fn saturating_sub(&self, duration: Nanos) -> RuntimeInstant {
        RuntimeInstant(self.0.checked_sub(duration.into()).unwrap_or(self.0))
    }
}

#[cfg(test)]
mod tests {
    use domain::{RunId, StepId};
    use futures::FutureExt;
    use store::StreamId;

    use super::*;
    use crate::waits::WaitTable;

    fn per_minute(requests: Option<u32>, tokens: Option<u32>) -> Limiter {
        Limiter::new(ProviderLimits {
            concurrency: 2,
            requests_per_minute: requests.and_then(NonZeroU32::new),
            tokens_per_minute: tokens.and_then(NonZeroU32::new),
        })
    }

    #[tokio::test]
    async fn a_third_call_waits_for_a_seat() {
        let limiter = per_minute(None, None);
        let first = limiter.permit("m", 1, None).await;
        let _second = limiter.permit("m", 1, None).await;
        assert!(limiter.permit("m", 1, None).now_or_never().is_none());
        drop(first);
        assert!(limiter.permit("m", 1, None).now_or_never().is_some());
    }

    // The paused clock advances by itself to whatever is waited for next; what is asserted is its time, not the wall's.
    #[tokio::test(start_paused = true)]
    async fn requests_are_spread_over_the_minute() {
        let limiter = per_minute(Some(2), None);
        let start = Instant::now();
        for _ in 0..4 {
            limiter.permit("m", 0, None).await;
        }
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_are_spread_over_the_minute_and_a_giant_takes_all_of_one() {
        let limiter = per_minute(None, Some(600));
        let start = Instant::now();
        limiter.permit("m", 5_000, None).await;
        limiter.permit("m", 300, None).await;
        assert_eq!(start.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_asked_for_holds_for_every_call_and_is_not_shortened() {
        let limiter = per_minute(None, None);
        let other = limiter.clone();
        let start = Instant::now();
        limiter.hold_off("m", Duration::from_secs(20));
        limiter.hold_off("m", Duration::from_secs(5));
        other.permit("m", 1, None).await;
        assert_eq!(start.elapsed().as_secs(), 20);
        limiter.permit("m", 1, None).await;
        assert_eq!(start.elapsed().as_secs(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_of_one_model_is_none_of_another() {
        let limiter = per_minute(None, None);
        limiter.hold_off("m", Duration::from_secs(20));
        assert!(limiter.permit("other", 1, None).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_says_which_of_the_limits_it_waits_for() {
        let table = WaitTable::new(crate::clock::Clock::system());
        let stream = StreamId::new("ann", "s".into());
        let step = StepId::new(RunId(1), "draft", "");
        let line = Some(table.line(&stream, &step));
        let reason = || table.all().values().next().map(|wait| wait.reason);
        let limiter = Limiter::new(ProviderLimits {
            concurrency: 1,
            requests_per_minute: NonZeroU32::new(1),
            tokens_per_minute: None,
        });
        let first = limiter.permit("m", 1, line).await;
        assert_eq!(reason(), None);
        let mut second = std::pin::pin!(limiter.permit("m", 1, line));
        assert!(futures::poll!(second.as_mut()).is_pending());
        assert_eq!(reason(), Some(WaitReason::Seat));
        drop(first);
        assert!(futures::poll!(second.as_mut()).is_pending());
        assert_eq!(reason(), Some(WaitReason::Rate));
        limiter.hold_off("m", Duration::from_secs(90));
        // A second more than the rate asks for, because timers are rounded up.
        tokio::time::advance(Duration::from_secs(61)).await;
        assert!(futures::poll!(second.as_mut()).is_pending());
        assert_eq!(reason(), Some(WaitReason::Pause));
        tokio::time::advance(Duration::from_secs(30)).await;
        assert!(futures::poll!(second.as_mut()).is_ready());
        assert_eq!(reason(), None);
    }

    #[tokio::test]
    async fn a_call_that_is_given_up_waits_for_nothing() {
        let table = WaitTable::new(crate::clock::Clock::system());
        let stream = StreamId::new("ann", "s".into());
        let step = StepId::new(RunId(1), "draft", "");
        let limiter = per_minute(None, None);
        let _seats = (
            limiter.permit("m", 1, None).await,
            limiter.permit("m", 1, None).await,
        );
        let waits = Some(table.line(&stream, &step));
        assert!(limiter.permit("m", 1, waits).now_or_never().is_none());
        assert!(table.all().is_empty());
    }
}
