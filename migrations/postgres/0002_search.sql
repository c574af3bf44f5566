-- The index by which the documents of collections are searched. It follows from the events of the collection and from the
-- contents they name, is brought up to date after them, and can be made anew from them; whoever searches sees to that.
--
-- Words are not in it as they are written: each is a hash with a key that follows from the data key of the collection. So
-- the tables do not tell what is in sealed documents, and what is left in dead rows after an erasure means nothing.

-- How far the index of a collection is. A change names the state it was made for, and is refused where that has changed.
CREATE TABLE search_indexes (
    stream_no  bigint PRIMARY KEY REFERENCES streams (stream_no),
    -- Which way of taking words it was made in.
    tokenizer  bigint NOT NULL,
    -- The version of the collection that it is up to.
    version    bigint NOT NULL,
    -- Counts how often it was begun anew.
    generation bigint NOT NULL
);

-- Title, tags and body have the weights A, B and D. Words are ASCII letters and digits, which the configuration `simple`
-- leaves as they are.
CREATE TABLE search_documents (
    stream_no bigint NOT NULL REFERENCES streams (stream_no),
    document  text NOT NULL,
    words     tsvector NOT NULL,
    PRIMARY KEY (stream_no, document)
);

-- Words of different collections differ, as their keys do, so that the words alone lead to the right rows.
CREATE INDEX search_words ON search_documents USING gin (words);
