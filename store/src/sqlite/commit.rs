//! The rows of one commit, and the statements that write them.

use rusqlite::{CachedStatement, Connection, params};

use super::known::KnownStreams;
use super::read::this_blob;
use super::search;
use crate::rows::{
    BlobRow, ErasedRow, EventRow, Owed, OwedRow, Writes, fixed, object_name, signed,
};

const PUT_STREAM: &str = "INSERT INTO streams (stream_no, owner, session, version, parent_no, fork_at, erased, title, pipeline, status, \
     created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
     ON CONFLICT (stream_no) DO UPDATE SET version = excluded.version, parent_no = excluded.parent_no, \
     fork_at = excluded.fork_at, erased = excluded.erased, title = excluded.title, pipeline = excluded.pipeline, \
     status = excluded.status, created_at = excluded.created_at, updated_at = excluded.updated_at";
const MOVE_STREAM: &str =
    "UPDATE streams SET version = ?, status = ?, updated_at = ? WHERE stream_no = ?";
const PUT_KEY: &str = "INSERT INTO data_keys (stream_no, wrapped) VALUES (?, ?)";
const PUT_EVENT: &str = "INSERT INTO events (position, stream_no, version, command_id, ordinal, name, schema_version, recorded_at, \
     actor, correlation, causation, codec, payload, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const HAS_BLOB: &str = concat!("SELECT 1 FROM blobs WHERE ", this_blob!());
const PUT_BLOB: &str = "INSERT INTO blobs (stream_no, sha256, sealed) VALUES (?, ?, ?)";
const CLOSE_RUN_STEPS: &str = "DELETE FROM open_steps WHERE stream_no = ? AND run = ?";
const CLOSE_RUN_GATES: &str = "DELETE FROM deadlines WHERE stream_no = ? AND run = ?";
const CLOSE_STEP: &str = "DELETE FROM open_steps WHERE stream_no = ? AND run = ? AND step = ?";
const MEET_GATE: &str = "DELETE FROM deadlines WHERE stream_no = ? AND gate = ?";
const OPEN_STEP: &str = "INSERT INTO open_steps (stream_no, run, step, attempt, due, node) VALUES (?, ?, ?, ?, ?, ?) \
     ON CONFLICT DO UPDATE SET attempt = excluded.attempt, due = excluded.due, node = excluded.node, epoch = excluded.epoch";
const SET_DEADLINE: &str = "INSERT INTO deadlines (stream_no, gate, run, due) VALUES (?, ?, ?, ?) \
     ON CONFLICT DO UPDATE SET run = excluded.run, due = excluded.due";
const PUT_ARTIFACT: &str = "INSERT INTO artifacts (artifact_id, stream_no, version, kind) VALUES (?, ?, ?, ?) \
     ON CONFLICT DO NOTHING";
const PUT_DOCUMENT_KEY: &str = "INSERT INTO document_keys (stream_no, version, place, mark, sha256, wrapped, body) \
     VALUES (?, ?, ?, ?, ?, ?, ?)";
/// Contents of a document that no other one has.
const OWN_CONTENTS: &str = "SELECT DISTINCT k.sha256, k.body FROM document_keys k WHERE k.stream_no = ?1 AND k.mark = ?2 AND k.version <= ?3 \
     AND NOT EXISTS (SELECT 1 FROM document_keys o WHERE o.stream_no = ?1 AND o.sha256 = k.sha256 AND o.body IS k.body \
     AND NOT (o.mark = ?2 AND o.version <= ?3))";
const FORGET_CONTENT: &str = concat!("DELETE FROM blobs WHERE ", this_blob!());
const FORGET_DOCUMENT: &str =
    "DELETE FROM document_keys WHERE stream_no = ?1 AND mark = ?2 AND version <= ?3";
const OWE: &str =
    "INSERT INTO owed (stream_no, kind, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
pub(super) const SETTLE: &str = "DELETE FROM owed WHERE stream_no = ? AND kind = ? AND name = ?";
const ERASE: [&str; 5] = [
    "DELETE FROM data_keys WHERE stream_no = ?",
    "DELETE FROM document_keys WHERE stream_no = ?",
    "DELETE FROM open_steps WHERE stream_no = ?",
    "DELETE FROM deadlines WHERE stream_no = ?",
    "DELETE FROM blobs WHERE stream_no = ?",
];
const FORGET_ARTIFACT: &str = "DELETE FROM artifacts WHERE artifact_id = ? AND stream_no = ?";

/// Runs a statement for each of these rows.
fn each<R>(
    connection: &Connection,
    sql: &str,
    rows: &[R],
    run: impl Fn(&mut CachedStatement<'_>, &R) -> Result<usize, rusqlite::Error>,
) -> Result<(), rusqlite::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(sql)?;
    rows.iter()
        .try_for_each(|row| run(&mut statement, row).map(drop))
}

/// Writes everything of a commit except its beginning and its end. If this fails, `known` is no longer correct.
pub(super) fn write(
    connection: &Connection,
    known: &mut KnownStreams,
    writes: &mut Writes,
) -> Result<(), rusqlite::Error> {
    each(connection, PUT_STREAM, &writes.streams, |put, row| {
        put.execute(params![
            row.no,
            row.id.owner.as_str(),
            row.id.session.as_str(),
            signed(row.version),
            row.parent.map(|(no, _)| no),
            row.parent.map(|(_, at)| signed(at)),
            row.erased,
            row.title,
            row.pipeline.as_str(),
            row.status.as_str(),
            row.created_at,
            row.updated_at
        ])
    })?;
    each(connection, MOVE_STREAM, &writes.moved, |put, row| {
        put.execute(params![
            signed(row.version),
            row.status.as_str(),
            row.updated_at,
            row.no
        ])
    })?;
    each(connection, PUT_KEY, &writes.keys, |put, (no, wrapped)| {
        put.execute(params![no, wrapped])
    })?;
    put_events(connection, &writes.events)?;
    put_blobs(connection, known, &writes.blobs)?;
    beside(connection, writes)?;
    each(
        connection,
        PUT_DOCUMENT_KEY,
        &writes.document_keys,
        |put, row| {
            put.execute(params![
                row.stream_no,
                signed(row.version),
                row.place,
                row.key.mark,
                row.key.sha256,
                row.key.wrapped,
                row.key.body
            ])
        },
    )?;
    forget_documents(connection, writes)?;
    each(connection, OWE, &writes.owed, |owe, row| {
        owe.execute(params![row.stream_no, row.owed.kind(), row.owed.name()])
    })?;
    for ErasedRow { no, artifacts } in &writes.erased {
        for delete in ERASE {
            connection.prepare_cached(delete)?.execute([no])?;
        }
        each(connection, FORGET_ARTIFACT, artifacts, |forget, id| {
            forget.execute(params![id.as_str(), no])
        })?;
        search::forget(connection, *no)?;
    }
    Ok(())
}

/// Documents that are not wanted any longer: their keys, and the contents that no other document has.
fn forget_documents(connection: &Connection, writes: &mut Writes) -> Result<(), rusqlite::Error> {
    for gone in &writes.documents_gone {
        let of = params![gone.stream_no, gone.mark, signed(gone.up_to)];
        let mut find = connection.prepare_cached(OWN_CONTENTS)?;
        let contents: Vec<(Vec<u8>, Option<Vec<u8>>)> = find
            .query_map(of, |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        for (sha256, body) in contents {
            let mut forget = connection.prepare_cached(FORGET_CONTENT)?;
            // A content that is not a row is an object.
            if body.is_some() || forget.execute(params![gone.stream_no, sha256])? == 0 {
                writes.owed.push(OwedRow {
                    stream_no: gone.stream_no,
                    owed: Owed::Object(object_name(fixed(&sha256), body.as_deref())),
                });
            }
        }
        connection.prepare_cached(FORGET_DOCUMENT)?.execute(of)?;
    }
    Ok(())
}

/// Values that most events of a commit have in common are bound only when they change, and not for each event.
fn put_events(connection: &Connection, rows: &[EventRow]) -> Result<(), rusqlite::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut put = connection.prepare_cached(PUT_EVENT)?;
    let mut bound = None;
    for row in rows {
        let common = (row.schema, row.recorded_at, &row.actor, row.codec);
        let caused = (&row.correlation, &row.causation);
        if bound != Some((common, caused)) {
            put.raw_bind_parameter(7, row.schema)?;
            put.raw_bind_parameter(8, row.recorded_at)?;
            put.raw_bind_parameter(9, row.actor.as_str())?;
            put.raw_bind_parameter(10, &row.correlation)?;
            put.raw_bind_parameter(11, &row.causation)?;
            put.raw_bind_parameter(12, row.codec)?;
            bound = Some((common, caused));
        }
        put.raw_bind_parameter(1, signed(row.position))?;
        put.raw_bind_parameter(2, row.stream_no)?;
        put.raw_bind_parameter(3, signed(row.version))?;
        put.raw_bind_parameter(4, row.command.0)?;
        put.raw_bind_parameter(5, row.ordinal)?;
        put.raw_bind_parameter(6, row.name.as_str())?;
        put.raw_bind_parameter(13, &row.payload)?;
        put.raw_bind_parameter(14, row.hash)?;
        put.raw_execute()?;
    }
    Ok(())
}

/// Writes each blob that is not there yet. One statement for both steps would, for each blob, make a temporary table for what it found and
/// keep a copy of the pages it changes.
fn put_blobs(
    connection: &Connection,
    known: &mut KnownStreams,
    rows: &[BlobRow],
) -> Result<(), rusqlite::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut has = connection.prepare_cached(HAS_BLOB)?;
    let mut put = connection.prepare_cached(PUT_BLOB)?;
    for row in rows {
        if known.may_have_blob(row.stream_no, &row.sha256)
            && has.exists(params![row.stream_no, row.sha256])?
        {
            continue;
        }
        put.execute(params![row.stream_no, row.sha256, row.sealed])?;
        known.put_blob(row.stream_no, &row.sha256);
    }
    Ok(())
}

/// What is kept beside the events.
fn beside(connection: &Connection, writes: &Writes) -> Result<(), rusqlite::Error> {
    for sql in [CLOSE_RUN_STEPS, CLOSE_RUN_GATES] {
        each(connection, sql, &writes.runs_closed, |close, run| {
            close.execute(*run)
        })?;
    }
    each(
        connection,
        CLOSE_STEP,
        &writes.steps_closed,
        |close, (no, run, step)| close.execute(params![no, run, step.as_str()]),
    )?;
    each(
        connection,
        MEET_GATE,
        &writes.gates_met,
        |meet, (no, gate)| meet.execute(params![no, gate.as_str()]),
    )?;
    each(connection, OPEN_STEP, &writes.steps_opened, |open, row| {
        open.execute(params![
            row.stream_no,
            row.run,
            row.step.as_str(),
            row.attempt,
            row.due,
            row.node.as_deref()
        ])
    })?;
    each(connection, SET_DEADLINE, &writes.deadlines, |set, row| {
        set.execute(params![row.stream_no, row.gate.as_str(), row.run, row.due])
    })?;
    each(connection, PUT_ARTIFACT, &writes.artifacts, |put, row| {
        put.execute(params![
            row.artifact.as_str(),
            row.stream_no,
            signed(row.version),
            row.kind.as_str()
        ])
    })
}

/// Statements that find or remove rows.
#[cfg(test)]
pub(super) const FINDING_FOR_TEST: [&str; 12] = [
    MOVE_STREAM,
    FORGET_ARTIFACT,
    CLOSE_RUN_STEPS,
    CLOSE_RUN_GATES,
    CLOSE_STEP,
    MEET_GATE,
    HAS_BLOB,
    ERASE[4],
    OWN_CONTENTS,
    FORGET_CONTENT,
    FORGET_DOCUMENT,
    SETTLE,
];
