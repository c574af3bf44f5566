//! Every limit of these addresses, and the reason for its number.

/// Bytes of a request. JSON can write each character of a deck with six; such a deck of a mebibyte is rare, so four times a deck is enough.
pub(super) const BODY_BYTES_MAX: usize = 4 * sdsl::DECK_BYTES_MAX;

/// Bytes of a presentation for the index: as much as is read of a file, without the additional weight of pictures.
pub(super) const FILE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Bytes of a deck with the files that are sent with it. All of them are in memory while they come in, so the limit is that of one
/// presentation, and half of the largest template. A larger deck needs a run or `deck render`.
pub(super) const FORM_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Files that are sent with a deck. A deck rarely has more than one picture a slide, and each has to be decoded.
pub(super) const FORM_FILES_MAX: usize = 100;

/// Bytes of a field of a form that is no file and no deck.
pub(super) const FORM_FIELD_BYTES_MAX: usize = 64 * 1024;

/// Documents in the body of a request; files are uploaded instead.
pub(super) const DOCUMENTS_MAX: usize = 20;

/// The number of search results if the request gives none, and the most.
pub(super) const FOUND_DEFAULT: usize = 10;
pub(super) const FOUND_MAX: usize = 100;
