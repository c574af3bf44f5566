//! How many messages a client may send.

use std::time::Duration;

use tokio::time::Instant;

use super::limits::{MESSAGES_BURST, MESSAGES_PER_SECOND};

/// Fills up steadily; every message takes one out.
pub(super) struct Bucket {
    /// Messages that may come at once, in thousandths.
    left: u64,
    at: Instant,
}

const WHOLE: u64 = 1000;
const FULL: u64 = MESSAGES_BURST as u64 * WHOLE;
/// Thousandths of a message that come back every millisecond.
const PER_MILLISECOND: u64 = MESSAGES_PER_SECOND as u64 * WHOLE / 1000;

impl Bucket {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            left: FULL,
            at: now,
        }
    }

    /// Takes a message out, or says after which time there is one.
    pub(super) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let passed = u64::try_from(now.duration_since(self.at).as_millis()).unwrap_or(u64::MAX);
        self.left = FULL.min(
            self.left
                .saturating_add(passed.saturating_mul(PER_MILLISECOND)),
        );
        self.at += Duration::from_millis(passed);
        match self.left.checked_sub(WHOLE) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Duration::from_millis(
                (WHOLE - self.left).div_ceil(PER_MILLISECOND),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_taken_and_then_so_many_a_second() {
        let begun = Instant::now();
        let mut bucket = Bucket::new(begun);
        for _ in 0..MESSAGES_BURST {
            assert_eq!(bucket.take(begun), Ok(()));
        }
        let wait = Duration::from_millis(u64::from(1000_u32.div_ceil(MESSAGES_PER_SECOND)));
        assert_eq!(bucket.take(begun), Err(wait));
        assert_eq!(bucket.take(begun + wait), Ok(()));
        assert!(bucket.take(begun + wait).is_err());
        let later = begun + Duration::from_secs(3600);
        let taken = (0..2 * MESSAGES_BURST).filter(|_| bucket.take(later).is_ok());
        assert_eq!(taken.count(), MESSAGES_BURST as usize);
    }
}
