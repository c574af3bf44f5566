-- The log and what is kept beside it. Times are microseconds since 1970 in UTC, taken by the writer.

-- Tells this file from other programs' databases ("PALI" as a number).
PRAGMA application_id = 1346456649;

-- Facts about the database itself, such as the fingerprint of the master key it was sealed with.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A session each. The numbers are given by the writer, without gaps, so that a new session is written at the end of the
-- table; the order of the numbers is the order of creation, which lists go by.
CREATE TABLE streams (
    stream_no  INTEGER PRIMARY KEY,
    owner      TEXT NOT NULL,
    session    TEXT NOT NULL,
    -- Of the last event; 0 while only blobs were put.
    version    INTEGER NOT NULL,
    -- A fork's history is its parent's up to `fork_at`, then its own; nothing is copied.
    parent_no  INTEGER REFERENCES streams (stream_no),
    fork_at    INTEGER,
    erased     INTEGER NOT NULL,
    -- Sealed with the session's key, because it is the beginning of what a person wrote.
    title      BLOB NOT NULL,
    pipeline   TEXT NOT NULL,
    status     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (owner, session)
) STRICT;

CREATE INDEX streams_of_owner ON streams (owner, stream_no);
CREATE INDEX streams_of_parent ON streams (parent_no) WHERE parent_no IS NOT NULL;

-- A data key for each session, sealed with the master key. Its deletion is what erases a session.
CREATE TABLE data_keys (
    stream_no INTEGER PRIMARY KEY REFERENCES streams (stream_no),
    wrapped   BLOB NOT NULL
) STRICT;

-- The log. Positions are given by the writer, dense and in commit order, so that whoever has read up to one has missed nothing.
CREATE TABLE events (
    position       INTEGER PRIMARY KEY,
    stream_no      INTEGER NOT NULL REFERENCES streams (stream_no),
    version        INTEGER NOT NULL,
    command_id     BLOB NOT NULL,
    -- Place of the event in its command.
    ordinal        INTEGER NOT NULL,
    name           TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    recorded_at    INTEGER NOT NULL,
    actor          TEXT NOT NULL,
    correlation    TEXT,
    causation      TEXT,
    -- 1 is JSON, 129 is JSON sealed with the session's key.
    codec          INTEGER NOT NULL,
    payload        BLOB NOT NULL,
    -- Over all of the above and the hash of the event before.
    hash           BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- Where the appends of a session begin. The events of one append stand together in the order of their versions, so the first
-- leads to the others; and whoever appends to a version that has passed begins where another append began, so that no version
-- is taken twice.
CREATE UNIQUE INDEX events_of_stream ON events (stream_no, version) WHERE ordinal = 0;

-- A command is recorded once. Only its first event is in the index, and the stream comes first, so that looking for a command
-- touches the pages of its own session instead of a random one each time.
CREATE UNIQUE INDEX events_of_command ON events (stream_no, command_id) WHERE ordinal = 0;

-- The log only grows. A row in `maintenance` lifts that, so that an operator who must repair something has to say so first.
CREATE TABLE maintenance (
    reason TEXT NOT NULL
) STRICT;

CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
WHEN NOT EXISTS (SELECT 1 FROM maintenance)
BEGIN
    SELECT RAISE(ABORT, 'events are never changed; see the table maintenance');
END;

CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM maintenance)
BEGIN
    SELECT RAISE(ABORT, 'events are never deleted; see the table maintenance');
END;

-- Small blobs, sealed; large ones are objects outside. By the hash of their plain content.
CREATE TABLE blobs (
    stream_no INTEGER NOT NULL REFERENCES streams (stream_no),
    sha256    BLOB NOT NULL CHECK (length(sha256) = 32),
    sealed    BLOB NOT NULL
) STRICT;

-- The beginning of the hash tells the blobs of a session apart but for chance or malice, and makes the index half as large. The
-- writer looks for the whole hash before it puts a blob.
CREATE INDEX blobs_of_stream ON blobs (stream_no, substr(sha256, 1, 8));

-- What follows is derived from the events in the transaction that records them; `verify` makes it again and compares.

-- Steps that were requested and have no outcome. The run is part of the key so that the end of a run removes its steps in one go.
CREATE TABLE open_steps (
    stream_no INTEGER NOT NULL,
    run       INTEGER NOT NULL,
    step      TEXT NOT NULL,
    attempt   INTEGER NOT NULL,
    due       INTEGER NOT NULL,
    -- Who carries it out, as long as that node's lease lasts.
    node      TEXT,
    PRIMARY KEY (stream_no, run, step)
) STRICT, WITHOUT ROWID;

-- Processes that carry out steps.
CREATE TABLE nodes (
    node        TEXT PRIMARY KEY,
    lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Gates that answer themselves at a time.
CREATE TABLE deadlines (
    stream_no INTEGER NOT NULL,
    gate      TEXT NOT NULL,
    run       INTEGER NOT NULL,
    due       INTEGER NOT NULL,
    PRIMARY KEY (stream_no, gate)
) STRICT, WITHOUT ROWID;

CREATE INDEX deadlines_by_time ON deadlines (due);

-- Where an artifact was recorded.
CREATE TABLE artifacts (
    artifact_id TEXT NOT NULL,
    stream_no   INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    PRIMARY KEY (artifact_id, stream_no)
) STRICT, WITHOUT ROWID;
