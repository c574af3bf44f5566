//! A text that must never reach a log, an error or a debugger's dump.

use std::fmt;

use domain::shown;
use serde::{Deserialize, Serialize, Serializer};

/// What a secret is replaced by wherever it would be shown.
const SHOWN: &str = "[secret]";

/// Keys with fewer characters are not looked for in texts: they are parts of words there, and no provider gives such keys.
const LOOKED_FOR_MIN: usize = 8;

/// An API key. It can be read and sent, but not printed; serialised, it says only whether it is given.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Secret {
        Secret(key.into())
    }

    /// The key itself, for the header it is sent in.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text without the key. Servers have been seen to quote the key back in their refusals.
    pub fn redact(&self, text: &str) -> String {
        if self.0.chars().count() < LOOKED_FOR_MIN {
            return text.to_owned();
        }
        text.replace(&self.0, SHOWN)
    }
}

/// The text without the secrets of an address. Servers quote the path that was asked for, with its query.
pub(crate) fn without_secrets_of(address: &str, text: &str) -> String {
    let secrets = shown::secrets_of(address).into_iter().map(Secret::new);
    secrets.fold(text.to_owned(), |text, secret| secret.redact(&text))
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SHOWN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.is_empty() { "none" } else { "given" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_neither_printed_nor_quoted() {
        let key = Secret::new("sk-12345");
        assert_eq!(format!("{key:?}"), "[secret]");
        assert_eq!(key.redact("bad key sk-12345!"), "bad key [secret]!");
        assert_eq!(Secret::new("x").redact("an example"), "an example");
    }
}
