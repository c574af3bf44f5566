//! A text that must never reach a log, an error or a debugger's dump.

use std::fmt;

/// What a secret is replaced by wherever it would be shown.
const SHOWN: &str = "[secret]";

/// An API key. It can be sent, but neither printed nor serialised.
#[derive(Clone, Default, PartialEq, Eq)]
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
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, SHOWN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SHOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_neither_printed_nor_quoted() {
        let key = Secret::new("sk-123");
        assert_eq!(format!("{key:?}"), "[secret]");
        assert_eq!(key.redact("bad key sk-123!"), "bad key [secret]!");
    }
}
