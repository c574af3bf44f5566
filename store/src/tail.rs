//! A subscription: every event after a position, then every new one. It reads the database until the ring has the next event, and from then
//! on the ring; if it falls behind the ring, it reads the database again. A slow reader never gets an error.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use crate::core::Core;
use crate::error::ReadError;
use crate::limits::{PAGE, TAIL_BATCH};
use crate::ring::Delivered;

/// An item of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub enum TailItem {
    Event(Delivered),
    /// Everything up to this position was delivered, and there was no more at that moment. Told whenever the end is reached
    /// after reading the database.
    CaughtUp(u64),
}

/// See `Log::tail`.
pub struct Tail {
    core: Arc<Core>,
    head: watch::Receiver<u64>,
    closed: watch::Receiver<bool>,
    ready: VecDeque<Delivered>,
    scanned_to: u64,
    live: bool,
}

impl Tail {
    pub(crate) fn new(core: Arc<Core>, after: u64) -> Self {
        let head = core.ring.head();
        let closed = core.closing();
        Self {
            core,
            head,
            closed,
            ready: VecDeque::new(),
            scanned_to: after,
            live: false,
        }
    }

    /// Waits for the next item. Cancelling it loses nothing. After an error of the storage it can be called again.
    pub async fn next(&mut self) -> Result<TailItem, ReadError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(TailItem::Event(event));
            }
            match self.core.ring.after(self.scanned_to, TAIL_BATCH) {
                Some((events, scanned_to)) if scanned_to > self.scanned_to => {
                    self.ready.extend(events);
                    self.scanned_to = scanned_to;
                }
                Some(_) if !self.live => {
                    self.live = true;
                    return Ok(TailItem::CaughtUp(self.scanned_to));
                }
                Some(_) => {
                    let scanned_to = self.scanned_to;
                    tokio::select! {
                        head = self.head.wait_for(|head| *head > scanned_to) => drop(head),
                        _ = self.closed.wait_for(|closed| *closed) => return Err(ReadError::Closed),
                    }
                }
                None => self.read_database().await?,
            }
        }
    }

    /// The next event; all other items are skipped.
    pub async fn next_event(&mut self) -> Result<Delivered, ReadError> {
        loop {
            if let TailItem::Event(event) = self.next().await? {
                return Ok(event);
            }
        }
    }

    /// The last position that was looked at; all events up to it have been delivered once `next` waits.
    pub fn scanned_to(&self) -> u64 {
        self.scanned_to
    }

    async fn read_database(&mut self) -> Result<(), ReadError> {
        if self.live {
            metrics::counter!("palimpsest_log_ring_misses_total").increment(1);
        }
        self.live = false;
        let page = self.core.read_all(self.scanned_to, PAGE).await?;
        self.scanned_to = page.scanned_to;
        self.ready.extend(
            page.events
                .into_iter()
                .map(|(stream, recorded)| Delivered { stream, recorded }),
        );
        Ok(())
    }
}
