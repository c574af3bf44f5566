//! A turn on its way into the log.

use commands::RecordTurn;
use domain::hash::{Blob, BlobRef};
use smol_str::{SmolStr, format_smolstr};

use crate::sessions::Hold;

/// A turn that was made and is not in the log yet, with the bodies that go there with it.
pub(crate) struct UnrecordedTurn {
    pub(crate) record: RecordTurn,
    pub(crate) blobs: Vec<Blob>,
    /// Under which the answer is in the spool.
    pub(crate) spooled: Option<String>,
    /// Which call gave it; empty where none was made.
    pub(crate) call: String,
}

/// The name that a turn is recorded under. What one call gave is recorded once, whoever offers it and however often; two answers to
/// one turn are two although they are the same to the byte, since both were paid for.
pub(crate) fn turn_id(record: &RecordTurn, call: &str, hold: Option<&Hold>) -> SmolStr {
    match record {
        RecordTurn::Model(e) => {
            let (step, attempt, turn, try_number) = (&e.step, e.attempt, e.turn, e.try_number);
            // Where nobody else can be at the same turn, names are the same however often a run is made.
            let call = hold.map_or("", |_| call);
            format_smolstr!("turn:{step}:{attempt}:{turn}:{try_number}:{call}")
        }
        RecordTurn::ToolCalled(e) => format_smolstr!("tool:{}:{}:{}", e.step, e.attempt, e.turn),
        RecordTurn::ToolReturned(e) => {
            let (step, attempt, turn) = (&e.step, e.attempt, e.turn);
            let epoch = hold.map_or(0, |hold| hold.claim.epoch);
            format_smolstr!("turn:{step}:{attempt}:{turn}:1:{epoch}:{}", e.output.sha256)
        }
    }
}

/// What a turn gave, where it gave something.
pub(crate) fn given(record: &RecordTurn) -> Option<&BlobRef> {
    match record {
        RecordTurn::Model(e) => e.response.as_ref().filter(|_| e.error.is_none()),
        RecordTurn::ToolReturned(e) => Some(&e.output),
        RecordTurn::ToolCalled(_) => None,
    }
}
