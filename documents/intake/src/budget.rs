//! How much memory and time reading takes: one limit of memory for all files that a process reads, whoever has them read.
//!
//! A file of a kilobyte may stand for gigabytes: a cell that is repeated, a text that thousands of cells share, a range of codes. So each
//! reader takes memory for what a file expands to from the budget of the file, which takes it from the room of the process, before it
//! keeps the content. Nobody waits for room while holding some, because two files could then wait for each other for ever.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use spec::source::RichText;

use crate::Unreadable;

/// Bytes that everything that is read at a time may take where nothing else is set: twenty times the text of the longest book that is read
/// whole, with its tree, and half of what a small server can spare.
pub const READING_BYTES: u64 = 256 * 1024 * 1024;

/// What is counted, in the words of a refusal.
pub(crate) const EXPANDED: &str = "bytes once it is expanded";

/// What a text or a cell takes in addition to its words: itself, its place in a table and the pieces of its allocation.
const OF_TEXT: usize = 64;

/// What a piece of a text takes in addition to its words.
const OF_PIECE: usize = 64;

/// The room of this process.
static ROOM: Room = Room::new(READING_BYTES);

/// Sets the limit of this process, in bytes.
pub fn set_limit(bytes: u64) {
    ROOM.limit.store(bytes, Ordering::Relaxed);
}

/// What reading takes at the moment.
#[must_use]
pub fn usage() -> ReadingUsage {
    ReadingUsage {
        limit: ROOM.limit.load(Ordering::Relaxed),
        held: ROOM.held.load(Ordering::Relaxed),
        refused: ROOM.refused.load(Ordering::Relaxed),
    }
}

/// What reading takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingUsage {
    /// Bytes that it may take.
    pub limit: u64,
    /// Bytes that it takes.
    pub held: u64,
    /// How often a file was refused since the process began, because it is too large or because others left too little room.
    pub refused: u64,
}

#[derive(Debug)]
struct Room {
    limit: AtomicU64,
    held: AtomicU64,
    refused: AtomicU64,
}

impl Room {
    const fn new(limit: u64) -> Self {
        Self {
            limit: AtomicU64::new(limit),
            held: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    fn take(&self, bytes: u64) -> bool {
        let limit = self.limit.load(Ordering::Relaxed);
        let fits = |held: u64| held.checked_add(bytes).filter(|sum| *sum <= limit);
        let taken = self
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        taken.is_ok()
    }

    fn give(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The memory and time of one file. Its clones share them; what it holds is given back with the last clone.
#[derive(Clone, Debug)]
pub(crate) struct ReadingBudget(Rc<Account>);

#[derive(Debug)]
struct Account {
    room: &'static Room,
    held: Cell<u64>,
    began: Instant,
}

impl Drop for Account {
    fn drop(&mut self) {
        self.room.give(self.held.get());
    }
}

impl Default for ReadingBudget {
    fn default() -> Self {
        Self::of(&ROOM)
    }
}

impl ReadingBudget {
    fn of(room: &'static Room) -> Self {
        Self(Rc::new(Account {
            room,
            held: Cell::new(0),
            began: Instant::now(),
        }))
    }

    /// How long the file has been read.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.began.elapsed()
    }

    /// Takes bytes until the file is read.
    ///
    /// # Errors
    ///
    /// If the file goes beyond its limit, or if others leave too little room.
    pub(crate) fn take(&self, bytes: usize, most: u64) -> Result<(), Unreadable> {
        let account = &self.0;
        let bytes = bytes as u64;
        let most = self.most(most);
        let held = account.held.get().saturating_add(bytes);
        if held > most {
            account.room.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Unreadable::TooLarge {
                what: EXPANDED,
                value: held,
                most,
            });
        }
        if !account.room.take(bytes) {
            account.room.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Unreadable::Busy);
        }
        account.held.set(held);
        Ok(())
    }

    /// Takes bytes until the loan is dropped.
    ///
    /// # Errors
    ///
    /// Those of [`Self::take`].
    pub(crate) fn lend(&self, bytes: usize, most: u64) -> Result<Loan, Unreadable> {
        let mut loan = Loan {
            budget: self.clone(),
            bytes: 0,
        };
        loan.extend(bytes, most)?;
        Ok(loan)
    }

    fn most(&self, most: u64) -> u64 {
        most.min(self.0.room.limit.load(Ordering::Relaxed))
    }
}

/// Bytes of a budget that are given back when the loan is dropped.
#[derive(Debug)]
pub(crate) struct Loan {
    budget: ReadingBudget,
    bytes: u64,
}

impl Loan {
    /// Takes more bytes.
    ///
    /// # Errors
    ///
    /// Those of [`ReadingBudget::take`].
    pub(crate) fn extend(&mut self, bytes: usize, most: u64) -> Result<(), Unreadable> {
        self.budget.take(bytes, most)?;
        self.bytes += bytes as u64;
        Ok(())
    }

    /// Keeps the bytes until the file is read.
    pub(crate) fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let account = &self.budget.0;
        account
            .held
            .set(account.held.get().saturating_sub(self.bytes));
        account.room.give(self.bytes);
    }
}

/// Bytes of memory that a text takes.
pub(crate) fn weight(text: &RichText) -> usize {
    let pieces = text.pieces.iter();
    let of_piece = |piece: &spec::source::TextPiece| {
        OF_PIECE + piece.text.len() + piece.link.as_ref().map_or(0, String::len)
    };
    OF_TEXT + pieces.map(of_piece).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u64 = u64::MAX;

    #[test]
    fn files_share_the_room_and_give_it_back() {
        static SMALL: Room = Room::new(100);
        let (one, two) = (ReadingBudget::of(&SMALL), ReadingBudget::of(&SMALL));
        assert_eq!(one.take(60, MOST), Ok(()));
        assert_eq!(two.take(41, MOST), Err(Unreadable::Busy));
        let loan = two.lend(40, MOST).unwrap();
        assert_eq!(one.take(1, MOST), Err(Unreadable::Busy));
        drop(loan);
        two.lend(10, MOST).unwrap().keep();
        assert_eq!(one.take(31, MOST), Err(Unreadable::Busy));
        drop((one, two));
        assert_eq!(SMALL.held.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_file_that_is_too_large_alone_is_not_told_to_come_again() {
        static SMALL: Room = Room::new(100);
        let refusal = |value, most| {
            let what = EXPANDED;
            Err(Unreadable::TooLarge { what, value, most })
        };
        let budget = ReadingBudget::of(&SMALL);
        assert_eq!(budget.take(101, MOST), refusal(101, 100));
        assert_eq!(budget.take(30, 50), Ok(()));
        assert_eq!(budget.take(21, 50), refusal(51, 50));
    }
}
