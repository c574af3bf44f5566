//! Places for clients that have not shown a key yet: each of them takes memory before it is known whose it is.

use std::sync::{Arc, Mutex};

use axum::http::StatusCode;

use crate::config::Limits;
use crate::connections::Caller;
use crate::error::ApiError;
use crate::shares::{Exceeded, Share, Shares};

/// All places. A clone is another handle on the same.
#[derive(Clone)]
pub struct Handshakes(Arc<Shares>);

impl Handshakes {
    pub fn new(limits: &Limits) -> Self {
        let (all, each) = (limits.handshakes as u64, limits.handshakes_share as u64);
        Self(Shares::new("handshakes", all, each))
    }

    /// Takes a place for a caller, which is held until it is left or dropped.
    ///
    /// # Errors
    ///
    /// All places are taken, or all that one address may have.
    pub fn take(&self, caller: &Caller) -> Result<HandshakePlace, ApiError> {
        let taken = self.0.take(caller.address(), 1).map(HandshakePlace::new);
        taken.map_err(|exceeded| {
            let message = match exceeded {
                Exceeded::All => "too many clients have yet to say whose they are",
                Exceeded::Each => "too many clients at this address have yet to say whose they are",
            };
            let status = StatusCode::SERVICE_UNAVAILABLE;
            ApiError::new(status, "too_many_handshakes", message)
                .hint("try again in a moment")
                .retryable()
        })
    }
}

/// A place, which may stand among the extensions of a request: it is held until the owner of the request is known, or the request is
/// dropped.
#[derive(Clone)]
pub struct HandshakePlace(Arc<Mutex<Option<Share>>>);

impl HandshakePlace {
    fn new(place: Share) -> Self {
        Self(Arc::new(Mutex::new(Some(place))))
    }

    /// Gives the place up: the owner is known.
    pub fn leave(&self) {
        let place = self.0.lock().expect("nobody panics while leaving").take();
        drop(place);
    }
}
