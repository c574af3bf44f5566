//! Who listens to a thread in this process, and which runs are to be cancelled when nobody does any longer.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::RunId;
use store::StreamId;

use super::shown::Shown;

type Threads = HashMap<StreamId, Thread>;

#[derive(Default)]
struct Thread {
    streams: usize,
    /// Cancelled when the last stream is left.
    aborted: BTreeSet<RunId>,
}

/// The streams of every thread, and what was told on them.
#[derive(Clone, Default)]
pub(crate) struct Presence {
    threads: Arc<Mutex<Threads>>,
    pub(super) shown: Shown,
}

/// One stream, until it is dropped.
pub(super) struct Attendance {
    presence: Presence,
    stream: StreamId,
    is_counted: bool,
}

impl Presence {
    /// Counts a stream; `abort` is the run that is not to go on without one.
    pub(super) fn attend(&self, stream: StreamId, abort: Option<RunId>) -> Attendance {
        let mut threads = self.lock();
        let thread = threads.entry(stream.clone()).or_default();
        thread.streams += 1;
        thread.aborted.extend(abort);
        drop(threads);
        Attendance {
            presence: self.clone(),
            stream,
            is_counted: true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().expect("nobody panics while counting")
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}

impl Attendance {
    /// What was told in this process.
    pub(super) fn shown(&self) -> Shown {
        self.presence.shown.clone()
    }

    /// The client went away: the runs that go with the last one.
    pub(super) fn left(mut self) -> Vec<RunId> {
        let aborted = self.end();
        aborted.map_or_else(Vec::new, |thread| thread.aborted.into_iter().collect())
    }

    /// What was known of the thread, where this was its last stream.
    fn end(&mut self) -> Option<Thread> {
        if !std::mem::take(&mut self.is_counted) {
            return None;
        }
        let mut threads = self.presence.lock();
        let thread = threads.get_mut(&self.stream)?;
        thread.streams -= 1;
        let is_last = thread.streams == 0;
        is_last.then(|| threads.remove(&self.stream)).flatten()
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_stream_that_is_left_takes_its_run_along() {
        let (presence, stream) = (Presence::default(), StreamId::new("ann", "s1".into()));
        let first = presence.attend(stream.clone(), Some(RunId(1)));
        let second = presence.attend(stream.clone(), None);
        assert_eq!(first.left(), []);
        assert_eq!(second.left(), [RunId(1)]);
        assert!(presence.is_empty());
        drop(presence.attend(stream.clone(), Some(RunId(2))));
        assert_eq!(presence.attend(stream, None).left(), []);
        assert!(presence.is_empty());
    }
}
