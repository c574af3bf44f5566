//! The steps that this process is carrying out, so that they can be stopped.

use std::collections::HashMap;
use std::sync::Mutex;

use domain::StepId;
use store::StreamId;
use tokio_util::sync::CancellationToken;

#[derive(Default)]
pub(crate) struct Registry {
    running: Mutex<HashMap<(StreamId, StepId), (u32, CancellationToken)>>,
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
        }
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
