//! Signed heads: where blobs are kept in a store of objects, the position and hash of the log's last event are also put there at intervals,
//! signed. Somebody who puts back the database and the data folder together cannot change them.

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use chrono::{DateTime, SecondsFormat, Utc};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use crate::anchor::{Accepted, LogHead};
use crate::error::Storage;
use crate::objects::Objects;
use crate::seal::MasterKey;

/// How many signed heads are kept of a log. With one in ten minutes these are those of the last eight hours; an older head would prove
/// nothing that they do not prove.
const KEPT: usize = 48;

/// A head as it is kept in the store of objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SignedHead {
    log: String,
    position: u64,
    hash: String,
    at: String,
    /// Ed25519 over the lines before, in hexadecimal digits.
    signature: String,
}

impl SignedHead {
    fn message(&self) -> String {
        let Self {
            log,
            position,
            hash,
            at,
            ..
        } = self;
        format!("palimpsest-signed-head-1\n{log}\n{position}\n{hash}\n{at}\n")
    }

    fn head(&self) -> Option<LogHead> {
        let hash = HEXLOWER.decode(self.hash.as_bytes()).ok()?;
        Some(LogHead {
            position: self.position,
            hash: hash.try_into().ok()?,
        })
    }
}

/// What signs the heads of all processes that have the master key.
pub(crate) struct HeadSigner(Ed25519KeyPair);

impl HeadSigner {
    pub(crate) fn new(master: &MasterKey) -> Self {
        let seed = master.derived(b"palimpsest signed heads");
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        Self(pair.expect("a seed has 32 bytes"))
    }

    fn sign(&self, log: &str, head: LogHead, now: DateTime<Utc>) -> SignedHead {
        let mut signed = SignedHead {
            log: log.to_owned(),
            position: head.position,
            hash: HEXLOWER.encode(&head.hash),
            at: now.to_rfc3339_opts(SecondsFormat::Secs, true),
            signature: String::new(),
        };
        let signature = self.0.sign(signed.message().as_bytes());
        signed.signature = HEXLOWER.encode(signature.as_ref());
        signed
    }

    fn is_ours(&self, signed: &SignedHead) -> bool {
        let Ok(signature) = HEXLOWER.decode(signed.signature.as_bytes()) else {
            return false;
        };
        let key = UnparsedPublicKey::new(&ED25519, self.0.public_key().as_ref());
        key.verify(signed.message().as_bytes(), &signature).is_ok()
    }
}

/// Puts the head of a log into the store, and lets go of old ones.
pub(crate) async fn put(
    objects: &Objects,
    signer: &HeadSigner,
    log: &str,
    head: LogHead,
    now: DateTime<Utc>,
) -> Result<(), Storage> {
    let signed = signer.sign(log, head, now);
    let text = serde_json::to_vec(&signed).expect("a signed head has only text keys");
    objects.put_head(log, head.position, text).await?;
    let mut positions = objects.heads(log).await?;
    positions.sort_unstable();
    let old = positions.len().saturating_sub(KEPT);
    for position in positions.into_iter().take(old) {
        objects.remove_head(log, position).await?;
    }
    Ok(())
}

/// What the store has of a log.
#[derive(Debug, Default)]
pub(crate) struct Witnessed {
    /// By position.
    pub(crate) heads: Vec<LogHead>,
    /// Positions of heads that were not signed by this key, or that cannot be read.
    pub(crate) foreign: Vec<u64>,
}

/// The signed heads of a log. Heads of events whose loss somebody accepted are left out.
pub(crate) async fn read(
    objects: &Objects,
    signer: &HeadSigner,
    log: &str,
    accepted: &[Accepted],
) -> Result<Witnessed, Storage> {
    let mut found = Witnessed::default();
    for position in objects.heads(log).await? {
        let Some(text) = objects.head(log, position).await? else {
            continue;
        };
        let signed: Option<SignedHead> = serde_json::from_slice(&text).ok();
        let signed = signed.filter(|signed| {
            signed.log == log && signed.position == position && signer.is_ours(signed)
        });
        match signed.and_then(|signed| signed.head().map(|head| (signed.at, head))) {
            None => found.foreign.push(position),
            Some((at, head)) => {
                let is_given_up = accepted
                    .iter()
                    .any(|accepted| accepted.to_position < head.position && at <= accepted.at);
                if !is_given_up {
                    found.heads.push(head);
                }
            }
        }
    }
    found.heads.sort_unstable_by_key(|head| head.position);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::ObjectOptions;

    fn head(position: u64) -> LogHead {
        LogHead {
            position,
            hash: [position as u8; 32],
        }
    }

    #[tokio::test]
    async fn signed_heads_come_back_and_others_are_told() {
        let objects = Objects::open(&ObjectOptions::Memory).expect("memory");
        let signer = HeadSigner::new(&MasterKey::new([7; 32]));
        let other = HeadSigner::new(&MasterKey::new([8; 32]));
        let now = DateTime::UNIX_EPOCH;
        for position in 1..=KEPT as u64 + 2 {
            let done = put(&objects, &signer, "log", head(position), now).await;
            done.expect("puts");
        }
        let done = put(&objects, &other, "log", head(90), now).await;
        done.expect("puts");
        let found = read(&objects, &signer, "log", &[]).await.expect("reads");
        let positions: Vec<u64> = found.heads.iter().map(|head| head.position).collect();
        assert_eq!(positions, (4..=KEPT as u64 + 2).collect::<Vec<_>>());
        assert_eq!(found.foreign, [90]);
        let accepted = Accepted {
            at: "1970-01-01T00:00:01Z".to_owned(),
            by: String::new(),
            reason: String::new(),
            from_position: None,
            from_hash: None,
            to_position: 5,
            to_hash: String::new(),
            what: String::new(),
        };
        let found = read(&objects, &signer, "log", &[accepted])
            .await
            .expect("reads");
        assert_eq!(found.heads, [head(4), head(5)]);
    }
}
