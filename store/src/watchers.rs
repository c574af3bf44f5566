//! The readers that wait for news of one session. A commit wakes the watchers of its own sessions and no others.

use std::sync::{Arc, Mutex, MutexGuard};

use foldhash::{HashMap, HashMapExt};
use tokio::sync::watch;

use crate::ids::StreamId;

/// The number of watched sessions at which those that nobody watches any longer are looked for the first time; after that the number is
/// twice what was left.
const FIRST_SWEEP: usize = 1024;

pub(crate) struct Watchers {
    watched: Mutex<Watched>,
}

struct Watched {
    streams: HashMap<Arc<StreamId>, watch::Sender<u64>>,
    sweep_at: usize,
}

impl Watchers {
    pub(crate) fn new() -> Self {
        Self {
            watched: Mutex::new(Watched {
                streams: HashMap::new(),
                sweep_at: FIRST_SWEEP,
            }),
        }
    }

    pub(crate) fn watch(&self, stream: &StreamId) -> watch::Receiver<u64> {
        let mut watched = self.lock();
        if let Some(sender) = watched.streams.get(stream) {
            return sender.subscribe();
        }
        if watched.streams.len() >= watched.sweep_at {
            watched
                .streams
                .retain(|_, sender| sender.receiver_count() > 0);
            watched.sweep_at = (watched.streams.len() * 2).max(FIRST_SWEEP);
        }
        let sender = watch::Sender::new(0);
        let receiver = sender.subscribe();
        watched.streams.insert(Arc::new(stream.clone()), sender);
        receiver
    }

    /// These sessions have these versions now.
    pub(crate) fn tell<'a>(&self, versions: impl Iterator<Item = (&'a StreamId, u64)>) {
        let watched = self.lock();
        if watched.streams.is_empty() {
            return;
        }
        for (stream, version) in versions {
            if let Some(sender) = watched.streams.get(stream) {
                sender.send_if_modified(|known| {
                    let newer = version > *known;
                    *known = version.max(*known);
                    newer
                });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched
            .lock()
            .expect("nobody panics while holding the watchers")
    }
}
