//! Keys and the owners they stand for, and the key of the operator. Secrets are held hashed and compared in constant time; those who show
//! wrong ones are slowed down for each address.

mod brake;

use std::sync::{Arc, PoisonError, RwLock};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use data_encoding::HEXLOWER_PERMISSIVE;
use domain::SessionId;
use store::StreamId;

use crate::config::{KeyEntry, LOCAL_OWNER};
use crate::connections::Caller;
use crate::error::ApiError;
use brake::Brake;

/// The owner that a key stands for. Everything that is read or written belongs to one owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner(pub String);

impl Owner {
    /// A session of this owner.
    pub fn stream(&self, session: &SessionId) -> StreamId {
        StreamId::new(self.0.clone(), session.clone())
    }
}

/// The keys of a server. If there are none, everybody is the same owner. A clone is another handle on the same keys.
#[derive(Clone)]
pub struct Keys {
    ring: Arc<RwLock<Arc<Ring>>>,
    brake: Arc<Brake>,
    /// The owner of all requests while there are no keys.
    everybody: Owner,
}

/// The keys that hold now.
#[derive(Default)]
struct Ring {
    keys: Vec<Key>,
    /// The hash of the operator's key.
    operator: Option<Vec<u8>>,
}

impl Default for Keys {
    fn default() -> Self {
        Self::everybody_is(Owner(LOCAL_OWNER.to_owned()))
    }
}

struct Key {
    owner: Owner,
    sha256: Vec<u8>,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Key").field(&self.owner).finish()
    }
}

impl Ring {
    fn of(entries: &[KeyEntry], operator: Option<&str>) -> Self {
        let key = |entry: &KeyEntry| {
            let stored = entry
                .sha256
                .as_deref()
                .and_then(|digits| HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok());
            let sha256 =
                stored.unwrap_or_else(|| sha256_of(entry.secret.as_deref().unwrap_or_default()));
            Key {
                owner: Owner(entry.owner.clone()),
                sha256,
            }
        };
        Self {
            keys: entries.iter().map(key).collect(),
            operator: operator.map(sha256_of),
        }
    }

    /// Compares every key, so that the time does not show which one fitted.
    fn owner(&self, hash: &[u8]) -> Option<&Owner> {
        let mut found = None;
        for key in &self.keys {
            if verify_slices_are_equal(&key.sha256, hash).is_ok() {
                found = Some(&key.owner);
            }
        }
        found
    }

    fn is_operator(&self, hash: &[u8]) -> bool {
        let operator = self.operator.as_ref();
        operator.is_some_and(|operator| verify_slices_are_equal(operator, hash).is_ok())
    }
}

impl Keys {
    /// Keys from checked entries, and the operator's key.
    pub fn new(entries: &[KeyEntry], operator: Option<&str>) -> Self {
        let keys = Self::default();
        keys.replace(entries, operator);
        keys
    }

    /// No keys: every request is from this owner. For the command line within its own process.
    pub fn everybody_is(owner: Owner) -> Self {
        Self {
            ring: Arc::default(),
            brake: Arc::default(),
            everybody: owner,
        }
    }

    /// Replaces the keys. Requests under way go on.
    pub fn replace(&self, entries: &[KeyEntry], operator: Option<&str>) {
        let ring = Arc::new(Ring::of(entries, operator));
        *self.ring.write().unwrap_or_else(PoisonError::into_inner) = ring;
    }

    fn ring(&self) -> Arc<Ring> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn are_wanted(&self) -> bool {
        !self.ring().keys.is_empty()
    }

    /// Every owner that has a key; the owner of all requests if there are no keys.
    pub fn owners(&self) -> Vec<Owner> {
        let ring = self.ring();
        if ring.keys.is_empty() {
            return vec![self.everybody.clone()];
        }
        let mut owners: Vec<_> = ring.keys.iter().map(|key| key.owner.clone()).collect();
        owners.sort_by(|a, b| a.0.cmp(&b.0));
        owners.dedup();
        owners
    }

    /// The owner that a secret stands for. The caller's connection belongs to this owner from now on.
    ///
    /// # Errors
    ///
    /// The secret is missing or not known, or the owner has as many connections as one may have.
    pub fn owner(&self, caller: &mut Caller, secret: Option<&str>) -> Result<Owner, ApiError> {
        let ring = self.ring();
        let owner = if ring.keys.is_empty() {
            self.everybody.clone()
        } else {
            let secret = secret.ok_or_else(|| ApiError::unauthorized("a key is needed"))?;
            let found = self.tried(&ring, caller, secret, |hash| ring.owner(hash).cloned());
            found?.ok_or_else(|| ApiError::unauthorized("the key is not known"))?
        };
        let recognised = caller.recognise(&owner.0);
        recognised.map_err(|error| {
            let (status, code) = (StatusCode::TOO_MANY_REQUESTS, "too_many_connections");
            ApiError::new(status, code, error.to_string()).retryable()
        })?;
        Ok(owner)
    }

    /// The owner of the key that a request shows in its head.
    ///
    /// # Errors
    ///
    /// As [`Self::owner`].
    pub fn owner_of(&self, parts: &Parts) -> Result<Owner, ApiError> {
        match parts.extensions.get::<Recognised>() {
            Some(Recognised(known)) => known.clone(),
            None => self.owner(&mut Caller::of(&parts.extensions), bearer(parts)),
        }
    }

    /// Refuses everybody but the operator. The operator is whoever shows the operator's key, and everybody if there are no keys at all.
    pub(crate) fn check_operator(
        &self,
        caller: &Caller,
        secret: Option<&str>,
    ) -> Result<(), ApiError> {
        let ring = self.ring();
        if ring.keys.is_empty() && ring.operator.is_none() {
            return Ok(());
        }
        if ring.operator.is_none() {
            let message = "this is for the operator of the server, who has no key";
            return Err(ApiError::new(StatusCode::FORBIDDEN, "no_operator", message)
                .hint("set PALIMPSEST_OPERATOR_KEY, or `operator_key` in the configuration"));
        }
        let secret =
            secret.ok_or_else(|| ApiError::unauthorized("the operator's key is needed"))?;
        let is_operator = |hash: &[u8]| ring.is_operator(hash).then_some(());
        let found = self.tried(&ring, caller, secret, is_operator)?;
        found.ok_or_else(|| ApiError::unauthorized("this is not the operator's key"))
    }

    /// Whether this is the key of the operator, for what an owner may ask as well, who is shown other things. Where there are no
    /// keys, everybody is.
    pub(crate) fn is_operator(&self, secret: Option<&str>) -> bool {
        let ring = self.ring();
        if ring.keys.is_empty() && ring.operator.is_none() {
            return true;
        }
        secret.is_some_and(|secret| ring.is_operator(&sha256_of(secret)))
    }

    /// Looks a secret up. A wrong one is refused in another way where too many of them came from the caller's address.
    fn tried<T>(
        &self,
        ring: &Ring,
        caller: &Caller,
        secret: &str,
        opens: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let hash = sha256_of(secret);
        let opened = opens(&hash);
        // A key in the place of another one opens nothing, but whoever has it does not guess.
        let is_known = ring.owner(&hash).is_some() || ring.is_operator(&hash);
        if !is_known && !self.brake.takes_wrong(caller.address()) {
            let message = "too many wrong keys came from this address";
            let (status, code) = (StatusCode::TOO_MANY_REQUESTS, "too_many_wrong_keys");
            return Err(ApiError::new(status, code, message)
                .hint("try again in a second, with a configured key")
                .retryable());
        }
        Ok(opened)
    }
}

/// The owner of the key in the head of a request, or why it was refused. It is an extension of the request, so that a key is checked once.
#[derive(Clone)]
pub(crate) struct Recognised(pub(crate) Result<Owner, ApiError>);

fn sha256_of(secret: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, secret.as_bytes())
        .as_ref()
        .to_vec()
}

/// The secret of an `Authorization: Bearer` header.
pub fn bearer(parts: &Parts) -> Option<&str> {
    let value = parts.headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXUPPER;

    use super::*;

    fn entry(owner: &str, secret: Option<&str>, sha256: Option<String>) -> KeyEntry {
        KeyEntry {
            owner: owner.to_owned(),
            secret: secret.map(str::to_owned),
            sha256,
        }
    }

    #[test]
    fn a_key_stands_for_its_owner_whether_it_is_configured_plain_or_hashed() {
        let entries = [
            entry("ann", Some("old"), None),
            entry("ann", None, Some(HEXUPPER.encode(&sha256_of("new")))),
            entry("bob", Some("bob's"), None),
        ];
        let keys = Keys::new(&entries, None);
        let owner = |secret| {
            keys.owner(&mut here(), secret)
                .map(|owner| owner.0)
                .map_err(|e| e.error.code)
        };
        assert_eq!(owner(Some("old")), Ok("ann".to_owned()));
        assert_eq!(owner(Some("new")), Ok("ann".to_owned()));
        assert_eq!(owner(Some("bob's")), Ok("bob".to_owned()));
        assert_eq!(owner(Some("carol's")), Err("unauthorized".into()));
        assert_eq!(owner(None), Err("unauthorized".into()));
        assert_eq!(
            keys.owners(),
            vec![Owner("ann".to_owned()), Owner("bob".to_owned())]
        );
    }

    fn here() -> Caller {
        Caller::of(&axum::http::Extensions::new())
    }

    #[test]
    fn the_operator_is_who_shows_the_operators_key() {
        let asked = |keys: &Keys, secret| {
            let found = keys.check_operator(&here(), secret);
            found.map_err(|error| error.error.code)
        };
        assert_eq!(asked(&Keys::default(), None), Ok(()));
        let keys = Keys::new(&[entry("ann", Some("ann's"), None)], None);
        assert_eq!(asked(&keys, Some("ann's")), Err("no_operator".into()));
        keys.replace(&[entry("bob", Some("bob's"), None)], Some("mine"));
        assert_eq!(asked(&keys, Some("mine")), Ok(()));
        for secret in [None, Some("bob's"), Some("ann's")] {
            assert_eq!(asked(&keys, secret), Err("unauthorized".into()));
        }
        assert_eq!(keys.owners(), [Owner("bob".to_owned())]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_right_key_passes_however_many_wrong_ones_came_from_its_address() {
        let keys = Keys::new(&[entry("ann", Some("ann's"), None)], Some("mine"));
        let owner = |secret| {
            let found = keys.owner(&mut here(), Some(secret));
            found.map(|owner| owner.0).map_err(|error| error.error.code)
        };
        let mut wrong = 0;
        while owner("wrong") == Err("unauthorized".into()) {
            wrong += 1;
            assert!(wrong < 1_000, "wrong keys are slowed down");
        }
        assert_eq!(owner("wrong"), Err("too_many_wrong_keys".into()));
        // Neither key was shown before.
        assert_eq!(owner("ann's"), Ok("ann".to_owned()));
        assert!(keys.is_operator(Some("mine")));
        // Each in the place of the other is refused as before, and is not counted.
        assert_eq!(owner("mine"), Err("unauthorized".into()));
        let asked = keys.check_operator(&here(), Some("ann's"));
        let asked = asked.map_err(|error| error.error.code);
        assert_eq!(asked, Err("unauthorized".into()));
        assert_eq!(owner("wrong"), Err("too_many_wrong_keys".into()));
    }

    #[test]
    fn without_keys_everybody_is_the_local_owner() {
        let keys = Keys::default();
        assert_eq!(
            keys.owner(&mut here(), None)
                .map(|owner| owner.0)
                .map_err(|e| e.error.code),
            Ok("local".to_owned())
        );
    }
}
