//! Rows as both databases have them.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::{ColumnIndex, Decode, Row, Type};

use crate::ids::{CommandId, StreamId};
use crate::rows::{
    ArtifactRow, BlobRow, BodyRow, DeadlineRow, EventRow, Owed, OwedRow, StepRow, StreamRow, fixed,
    narrow, object_name,
};
use crate::search::IndexState;

type Read<T> = Result<T, sqlx::Error>;

/// A row, whose values are read by the numbers of their columns.
pub(crate) trait Columns {
    fn number(&self, column: usize) -> Read<i64>;
    fn optional_number(&self, column: usize) -> Read<Option<i64>>;
    fn flag(&self, column: usize) -> Read<bool>;
    fn text(&self, column: usize) -> Read<&str>;
    fn optional_text(&self, column: usize) -> Read<Option<&str>>;
    fn bytes(&self, column: usize) -> Read<&[u8]>;
    fn optional_bytes(&self, column: usize) -> Read<Option<&[u8]>>;
    /// A text, whatever was stored in its place.
    fn any_text(&self, column: usize) -> Read<Option<Cow<'_, str>>>;

    /// A number that is never negative.
    fn count(&self, column: usize) -> Read<u64> {
        self.number(column).map(|number| number as u64)
    }
}

impl<R> Columns for R
where
    R: Row,
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> bool: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> &'r str: Decode<'r, R::Database>,
    str: Type<R::Database>,
    for<'r> &'r [u8]: Decode<'r, R::Database>,
    [u8]: Type<R::Database>,
{
    fn number(&self, column: usize) -> Read<i64> {
        self.try_get(column)
    }

    fn optional_number(&self, column: usize) -> Read<Option<i64>> {
        self.try_get(column)
    }

    fn flag(&self, column: usize) -> Read<bool> {
        self.try_get(column)
    }

    fn text(&self, column: usize) -> Read<&str> {
        self.try_get(column)
    }

    fn optional_text(&self, column: usize) -> Read<Option<&str>> {
        self.try_get(column)
    }

    fn bytes(&self, column: usize) -> Read<&[u8]> {
        self.try_get(column)
    }

    fn optional_bytes(&self, column: usize) -> Read<Option<&[u8]>> {
        self.try_get(column)
    }

    fn any_text(&self, column: usize) -> Read<Option<Cow<'_, str>>> {
        let bytes: Option<&[u8]> = self.try_get_unchecked(column)?;
        Ok(bytes.map(String::from_utf8_lossy))
    }
}

pub(crate) fn stream(row: &impl Columns) -> Read<StreamRow> {
    let parent = row.optional_number(4)?;
    let fork_at = row.optional_number(5)?;
    Ok(StreamRow {
        no: row.number(0)?,
        id: Arc::new(StreamId {
            owner: row.text(1)?.into(),
            session: row.text(2)?.into(),
        }),
        version: row.count(3)?,
        parent: parent.zip(fork_at.map(|at| at as u64)),
        erased: row.flag(6)?,
        title: row.bytes(7)?.into(),
        pipeline: row.text(8)?.into(),
        status: row.text(9)?.into(),
        created_at: row.number(10)?,
        updated_at: row.number(11)?,
    })
}

/// A stream and its sealed data key, unless that was destroyed.
pub(super) fn stream_and_key(row: &impl Columns) -> Read<(StreamRow, Option<Vec<u8>>)> {
    Ok((stream(row)?, row.optional_bytes(12)?.map(Into::into)))
}

/// Values that were tampered with are read as something that the hash of the row contradicts, never as an error, so that
/// `verify` can say which event it is.
pub(super) fn event(row: &impl Columns) -> Read<EventRow> {
    Ok(EventRow {
        position: row.count(0)?,
        stream_no: row.number(1)?,
        version: row.count(2)?,
        command: CommandId(fixed(row.bytes(3)?)),
        ordinal: narrow(row.number(4)?),
        name: row.any_text(5)?.unwrap_or_default().into(),
        schema: narrow(row.number(6)?),
        recorded_at: row.number(7)?,
        actor: row.any_text(8)?.unwrap_or_default().into(),
        correlation: row.any_text(9)?.map(Into::into),
        causation: row.any_text(10)?.map(Into::into),
        codec: u8::try_from(row.number(11)?).unwrap_or(u8::MAX),
        payload: row.bytes(12)?.into(),
        hash: fixed(row.bytes(13)?),
        keys: vec![],
    })
}

/// The sealed key of a document of an event, with its place in it.
pub(super) fn document_key(row: &impl Columns) -> Read<(u32, Vec<u8>)> {
    Ok((narrow(row.number(0)?), row.bytes(1)?.into()))
}

pub(crate) fn step(row: &impl Columns) -> Read<StepRow> {
    Ok(StepRow {
        stream_no: row.number(0)?,
        run: narrow(row.number(1)?),
        step: row.text(2)?.into(),
        attempt: narrow(row.number(3)?),
        due: row.number(4)?,
        node: row.optional_text(5)?.map(Into::into),
        epoch: row.number(6)?,
    })
}

pub(super) fn deadline(row: &impl Columns) -> Read<DeadlineRow> {
    Ok(DeadlineRow {
        stream_no: row.number(0)?,
        gate: row.text(1)?.into(),
        run: narrow(row.number(2)?),
        due: row.number(3)?,
    })
}

pub(super) fn artifact(row: &impl Columns) -> Read<ArtifactRow> {
    Ok(ArtifactRow {
        artifact: row.text(0)?.into(),
        stream_no: row.number(1)?,
        version: row.count(2)?,
        kind: row.text(3)?.into(),
    })
}

pub(super) fn owed(row: &impl Columns) -> Read<OwedRow> {
    let kind = row.text(1)?;
    let owed = Owed::from_stored(kind, row.bytes(2)?);
    let unknown = || format!("owed work of the kind `{kind}`, which this program does not know");
    Ok(OwedRow {
        stream_no: row.number(0)?,
        owed: owed.ok_or_else(|| sqlx::Error::Decode(unknown().into()))?,
    })
}

pub(super) fn body(row: &impl Columns) -> Read<BodyRow> {
    let sha256 = fixed(row.bytes(1)?);
    Ok(BodyRow {
        stream_no: row.number(0)?,
        sha256,
        name: object_name(sha256, row.optional_bytes(2)?),
    })
}

pub(super) fn blob(row: &impl Columns) -> Read<BlobRow> {
    Ok(BlobRow {
        stream_no: row.number(0)?,
        sha256: fixed(row.bytes(1)?),
        sealed: row.bytes(2)?.into(),
    })
}

/// The number of a stream, and how far its search index is.
pub(crate) fn index_state(row: &impl Columns) -> Read<(i64, IndexState)> {
    let state = IndexState {
        tokenizer: narrow(row.number(1)?),
        version: row.count(2)?,
        generation: row.count(3)?,
    };
    Ok((row.number(0)?, state))
}

/// The only text of a row.
pub(super) fn name(row: &impl Columns) -> Read<String> {
    row.text(0).map(Into::into)
}
