//! Text while it is written, for one connection. A connection that starts late, or reads too slowly, gets the text so far as one piece.

use std::collections::{HashMap, VecDeque};

use domain::StepId;
use projections::Frame;
use runner::{Delta, Engine};
use serde::Deserialize;
use store::StreamId;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// The most bytes of text pieces that are joined into one batch.
const DELTA_BYTES: usize = 64 * 1024;

/// The pieces of text of a session, without those whose artifact has been sent.
pub struct DeltaFeed {
    engine: Engine,
    stream: StreamId,
    pieces: broadcast::Receiver<Delta>,
    waiting: VecDeque<Delta>,
    /// The attempts whose outcome was sent.
    over: HashMap<StepId, u32>,
}

impl DeltaFeed {
    pub fn new(engine: Engine, stream: StreamId) -> Self {
        // Subscribe first: text that is written in between then comes twice, and the offset of a piece says which text it replaces.
        let pieces = engine.deltas(&stream);
        let waiting = engine.text_so_far(&stream).into();
        Self {
            engine,
            stream,
            pieces,
            waiting,
            over: HashMap::new(),
        }
    }

    /// The next pieces, adjacent ones joined. Dropping the call before it answers loses nothing.
    pub async fn next(&mut self) -> Vec<Delta> {
        if self.waiting.is_empty() {
            match self.pieces.recv().await {
                Ok(piece) => self.waiting.push_back(piece),
                Err(RecvError::Lagged(_)) => self.start_over(),
                // No more pieces will come; the log has the results.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
        let mut bytes: usize = self.waiting.iter().map(|piece| piece.text.len()).sum();
        while bytes < DELTA_BYTES {
            match self.pieces.try_recv() {
                Ok(piece) => {
                    bytes += piece.text.len();
                    self.waiting.push_back(piece);
                }
                Err(TryRecvError::Lagged(_)) => {
                    self.start_over();
                    break;
                }
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        let over = &self.over;
        joined(
            self.waiting
                .drain(..)
                .filter(|piece| is_current(over, piece)),
        )
    }

    /// Marks the text so far of the steps that `is_over` accepts as superseded, and returns those of its pieces that were not sent yet.
    pub fn supersede(&mut self, is_over: impl Fn(&StepId) -> bool) -> Vec<Delta> {
        loop {
            match self.pieces.try_recv() {
                Ok(piece) => self.waiting.push_back(piece),
                Err(TryRecvError::Lagged(_)) => self.start_over(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        let (ended, waiting) = self
            .waiting
            .drain(..)
            .partition(|piece| is_over(&piece.step));
        self.waiting = waiting;
        let ended: VecDeque<Delta> = ended;
        let ended = joined(
            ended
                .into_iter()
                .filter(|piece| is_current(&self.over, piece)),
        );
        for piece in &ended {
            self.end(&piece.step, piece.attempt);
        }
        ended
    }

    /// Ignores further pieces of this attempt.
    pub fn end(&mut self, step: &StepId, attempt: u32) {
        let last = self.over.entry(step.clone()).or_default();
        *last = attempt.max(*last);
    }

    /// Gives the text so far once more, as one piece of each step.
    pub fn start_over(&mut self) {
        self.waiting = self.engine.text_so_far(&self.stream).into();
    }

    /// Ignores text that these frames supersede.
    pub fn superseded_by(&mut self, frames: &[Frame]) {
        for frame in frames {
            if matches!(
                frame.name,
                "artifact_produced" | "step_succeeded" | "step_failed" | "step_cancelled"
            ) && let Ok(of) = serde_json::from_str::<Of>(frame.data.get())
            {
                self.over.insert(of.step, of.attempt);
            }
            if frame.terminal {
                self.over.clear();
            }
        }
    }
}

#[derive(Deserialize)]
struct Of {
    step: StepId,
    attempt: u32,
}

/// Whether nothing has superseded this piece.
fn is_current(over: &HashMap<StepId, u32>, piece: &Delta) -> bool {
    over.get(&piece.step)
        .is_none_or(|attempt| piece.attempt > *attempt)
}

/// Joins pieces that follow each other.
fn joined(pieces: impl Iterator<Item = Delta>) -> Vec<Delta> {
    let mut all: Vec<Delta> = vec![];
    for piece in pieces {
        match all.last_mut() {
            Some(last) if follows(last, &piece) => last.text.push_str(&piece.text),
            _ => all.push(piece),
        }
    }
    all
}

fn follows(last: &Delta, piece: &Delta) -> bool {
    let end = last.offset + last.text.chars().count() as u64;
    last.step == piece.step && last.attempt == piece.attempt && piece.offset == end
}

#[cfg(test)]
mod tests {
    use domain::RunId;

    use super::*;

    fn piece(item: &str, attempt: u32, offset: u64, text: &str) -> Delta {
        Delta {
            step: StepId::new(RunId(1), "slides", item),
            attempt,
            offset,
            text: text.to_owned(),
        }
    }

    #[test]
    fn pieces_that_follow_each_other_are_joined_and_others_are_not() {
        let pieces = [
            piece("1", 1, 0, "光合"),
            piece("1", 1, 2, "作用"),
            piece("2", 1, 4, "x"),
            piece("1", 1, 4, "!"),
            piece("1", 2, 0, "anew"),
            piece("1", 2, 9, "gap"),
        ];
        let joined = joined(pieces.into_iter());
        let expected = [
            piece("1", 1, 0, "光合作用"),
            piece("2", 1, 4, "x"),
            piece("1", 1, 4, "!"),
            piece("1", 2, 0, "anew"),
            piece("1", 2, 9, "gap"),
        ];
        assert_eq!(joined, expected);
    }
}
