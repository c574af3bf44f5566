-- The key of a document's content, where the content is an object, sealed with the key of the collection. A content that has none is sealed
-- with the key of the collection itself: it is a row, or came in before there were such keys. The object is named by a hash of this value,
-- so that a content that comes again never takes the name of one that is being deleted.
ALTER TABLE document_keys ADD COLUMN body BLOB;
