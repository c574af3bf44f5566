//! Keys and the owners they stand for. Secrets are held hashed and compared in constant time.

use std::sync::Arc;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use data_encoding::HEXLOWER_PERMISSIVE;
use domain::SessionId;
use store::StreamId;

use crate::config::{KeyEntry, LOCAL_OWNER};
use crate::error::ApiError;

/// Whoever a key stands for. Everything that is read or written is of one owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner(pub String);

impl Owner {
    /// A session of this owner.
    pub fn stream(&self, session: &SessionId) -> StreamId {
        StreamId::new(self.0.clone(), session.clone())
    }
}

/// The keys of a server. Without any, everybody is one owner.
#[derive(Clone, Debug)]
pub struct Keys {
    keys: Arc<Vec<Key>>,
    /// Whoever asks where there are no keys.
    everybody: Owner,
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

impl Keys {
    /// From checked entries.
    pub fn new(entries: &[KeyEntry]) -> Self {
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
            keys: Arc::new(entries.iter().map(key).collect()),
            ..Self::default()
        }
    }

    /// No keys: whoever asks is this owner. For the command line within its own process.
    pub fn everybody_is(owner: Owner) -> Self {
        Self {
            keys: Arc::default(),
            everybody: owner,
        }
    }

    pub fn are_wanted(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Whether this is the key of whoever runs the server. Where there are no keys, everybody does.
    pub fn is_operator(&self, _secret: Option<&str>) -> bool {
        !self.are_wanted()
    }

    /// Every owner that has a key.
    pub fn owners(&self) -> Vec<Owner> {
        if !self.are_wanted() {
            return vec![self.everybody.clone()];
        }
        let mut owners: Vec<_> = self.keys.iter().map(|key| key.owner.clone()).collect();
        owners.sort_by(|a, b| a.0.cmp(&b.0));
        owners.dedup();
        owners
    }

    /// The owner that a secret stands for. Every key is compared, so that the time tells nothing about which one fitted.
    pub fn owner(&self, secret: Option<&str>) -> Result<Owner, ApiError> {
        if !self.are_wanted() {
            return Ok(self.everybody.clone());
        }
        let Some(secret) = secret else {
            return Err(ApiError::unauthorized("a key is needed"));
        };
        let hash = sha256_of(secret);
        let mut found = None;
        for key in self.keys.iter() {
            if verify_slices_are_equal(&key.sha256, &hash).is_ok() {
                found = Some(&key.owner);
            }
        }
        found
            .cloned()
            .ok_or_else(|| ApiError::unauthorized("the key is not known"))
    }
}

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
        let keys = Keys::new(&[
            entry("ann", Some("old"), None),
            entry("ann", None, Some(HEXUPPER.encode(&sha256_of("new")))),
            entry("bob", Some("bob's"), None),
        ]);
        let owner = |secret| {
            keys.owner(secret)
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

    #[test]
    fn without_keys_everybody_is_the_local_owner() {
        let keys = Keys::default();
        assert_eq!(
            keys.owner(None)
                .map(|owner| owner.0)
                .map_err(|e| e.error.code),
            Ok("local".to_owned())
        );
    }
}
