//! Answers in the spool that no step will ask for: the step is over, and the process that had the answer died, or never heard that the step
//! was cancelled. The answers were paid for, so they go into the log all the same.

use std::time::Duration;

use domain::session::Session;
use foldhash::HashSet;

use super::{Engine, FIRST_EPOCH};
use crate::error::SendError;
use crate::ports::{Spool, TurnPlace};
use crate::steps::{self, Begun};

/// How often the spool is looked through. Nobody waits for the answers that are found there; they are only missing from the audit until
/// then.
pub(super) const EVERY: Duration = Duration::from_secs(5);

/// What is to be done with an answer in the spool.
enum Fate {
    /// Its step is over: the answer is recorded.
    Settle(Begun),
    /// Its step is being carried out or will be taken up, and will find the answer itself.
    Awaited,
    /// Its session is erased.
    Remove,
    /// No turn is known that it could belong to.
    Leave,
}

impl Engine {
    /// Records the answers in the spool whose steps are over. `done` has the keys of answers that need not be looked at again.
    pub(super) async fn settle_spooled(&self, spool: &Spool, done: &mut HashSet<String>) {
        let keys = match spool.keys() {
            Ok(keys) => keys,
            Err(error) => {
                tracing::warn!(%error, "the spool cannot be looked through for answers of steps that are over");
                return;
            }
        };
        done.retain(|key| keys.contains(key));
        for key in keys {
            if done.contains(&key) || self.0.workshop.hand_over.is_cancelled() {
                continue;
            }
            match self.looked_at(spool, &key).await {
                Ok(true) => {
                    done.insert(key);
                }
                Ok(false) => {}
                Err(cause) => {
                    tracing::warn!(
                        cause,
                        "whether an answer in the spool is still to be recorded is not known yet"
                    );
                }
            }
        }
    }

    /// Handles one answer; returns whether nothing is left to be done about it.
    async fn looked_at(&self, spool: &Spool, key: &str) -> Result<bool, String> {
        let found = spool
            .complete_answer(key)
            .map_err(|error| error.to_string())?;
        // A file that is damaged, or sealed with the key of another log, is removed once it is old.
        let Some(place) = found.and_then(|found| found.place) else {
            return Ok(true);
        };
        let workshop = &self.0.workshop;
        match self.fate(&place).await? {
            Fate::Settle(begun) => Ok(Box::pin(steps::settle(workshop, self, &begun)).await),
            Fate::Awaited => Ok(false),
            Fate::Remove => {
                let removed = spool.remove_all(&place.stream(), key).await;
                removed.map_err(|error| error.to_string())?;
                Ok(true)
            }
            Fate::Leave => Ok(true),
        }
    }

    async fn fate(&self, place: &TurnPlace) -> Result<Fate, String> {
        let stream = place.stream();
        if self.0.workshop.registry.has(&stream, &place.step) {
            return Ok(Fate::Awaited);
        }
        match self.session(&stream).await {
            Ok(session) => Ok(fate_in(&session, place)),
            Err(SendError::Erased) => Ok(Fate::Remove),
            // The data folder may have served another log.
            Err(SendError::NoSession { .. }) => Ok(Fate::Leave),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn fate_in(session: &Session, place: &TurnPlace) -> Fate {
    let run = session.run(place.step.run);
    let state = run.and_then(|run| run.step(&place.step.stage, &place.step.item));
    let Some(state) = state.filter(|state| state.attempt == place.attempt) else {
        return Fate::Leave;
    };
    if state.is_open() {
        return Fate::Awaited;
    }
    Fate::Settle(Begun {
        stream: place.stream(),
        step: place.step.clone(),
        attempt: place.attempt,
        epoch: FIRST_EPOCH,
    })
}
