//! How many requests an owner may make: each owner has a bucket that fills up steadily, and every request takes a token out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use palimpsest::prelude::wire::{ApiError, Bucket, Owner};
use tokio::time::Instant;

use super::errors::StoryRefusal;
use super::limits::{OWNERS_COUNTED, REQUESTS_BURST, REQUESTS_PER_SECOND};

/// The buckets of all owners of a server. A clone is another handle on the same buckets.
#[derive(Clone, Default)]
pub(crate) struct RequestRate {
    owners: Arc<Mutex<HashMap<Owner, Bucket>>>,
}

impl RequestRate {
    /// Takes one request of this owner.
    pub(super) fn take(&self, owner: &Owner, now: Instant) -> Result<(), StoryRefusal> {
        let mut owners = self
            .owners
            .lock()
            .expect("nothing panics while a request is counted");
        if owners.len() >= OWNERS_COUNTED && !owners.contains_key(owner) {
            owners.clear();
        }
        let fresh = || Bucket::new(REQUESTS_BURST, REQUESTS_PER_SECOND, now);
        let bucket = owners.entry(owner.clone()).or_insert_with(fresh);
        bucket.take(now).map_err(|wait| {
            let message = format!(
                "too many requests: {REQUESTS_PER_SECOND} a second are taken; try again in {} ms",
                wait.as_millis()
            );
            let status = StatusCode::TOO_MANY_REQUESTS;
            ApiError::new(status, "too_many_requests", message)
                .retryable()
                .into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_who_asks_too_much_takes_nothing_from_another() {
        let (rate, now) = (RequestRate::default(), Instant::now());
        let (ann, bob) = (Owner("ann".to_owned()), Owner("bob".to_owned()));
        for _ in 0..REQUESTS_BURST {
            assert_eq!(rate.take(&ann, now), Ok(()));
        }
        let refused = rate.take(&ann, now).map_err(|refusal| refusal.0.status);
        assert_eq!(refused, Err(StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(rate.take(&bob, now), Ok(()));
    }
}
