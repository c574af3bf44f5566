-- A key for each document of a collection in each event that brought it, sealed with the key of the collection. Name, id and facts of
-- the document are sealed with it inside that event. Its deletion is what makes a removed document unreadable.
--
-- Rows come in the order of their numbers, so that a page is filled and never divided: no copy of a key stays behind on a page that
-- was.
CREATE TABLE document_keys (
    key_no    INTEGER PRIMARY KEY,
    stream_no INTEGER NOT NULL REFERENCES streams (stream_no),
    -- Of the event, and the place of the document in it.
    version   INTEGER NOT NULL,
    place     INTEGER NOT NULL,
    -- A hash of the document's id, with a key that follows from that of the collection.
    mark      BLOB NOT NULL CHECK (length(mark) = 16),
    -- The content that the document has there.
    sha256    BLOB NOT NULL CHECK (length(sha256) = 32),
    wrapped   BLOB NOT NULL
) STRICT;

CREATE INDEX document_keys_of_event ON document_keys (stream_no, version);
CREATE INDEX document_keys_of_document ON document_keys (stream_no, mark);
CREATE INDEX document_keys_of_content ON document_keys (stream_no, sha256);
