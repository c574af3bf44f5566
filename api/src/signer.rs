//! Signs what is handed out and comes back: addresses of files, reconnect states. There is one key, derived from the master key, so that
//! processes that share a data folder accept each other's signatures. Reconnect states are kept for days, so they name the key that signed
//! them, and these keys can be rotated.

use std::sync::Arc;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::ArtifactId;

/// How long a file address is good for, in seconds: long enough to look at a deck, short enough to be worth little in a
/// browser's history.
pub const ADDRESS_SECONDS: i64 = 60 * 60;

/// The name of the key that is derived from the master key.
pub const DERIVED_KEY: &str = "master";

/// Signs and checks. A clone has the same keys.
#[derive(Clone)]
pub struct Signer {
    key: Arc<hmac::Key>,
    /// The keys of states with their names; the first signs, and all are accepted.
    states: Arc<[(String, hmac::Key)]>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer(..)")
    }
}

impl Signer {
    pub fn new(key: &[u8; 32]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        Self {
            states: Arc::from([(DERIVED_KEY.to_owned(), key.clone())]),
            key: Arc::new(key),
        }
    }

    /// The same signer with other keys for states: the first signs, and all are accepted. An empty list changes nothing.
    #[must_use]
    pub fn with_state_keys(mut self, keys: Vec<(String, [u8; 32])>) -> Self {
        if !keys.is_empty() {
            let keys = keys
                .into_iter()
                .map(|(id, key)| (id, hmac::Key::new(hmac::HMAC_SHA256, &key)));
            self.states = keys.collect();
        }
        self
    }

    /// The name of the key that signs states.
    pub fn key_id(&self) -> &str {
        &self.states[0].0
    }

    /// The signature of a state, by the key that [`Signer::key_id`] names.
    pub fn sign_state(&self, purpose: &str, state: &[u8]) -> Vec<u8> {
        hmac::sign(&self.states[0].1, &joined(purpose, &[state]))
            .as_ref()
            .to_vec()
    }

    /// Whether the key of this name signed a state, compared in constant time; `None` where there is no such key.
    pub fn accepts_state(
        &self,
        key_id: &str,
        purpose: &str,
        state: &[u8],
        signature: &[u8],
    ) -> Option<bool> {
        let (_, key) = self.states.iter().find(|(id, _)| id == key_id)?;
        Some(hmac::verify(key, &joined(purpose, &[state]), signature).is_ok())
    }

    /// The signature of some bytes for one purpose; another purpose does not accept it.
    pub fn sign(&self, purpose: &str, parts: &[&[u8]]) -> Vec<u8> {
        hmac::sign(&self.key, &joined(purpose, parts))
            .as_ref()
            .to_vec()
    }

    /// Compares in constant time.
    pub fn accepts(&self, purpose: &str, parts: &[&[u8]], signature: &[u8]) -> bool {
        hmac::verify(&self.key, &joined(purpose, parts), signature).is_ok()
    }

    /// The query that makes an artifact's content readable without a key, until it expires.
    pub fn address_query(&self, owner: &str, artifact: &ArtifactId, now: DateTime<Utc>) -> String {
        // The expiry is rounded up to the minute, so that the same address is given again and caches can use it.
        let expires = (now.timestamp() / 60 + 1) * 60 + ADDRESS_SECONDS;
        let mac = self.sign(
            ADDRESS,
            &[
                owner.as_bytes(),
                artifact.as_str().as_bytes(),
                &expires.to_le_bytes(),
            ],
        );
        format!(
            "exp={expires}&sig={}.{}",
            URL_SAFE_NO_PAD.encode(owner),
            URL_SAFE_NO_PAD.encode(mac)
        )
    }

    /// The owner that a signed address claims. [`Signer::address_owner`] checks the claim.
    pub fn claimed_owner(signature: &str) -> Option<String> {
        let (owner, _) = signature.split_once('.')?;
        String::from_utf8(URL_SAFE_NO_PAD.decode(owner).ok()?).ok()
    }

    /// The owner for whom an address was signed; `None` for one that is wrong or has expired.
    pub fn address_owner(
        &self,
        artifact: &ArtifactId,
        expires: i64,
        signature: &str,
        now: DateTime<Utc>,
    ) -> Option<String> {
        let (owner, mac) = signature.split_once('.')?;
        let owner = URL_SAFE_NO_PAD.decode(owner).ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        let is_ours = self.accepts(
            ADDRESS,
            &[&owner, artifact.as_str().as_bytes(), &expires.to_le_bytes()],
            &mac,
        );
        if !is_ours || now.timestamp() >= expires {
            return None;
        }
        String::from_utf8(owner).ok()
    }
}

const ADDRESS: &str = "artifact content";

/// Joins the parts, each with its length before it, so that two different lists of parts never give the same bytes.
fn joined(purpose: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut all = vec![];
    for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
        all.extend_from_slice(&(part.len() as u64).to_le_bytes());
        all.extend_from_slice(part);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).expect("a time")
    }

    fn parts(query: &str) -> (i64, String) {
        let (expires, signature) = query.split_once("&sig=").expect("two fields");
        (
            expires
                .trim_start_matches("exp=")
                .parse()
                .expect("a number"),
            signature.to_owned(),
        )
    }

    #[test]
    fn an_address_opens_its_own_artifact_until_it_expires() {
        let signer = Signer::new(&[1; 32]);
        let artifact = ArtifactId::new("art_1");
        let (expires, signature) = parts(&signer.address_query("ann", &artifact, at(1_000)));
        let owner = |artifact: &str, expires, signature: &str, second| {
            signer.address_owner(&ArtifactId::new(artifact), expires, signature, at(second))
        };
        assert_eq!(expires, 1_020 + ADDRESS_SECONDS);
        assert_eq!(
            owner("art_1", expires, &signature, expires - 1),
            Some("ann".to_owned())
        );
        assert_eq!(owner("art_1", expires, &signature, expires), None);
        assert_eq!(owner("art_2", expires, &signature, 1_000), None);
        assert_eq!(owner("art_1", expires + 1, &signature, 1_000), None);
        let for_bob = signature.replacen("YW5u", "Ym9i", 1);
        assert_ne!(for_bob, signature);
        assert_eq!(owner("art_1", expires, &for_bob, 1_000), None);
        assert_eq!(owner("art_1", expires, "no", 1_000), None);
        assert_eq!(
            Signer::new(&[2; 32]).address_owner(&artifact, expires, &signature, at(1_000)),
            None
        );
    }

    #[test]
    fn a_signature_is_good_for_its_purpose_and_its_parts_only() {
        let signer = Signer::new(&[1; 32]);
        let signature = signer.sign("a", &[b"b", b"cd"]);
        assert!(signer.accepts("a", &[b"b", b"cd"], &signature));
        assert!(!signer.accepts("a", &[b"bc", b"d"], &signature));
        assert!(!signer.accepts("b", &[b"b", b"cd"], &signature));
    }
}
