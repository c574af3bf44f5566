-- A key for each document of a collection in each event that brought it, sealed with the key of the collection. Name, id and facts of
-- the document are sealed with it inside that event. Its deletion is what makes a removed document unreadable.
CREATE TABLE document_keys (
    stream_no bigint NOT NULL REFERENCES streams (stream_no),
    -- Of the event, and the place of the document in it.
    version   bigint NOT NULL,
    place     bigint NOT NULL,
    -- A hash of the document's id, with a key that follows from that of the collection.
    mark      bytea NOT NULL CHECK (length(mark) = 16),
    -- The content that the document has there.
    sha256    bytea NOT NULL CHECK (length(sha256) = 32),
    wrapped   bytea NOT NULL,
    PRIMARY KEY (stream_no, version, place)
);

CREATE INDEX document_keys_of_document ON document_keys (stream_no, mark);
CREATE INDEX document_keys_of_content ON document_keys (stream_no, sha256);
