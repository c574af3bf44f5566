//! What is known about streams: number, key, lineage. None of it ever changes, except that a stream may be erased.

use std::sync::{Arc, MutexGuard};

use super::Core;
use crate::backend::By;
use crate::cache::Cache;
use crate::decide::Opened;
use crate::error::{ReadError, Storage};
use crate::ids::StreamId;
use crate::limits::CACHED_STREAMS;
use crate::rows::StreamRow;
use crate::seal::DataKey;

/// A stream that can be read and written.
pub(crate) struct Stream {
    pub(crate) no: i64,
    pub(crate) id: Arc<StreamId>,
    pub(crate) key: Arc<DataKey>,
    /// Where its events are, oldest first; the stream itself is last.
    pub(crate) lineage: Vec<Segment>,
}

/// A stretch of versions that is in one stream.
#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) no: i64,
    pub(crate) id: Arc<StreamId>,
    pub(crate) key: Arc<DataKey>,
    /// The last version taken from it.
    pub(crate) up_to: u64,
}

/// What a stream is.
#[derive(Clone)]
pub(crate) enum StreamState {
    Missing,
    Live(Arc<Stream>),
    Erased { no: i64, id: Arc<StreamId> },
}

pub(crate) struct StreamCache {
    by_id: Cache<Arc<StreamId>, StreamState>,
    by_no: Cache<i64, StreamState>,
    /// Counts how often streams were forgotten. A stream that was looked up before such a moment is not remembered after it.
    forgotten: u64,
}

impl StreamCache {
    pub(crate) fn new() -> Self {
        Self {
            by_id: Cache::new(CACHED_STREAMS),
            by_no: Cache::new(CACHED_STREAMS),
            forgotten: 0,
        }
    }
}

impl Core {
    /// A stream, as far as this process knows. Where others write, it may have been erased since.
    pub(crate) async fn stream(&self, id: &StreamId) -> Result<StreamState, ReadError> {
        match self.known_stream(id) {
            Some(found) => Ok(found),
            None => self.load(By::Id(id)).await,
        }
    }

    /// A stream that was looked up or written lately.
    pub(crate) fn known_stream(&self, id: &StreamId) -> Option<StreamState> {
        self.known().by_id.get(id)
    }

    pub(crate) async fn stream_by_no(&self, no: i64) -> Result<StreamState, ReadError> {
        let known = self.known().by_no.get(&no);
        match known {
            Some(found) => Ok(found),
            None => self.load(By::No(no)).await,
        }
    }

    /// A stream as it is now.
    pub(crate) async fn stream_now(&self, id: &StreamId) -> Result<StreamState, ReadError> {
        if self.many_writers {
            self.load(By::Id(id)).await
        } else {
            self.stream(id).await
        }
    }

    /// A stream was erased, or something about it is in doubt.
    pub(crate) fn forget(&self, id: &StreamId) {
        let mut known = self.known();
        known.forgotten += 1;
        if let Some(StreamState::Live(stream)) = known.by_id.get(id) {
            known.by_no.remove(&stream.no);
        }
        known.by_id.remove(id);
    }

    /// Streams were written for the first time: the next appends to them need not look them up.
    pub(crate) fn remember(&self, opened: Vec<Opened>) {
        let mut known = self.known();
        for Opened { no, id, key } in opened {
            let lineage = vec![Segment {
                no,
                id: id.clone(),
                key: key.clone(),
                up_to: u64::MAX,
            }];
            let stream = Arc::new(Stream {
                no,
                id: id.clone(),
                key,
                lineage,
            });
            known.by_id.insert(id, StreamState::Live(stream.clone()));
            known.by_no.insert(no, StreamState::Live(stream));
        }
    }

    /// A stream as the database has it.
    pub(crate) async fn load(&self, by: By<'_>) -> Result<StreamState, ReadError> {
        let forgotten = self.known().forgotten;
        let Some((row, key)) = self.rows.stream(by).await? else {
            return Ok(StreamState::Missing);
        };
        let version = row.version;
        let found = self.open(row, key).await?;
        // One without events may still become a fork.
        if version > 0 {
            let (no, id) = match &found {
                StreamState::Live(stream) => (stream.no, stream.id.clone()),
                StreamState::Erased { no, id } => (*no, id.clone()),
                StreamState::Missing => return Ok(found),
            };
            let mut known = self.known();
            if known.forgotten == forgotten {
                known.by_id.insert(id, found.clone());
                known.by_no.insert(no, found.clone());
            }
        }
        Ok(found)
    }

    async fn open(&self, row: StreamRow, key: Option<Vec<u8>>) -> Result<StreamState, ReadError> {
        let Some(key) = key.filter(|_| !row.erased) else {
            return Ok(StreamState::Erased {
                no: row.no,
                id: row.id,
            });
        };
        let key = self
            .master
            .unwrap(&row.id, &key)
            .ok_or_else(|| bad_key(&row.id))?;
        let key = Arc::new(key);
        let mut lineage = match row.parent {
            None => vec![],
            Some((parent, at)) => match Box::pin(self.stream_by_no(parent)).await? {
                StreamState::Live(parent) => up_to(&parent.lineage, at),
                // Its own events can be read; what it inherited is gone.
                StreamState::Erased { .. } | StreamState::Missing => {
                    return Ok(StreamState::Erased {
                        no: row.no,
                        id: row.id,
                    });
                }
            },
        };
        lineage.push(Segment {
            no: row.no,
            id: row.id.clone(),
            key: key.clone(),
            up_to: u64::MAX,
        });
        Ok(StreamState::Live(Arc::new(Stream {
            no: row.no,
            id: row.id,
            key,
            lineage,
        })))
    }

    fn known(&self) -> MutexGuard<'_, StreamCache> {
        self.streams
            .lock()
            .expect("nobody panics while holding the known streams")
    }
}

/// The part of a lineage that a fork at this version takes over.
fn up_to(lineage: &[Segment], at: u64) -> Vec<Segment> {
    let mut taken = vec![];
    for segment in lineage {
        let mut segment = segment.clone();
        let last = segment.up_to >= at;
        segment.up_to = segment.up_to.min(at);
        taken.push(segment);
        if last {
            break;
        }
    }
    taken
}

fn bad_key(stream: &StreamId) -> Storage {
    Storage::new(
        "opening a session's key",
        format!("the key of session `{}` does not open", stream.session),
        "its bytes were changed; restore the database from a backup",
    )
}
