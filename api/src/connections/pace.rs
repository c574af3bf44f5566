//! The least speed of the other side of a connection, measured while the server waits for it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// How long the other side is waited for before its bytes are counted. As long as a frame may wait for its reader on every transport.
const WINDOW: Duration = Duration::from_secs(10);

/// The server waited for the other side, and too few bytes came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the other side is slower than {least} bytes in {} seconds", WINDOW.as_secs())]
pub(crate) struct TooSlow {
    least: u64,
}

/// Measures how fast the other side is. Only the time in which the server waits for it counts: a client is not blamed for a busy server.
pub(crate) struct Pace {
    /// The least bytes of a window.
    least: u64,
    /// Bytes in this window so far.
    bytes: u64,
    waited: Duration,
    since: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Pace {
    pub(crate) fn new(bytes_per_second: u64) -> Self {
        Self {
            least: bytes_per_second.saturating_mul(WINDOW.as_secs()),
            bytes: 0,
            waited: Duration::ZERO,
            since: None,
            alarm: None,
        }
    }

    /// Notes that the server has to wait for the other side. Wakes the task when the window ends.
    pub(crate) fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<TooSlow> {
        loop {
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            let ends = since + WINDOW.saturating_sub(self.waited);
            let alarm = self
                .alarm
                .get_or_insert_with(|| Box::pin(sleep_until(ends)));
            if alarm.deadline() != ends {
                alarm.as_mut().reset(ends);
            }
            if alarm.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            if let Err(slow) = self.end_window() {
                return Poll::Ready(slow);
            }
        }
    }

    /// Notes that so many bytes came or went.
    pub(crate) fn moved(&mut self, bytes: usize) -> Result<(), TooSlow> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if let Some(since) = self.since.take() {
            self.waited += since.elapsed();
        }
        if self.waited >= WINDOW {
            return self.end_window();
        }
        Ok(())
    }

    /// Ends the measurement: there is nothing to wait for any longer.
    pub(crate) fn rest(&mut self) {
        self.since = None;
        self.waited = Duration::ZERO;
        self.bytes = 0;
    }

    fn end_window(&mut self) -> Result<(), TooSlow> {
        let enough = self.bytes >= self.least;
        self.rest();
        if enough {
            return Ok(());
        }
        Err(TooSlow { least: self.least })
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn waited_for(pace: &mut Pace, time: Duration) -> Result<(), TooSlow> {
        match tokio::time::timeout(time, poll_fn(|cx| pace.poll_waiting(cx))).await {
            Ok(slow) => Err(slow),
            Err(_) => Ok(()),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_sends_enough_may_take_long_and_who_drips_may_not() {
        let second = Duration::from_secs(1);
        let mut pace = Pace::new(10);
        for _ in 0..100 {
            assert_eq!(waited_for(&mut pace, second).await, Ok(()));
            // More than the least number, since the last bytes of a window may come just as it ends.
            assert_eq!(pace.moved(12), Ok(()));
        }
        let mut pace = Pace::new(10);
        let mut said = Ok(());
        let mut seconds = 0;
        while said.is_ok() {
            said = waited_for(&mut pace, second)
                .await
                .and_then(|()| pace.moved(9));
            seconds += 1;
        }
        assert_eq!((said, seconds), (Err(TooSlow { least: 100 }), 10));
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_time_in_which_the_other_side_is_waited_for_counts() {
        let mut pace = Pace::new(10);
        for _ in 0..100 {
            assert_eq!(
                waited_for(&mut pace, Duration::from_millis(1)).await,
                Ok(())
            );
            assert_eq!(pace.moved(1), Ok(()));
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        let slow = waited_for(&mut pace, Duration::from_secs(3600)).await;
        assert!(slow.is_err());
    }
}
