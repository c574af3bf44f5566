//! Whether appends fail at the moment, for those who have to say whether this process is of use.

use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use crate::error::{AppendFailure, Storage};

/// The last append that storage did not take, until another one is committed.
#[derive(Default)]
pub(crate) struct FailingAppends(Mutex<Option<(Instant, Storage)>>);

impl FailingAppends {
    /// Notes that a batch of appends was not committed.
    pub(crate) fn note_failure(&self, cause: &Storage) {
        *self.lock() = Some((Instant::now(), cause.clone()));
    }

    /// Notes that events were committed.
    pub(crate) fn note_commit(&self) {
        *self.lock() = None;
    }

    pub(crate) fn last(&self) -> Option<AppendFailure> {
        let last = self.lock();
        let (at, cause) = last.as_ref()?;
        Some(AppendFailure {
            ago: at.elapsed(),
            cause: cause.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Instant, Storage)>> {
        self.0.lock().expect("nobody panics while it is noted")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_fail_from_the_first_failure_to_the_next_commit() {
        let failing = FailingAppends::default();
        assert_eq!(failing.last(), None);
        failing.note_commit();
        assert_eq!(failing.last(), None);
        for doing in ["appending", "looking up"] {
            let cause = Storage::new(doing, "the disk is full", "make room");
            failing.note_failure(&cause);
            assert_eq!(failing.last().map(|last| last.cause), Some(cause));
        }
        failing.note_commit();
        assert_eq!(failing.last(), None);
    }
}
