//! How much memory decoding takes: one limit for all pictures of a process, whoever has them decoded.
//!
//! A picture of some kilobytes may have a hundred megabytes of pixels. Its size is read from its header, and decoders produce no more
//! pixels than the header says. So many bytes are taken from the room, which is what the limit leaves, before anything is decoded. A
//! caller that finds too little room waits, in the order of arrival.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that all decoding together may take where nothing else is set: enough for the largest picture with sixteen bits a channel and
/// its copies, or for three of the largest that telephones make.
pub const DECODING_BYTES: u64 = 512 * 1024 * 1024;

/// How long a caller that can be told to try again later waits for room. Decoding the largest picture takes a second or two.
pub const DECODING_PATIENCE: Duration = Duration::from_secs(20);

/// How many callers that can be told to try again later may wait at once: each holds its file in memory and a thread.
pub const DECODING_QUEUE_MAX: usize = 64;

/// The room of this process.
static ROOM: Room = Room::new(DECODING_BYTES);

/// Sets the limit of this process, in bytes.
pub fn set_limit(bytes: u64) {
    ROOM.lock().limit = bytes;
    ROOM.freed.notify_all();
}

/// What decoding takes at the moment.
#[must_use]
pub fn usage() -> DecodingUsage {
    let state = ROOM.lock();
    DecodingUsage {
        limit: state.limit,
        held: state.held,
        waiting: state.queue.len(),
        refused: state.refused,
    }
}

/// What decoding takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodingUsage {
    /// Bytes that it may take.
    pub limit: u64,
    /// Bytes that it takes.
    pub held: u64,
    /// Pictures that wait for room.
    pub waiting: usize,
    /// Pictures that were refused since the process began: they waited too long, or found too many waiting.
    pub refused: u64,
}

/// How long a caller waits for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// For jobs that have a limit of time and of number of their own, and whose outcome must not depend on how busy the process is.
    Endless,
    Limited,
}

/// Bytes that may be decoded; they are given back when the share is dropped.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        state.held = state.held.saturating_sub(self.bytes);
        drop(state);
        self.room.freed.notify_all();
    }
}

/// Takes so many bytes of this process's room; `None` if there is not enough room in time.
pub(crate) fn share(bytes: u64, patience: Patience) -> Option<Share<'static>> {
    let time = match patience {
        Patience::Endless => None,
        Patience::Limited => Some(DECODING_PATIENCE),
    };
    ROOM.share(bytes, time)
}

#[derive(Debug)]
struct Room {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug)]
struct State {
    limit: u64,
    held: u64,
    /// Tickets of the callers that wait, in the order of arrival: without this order, small pictures could pass a large one for ever.
    queue: VecDeque<u64>,
    next: u64,
    refused: u64,
}

impl State {
    /// Whether it is this ticket's turn and there is room. A picture that is larger than the limit is decoded alone.
    fn lets(&self, ticket: u64, bytes: u64) -> bool {
        let has_room = self.held == 0 || self.held.saturating_add(bytes) <= self.limit;
        self.queue.front() == Some(&ticket) && has_room
    }
}

impl Room {
    const fn new(limit: u64) -> Self {
        Self {
            state: Mutex::new(State {
                limit,
                held: 0,
                queue: VecDeque::new(),
                next: 0,
                refused: 0,
            }),
            freed: Condvar::new(),
        }
    }

    /// A poisoned lock is used as it is: a panic elsewhere does not make the counts wrong.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn share(&self, bytes: u64, patience: Option<Duration>) -> Option<Share<'_>> {
        let mut state = self.lock();
        if patience.is_some() && state.queue.len() >= DECODING_QUEUE_MAX {
            state.refused += 1;
            return None;
        }
        let ticket = state.next;
        state.next += 1;
        state.queue.push_back(ticket);
        let waits = |state: &mut State| !state.lets(ticket, bytes);
        let mut state = match patience {
            None => self.freed.wait_while(state, waits),
            Some(time) => match self.freed.wait_timeout_while(state, time, waits) {
                Ok((state, _)) => Ok(state),
                Err(poisoned) => Ok(poisoned.into_inner().0),
            },
        }
        .unwrap_or_else(PoisonError::into_inner);
        let got = state.lets(ticket, bytes);
        state.queue.retain(|waiting| *waiting != ticket);
        if got {
            state.held = state.held.saturating_add(bytes);
        } else {
            state.refused += 1;
        }
        drop(state);
        // There may be room for the next one as well.
        self.freed.notify_all();
        got.then(|| Share { room: self, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_given_up_to_the_limit_and_one_larger_than_it_alone() {
        let room = Room::new(100);
        let now = Some(Duration::ZERO);
        let (one, two) = (room.share(60, now), room.share(40, now));
        assert!(one.is_some() && two.is_some());
        assert!(room.share(1, now).is_none());
        drop(one);
        assert!(room.share(61, now).is_none());
        assert!(room.share(500, now).is_none());
        drop(two);
        let large = room.share(500, now).expect("alone");
        assert!(room.share(1, now).is_none());
        drop(large);
        let state = room.lock();
        assert_eq!((state.held, state.refused), (0, 4));
        assert!(state.queue.is_empty());
    }

    #[test]
    fn who_waits_is_served_in_the_order_of_coming() {
        let room = &Room::new(100);
        let first = room.share(80, None).expect("room");
        std::thread::scope(|scope| {
            let large = scope.spawn(move || room.share(90, None).map(drop).is_some());
            while room.lock().queue.is_empty() {
                std::thread::yield_now();
            }
            // There is room for this one, but it came later.
            assert!(room.share(10, Some(Duration::ZERO)).is_none());
            drop(first);
            assert!(large.join().expect("no panic"));
        });
        assert!(room.share(10, Some(Duration::ZERO)).is_some());
    }

    #[test]
    fn no_more_wait_than_may() {
        let room = Room::new(1);
        room.lock().held = 1;
        room.lock().queue.extend(0..DECODING_QUEUE_MAX as u64);
        assert!(room.share(1, Some(DECODING_PATIENCE)).is_none(), "at once");
    }
}
