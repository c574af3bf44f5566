//! A turn on its way into the log.

use commands::RecordTurn;
use domain::hash::Blob;

/// A turn that was made and is not in the log yet, with the bodies that go there with it.
pub(crate) struct UnrecordedTurn {
    pub(crate) record: RecordTurn,
    pub(crate) blobs: Vec<Blob>,
    /// Under which the answer is in the spool.
    pub(crate) spooled: Option<String>,
}
