//! Server-sent events out of bytes that arrive in any pieces.

use std::convert::Infallible;

use bytes::Bytes;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::{FutureExt, StreamExt};
use sse_stream::SseByteStream;

/// A mark of byte order; a body may begin with some.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads events out of pieces of a body, without waiting for anything: the pieces are given to it.
pub struct EventReader {
    /// The beginning of the body, while it may still be one of a mark; nothing once anything else has come.
    begin: Option<Vec<u8>>,
    /// The first bytes of a character whose other bytes have not come.
    begun: Vec<u8>,
    pieces: UnboundedSender<Result<Bytes, Infallible>>,
    events: SseByteStream<UnboundedReceiver<Result<Bytes, Infallible>>>,
}

/// The body is not an event stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body is not an event stream: {0}")]
pub struct NotEvents(String);

impl Default for EventReader {
    fn default() -> EventReader {
        let (pieces, received) = unbounded();
        EventReader {
            begin: Some(vec![]),
            begun: vec![],
            pieces,
            events: SseByteStream::new(received),
        }
    }
}

impl EventReader {
    /// Takes the next piece and returns the data of the events that it completes.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, NotEvents> {
        let piece = match &mut self.begin {
            None => piece.to_vec(),
            Some(begin) => {
                begin.extend_from_slice(piece);
                while begin.starts_with(MARK) {
                    begin.drain(..MARK.len());
                }
                if MARK.starts_with(begin) {
                    return Ok(vec![]);
                }
                self.begin.take().unwrap_or_default()
            }
        };
        let piece = self.text_of(piece);
        self.pieces
            .unbounded_send(Ok(piece.into()))
            .expect("the receiving half lives beside the sending one");
        let mut complete = Vec::new();
        // The channel holds all there is, so what is not ready now waits for the next piece.
        while let Some(Some(event)) = self.events.next().now_or_never() {
            // Its errors name what is wrong, and never the text: it is the answer of a model.
            let event = event.map_err(|error| NotEvents(error.to_string()))?;
            complete.extend(event.data);
        }
        Ok(complete)
    }

    /// The bytes as text, without a character at their end of which more is to come. What is no text is replaced: one bad byte is no reason
    /// to lose an answer that was paid for.
    fn text_of(&mut self, piece: Vec<u8>) -> String {
        self.begun.extend(piece);
        let mut text = String::new();
        let mut done = 0;
        for chunk in self.begun.utf8_chunks() {
            text += chunk.valid();
            done += chunk.valid().len();
            let bad = chunk.invalid();
            let is_last = done + bad.len() == self.begun.len();
            let may_go_on =
                is_last && std::str::from_utf8(bad).is_err_and(|error| error.error_len().is_none());
            if bad.is_empty() || may_go_on {
                break;
            }
            tracing::warn!("bytes of an answer are no text and are replaced");
            text.push(char::REPLACEMENT_CHARACTER);
            done += bad.len();
        }
        self.begun.drain(..done);
        text
    }

    /// The event that was begun when the body ended. Some servers leave out the last empty line.
    pub fn finish(&mut self) -> Vec<String> {
        self.push(b"\n\n").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = ": hello\n\ndata: {\"a\":\"你好\"}\r\n\r\ndata:two\n\nevent: x\ndata: 3\n\n";

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = EventReader::default();
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(reader.push(piece).unwrap());
        }
        all.extend(reader.finish());
        all
    }

    #[test]
    fn events_do_not_depend_on_where_the_body_is_split() {
        let expected = vec!["{\"a\":\"你好\"}", "two", "3"];
        let body = BODY.as_bytes();
        assert_eq!(read(&[body]), expected);
        for at in 0..body.len() {
            let (first, second) = body.split_at(at);
            assert_eq!(read(&[first, second]), expected, "split at {at}");
        }
        let single: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(read(&single), expected);
    }

    #[test]
    fn a_mark_of_byte_order_before_the_first_event_is_passed_over() {
        for marks in 1..3 {
            let body = "\u{feff}".repeat(marks) + BODY;
            let body = body.as_bytes();
            for at in 0..8 {
                let (first, second) = body.split_at(at);
                assert_eq!(
                    read(&[first, second])[0],
                    "{\"a\":\"你好\"}",
                    "{marks} marks, split at {at}"
                );
            }
        }
    }

    #[test]
    fn an_event_without_its_last_empty_line_is_still_read() {
        assert_eq!(read(&[b"data: one\n\ndata: two"]), vec!["one", "two"]);
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced_and_the_rest_is_read() {
        let body = b"data: one \xff two\n\ndata: \xe4\xbd\xa0\xe5\n\ndata: 3\n\n";
        let expected = ["one \u{fffd} two", "你\u{fffd}", "3"];
        for at in 0..body.len() {
            let (first, second) = body.split_at(at);
            assert_eq!(read(&[first, second]), expected, "split at {at}");
        }
    }
}
