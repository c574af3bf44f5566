//! Checks blobs: every blob that is a row can be opened and has its original content, and every blob that an event names exists and has the
//! content that its name says, as a row or as a file or object beside the database.

use std::collections::HashSet;
use std::sync::Arc;

use domain::Event;
use domain::facets::blobs;
use domain::hash::Sha256;

use super::{Broken, Rebuilt, Stream, VerifyReport};
use crate::anchor::LogHead;
use crate::backend::{By, Snapshot};
use crate::core::Core;
use crate::core::read::Content;
use crate::error::ReadError;
use crate::ids::StreamId;
use crate::limits::{BLOBS_PAGE, PAGE, SMALL_BLOB};
use crate::rows::BlobRow;

/// A blob that an event names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub(super) sha256: [u8; 32],
    /// Bytes.
    size: u64,
}

impl From<&domain::hash::BlobRef> for Named {
    fn from(blob: &domain::hash::BlobRef) -> Self {
        Self {
            sha256: *blob.sha256.as_bytes(),
            size: blob.size,
        }
    }
}

pub(super) fn named(event: &Event) -> impl Iterator<Item = Named> {
    blobs(event).into_iter().map(Named::from)
}

/// A blob beside the database that an event names.
pub(crate) struct LargeBlob {
    /// The hash by which its object is named.
    pub(crate) name: Sha256,
    /// Where a reader would look for it, in this order: the stream of the event, then the streams that it was forked from.
    pub(crate) streams: Vec<Arc<StreamId>>,
}

/// What the events of a snapshot name beside the database.
pub(crate) struct FoundBlobs {
    pub(crate) blobs: Vec<LargeBlob>,
    /// The last event of the snapshot.
    pub(crate) head: LogHead,
    /// The first event that cannot be read.
    pub(crate) broken: Option<Broken>,
    /// Events that this program does not know, so that the blobs they name are not known either.
    pub(crate) unknown: u64,
}

/// Reads all events of a snapshot for the blobs beside the database that they name.
pub(crate) async fn find_large_blobs(
    core: &Core,
    snapshot: &mut dyn Snapshot,
) -> Result<FoundBlobs, ReadError> {
    let mut rebuilt = Rebuilt::new(core, snapshot, true).await?;
    let (mut head, mut broken) = (LogHead::NOTHING, None);
    loop {
        let rows = snapshot.events_after(head.position, PAGE).await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            head = LogHead {
                position: row.position,
                hash: row.hash,
            };
            if let Err(what) = rebuilt.take(&row) {
                broken.get_or_insert(Broken {
                    position: row.position,
                    what,
                });
            }
        }
        tokio::task::yield_now().await;
    }
    Ok(FoundBlobs {
        blobs: rebuilt.large_blobs(),
        head,
        broken,
        unknown: rebuilt.unknown,
    })
}

/// How looking for a blob in one place ended.
enum Found {
    AsNamed,
    Otherwise,
    Nothing,
}

impl Rebuilt {
    fn large_blobs(&self) -> Vec<LargeBlob> {
        let mut blobs = vec![];
        for stream in self.streams.values().filter(|stream| !stream.is_gone()) {
            let mut streams = vec![];
            let mut at = Some(stream);
            while let Some(stream) = at {
                streams.push(Arc::clone(&stream.row.id));
                at = stream.parent.and_then(|(no, _)| self.streams.get(&no));
            }
            let named = stream.all_named().into_iter();
            let large = named.filter(|blob| blob.size > SMALL_BLOB as u64);
            blobs.extend(
                large
                    .flat_map(|blob| stream.names_of(blob.sha256))
                    .map(|name| LargeBlob {
                        name: name.into(),
                        streams: streams.clone(),
                    }),
            );
        }
        blobs
    }

    pub(super) async fn open_blobs(
        &self,
        core: &Core,
        snapshot: &mut dyn Snapshot,
        shallow: bool,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        let mut numbers: Vec<i64> = self.streams.keys().copied().collect();
        numbers.sort_unstable();
        let mut left_out: u64 = 0;
        for no in numbers {
            let stream = &self.streams[&no];
            let rows = open_rows(stream, snapshot, report).await?;
            if stream.is_gone() {
                continue;
            }
            for blob in stream.all_named() {
                if rows.contains(&blob.sha256) {
                    continue;
                }
                if shallow && blob.size > SMALL_BLOB as u64 {
                    left_out += 1;
                    continue;
                }
                self.find(core, no, &blob, report).await?;
            }
        }
        if left_out > 0 {
            report.unseen.push(format!(
                "{left_out} blobs that are larger than {SMALL_BLOB} bytes"
            ));
        }
        Ok(())
    }

    /// Looks for a blob where a reader would: in its stream, then in the streams that it was forked from.
    async fn find(
        &self,
        core: &Core,
        no: i64,
        blob: &Named,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        let sha256 = Sha256::from(blob.sha256);
        let mut at = Some(no);
        while let Some(stream) = at.and_then(|no| self.streams.get(&no)) {
            match stream.look_for(core, &sha256).await? {
                Found::AsNamed => {
                    report.blobs += 1;
                    return Ok(());
                }
                Found::Otherwise => {
                    report.differs(format!(
                        "session {}: its blob {sha256} is not what was put",
                        stream.row.id
                    ));
                    return Ok(());
                }
                Found::Nothing => at = stream.parent.map(|(parent, _)| parent),
            }
        }
        // It may have been erased since this verification began.
        let now = core.rows.stream(By::No(no)).await?;
        if now.is_some_and(|(row, key)| !row.erased && key.is_some()) {
            report.differs(format!(
                "session {}: its blob {sha256} of {} bytes is missing",
                self.streams[&no].row.id, blob.size
            ));
        }
        Ok(())
    }
}

/// The hashes of the rows of a stream that can be opened and have their original content.
async fn open_rows(
    stream: &Stream,
    snapshot: &mut dyn Snapshot,
    report: &mut VerifyReport,
) -> Result<HashSet<[u8; 32]>, ReadError> {
    let (mut good, mut seen) = (HashSet::new(), 0);
    loop {
        let rows = snapshot.blobs_of(stream.row.no, seen, BLOBS_PAGE).await?;
        if rows.is_empty() {
            return Ok(good);
        }
        seen += rows.len();
        for row in rows {
            if stream.open_row(&row, report) {
                good.insert(row.sha256);
            }
        }
        tokio::task::yield_now().await;
    }
}

impl Stream {
    /// Whether nobody can read it any longer.
    fn is_gone(&self) -> bool {
        self.erased || self.row.erased || self.key.is_none()
    }

    /// The names of the objects that have a content.
    fn names_of(&self, sha256: [u8; 32]) -> Vec<[u8; 32]> {
        if self.documents.is_none() {
            return vec![sha256];
        }
        let bodies = self.bodies.iter();
        let of_it = bodies.filter(|(_, content)| **content == sha256);
        of_it.map(|(name, _)| *name).collect()
    }

    /// The blobs that it names, each once.
    fn all_named(&self) -> Vec<Named> {
        let mut named = self.named.clone();
        if let Some(documents) = &self.documents {
            named.extend(documents.named());
        }
        named.sort_unstable();
        named.dedup();
        named
    }

    /// A blob is bound to its session and to the hash that names it, so it can be opened only if neither has changed.
    fn open_row(&self, row: &BlobRow, report: &mut VerifyReport) -> bool {
        let (name, sha256) = (&self.row.id, Sha256::from(row.sha256));
        let Some(key) = &self.key else {
            // That the key of a session cannot be opened is reported once, for the session.
            if !self.key_damaged {
                report.differs(format!("session {name}: its blob {sha256} has no key"));
            }
            return false;
        };
        match key.open_blob(name, &sha256, &row.sealed) {
            Some(plain) if Sha256::of(&plain) == sha256 => {
                report.blobs += 1;
                true
            }
            Some(_) | None => {
                report.differs(format!(
                    "session {name}: its blob {sha256} is not what was put"
                ));
                false
            }
        }
    }

    async fn look_for(&self, core: &Core, sha256: &Sha256) -> Result<Found, ReadError> {
        let Some(key) = &self.key else {
            return Ok(Found::Nothing);
        };
        let found = core.content(self.row.no, &self.row.id, key, sha256).await?;
        Ok(match found {
            Content::Plain(plain) if Sha256::of(&plain) == *sha256 => Found::AsNamed,
            Content::Plain(_) | Content::Damaged => Found::Otherwise,
            Content::Missing => Found::Nothing,
        })
    }
}
