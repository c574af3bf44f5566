//! How often and how soon an exchange is tried again. Pure, so that a restart between two tries changes nothing.

use std::time::Duration;

use super::model::{ModelError, ModelErrorKind};

/// Tries of one exchange within an attempt. With the pauses below, four tries bridge about ten seconds of trouble; trouble that lasts
/// longer should be seen as a failed attempt.
pub const MAX_TRIES: u32 = 4;

/// The pause after the first failure. After a shorter one, a provider that has just refused would only refuse again.
pub const FIRST_PAUSE: Duration = Duration::from_millis(1000);

/// The longest pause of our own choosing; a `Retry-After` may be longer.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The longest `Retry-After` that is waited for within an attempt. Limits by the minute and by ten minutes are in use, and the wait for
/// them is shown to clients; for limits by the hour or the day it is better to say until when they last, and to let the run be resumed.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(15 * 60);

/// How long a model that cannot work is not asked if there is another one. A used-up balance or a wrong key is usually seen to within
/// minutes.
pub const CLOSED_FOR: Duration = Duration::from_secs(5 * 60);

/// The policy of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub max_tries: u32,
    pub first_pause: Duration,
    pub longest_pause: Duration,
    pub longest_retry_after: Duration,
    /// How long a model that cannot work is not asked where there is another one.
    pub closed_for: Duration,
    /// Tries where nobody answers at the provider's address, if they are fewer than others; the step is not repeated then either.
    pub unreachable_tries: Option<u32>,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy {
            max_tries: MAX_TRIES,
            first_pause: FIRST_PAUSE,
            longest_pause: LONGEST_PAUSE,
            longest_retry_after: LONGEST_RETRY_AFTER,
            closed_for: CLOSED_FOR,
            unreachable_tries: None,
        }
    }
}

impl RetryPolicy {
    /// How long to wait after try number `tried` (the first is 1) failed with this error; `None` when it was the last one.
    pub fn pause_after(&self, tried: u32, error: &ModelError, seed: u64) -> Option<Duration> {
        let is_unreachable = error.kind == ModelErrorKind::Unreachable;
        let tries = self.unreachable_tries.filter(|_| is_unreachable);
        if tries.is_some_and(|tries| tried >= tries) {
            return None;
        }
        self.pause(tried, error.retryable(), error.retry_after, seed)
    }

    /// The same for an error of any port.
    pub fn pause(
        &self,
        tried: u32,
        retryable: bool,
        retry_after: Option<Duration>,
        seed: u64,
    ) -> Option<Duration> {
        if !retryable || tried >= self.max_tries {
            return None;
        }
        let own = self.backoff(tried, seed);
        match retry_after {
            Some(asked) if asked > self.longest_retry_after => None,
            // The jitter is added, so that callers that were told the same time do not all come back at once.
            Some(asked) => Some(asked.max(own.min(asked + self.first_pause))),
            None => Some(own),
        }
    }

    /// The pause after a try: it is doubled each time up to the longest one, and its upper half is random.
    pub fn backoff(&self, tried: u32, seed: u64) -> Duration {
        let doublings = tried.saturating_sub(1).min(31);
        let whole = self
            .first_pause
            .saturating_mul(1 << doublings)
            .min(self.longest_pause);
        let half = whole / 2;
        half + half.mul_f64(fraction(seed, tried))
    }
}

/// The default policy's pause after a try.
pub fn backoff(tried: u32, seed: u64) -> Duration {
    RetryPolicy::default().backoff(tried, seed)
}

/// A number from 0 up to 1 that looks random and depends on both arguments alone (splitmix64).
fn fraction(seed: u64, tried: u32) -> f64 {
    let mut mixed = seed.wrapping_add(u64::from(tried).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    // 53 bits are what a double holds exactly.
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(seconds: u64) -> ModelError {
        ModelError {
            retry_after: Some(Duration::from_secs(seconds)),
            ..ModelError::new(ModelErrorKind::RateLimited, "slow down")
        }
    }

    #[test]
    fn pauses_double_up_to_the_longest_and_never_halve_below_their_half() {
        for tried in 1..70 {
            for seed in [0, 1, 77, u64::MAX] {
                let whole = Duration::from_secs(1 << (tried - 1).min(5)).min(LONGEST_PAUSE);
                let pause = backoff(tried, seed);
                assert!(pause >= whole / 2 && pause <= whole, "{tried}: {pause:?}");
            }
        }
    }

    #[test]
    fn the_same_try_with_the_same_seed_waits_the_same_and_another_seed_differs() {
        assert_eq!(backoff(2, 9), backoff(2, 9));
        assert_ne!(backoff(2, 9), backoff(2, 10));
    }

    #[test]
    fn the_last_try_and_a_hopeless_error_are_not_repeated() {
        let policy = RetryPolicy::default();
        let cut = ModelError::new(ModelErrorKind::Cut, "cut");
        let auth = ModelError::new(ModelErrorKind::Auth, "no");
        assert!(policy.pause_after(MAX_TRIES - 1, &cut, 1).is_some());
        assert_eq!(policy.pause_after(MAX_TRIES, &cut, 1), None);
        assert_eq!(policy.pause_after(1, &auth, 1), None);
    }

    #[test]
    fn an_address_where_nobody_answers_may_have_fewer_tries() {
        let impatient = RetryPolicy {
            unreachable_tries: Some(3),
            ..RetryPolicy::default()
        };
        let nobody = ModelError::new(ModelErrorKind::Unreachable, "no");
        let cut = ModelError::new(ModelErrorKind::Cut, "cut");
        assert!(impatient.pause_after(2, &nobody, 1).is_some());
        assert_eq!(impatient.pause_after(3, &nobody, 1), None);
        assert!(impatient.pause_after(3, &cut, 1).is_some());
        let patient = RetryPolicy::default();
        assert!(patient.pause_after(3, &nobody, 1).is_some());
    }

    #[test]
    fn a_requested_pause_is_honoured_or_the_attempt_ends() {
        let policy = RetryPolicy::default();
        assert_eq!(
            policy.pause_after(1, &limited(60), 3),
            Some(Duration::from_secs(60))
        );
        assert_eq!(policy.pause_after(1, &limited(3600), 3), None);
    }
}
