//! Text while it is written: the newest text of each step, at most once in a fixed time.

use std::collections::BTreeMap;

use palimpsest::prelude::wire::deltas::DeltaFeed;
use palimpsest::prelude::wire::{Delta, Frame, StepId};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;
use words::is_han;

use super::connection::until;
use super::limits::PARTIAL_EVERY;
use crate::wire::out::scope_of;

/// The text of one step so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Partial {
    pub(crate) text: String,
    step: StepId,
    is_final: bool,
}

impl Partial {
    pub(crate) fn metadata(&self) -> Value {
        let mut metadata = json!({
            "is_streaming": !self.is_final,
            "is_final": self.is_final,
            "word_count": words(&self.text),
            "total_length": self.text.chars().count(),
            "scope": scope_of(&self.step),
        });
        if let Some(task) = task(&self.step) {
            metadata["task_id"] = task.into();
        }
        metadata
    }
}

/// Gathers the text of a session's steps.
pub(crate) struct Partials {
    feed: DeltaFeed,
    texts: BTreeMap<StepId, Text>,
    /// When the newest text is sent.
    due: Option<Instant>,
}

#[derive(Default)]
struct Text {
    attempt: u32,
    text: String,
    is_new: bool,
}

impl Partials {
    pub(crate) fn new(feed: DeltaFeed) -> Self {
        Self {
            feed,
            texts: BTreeMap::new(),
            due: None,
        }
    }

    /// Waits until the window is over and gives the new texts. Dropping the call before it answers loses nothing.
    pub(crate) async fn next(&mut self) -> Vec<Partial> {
        loop {
            let due = self.due;
            tokio::select! {
                biased;
                () = until(due) => {
                    self.due = None;
                    return self.newest();
                }
                pieces = self.feed.next() => self.gather(pieces),
            }
        }
    }

    fn gather(&mut self, pieces: Vec<Delta>) {
        for piece in pieces {
            if scope_of(&piece.step).is_none() {
                continue;
            }
            let text = self.texts.entry(piece.step).or_default();
            if text.attempt != piece.attempt {
                *text = Text {
                    attempt: piece.attempt,
                    ..Text::default()
                };
            }
            // The earlier text is kept up to the offset of the piece.
            let kept = usize::try_from(piece.offset).unwrap_or(usize::MAX);
            if let Some((end, _)) = text.text.char_indices().nth(kept) {
                text.text.truncate(end);
            }
            text.text.push_str(&piece.text);
            text.is_new = true;
            self.due
                .get_or_insert_with(|| Instant::now() + PARTIAL_EVERY);
        }
    }

    fn newest(&mut self) -> Vec<Partial> {
        let new = self.texts.iter_mut().filter(|(_, text)| text.is_new);
        new.map(|(step, text)| {
            text.is_new = false;
            Partial {
                text: text.text.clone(),
                step: step.clone(),
                is_final: false,
            }
        })
        .collect()
    }

    /// Forgets texts that a frame supersedes. If the frame completes a step, the last text of that step is returned.
    pub(crate) fn superseded_by(&mut self, frame: &Frame) -> Vec<Partial> {
        let Some(over) = Over::by(frame) else {
            return vec![];
        };
        let pieces = self.feed.supersede(|step| over.is(step));
        self.gather(pieces);
        let mut last = vec![];
        for (step, text) in self.texts.extract_if(.., |step, _| over.is(step)) {
            self.feed.end(&step, text.attempt);
            last.push(Partial {
                text: text.text,
                step,
                is_final: true,
            });
        }
        if frame.name.ends_with(".completed") {
            last
        } else {
            vec![]
        }
    }
}

/// Which steps end with a frame.
enum Over {
    All,
    Plan,
    Section(String),
}

impl Over {
    fn by(frame: &Frame) -> Option<Self> {
        if frame.terminal {
            return Some(Self::All);
        }
        match frame.name {
            "plan.completed" | "plan.cancelled" | "plan.start" => Some(Self::Plan),
            "solver.completed" | "solver.failed" | "solver.cancelled" | "solver.restarted" => {
                Some(Self::Section(section(frame)?))
            }
            _ => None,
        }
    }

    fn is(&self, step: &StepId) -> bool {
        match self {
            Self::All => true,
            Self::Plan => step.stage == "plan",
            Self::Section(item) => step.stage == "sections" && step.item == *item,
        }
    }
}

/// The section that a frame of a solver is about.
fn section(frame: &Frame) -> Option<String> {
    #[derive(Deserialize)]
    struct Data {
        content: Content,
    }
    #[derive(Deserialize)]
    struct Content {
        id: Option<Value>,
        task: Option<Task>,
    }
    #[derive(Deserialize)]
    struct Task {
        id: Value,
    }
    let data: Data = serde_json::from_str(frame.data.get()).ok()?;
    let id = data.content.id.or(data.content.task.map(|task| task.id))?;
    Some(id.as_str().map_or_else(|| id.to_string(), str::to_owned))
}

pub(crate) fn task(step: &StepId) -> Option<u64> {
    step.item.parse().ok()
}

/// Words of a text: runs of letters between spaces, and every Chinese character.
fn words(text: &str) -> usize {
    let mut words = 0;
    let mut within = false;
    for c in text.chars() {
        let alone = is_han(c);
        let begins = c.is_alphanumeric() && !alone;
        if alone || (begins && !within) {
            words += 1;
        }
        within = begins || (within && !c.is_whitespace() && !alone);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_both_scripts() {
        for (text, count) in [
            ("", 0),
            ("  \n", 0),
            ("one two", 2),
            ("don't stop", 2),
            ("光合作用", 4),
            ("用 Rust 写", 3),
            ("用Rust写, ok?", 4),
        ] {
            assert_eq!(words(text), count, "{text}");
        }
    }
}
