-- What events owe to the world outside of the transaction that recorded them. A row is written with its event, and deleted when the work
-- is done; whoever finds a row carries the work out, as often as it takes.
CREATE TABLE owed (
    stream_no INTEGER NOT NULL REFERENCES streams (stream_no),
    -- `object`: the object with this name is to be deleted. `objects`: all objects of the stream are. `residue`: what the database still
    -- has of keys that were deleted is to be removed, which is the write-ahead log.
    kind      TEXT NOT NULL,
    -- Empty but for `object`.
    name      BLOB NOT NULL,
    PRIMARY KEY (stream_no, kind, name)
) STRICT, WITHOUT ROWID;

-- Sessions that were erased before may have left objects.
INSERT INTO owed SELECT stream_no, 'objects', x'' FROM streams WHERE erased;
