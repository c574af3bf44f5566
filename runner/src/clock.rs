//! The time and fresh ids: the only place where either comes from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// Where the time comes from; fixed or advanced by hand in tests. Clones of a clock show the same time.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    Steady(Arc<Mutex<Steady>>),
    Given(Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>),
}

/// Time that advances at the rate of the machine's steady counter, even if somebody sets the machine's clock meanwhile.
struct Steady {
    /// A moment of the steady counter, and the time at that moment.
    since: (Instant, DateTime<Utc>),
    /// Whether the time of a shared log is followed and no longer that of this machine.
    follows: bool,
}

impl Steady {
    fn now(&mut self) -> DateTime<Utc> {
        let (moment, time) = self.since;
        let passed = TimeDelta::from_std(moment.elapsed()).unwrap_or_default();
        let steady = whole_micros(time + passed);
        if self.follows {
            return steady;
        }
        let machine = machine_time();
        // The machine slept, or its clock was set forward.
        if machine > steady {
            self.since = (Instant::now(), machine);
            return machine;
        }
        steady
    }
}

impl Clock {
    /// The time of the machine, to the microsecond, which is what logs hold. It never goes back, so that nobody waits for longer than
    /// was asked for when the machine's clock is set back.
    pub fn system() -> Self {
        let since = (Instant::now(), machine_time());
        let steady = Steady {
            since,
            follows: false,
        };
        Self(Source::Steady(Arc::new(Mutex::new(steady))))
    }

    pub fn of(time: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        Self(Source::Given(Arc::new(time)))
    }

    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::Steady(steady) => lock(steady).now(),
            Source::Given(time) => time(),
        }
    }

    /// Goes on from this time or from the machine's, whichever is later. So the time is never before the last event of a log that was
    /// written with a clock that ran ahead.
    pub fn not_before(&self, time: DateTime<Utc>) {
        if let Source::Steady(steady) = &self.0 {
            let mut steady = lock(steady);
            if time > steady.now() {
                steady.since = (Instant::now(), time);
            }
        }
    }

    /// Goes on from this time and no longer looks at the machine's clock: processes that share a log use the log's time.
    pub fn follow(&self, time: DateTime<Utc>) {
        if let Source::Steady(steady) = &self.0 {
            *lock(steady) = Steady {
                since: (Instant::now(), time),
                follows: true,
            };
        }
    }

    /// The same source as a function, for the log.
    pub fn as_fn(&self) -> Arc<dyn Fn() -> DateTime<Utc> + Send + Sync> {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

fn lock(steady: &Mutex<Steady>) -> MutexGuard<'_, Steady> {
    steady.lock().unwrap_or_else(PoisonError::into_inner)
}

fn whole_micros(time: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(time.timestamp_micros()).unwrap_or(time)
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the place where the time comes from"
)]
fn machine_time() -> DateTime<Utc> {
    whole_micros(Utc::now())
}

/// An id that nothing else has; ids made later sort later.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place where ids come from"
)]
pub fn fresh_id() -> String {
    Uuid::now_v7().simple().to_string()
}

/// A number that is hard to foresee, for jitter.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place where ids come from"
)]
pub fn fresh_seed() -> u64 {
    let (high, low) = Uuid::now_v7().as_u64_pair();
    high ^ low
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: TimeDelta = TimeDelta::hours(1);

    #[test]
    fn a_clock_is_never_behind_the_log_and_never_goes_back() {
        let clock = Clock::system();
        let ahead = clock.now() + HOUR;
        clock.not_before(ahead);
        let other = clock.clone();
        assert!(other.now() >= ahead, "clones show the same time");
        clock.not_before(ahead - HOUR);
        assert!((clock.as_fn())() >= ahead);
    }

    #[test]
    fn a_clock_that_follows_another_goes_on_from_there_in_either_direction() {
        let clock = Clock::system();
        for time in [machine_time() - HOUR, machine_time() + HOUR] {
            clock.follow(time);
            let passed = clock.now() - time;
            assert!(passed >= TimeDelta::zero() && passed < HOUR / 2);
        }
    }
}
