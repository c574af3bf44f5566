//! The steps that this process is carrying out, so that they can be stopped.

use std::sync::{Mutex, MutexGuard};

use domain::StepId;
use foldhash::{HashMap, HashSet};
use store::StreamId;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::sessions::{ALL_TURNS, Turns};

/// An attempt of a step, by one claim on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Begun {
    pub(crate) stream: StreamId,
    pub(crate) step: StepId,
    pub(crate) attempt: u32,
    pub(crate) epoch: u64,
}

struct Running {
    attempt: u32,
    epoch: u64,
    cancel: CancellationToken,
    halt: CancellationToken,
    overtaken: watch::Sender<Turns>,
}

impl Running {
    fn end(&self) {
        self.cancel.cancel();
        self.halt.cancel();
    }
}

/// Permission to carry out an attempt, and what may end it.
pub(crate) struct Leave {
    pub(crate) cancel: CancellationToken,
    /// Ends what waits or is still to begin, not a call that is under way.
    pub(crate) halt: CancellationToken,
    pub(crate) overtaken: watch::Receiver<Turns>,
}

#[derive(Default)]
pub(crate) struct Registry {
    running: Mutex<HashMap<(StreamId, StepId), Running>>,
    ended: Notify,
}

impl Registry {
    fn running(&self) -> MutexGuard<'_, HashMap<(StreamId, StepId), Running>> {
        self.running
            .lock()
            .expect("nothing panics while steps are counted")
    }

    /// Permission to carry out this attempt; `None` if it is being carried out already, or nothing is begun any more. A worker that carries
    /// it out by an earlier claim has lost that claim. `draining` ends what waits, and `parent` everything.
    pub(crate) fn begin(
        &self,
        begun: &Begun,
        parent: &CancellationToken,
        draining: &CancellationToken,
    ) -> Option<Leave> {
        if draining.is_cancelled() {
            return None;
        }
        let mut running = self.running();
        let key = (begun.stream.clone(), begun.step.clone());
        if let Some(known) = running.get(&key) {
            let is_known = (known.attempt, known.epoch) >= (begun.attempt, begun.epoch);
            if is_known && !known.cancel.is_cancelled() {
                return None;
            }
            known.overtaken.send_replace(ALL_TURNS);
        }
        let (cancel, halt) = (parent.child_token(), draining.child_token());
        let (told, overtaken) = watch::channel(0);
        let entry = Running {
            attempt: begun.attempt,
            epoch: begun.epoch,
            cancel: cancel.clone(),
            halt: halt.clone(),
            overtaken: told,
        };
        running.insert(key, entry);
        Some(Leave {
            cancel,
            halt,
            overtaken,
        })
    }

    /// Whether some attempt of this step is being carried out here.
    pub(crate) fn has(&self, stream: &StreamId, step: &StepId) -> bool {
        let key = (stream.clone(), step.clone());
        self.running().contains_key(&key)
    }

    pub(crate) fn end(&self, begun: &Begun) {
        let mut running = self.running();
        let key = (begun.stream.clone(), begun.step.clone());
        let known = running.get(&key);
        if known.is_some_and(|it| (it.attempt, it.epoch) == (begun.attempt, begun.epoch)) {
            running.remove(&key);
            self.ended.notify_waiters();
        }
    }

    /// Everything that is being carried out.
    pub(crate) fn all(&self) -> Vec<Begun> {
        let running = self.running();
        let each = running.iter().map(|((stream, step), it)| Begun {
            stream: stream.clone(),
            step: step.clone(),
            attempt: it.attempt,
            epoch: it.epoch,
        });
        each.collect()
    }

    /// Tells the workers of those `known` attempts that are not in `held` that their steps are no longer ours. Returns how many these are.
    pub(crate) fn keep_only(&self, known: &[Begun], held: &HashSet<Begun>) -> usize {
        let running = self.running();
        let mut lost = 0;
        for begun in known.iter().filter(|begun| !held.contains(begun)) {
            let found = running.get(&(begun.stream.clone(), begun.step.clone()));
            if let Some(it) = found
                && (it.attempt, it.epoch) == (begun.attempt, begun.epoch)
                && *it.overtaken.borrow() != ALL_TURNS
            {
                it.overtaken.send_replace(ALL_TURNS);
                lost += 1;
            }
        }
        lost
    }

    /// The log has an answer to this turn.
    pub(crate) fn answered(&self, stream: &StreamId, step: &StepId, attempt: u32, turn: u32) {
        let running = self.running();
        if let Some(it) = running.get(&(stream.clone(), step.clone()))
            && it.attempt == attempt
        {
            it.overtaken.send_if_modified(|turns| {
                let is_news = *turns <= turn;
                if is_news {
                    *turns = turn + 1;
                }
                is_news
            });
        }
    }

    /// Waits until nothing is being done for a session.
    pub(crate) async fn idle(&self, stream: &StreamId) {
        self.until(|running| !running.keys().any(|(of, _)| of == stream))
            .await;
    }

    /// Waits until nothing is being done at all.
    pub(crate) async fn all_idle(&self) {
        self.until(HashMap::is_empty).await;
    }

    async fn until(&self, is_so: impl Fn(&HashMap<(StreamId, StepId), Running>) -> bool) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // Listen first: what ends while we look is noticed.
            ended.as_mut().enable();
            if is_so(&self.running()) {
                return;
            }
            ended.await;
        }
    }

    /// Aborts what this attempt is doing; false where nothing is done for it here.
    pub(crate) fn cancel(&self, stream: &StreamId, step: &StepId, attempt: u32) -> bool {
        let running = self.running();
        let found = running.get(&(stream.clone(), step.clone()));
        let found = found.filter(|it| it.attempt <= attempt);
        if let Some(it) = found {
            it.end();
        }
        found.is_some()
    }

    /// Aborts everything that is being done for a session.
    pub(crate) fn cancel_all(&self, stream: &StreamId) {
        for ((of, _), it) in self.running().iter() {
            if of == stream {
                it.end();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::RunId;

    use super::*;

    fn begun(session: &str, item: &str, attempt: u32, epoch: u64) -> Begun {
        Begun {
            stream: StreamId::new("ann", session.into()),
            step: StepId::new(RunId(1), "slides", item),
            attempt,
            epoch,
        }
    }

    /// What ends everything, and below it what ends that which waits.
    fn tokens() -> (CancellationToken, CancellationToken) {
        let parent = CancellationToken::new();
        let draining = parent.child_token();
        (parent, draining)
    }

    #[tokio::test]
    async fn a_session_is_idle_once_its_last_step_has_ended() {
        let registry = Registry::default();
        let (parent, draining) = tokens();
        let ours = [begun("s1", "1", 1, 1), begun("s1", "2", 1, 1)];
        let other = begun("s2", "1", 1, 1);
        for begun in ours.iter().chain([&other]) {
            assert!(registry.begin(begun, &parent, &draining).is_some());
        }
        let mut idle = std::pin::pin!(registry.idle(&other.stream));
        assert!(futures::poll!(idle.as_mut()).is_pending());
        registry.end(&other);
        assert!(futures::poll!(idle).is_ready());
        let mut idle = std::pin::pin!(registry.all_idle());
        for begun in &ours {
            assert!(futures::poll!(idle.as_mut()).is_pending(), "{begun:?}");
            registry.end(begun);
        }
        assert!(futures::poll!(idle).is_ready());
    }

    #[test]
    fn an_attempt_is_carried_out_once_and_anew_by_a_later_claim() {
        let registry = Registry::default();
        let (parent, draining) = tokens();
        let begin = |begun: &Begun| registry.begin(begun, &parent, &draining);
        let (first, second) = (begun("s", "1", 1, 1), begun("s", "1", 1, 3));
        let leave = begin(&first).expect("nobody has it");
        assert!(begin(&first).is_none());
        let held = HashSet::from_iter([first.clone()]);
        assert_eq!(registry.keep_only(&registry.all(), &held), 0);
        let again = begin(&second).expect("it was lost meanwhile");
        assert_eq!(*leave.overtaken.borrow(), ALL_TURNS);
        assert!(begin(&first).is_none(), "that claim is gone");
        // The end of the first attempt does not end the second.
        registry.end(&first);
        assert_eq!(registry.all(), std::slice::from_ref(&second));
        registry.answered(&second.stream, &second.step, 1, 2);
        registry.answered(&second.stream, &second.step, 1, 0);
        assert_eq!(*again.overtaken.borrow(), 3);
        assert_eq!(registry.keep_only(&registry.all(), &HashSet::default()), 1);
        assert_eq!(*again.overtaken.borrow(), ALL_TURNS);
        draining.cancel();
        assert!(begin(&begun("s", "2", 1, 1)).is_none());
    }

    #[test]
    fn what_waits_ends_before_what_is_under_way() {
        let registry = Registry::default();
        let (parent, draining) = tokens();
        let (one, two) = (begun("s", "1", 1, 1), begun("s", "2", 1, 1));
        let begin = |begun: &Begun| registry.begin(begun, &parent, &draining);
        let leaves = [&one, &two].map(|begun| begin(begun).expect("nobody has it"));
        let ended = || {
            leaves
                .each_ref()
                .map(|it| (it.halt.is_cancelled(), it.cancel.is_cancelled()))
        };
        assert!(registry.cancel(&one.stream, &one.step, 1));
        assert_eq!(ended(), [(true, true), (false, false)]);
        draining.cancel();
        assert_eq!(ended(), [(true, true), (true, false)]);
        parent.cancel();
        assert_eq!(ended(), [(true, true), (true, true)]);
    }
}
