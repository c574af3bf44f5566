//! What all users of a log share: the rows, the keys, the events that were recorded last, and the readers that wait for more events.

pub(crate) mod anchor;
pub(crate) mod failing;
pub(crate) mod follow;
pub(crate) mod read;
pub(crate) mod streams;

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use domain::collection::Kinds;
use domain::hash::Sha256;
use tokio::sync::Notify;

use crate::backend::Rows;
use crate::cache::Cache;
use crate::heads::HeadsView;
use crate::ids::StreamId;
use crate::objects::Objects;
use crate::records::Clock;
use crate::ring::{Entry, Ring};
use crate::seal::MasterKey;
use crate::watchers::Watchers;

/// What callers, the writer and subscriptions share.
pub(crate) struct Core {
    pub(crate) rows: Arc<dyn Rows>,
    /// Where the head file of this process is.
    pub(crate) heads: Option<HeadsView>,
    pub(crate) master: MasterKey,
    pub(crate) clock: Clock,
    /// The kinds of collections whose search indexes can be made again.
    pub(crate) kinds: Kinds,
    pub(crate) objects: Objects,
    pub(crate) ring: Ring,
    pub(crate) watchers: Watchers,
    pub(crate) streams: Mutex<streams::StreamCache>,
    /// The sealed keys of contents that this process put as objects for documents that are still to come.
    pub(crate) bodies: Mutex<Cache<(StreamId, Sha256), Vec<u8>>>,
    pub(crate) failing: failing::FailingAppends,
    /// Whether other processes write as well.
    pub(crate) many_writers: bool,
    /// Notified when another process may have written, so that somebody looks.
    pub(crate) look: Notify,
    pub(crate) closed: tokio::sync::watch::Sender<bool>,
}

impl Core {
    /// Microseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        (self.clock)().timestamp_micros()
    }

    /// Resolves when the log is being closed.
    pub(crate) fn closing(&self) -> tokio::sync::watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// Another process may have written.
    pub(crate) fn look_again(&self) {
        self.look.notify_one();
    }

    /// Shows committed events to readers: first to the readers of the whole log, then to the watchers of these sessions.
    pub(crate) fn publish(
        &self,
        first: u64,
        entries: Vec<Entry>,
        versions: &[(Arc<StreamId>, u64)],
    ) {
        if !self.ring.push(first, entries) {
            // Another process committed in between; the follower reads both from the database, in order.
            self.look.notify_one();
        }
        metrics::gauge!("palimpsest_log_head").set(self.ring.last() as f64);
        self.watchers.tell(
            versions
                .iter()
                .map(|(stream, version)| (&**stream, *version)),
        );
    }
}

/// A time from storage.
pub(crate) fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or_default()
}
