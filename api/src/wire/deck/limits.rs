//! Every limit of these addresses, with where its number comes from.

/// Bytes of a request: a deck of a mebibyte, each of its signs written as six in JSON at worst, is rare; four times a deck is taken.
pub(super) const BODY_BYTES_MAX: usize = 4 * sdsl::DECK_BYTES_MAX;

/// Bytes of a presentation that comes into the index: what intake reads of a file, less what its pictures weigh more.
pub(super) const FILE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Bytes of a deck with the files that are sent with it. All of it is in memory while it comes in, so it is what one presentation
/// may have, and half of the largest template: a larger one is for a run or for `deck render`.
pub(super) const FORM_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Files that are sent with a deck: as many as it has slides at most would be rare, and each is decoded.
pub(super) const FORM_FILES_MAX: usize = 100;

/// Bytes of a field of a form that is no file and no deck.
pub(super) const FORM_FIELD_BYTES_MAX: usize = 64 * 1024;

/// Documents that come with a request in its body; files are uploaded.
pub(super) const DOCUMENTS_MAX: usize = 20;

/// Chunks of an answer where a search does not say, and most.
pub(super) const FOUND_DEFAULT: usize = 10;
pub(super) const FOUND_MAX: usize = 100;
