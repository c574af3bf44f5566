//! The place of a frame in a wire's stream of one session.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Says that this frame, and every frame before it, was seen: replaying after a cursor gives exactly the frames with a
/// greater one. Written `v<wire version>.<version>.<sub>`, opaque to clients. Cursors of one wire version are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(into = "String", try_from = "String")]
#[ts(type = "string")]
pub struct Cursor {
    /// The version of the wire that cut the events into frames; another one cuts them otherwise.
    pub wire_version: u32,
    /// The version of the event in its session.
    pub version: u64,
    /// Counts all frames of that event from 0, before any client's filter.
    pub sub: u32,
}

impl Cursor {
    /// Before the first frame of a wire.
    pub fn start(wire_version: u32) -> Self {
        Self {
            wire_version,
            version: 0,
            sub: 0,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}.{}", self.wire_version, self.version, self.sub)
    }
}

/// Why a text is not a cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a cursor; send one back as it was received, such as `v1.12.0`")]
pub struct NotACursor {
    /// At most the first 64 characters of what was sent.
    pub text: String,
}

/// How much of a wrong cursor is repeated in the error: the longest right one has 42 characters.
const SHOWN_CHARS_MAX: usize = 64;

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        parse(text).ok_or_else(|| NotACursor {
            text: text.chars().take(SHOWN_CHARS_MAX).collect(),
        })
    }
}

fn parse(text: &str) -> Option<Cursor> {
    let mut parts = text.strip_prefix('v')?.split('.');
    let cursor = Cursor {
        wire_version: number(parts.next()?)?,
        version: number(parts.next()?)?,
        sub: number(parts.next()?)?,
    };
    parts.next().is_none().then_some(cursor)
}

/// Digits alone and no leading zero, so that two different texts are never the same cursor.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

impl TryFrom<String> for Cursor {
    type Error = NotACursor;

    fn try_from(text: String) -> Result<Self, NotACursor> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_as_it_was_written() {
        for cursor in [
            Cursor::start(1),
            Cursor {
                wire_version: 3,
                version: 9_007_199_254_740_991,
                sub: 17,
            },
        ] {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
    }

    #[test]
    fn cursors_are_ordered_by_version_and_then_by_frame() {
        let at = |version, sub| Cursor {
            wire_version: 1,
            version,
            sub,
        };
        assert!(at(2, 0) > at(1, 9));
        assert!(at(2, 1) > at(2, 0));
        assert!(at(10, 0) > at(9, 0));
    }

    #[test]
    fn anything_else_is_refused_with_what_was_sent() {
        for text in [
            "", "1.2.3", "v1.2", "v1.2.3.4", "v1.-2.3", "v1.2.x", "v1.02.3", "v+1.2.3", "v1..3",
        ] {
            let refused: Result<Cursor, _> = text.parse();
            assert_eq!(
                refused,
                Err(NotACursor {
                    text: text.to_owned()
                }),
                "{text}"
            );
        }
        let message = "v1.2".parse::<Cursor>().map_err(|e| e.to_string());
        assert_eq!(
            message,
            Err(
                "`v1.2` is not a cursor; send one back as it was received, such as `v1.12.0`"
                    .to_owned()
            )
        );
    }
}
