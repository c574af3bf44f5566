//! The signed state with which a client reconnects. It names the session, its owner and a position; the data itself is in the log.
//!
//! A state is `base64url(JSON) "." base64url(HMAC-SHA-256 of the first part)`, the JSON being
//! `{kid, session, owner, cursor, iat, exp}` with times in seconds since 1970.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use palimpsest::prelude::wire::{Cursor, Owner, SessionId, Signer};
use serde::{Deserialize, Serialize};

use super::limits::{CLOCK_SKEW_SECONDS, STATE_BYTES_MAX, STATE_SECONDS};

/// The purpose of the signature, so that it is not accepted anywhere else.
const PURPOSE: &str = "report state";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    /// The key that signed it.
    kid: String,
    session: String,
    owner: String,
    /// The last frame that was sent.
    cursor: Cursor,
    /// When it was signed.
    iat: i64,
    /// When it expires.
    exp: i64,
}

/// The content of a valid state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    pub(crate) session: SessionId,
    pub(crate) cursor: Cursor,
}

/// Why a state is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StateRefusal {
    #[error("it is not a state of this server")]
    Malformed,
    #[error("its key is not known here any longer")]
    UnknownKey,
    #[error("Invalid state signature")]
    Signature,
    #[error("it belongs to somebody else")]
    Owner,
    #[error("it is from the future")]
    Future,
    #[error("State expired (age: {age}s)")]
    Expired { age: i64 },
    #[error("it is ahead of the log")]
    Ahead,
}

/// Signs a position in a session for its owner.
pub(crate) fn sign(
    signer: &Signer,
    owner: &Owner,
    session: &SessionId,
    cursor: Cursor,
    now: DateTime<Utc>,
) -> String {
    let iat = now.timestamp();
    let token = Token {
        kid: signer.key_id().to_owned(),
        session: session.to_string(),
        owner: owner.0.clone(),
        cursor,
        iat,
        exp: iat + STATE_SECONDS,
    };
    let json = serde_json::to_vec(&token).expect("a state holds only texts and numbers");
    let payload = URL_SAFE_NO_PAD.encode(json);
    let mac = signer.sign_state(PURPOSE, payload.as_bytes());
    format!("{payload}.{}", URL_SAFE_NO_PAD.encode(mac))
}

/// Checks a state. Nothing in it is used before its signature is checked.
pub(crate) fn check(
    signer: &Signer,
    text: &str,
    owner: &Owner,
    now: DateTime<Utc>,
) -> Result<Named, StateRefusal> {
    if text.len() > STATE_BYTES_MAX {
        return Err(StateRefusal::Malformed);
    }
    let (payload, mac) = text.split_once('.').ok_or(StateRefusal::Malformed)?;
    let json = URL_SAFE_NO_PAD
        .decode(payload)
        .map_err(|_| StateRefusal::Malformed)?;
    let mac = URL_SAFE_NO_PAD
        .decode(mac)
        .map_err(|_| StateRefusal::Malformed)?;
    let token: Token = serde_json::from_slice(&json).map_err(|_| StateRefusal::Malformed)?;
    match signer.accepts_state(&token.kid, PURPOSE, payload.as_bytes(), &mac) {
        None => return Err(StateRefusal::UnknownKey),
        Some(false) => return Err(StateRefusal::Signature),
        Some(true) => {}
    }
    if token.owner != owner.0 {
        return Err(StateRefusal::Owner);
    }
    let now = now.timestamp();
    if token.iat > now + CLOCK_SKEW_SECONDS {
        return Err(StateRefusal::Future);
    }
    if now >= token.exp {
        return Err(StateRefusal::Expired {
            age: now - token.iat,
        });
    }
    Ok(Named {
        session: SessionId::new(token.session),
        cursor: token.cursor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED_AT: i64 = 1_000_000;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).expect("a time")
    }

    fn cursor() -> Cursor {
        "v1.12.1".parse().expect("a cursor")
    }

    fn signer(keys: &[(&str, u8)]) -> Signer {
        let keys = keys
            .iter()
            .map(|(id, byte)| ((*id).to_owned(), [*byte; 32]))
            .collect();
        Signer::new(&[9; 32]).with_state_keys(keys)
    }

    fn ann() -> Owner {
        Owner("ann".to_owned())
    }

    fn signed(signer: &Signer) -> String {
        sign(
            signer,
            &ann(),
            &SessionId::new("s1"),
            cursor(),
            at(SIGNED_AT),
        )
    }

    /// The same state with another payload and the old signature.
    fn forged(state: &str, change: impl Fn(&mut Token)) -> String {
        let (payload, mac) = state.split_once('.').expect("two parts");
        let json = URL_SAFE_NO_PAD.decode(payload).expect("base64");
        let mut token = serde_json::from_slice(&json).expect("a token");
        change(&mut token);
        let json = serde_json::to_vec(&token).expect("JSON");
        format!("{}.{mac}", URL_SAFE_NO_PAD.encode(json))
    }

    #[test]
    fn a_state_brings_its_owner_back_until_it_expires_and_after_its_key_was_rotated() {
        let before = signer(&[("k1", 1)]);
        let rotated = signer(&[("k2", 2), ("k1", 1)]);
        let state = signed(&before);
        let named = Named {
            session: SessionId::new("s1"),
            cursor: cursor(),
        };
        for second in [SIGNED_AT, SIGNED_AT + STATE_SECONDS - 1] {
            for keys in [&before, &rotated] {
                assert_eq!(
                    check(keys, &state, &ann(), at(second)),
                    Ok(named.clone()),
                    "{second}"
                );
            }
        }
        assert_eq!(
            check(&before, &signed(&rotated), &ann(), at(SIGNED_AT)),
            Err(StateRefusal::UnknownKey)
        );
    }

    #[test]
    fn anything_else_restores_nothing() {
        let keys = signer(&[("k1", 1), ("k0", 3)]);
        let state = signed(&keys);
        let now = SIGNED_AT;
        let bob = Owner("bob".to_owned());
        let swapped = format!("{}.", state.split_once('.').expect("two parts").0);
        let too_long = "x".repeat(STATE_BYTES_MAX + 1);
        let expired = StateRefusal::Expired { age: STATE_SECONDS };
        for (text, owner, second, refused) in [
            ("", ann(), now, StateRefusal::Malformed),
            ("a.b", ann(), now, StateRefusal::Malformed),
            ("e30.e30", ann(), now, StateRefusal::Malformed),
            ("%%.%%", ann(), now, StateRefusal::Malformed),
            (&too_long, ann(), now, StateRefusal::Malformed),
            (&swapped, ann(), now, StateRefusal::Signature),
            (
                &forged(&state, |t| t.session = "s2".to_owned()),
                ann(),
                now,
                StateRefusal::Signature,
            ),
            (
                &forged(&state, |t| t.owner = "bob".to_owned()),
                bob.clone(),
                now,
                StateRefusal::Signature,
            ),
            (
                &forged(&state, |t| t.exp += 1),
                ann(),
                now,
                StateRefusal::Signature,
            ),
            // Another key of this server did not sign this state.
            (
                &forged(&state, |t| t.kid = "k0".to_owned()),
                ann(),
                now,
                StateRefusal::Signature,
            ),
            (
                &forged(&state, |t| t.kid = "k9".to_owned()),
                ann(),
                now,
                StateRefusal::UnknownKey,
            ),
            (&state, bob, now, StateRefusal::Owner),
            (
                &state,
                ann(),
                now - CLOCK_SKEW_SECONDS - 1,
                StateRefusal::Future,
            ),
            (&state, ann(), now + STATE_SECONDS, expired),
        ] {
            assert_eq!(
                check(&keys, text, &owner, at(second)),
                Err(refused),
                "{text}"
            );
        }
    }
}
