//! Which threads have open streams in this process, the questions that were shown on them, and which runs are to be cancelled when the
//! last stream of their thread closes.

use std::collections::BTreeSet;

use palimpsest::prelude::wire::presence::Seat;
use palimpsest::prelude::wire::{RunId, StreamId, presence};

use super::shown::Shown;

/// The open streams of every thread, and the questions that were shown on them.
#[derive(Clone, Default)]
pub(crate) struct Presence {
    threads: presence::Presence<BTreeSet<RunId>>,
    pub(super) shown: Shown,
}

/// One stream, until it is dropped.
pub(super) struct Attendance {
    seat: Seat<BTreeSet<RunId>>,
    shown: Shown,
}

impl Presence {
    /// Counts a stream. `abort` is a run that is cancelled when the thread has no stream any longer.
    pub(super) fn attend(&self, stream: StreamId, abort: Option<RunId>) -> Attendance {
        Attendance {
            seat: self.threads.enter(stream, |aborted| aborted.extend(abort)),
            shown: self.shown.clone(),
        }
    }
}

impl Attendance {
    /// The questions that were shown in this process.
    pub(super) fn shown(&self) -> Shown {
        self.shown.clone()
    }

    /// Ends the stream because its client went away; gives the runs to cancel if it was the last one.
    pub(super) fn left(self) -> Vec<RunId> {
        let aborted = self.seat.leave().unwrap_or_default();
        aborted.into_iter().collect()
    }
}
