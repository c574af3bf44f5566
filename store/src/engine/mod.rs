//! The one engine behind every backend: what a log does that does not depend on where its rows are.

mod append;
mod backup;
mod erase;
mod owed;
mod search;
mod surface;

use std::sync::{Arc, Mutex};

use domain::collection::Kinds;
use tokio::sync::Notify;

use crate::backend::{Rows, Table};
use crate::batcher::Queue;
use crate::cache::Cache;
use crate::core::anchor::sign_heads;
use crate::core::{Core, failing, follow, streams};
use crate::error::Storage;
use crate::heads::HeadsView;
use crate::limits::{PENDING_BODIES, RING_BYTES};
use crate::objects::Objects;
use crate::panics;
use crate::records::Clock;
use crate::ring::Ring;
use crate::seal::MasterKey;
use crate::watchers::Watchers;

/// A log on some backend; `SqliteLog::open`, `PostgresLog::open` and `MemoryLog::open` make one.
pub struct EventLog {
    core: Arc<Core>,
    /// `None` where the log is open for reading only.
    queue: Option<Queue>,
}

/// What a backend gives.
pub(crate) struct Parts {
    pub(crate) rows: Arc<dyn Rows>,
    /// Where its head file is; `None` where there is none.
    pub(crate) heads: Option<HeadsView>,
    /// `None` to open for reading only.
    pub(crate) table: Option<Box<dyn Table>>,
    pub(crate) objects: Objects,
    pub(crate) master: MasterKey,
    pub(crate) clock: Clock,
    pub(crate) kinds: Kinds,
    /// Whether other processes may write, so that news has to be looked for.
    pub(crate) many_writers: bool,
}

impl EventLog {
    pub(crate) async fn start(parts: Parts) -> Result<Self, Storage> {
        Self::start_with_ring(parts, RING_BYTES).await
    }

    pub(crate) async fn start_with_ring(parts: Parts, ring_bytes: usize) -> Result<Self, Storage> {
        let head = parts.rows.head().await?;
        metrics::gauge!("palimpsest_log_head").set(head as f64);
        let core = Arc::new(Core {
            rows: parts.rows,
            heads: parts.heads,
            master: parts.master,
            clock: parts.clock,
            kinds: parts.kinds,
            objects: parts.objects,
            ring: Ring::new(head, ring_bytes),
            watchers: Watchers::new(),
            streams: Mutex::new(streams::StreamCache::new()),
            bodies: Mutex::new(Cache::new(PENDING_BODIES)),
            failing: failing::FailingAppends::default(),
            many_writers: parts.many_writers,
            look: Notify::new(),
            closed: tokio::sync::watch::Sender::new(false),
        });
        if parts.many_writers {
            let following = core.clone();
            panics::keep_alive("follow", move || {
                follow::follow(following.clone(), following.closed.subscribe())
            });
        }
        if parts.table.is_some() && core.objects.keeps_heads() {
            let signing = core.clone();
            panics::keep_alive("sign_heads", move || sign_heads(signing.clone()));
        }
        let queue = parts.table.map(|table| Queue::start(table, core.clone()));
        if let Some(queue) = queue.clone() {
            let sweeping = core.clone();
            panics::keep_alive("sweep", move || {
                owed::sweep(sweeping.clone(), queue.clone())
            });
        }
        Ok(Self { core, queue })
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        self.core.closed.send_replace(true);
    }
}
