-- The index by which the documents of collections are searched. It follows from the events of the collection and from the
-- contents they name, is brought up to date after them, and can be made anew from them; whoever searches sees to that.
--
-- Words are not in it as they are written: each is a hash with a key that follows from the data key of the collection. So
-- the file does not tell what is in sealed documents, and what is left in free pages after an erasure means nothing.

-- How far the index of a collection is. A change names the state it was made for, and is refused where that has changed.
CREATE TABLE search_indexes (
    stream_no  INTEGER PRIMARY KEY REFERENCES streams (stream_no),
    -- Which way of taking words it was made in.
    tokenizer  INTEGER NOT NULL,
    -- The version of the collection that it is up to.
    version    INTEGER NOT NULL,
    -- Counts how often it was begun anew.
    generation INTEGER NOT NULL
) STRICT;

-- The documents that are in it. Their numbers are the rows of the index itself.
CREATE TABLE search_documents (
    doc_no    INTEGER PRIMARY KEY,
    stream_no INTEGER NOT NULL REFERENCES streams (stream_no),
    document  TEXT NOT NULL,
    UNIQUE (stream_no, document)
) STRICT;

-- Words are ASCII letters and digits, which this tokenizer leaves as they are. The texts themselves are not kept.
CREATE VIRTUAL TABLE search_words USING fts5 (
    title, tags, body,
    content = '', contentless_delete = 1, tokenize = 'unicode61'
);
