//! The steps that this process is carrying out, so that they can be stopped.

use std::sync::Mutex;

use domain::StepId;
use foldhash::HashMap;
use store::StreamId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

#[derive(Default)]
pub(crate) struct Registry {
    running: Mutex<HashMap<(StreamId, StepId), (u32, CancellationToken)>>,
    ended: Notify,
}

impl Registry {
    /// Leave to carry out this attempt; `None` if it is being carried out already.
    pub(crate) fn begin(
        &self,
        stream: &StreamId,
        step: &StepId,
        attempt: u32,
        parent: &CancellationToken,
    ) -> Option<CancellationToken> {
        let mut running = self
            .running
            .lock()
            .expect("nothing panics while steps are counted");
        let key = (stream.clone(), step.clone());
        if running
            .get(&key)
            .is_some_and(|(known, token)| *known >= attempt && !token.is_cancelled())
        {
            return None;
        }
        let token = parent.child_token();
        running.insert(key, (attempt, token.clone()));
        Some(token)
    }

    pub(crate) fn end(&self, stream: &StreamId, step: &StepId, attempt: u32) {
        let mut running = self
            .running
            .lock()
            .expect("nothing panics while steps are counted");
        let key = (stream.clone(), step.clone());
        if running
            .get(&key)
            .is_some_and(|(known, _)| *known == attempt)
        {
            running.remove(&key);
            self.ended.notify_waiters();
        }
    }

    /// Waits until nothing is being done for a session.
    pub(crate) async fn idle(&self, stream: &StreamId) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // Listen first: what ends while we look is noticed.
            ended.as_mut().enable();
            if !self.is_busy(stream) {
                return;
            }
            ended.await;
        }
    }

    fn is_busy(&self, stream: &StreamId) -> bool {
        let running = self
            .running
            .lock()
            .expect("nothing panics while steps are counted");
        running.keys().any(|(of, _)| of == stream)
    }

    /// Aborts what this attempt is doing.
    pub(crate) fn cancel(&self, stream: &StreamId, step: &StepId, attempt: u32) {
        let running = self
            .running
            .lock()
            .expect("nothing panics while steps are counted");
        if let Some((known, token)) = running.get(&(stream.clone(), step.clone()))
            && *known <= attempt
        {
            token.cancel();
        }
    }

    /// Aborts everything that is being done for a session.
    pub(crate) fn cancel_all(&self, stream: &StreamId) {
        let running = self
            .running
            .lock()
            .expect("nothing panics while steps are counted");
        for ((of, _), (_, token)) in running.iter() {
            if of == stream {
                token.cancel();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::RunId;

    use super::*;

    #[tokio::test]
    async fn a_session_is_idle_once_its_last_step_has_ended() {
        let registry = Registry::default();
        let stream = |session: &str| StreamId::new("ann", session.into());
        let step = |item: &str| StepId::new(RunId(1), "slides", item);
        let (ours, other) = (stream("s1"), stream("s2"));
        let parent = CancellationToken::new();
        for (stream, item) in [(&ours, "1"), (&ours, "2"), (&other, "1")] {
            assert!(registry.begin(stream, &step(item), 1, &parent).is_some());
        }
        let mut idle = std::pin::pin!(registry.idle(&ours));
        for item in ["1", "2"] {
            assert!(futures::poll!(idle.as_mut()).is_pending(), "{item}");
            registry.end(&ours, &step(item), 1);
        }
        assert!(futures::poll!(idle).is_ready());
    }
}
