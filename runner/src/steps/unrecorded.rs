//! A turn on its way into the log.

use commands::RecordTurn;
use domain::hash::{Blob, BlobRef};
use smol_str::{SmolStr, format_smolstr};

use crate::sessions::Hold;

/// A turn that was made and is not in the log yet, with the bodies that go there with it.
pub(crate) struct UnrecordedTurn {
    pub(crate) record: RecordTurn,
    pub(crate) blobs: Vec<Blob>,
    /// The key under which the answer is in the spool.
    pub(crate) spooled: Option<String>,
    /// Which call gave it; empty where no call was made.
    pub(crate) call: String,
}

/// The name that a turn is recorded under. The result of one call is recorded once, no matter which process offers it and how often. Two
/// answers to one turn are recorded as two even if they are equal to the byte, because both were paid for.
pub(crate) fn turn_id(record: &RecordTurn, call: &str, hold: Option<&Hold>) -> SmolStr {
    match record {
        RecordTurn::Model(e) => {
            let (step, attempt, turn, try_number) = (&e.step, e.attempt, e.turn, e.try_number);
            match hold {
                // Another process that finds an answer in the spool counts its own tries.
                Some(_) if !call.is_empty() => {
                    format_smolstr!("turn:{step}:{attempt}:{turn}:{call}")
                }
                // Where no other process can work on the same turn, the names are the same each time a run is repeated.
                Some(_) | None => format_smolstr!("turn:{step}:{attempt}:{turn}:{try_number}:"),
            }
        }
        RecordTurn::ToolCalled(e) => format_smolstr!("tool:{}:{}:{}", e.step, e.attempt, e.turn),
        RecordTurn::ToolReturned(e) => {
            let (step, attempt, turn) = (&e.step, e.attempt, e.turn);
            let epoch = hold.map_or(0, |hold| hold.claim.epoch);
            format_smolstr!("turn:{step}:{attempt}:{turn}:1:{epoch}:{}", e.output.sha256)
        }
    }
}

/// The result of a turn, where it has one.
pub(crate) fn given(record: &RecordTurn) -> Option<&BlobRef> {
    match record {
        RecordTurn::Model(e) => e.response.as_ref().filter(|_| e.error.is_none()),
        RecordTurn::ToolReturned(e) => Some(&e.output),
        RecordTurn::ToolCalled(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::event::ModelCalled;
    use domain::ids::{RunId, StepId};
    use store::{Claim, NodeId};
    use tokio::sync::watch;

    use super::*;

    fn record(try_number: u32) -> RecordTurn {
        RecordTurn::Model(Box::new(ModelCalled {
            step: StepId::new(RunId(1), "pages", "1"),
            attempt: 1,
            turn: 0,
            try_number,
            role: "writer".into(),
            model: "m".into(),
            prompt: None,
            request: BlobRef::of(b"asked"),
            response: Some(BlobRef::of(b"said")),
            finish_reason: None,
            thought: None,
            usage: Default::default(),
            cost_micros: 7,
            latency_ms: 1,
            learned: vec![],
            error: None,
        }))
    }

    #[test]
    fn what_one_call_gave_has_one_name_whichever_try_of_whoever_offers_it() {
        let (_, overtaken) = watch::channel(Default::default());
        let hold = Hold {
            claim: Claim {
                step: StepId::new(RunId(1), "pages", "1"),
                attempt: 1,
                node: NodeId("a".into()),
                epoch: 1,
            },
            lease: Duration::from_secs(15),
            overtaken,
        };
        let name = |try_number, call, hold| turn_id(&record(try_number), call, hold);
        assert_eq!(name(1, "c1", Some(&hold)), name(3, "c1", Some(&hold)));
        assert_ne!(name(1, "c1", Some(&hold)), name(1, "c2", Some(&hold)));
        // Where no call was made, and where nobody else can be at the turn, tries tell them apart.
        assert_ne!(name(1, "", Some(&hold)), name(2, "", Some(&hold)));
        assert_ne!(name(1, "c1", None), name(2, "c1", None));
        assert_eq!(name(1, "c1", None), name(1, "c2", None));
    }
}
