//! The id of a frame on this wire: the lane, the cursor in its session of the log, and, for a piece of a text that is being written,
//! how much of the text was sent. It is opaque to clients.

use std::fmt;
use std::str::FromStr;

use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::wire::Cursor;

/// Hexadecimal digits of the hash of the sent text.
const HASH_DIGITS: usize = 12;

/// The place up to which a client has seen everything. Written `<lane>/<cursor>`, or `<lane>/<cursor>/<attempt>.<characters>.<hash>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) lane: u32,
    pub(super) cursor: Cursor,
    pub(super) piece: Option<Piece>,
}

/// How much of a text was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) attempt: u32,
    pub(super) chars: usize,
    /// The beginning of the hash of these characters.
    hash: String,
}

impl Piece {
    pub(super) fn of(attempt: u32, text: &str) -> Self {
        Self {
            attempt,
            chars: text.chars().count(),
            hash: hash_of(text),
        }
    }

    /// The sent part of this text; `None` if it was another text.
    pub(super) fn within<'a>(&self, attempt: u32, text: &'a str) -> Option<&'a str> {
        if attempt != self.attempt {
            return None;
        }
        let end = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .nth(self.chars)?;
        let sent = &text[..end];
        (hash_of(sent) == self.hash).then_some(sent)
    }
}

fn hash_of(text: &str) -> String {
    Sha256::of(text.as_bytes()).hex()[..HASH_DIGITS].to_owned()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.lane, self.cursor)?;
        if let Some(piece) = &self.piece {
            write!(f, "/{}.{}.{}", piece.attempt, piece.chars, piece.hash)?;
        }
        Ok(())
    }
}

/// Why a text is not a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`Last-Event-ID` is not an id of this protocol; send one back as it was received, such as `1/v1.12.0`"
)]
pub(super) struct NotAPlace;

impl FromStr for Place {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        parse(text).ok_or(NotAPlace)
    }
}

fn parse(text: &str) -> Option<Place> {
    let mut parts = text.split('/');
    let lane = parts.next()?.parse().ok().filter(|lane| *lane > 0)?;
    let cursor = parts.next()?.parse().ok()?;
    let piece = parts.next().map(parse_piece);
    if parts.next().is_some() {
        return None;
    }
    let piece = match piece {
        None => None,
        Some(piece) => Some(piece?),
    };
    Some(Place {
        lane,
        cursor,
        piece,
    })
}

fn parse_piece(text: &str) -> Option<Piece> {
    let mut parts = text.split('.');
    let (attempt, chars, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let piece = Piece {
        attempt: attempt.parse().ok()?,
        chars: chars.parse().ok()?,
        hash: hash.to_owned(),
    };
    (is_hash && parts.next().is_none()).then_some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_back_as_it_was_written() {
        let cursor = Cursor {
            wire_version: 1,
            version: 12,
            sub: 3,
        };
        for piece in [None, Some(Piece::of(2, "灯亮了"))] {
            let place = Place {
                lane: 2,
                cursor,
                piece,
            };
            assert_eq!(place.to_string().parse(), Ok(place));
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in [
            "",
            "v1.2.3",
            "0/v1.2.3",
            "1/v1.2",
            "1/v1.2.3/",
            "1/v1.2.3/1.2",
            "1/v1.2.3/1.2.xyz",
            "1/v1.2.3/1.2.abcdefabcdef/4",
        ] {
            assert_eq!(text.parse::<Place>(), Err(NotAPlace), "{text}");
        }
    }

    #[test]
    fn a_piece_is_a_part_of_the_text_that_it_was_taken_from() {
        let piece = Piece::of(1, "灯亮");
        assert_eq!(piece.within(1, "灯亮了"), Some("灯亮"));
        assert_eq!(piece.within(1, "灯亮"), Some("灯亮"));
        assert_eq!(piece.within(1, "灯灭了"), None);
        assert_eq!(piece.within(1, "灯"), None);
        assert_eq!(piece.within(2, "灯亮了"), None);
    }
}
