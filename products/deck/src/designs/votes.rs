//! What happened to the slides of the index: runs that were shown them, decks that kept them, people who kept, edited, made anew or hid
//! them.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::{BlobRef, DocumentId, Sha256};
use palimpsest::prelude::resource::{Collection, Document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The number of votes from which a low quality lowers a design's score, and the number from which a design can be flagged.
const VOTES_TO_LOWER: u64 = 2;
const VOTES_TO_FLAG: u64 = 3;
/// A design is flagged if it was made anew more than this many times as often as it was kept.
const FLAGGED_RATIO: u64 = 3;

/// The quality above which a design's score is raised, the quality below which it is lowered, and by how much.
const GOOD_QUALITY: f64 = 0.6;
const POOR_QUALITY: f64 = 0.4;
const QUALITY_STEP: f64 = 0.1;
/// The quality of what nobody voted on.
const QUALITY_UNKNOWN: f64 = 0.5;

/// What happened to a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Signal {
    /// Somebody kept it, or a deck that was made after it was accepted.
    Keep,
    /// Somebody changed it: the design was adapted, which does not count against it.
    Edit,
    /// Somebody had it made anew.
    Regen,
    /// The design is hidden from now on.
    Delete,
    /// A prompt was shown it, or a deck that no model wrote names it.
    Use,
}

/// One thing that happened to a chunk.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vote {
    pub(crate) signal: Signal,
    /// The deck of the chunk.
    pub(crate) deck: DocumentId,
    pub(crate) chunk: String,
    /// The session in which it happened.
    pub(crate) session: Option<String>,
    /// What the person or the run said with the vote.
    pub(crate) context: Option<String>,
}

impl Vote {
    /// The document in which the vote is stored. `by` names the voter: a session has one vote for each slide, and a later vote replaces the
    /// earlier one.
    pub(crate) fn document(&self, by: &str) -> (Document, Vec<u8>) {
        // A use and a vote are stored side by side; a later vote replaces the earlier one.
        let said = if self.signal == Signal::Use {
            "use"
        } else {
            "vote"
        };
        let parts = [by, said, &self.chunk].map(str::as_bytes);
        let hash = Sha256::of_parts(parts.into_iter().flat_map(|part| [part, b"\0".as_slice()]));
        let content = serde_json::to_vec(self).unwrap_or_default();
        let facts = json!({ "signal": self.signal, "deck": self.deck, "chunk": self.chunk });
        let document = Document {
            id: DocumentId::from(format!("v_{}", &hash.hex()[..24]).as_str()),
            name: said.to_owned(),
            media_type: "application/json".to_owned(),
            blob: BlobRef::of(&content),
            facts,
        };
        (document, content)
    }
}

/// What is known of a vote without reading it.
#[derive(Deserialize)]
struct Facts {
    signal: Signal,
    deck: DocumentId,
    chunk: String,
}

/// How often each thing happened to a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counters {
    pub(crate) use_count: u64,
    pub(crate) keep_count: u64,
    pub(crate) edit_count: u64,
    pub(crate) regen_count: u64,
    /// Whether the chunk is hidden from everybody.
    pub(crate) hidden: bool,
}

impl Counters {
    /// The share of keeps among the votes that kept it or had it made anew: 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of votes are small")]
    pub(crate) fn quality(&self) -> f64 {
        let votes = self.keep_count + self.regen_count;
        if votes == 0 {
            QUALITY_UNKNOWN
        } else {
            self.keep_count as f64 / votes as f64
        }
    }

    /// What the chunk's quality adds to its score.
    pub(super) fn bonus(&self) -> f64 {
        let quality = self.quality();
        if quality > GOOD_QUALITY {
            QUALITY_STEP
        } else if quality < POOR_QUALITY && self.keep_count + self.regen_count >= VOTES_TO_LOWER {
            -QUALITY_STEP
        } else {
            0.0
        }
    }

    /// Whether it was made anew so often that somebody should look at it.
    pub(crate) fn is_flagged(&self) -> bool {
        self.keep_count + self.regen_count >= VOTES_TO_FLAG
            && self.regen_count > FLAGGED_RATIO * self.keep_count
    }
}

/// All votes of an owner, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Votes(BTreeMap<String, Counters>);

impl Votes {
    /// Counts the documents of a collection of votes.
    pub(crate) fn of(collection: &Collection) -> Self {
        let mut all = Self::default();
        for entry in collection.documents.values() {
            if let Ok(facts) = Facts::deserialize(&entry.document.facts) {
                all.count(&facts.chunk, facts.signal);
            }
        }
        all
    }

    pub(super) fn count(&mut self, chunk: &str, signal: Signal) {
        let counters = self.0.entry(chunk.to_owned()).or_default();
        match signal {
            Signal::Keep => counters.keep_count += 1,
            Signal::Edit => counters.edit_count += 1,
            Signal::Regen => counters.regen_count += 1,
            Signal::Use => counters.use_count += 1,
            Signal::Delete => counters.hidden = true,
        }
    }

    pub(crate) fn of_chunk(&self, chunk: &str) -> Counters {
        self.0.get(chunk).copied().unwrap_or_default()
    }

    /// The votes that are about this deck.
    pub(crate) fn about(collection: &Collection, deck: &DocumentId) -> Vec<DocumentId> {
        let documents = collection.documents.values().map(|entry| &entry.document);
        documents
            .filter(|document| {
                Facts::deserialize(&document.facts).is_ok_and(|facts| facts.deck == *deck)
            })
            .map(|document| document.id.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(signals: &[Signal]) -> Counters {
        let mut votes = Votes::default();
        for signal in signals {
            votes.count("c", *signal);
        }
        votes.of_chunk("c")
    }

    #[test]
    fn quality_moves_a_design_and_edits_do_not() {
        use Signal::{Delete, Edit, Keep, Regen, Use};
        let bonus = |signals: &[Signal]| counted(signals).bonus();
        let is = |signals: &[Signal], expected: f64| {
            assert!((bonus(signals) - expected).abs() < 1e-9, "{signals:?}");
        };
        is(&[], 0.0);
        is(&[Use, Edit, Edit], 0.0);
        is(&[Keep], 0.1);
        is(&[Regen], 0.0);
        is(&[Regen, Regen], -0.1);
        is(&[Keep, Regen], 0.0);
        is(&[Keep, Keep, Regen], 0.1);
        assert!(counted(&[Delete]).hidden);
    }

    #[test]
    fn a_design_is_flagged_from_three_votes_on() {
        use Signal::{Keep, Regen};
        assert!(!counted(&[Regen, Regen]).is_flagged());
        assert!(counted(&[Regen, Regen, Regen]).is_flagged());
        assert!(!counted(&[Keep, Regen, Regen, Regen]).is_flagged());
        assert!(counted(&[Keep, Regen, Regen, Regen, Regen]).is_flagged());
    }

    #[test]
    fn a_session_has_one_voice_for_each_slide() {
        let vote = |signal| Vote {
            signal,
            deck: DocumentId::from("d"),
            chunk: "d.1".to_owned(),
            session: Some("s".to_owned()),
            context: None,
        };
        let id = |signal, by: &str| vote(signal).document(by).0.id;
        assert_eq!(id(Signal::Keep, "s"), id(Signal::Regen, "s"));
        assert_ne!(id(Signal::Keep, "s"), id(Signal::Keep, "t"));
        assert_ne!(id(Signal::Keep, "s"), id(Signal::Use, "s"));
    }
}
