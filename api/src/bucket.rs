//! How often a client may ask for something.

use std::time::Duration;

use tokio::time::Instant;

/// A token bucket: it fills up steadily, and every request takes a token out.
pub struct Bucket {
    /// Requests that may still come at once, in thousandths.
    left: u64,
    /// The most requests that may come at once, in thousandths.
    full: u64,
    /// Thousandths of a request that come back every millisecond. The number is the same as that of requests a second.
    per_millisecond: u64,
    at: Instant,
}

const WHOLE: u64 = 1000;

impl Bucket {
    /// Allows `burst` requests at once and, in the long run, `per_second` requests a second.
    pub fn new(burst: u32, per_second: u32, now: Instant) -> Self {
        let full = u64::from(burst) * WHOLE;
        Self {
            left: full,
            full,
            per_millisecond: per_second.into(),
            at: now,
        }
    }

    /// Whether nothing was taken out for so long that the bucket is full again.
    pub fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.left == self.full
    }

    fn fill(&mut self, now: Instant) {
        let passed = u64::try_from(now.duration_since(self.at).as_millis()).unwrap_or(u64::MAX);
        let back = passed.saturating_mul(self.per_millisecond);
        self.left = self.full.min(self.left.saturating_add(back));
        self.at += Duration::from_millis(passed);
    }

    /// Takes a request out, or says how long it takes until there is one.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        self.fill(now);
        match self.left.checked_sub(WHOLE) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Duration::from_millis(
                (WHOLE - self.left).div_ceil(self.per_millisecond),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURST: u32 = 128;
    const PER_SECOND: u32 = 32;

    #[test]
    fn a_burst_is_taken_and_then_so_many_a_second() {
        let begun = Instant::now();
        let mut bucket = Bucket::new(BURST, PER_SECOND, begun);
        for _ in 0..BURST {
            assert_eq!(bucket.take(begun), Ok(()));
        }
        let wait = Duration::from_millis(u64::from(1000_u32.div_ceil(PER_SECOND)));
        assert_eq!(bucket.take(begun), Err(wait));
        assert_eq!(bucket.take(begun + wait), Ok(()));
        assert!(bucket.take(begun + wait).is_err());
        let later = begun + Duration::from_secs(3600);
        let taken = (0..2 * BURST).filter(|_| bucket.take(later).is_ok());
        assert_eq!(taken.count(), BURST as usize);
    }
}
