//! Recent events, decoded, in order and without a gap. Bounded by bytes: the oldest events are dropped when there is no room, and readers
//! that still need them read the database.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::event::SessionEvent;
use domain::{Event, Recorded};
use tokio::sync::watch;

use crate::ids::StreamId;

/// An event and where it belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivered {
    pub stream: Arc<StreamId>,
    pub recorded: Arc<Recorded>,
}

/// One position.
pub(crate) struct Entry {
    /// `None` where nobody can read it any more, or this program does not know it.
    pub(crate) item: Option<Delivered>,
    pub(crate) bytes: usize,
}

pub(crate) struct Ring {
    held: Mutex<HeldEntries>,
    /// The last position in the ring. Everything up to it can be read.
    head: watch::Sender<u64>,
    capacity: usize,
}

struct HeldEntries {
    entries: VecDeque<Entry>,
    /// Position of the first entry.
    first: u64,
    bytes: usize,
}

impl Ring {
    pub(crate) fn new(head: u64, capacity: usize) -> Self {
        let held = HeldEntries {
            entries: VecDeque::new(),
            first: head + 1,
            bytes: 0,
        };
        Self {
            held: Mutex::new(held),
            head: watch::Sender::new(head),
            capacity,
        }
    }

    pub(crate) fn head(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    pub(crate) fn last(&self) -> u64 {
        *self.head.borrow()
    }

    /// Adds events from a position on. Events that are already there are passed over. Returns false and adds nothing if there would be a
    /// gap before them.
    pub(crate) fn push(&self, first: u64, entries: Vec<Entry>) -> bool {
        let mut held = self.lock();
        let next = held.first + held.entries.len() as u64;
        if first > next {
            return false;
        }
        for entry in entries.into_iter().skip((next - first) as usize) {
            if let Some(erased) = entry.item.as_ref().filter(|item| ends_the_session(item)) {
                held.forget(&erased.stream);
            }
            held.bytes += entry.bytes;
            held.entries.push_back(entry);
        }
        while held.bytes > self.capacity {
            let Some(oldest) = held.entries.pop_front() else {
                break;
            };
            held.bytes -= oldest.bytes;
            held.first += 1;
        }
        let last = held.first + held.entries.len() as u64 - 1;
        // Under the lock, so that the head never goes back.
        self.head
            .send_if_modified(|head| std::mem::replace(head, last) != last);
        true
    }

    /// Events after a position, at most `limit` positions, and the last of these; `None` if they have fallen out.
    pub(crate) fn after(&self, position: u64, limit: usize) -> Option<(Vec<Delivered>, u64)> {
        let held = self.lock();
        let skip = (position + 1).checked_sub(held.first)? as usize;
        let items: Vec<_> = held.entries.iter().skip(skip).take(limit).collect();
        let scanned_to = position + items.len() as u64;
        Some((
            items
                .into_iter()
                .filter_map(|entry| entry.item.clone())
                .collect(),
            scanned_to,
        ))
    }

    fn lock(&self) -> MutexGuard<'_, HeldEntries> {
        self.held
            .lock()
            .expect("nobody panics while holding the ring")
    }
}

impl HeldEntries {
    fn forget(&mut self, stream: &StreamId) {
        for entry in &mut self.entries {
            if entry
                .item
                .as_ref()
                .is_some_and(|item| *item.stream == *stream)
            {
                entry.item = None;
            }
        }
    }
}

fn ends_the_session(item: &Delivered) -> bool {
    matches!(
        item.recorded.event,
        Event::Session(SessionEvent::SessionErased(_))
    )
}
