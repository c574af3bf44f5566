//! Bytes beside the events, which events name by their hash.

use bytes::Bytes;
use domain::hash::{Blob, BlobRef, Sha256};
use store::{AppendError, Log, SMALL_BLOB, StreamId};

use crate::error::SendError;

/// The bytes of a blob that events say there is.
pub(crate) async fn blob(
    log: &dyn Log,
    stream: &StreamId,
    sha256: &Sha256,
) -> Result<Bytes, SendError> {
    let found = log.get_blob(stream, sha256).await?;
    found.ok_or_else(|| SendError::Storage {
        cause: format!(
            "blob {sha256} is missing; restore the folder or bucket of large blobs from its backup"
        ),
    })
}

/// Whether a blob goes along with an append; others are put into the log before.
pub(crate) fn goes_along(blob: &Blob) -> bool {
    blob.bytes().len() <= SMALL_BLOB
}

/// Keeps bytes that a command will name. They are added to `along`, which goes with the command; if they are too large for that, they are
/// in the log when this returns.
pub(crate) async fn keep(
    log: &dyn Log,
    stream: &StreamId,
    bytes: Bytes,
    along: &mut Vec<Blob>,
) -> Result<BlobRef, SendError> {
    let blob = Blob::of(bytes);
    let name = blob.reference().clone();
    if goes_along(&blob) {
        along.push(blob);
    } else {
        log.put_blob(stream, blob).await?;
    }
    Ok(name)
}

/// Bytes of small blobs that go with one append: half of what it may hold. The others are put into the log before the append.
pub(crate) const ALONG_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Keeps contents that a command names. The small ones go with its append as long as there is room; the others are in the log when this
/// returns.
pub(crate) async fn keep_all(
    log: &dyn Log,
    stream: &StreamId,
    contents: &[Bytes],
) -> Result<Vec<Blob>, AppendError> {
    let (mut along, mut room) = (vec![], ALONG_BYTES_MAX);
    for content in contents {
        let blob = Blob::of(content.clone());
        if goes_along(&blob) && content.len() <= room {
            room -= content.len();
            along.push(blob);
        } else {
            log.put_blob(stream, blob).await?;
        }
    }
    Ok(along)
}
