//! Server-sent events out of bytes that arrive in any pieces.

use std::convert::Infallible;

use eventsource_stream::{EventStream, EventStreamError};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::{FutureExt, StreamExt};

/// Reads events out of pieces of a body, without waiting for anything: the pieces are given to it.
pub struct EventReader {
    /// The beginning of a letter whose end is still to come.
    unfinished: Vec<u8>,
    /// Whether the first letter has come.
    begun: bool,
    pieces: UnboundedSender<Result<String, Infallible>>,
    events: EventStream<UnboundedReceiver<Result<String, Infallible>>>,
}

/// The body is not an event stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body is not an event stream: {0}")]
pub struct NotEvents(String);

impl Default for EventReader {
    fn default() -> EventReader {
        let (pieces, received) = unbounded();
        EventReader {
            unfinished: Vec::new(),
            begun: false,
            pieces,
            events: EventStream::new(received),
        }
    }
}

impl EventReader {
    /// Takes the next piece and returns the data of the events that it completes.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, NotEvents> {
        let mut text = self.letters(piece)?;
        // Marks of byte order may stand before everything; the library takes one of them for a byte and panics.
        if !self.begun {
            text = text.trim_start_matches('\u{feff}').to_owned();
            self.begun = !text.is_empty();
        }
        self.pieces
            .unbounded_send(Ok(text))
            .expect("the receiving half lives beside the sending one");
        let mut complete = Vec::new();
        // The channel holds all there is, so what is not ready now waits for the next piece.
        while let Some(Some(event)) = self.events.next().now_or_never() {
            // The kind of the fault is told, not the text: it is the answer of a model.
            let event = event.map_err(|error| match error {
                EventStreamError::Utf8(error) => NotEvents(error.utf8_error().to_string()),
                EventStreamError::Parser(error) => NotEvents(format!("{:?}", error.code)),
                EventStreamError::Transport(never) => match never {},
            })?;
            complete.push(event.data);
        }
        Ok(complete)
    }

    /// The event that was begun when the body ended. Some servers leave out the last empty line.
    pub fn finish(&mut self) -> Vec<String> {
        self.unfinished.clear();
        self.push(b"\n\n").unwrap_or_default()
    }

    /// The complete letters that have come so far. The event stream alone would wait for ever at an invalid byte.
    fn letters(&mut self, piece: &[u8]) -> Result<String, NotEvents> {
        self.unfinished.extend_from_slice(piece);
        let valid = match std::str::from_utf8(&self.unfinished) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(error) => return Err(NotEvents(error.to_string())),
        };
        let rest = self.unfinished.split_off(valid);
        let letters = std::mem::replace(&mut self.unfinished, rest);
        Ok(String::from_utf8(letters).expect("it was just checked"))
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
    fn bytes_that_are_not_text_are_refused() {
        let refused = EventReader::default().push(b"data: \xff\xff\n\n");
        assert!(refused.is_err());
    }
}
