//! The time and fresh ids: the only place where either comes from.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Where the time comes from; fixed or advanced by hand in tests.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>);

impl Clock {
    /// The time of the machine, to the microsecond, which is what logs hold.
    pub fn system() -> Self {
        Self(Arc::new(now))
    }

    pub fn of(time: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        Self(Arc::new(time))
    }

    pub fn now(&self) -> DateTime<Utc> {
        (self.0)()
    }

    /// The same source as a function, for the log.
    pub fn as_fn(&self) -> Arc<dyn Fn() -> DateTime<Utc> + Send + Sync> {
        Arc::clone(&self.0)
    }
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
fn now() -> DateTime<Utc> {
    let now = Utc::now();
    DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
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
