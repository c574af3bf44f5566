-- The log and what is kept beside it. Times are microseconds since 1970 in UTC, taken by the writer; they are numbers because
-- they are hashed, and a number is written in one way only.

-- Facts about the database itself, such as the fingerprint of the master key it was sealed with.
CREATE TABLE meta (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- A session each. The numbers are given under the lock of the log and not by a sequence: a sequence assigns at the insertion and
-- shows at the commit, so that the order of the numbers would not be that of the sessions.
CREATE TABLE streams (
    stream_no  bigint PRIMARY KEY,
    owner      text NOT NULL,
    session    text NOT NULL,
    -- Of the last event; 0 while only blobs were put.
    version    bigint NOT NULL,
    -- A fork's history is its parent's up to `fork_at`, then its own; nothing is copied.
    parent_no  bigint REFERENCES streams (stream_no),
    fork_at    bigint,
    erased     boolean NOT NULL,
    -- Sealed with the session's key, because it is the beginning of what a person wrote.
    title      bytea NOT NULL,
    pipeline   text NOT NULL,
    status     text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (owner, session)
-- A row is rewritten with every append to its session; room on the page keeps the new version beside the old one.
) WITH (fillfactor = 70);

CREATE INDEX streams_of_owner ON streams (owner, stream_no);
CREATE INDEX streams_of_parent ON streams (parent_no) WHERE parent_no IS NOT NULL;

-- A data key for each session, sealed with the master key. Its deletion is what erases a session.
CREATE TABLE data_keys (
    stream_no bigint PRIMARY KEY REFERENCES streams (stream_no),
    wrapped   bytea NOT NULL
);

-- The log. Positions are given under an advisory lock that is held until the commit, so they are dense, and visible in their
-- order: whoever has read up to one has missed nothing.
CREATE TABLE events (
    position       bigint PRIMARY KEY,
    stream_no      bigint NOT NULL REFERENCES streams (stream_no),
    version        bigint NOT NULL,
    command_id     bytea NOT NULL,
    -- Place of the event in its command.
    ordinal        bigint NOT NULL,
    name           text NOT NULL,
    schema_version bigint NOT NULL,
    recorded_at    bigint NOT NULL,
    actor          text NOT NULL,
    correlation    text,
    causation      text,
    -- 1 is JSON, 129 is JSON sealed with the session's key. Bytes and not jsonb: jsonb orders keys anew and cannot be hashed again.
    codec          bigint NOT NULL,
    payload        bytea NOT NULL,
    -- Over all of the above and the hash of the event before.
    hash           bytea NOT NULL CHECK (length(hash) = 32)
) WITH (
    -- Rows never change: pages may be full, and are frozen soon, so that a large table is not read again for that later.
    fillfactor = 100,
    autovacuum_freeze_min_age = 0,
    autovacuum_vacuum_insert_scale_factor = 0.02
);

-- Ciphertext does not compress; trying costs time.
ALTER TABLE events ALTER COLUMN payload SET STORAGE EXTERNAL;

CREATE UNIQUE INDEX events_of_stream ON events (stream_no, version);

-- A command is recorded once. Only its first event is in the index, and the stream comes first, so that looking for a command
-- touches the pages of its own session instead of a random one each time.
CREATE UNIQUE INDEX events_of_command ON events (stream_no, command_id) WHERE ordinal = 0;

-- The log only grows. A row in `maintenance` lifts that, so that an operator who must repair something has to say so first.
CREATE TABLE maintenance (
    reason text NOT NULL
);

CREATE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    lifted boolean;
BEGIN
    -- By the table's own schema, so that it holds whatever the search path of a session is.
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.maintenance)', TG_TABLE_SCHEMA) INTO lifted;
    IF NOT lifted THEN
        RAISE EXCEPTION 'events are never changed or deleted; see the table maintenance' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER events_are_not_changed BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION refuse_to_change_events();
CREATE TRIGGER events_are_not_truncated BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_events();

-- Small blobs, sealed; large ones are objects outside. By the hash of their plain content.
CREATE TABLE blobs (
    stream_no bigint NOT NULL REFERENCES streams (stream_no),
    sha256    bytea NOT NULL CHECK (length(sha256) = 32),
    sealed    bytea NOT NULL,
    PRIMARY KEY (stream_no, sha256)
);

ALTER TABLE blobs ALTER COLUMN sealed SET STORAGE EXTERNAL;

-- What follows is derived from the events in the transaction that records them; `verify` makes it again and compares.

-- Steps that were requested and have no outcome. The run is part of the key so that the end of a run removes its steps in one go.
CREATE TABLE open_steps (
    stream_no bigint NOT NULL,
    run       bigint NOT NULL,
    step      text NOT NULL,
    attempt   bigint NOT NULL,
    due       bigint NOT NULL,
    -- Who carries it out, as long as that node's lease lasts.
    node      text,
    PRIMARY KEY (stream_no, run, step)
-- A queue: rows come and go, so it is swept early.
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- Processes that carry out steps.
CREATE TABLE nodes (
    node        text PRIMARY KEY,
    lease_until bigint NOT NULL
);

-- Gates that answer themselves at a time.
CREATE TABLE deadlines (
    stream_no bigint NOT NULL,
    gate      text NOT NULL,
    run       bigint NOT NULL,
    due       bigint NOT NULL,
    PRIMARY KEY (stream_no, gate)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

CREATE INDEX deadlines_by_time ON deadlines (due);

-- Where an artifact was recorded.
CREATE TABLE artifacts (
    artifact_id text NOT NULL,
    stream_no   bigint NOT NULL,
    version     bigint NOT NULL,
    kind        text NOT NULL,
    PRIMARY KEY (artifact_id, stream_no)
);
