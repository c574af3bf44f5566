//! How much these resources take and give at a time.

use domain::project::CHAPTER_BYTES_MAX;

/// Bytes of most requests: a batch of five hundred lines of an order, or an entry of the largest size twice.
pub(super) const BODY_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a request with the text of a chapter. In JSON a character of three bytes may be written with six (`\u96FE`), so that a
/// chapter of the largest size always comes in.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a megabyte is a number of every machine"
)]
pub(super) const TEXT_BODY_BYTES_MAX: usize = 6 * CHAPTER_BYTES_MAX as usize + BODY_BYTES_MAX;

/// Bytes of a project that comes in: a series of twenty books in Chinese with its versions, or a manuscript with pictures.
pub(super) const IMPORT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Elements of a page of a list where nothing is said: what a screen shows.
pub(super) const PAGE_SIZE: usize = 20;

/// Elements of a page of what is in one project where nothing is said: nearly every project has fewer of a kind.
pub(super) const PAGE_SIZE_INSIDE: usize = 500;

/// The most elements of a page.
pub(super) const PAGE_SIZE_MAX: usize = 1_000;

/// Passages that a search gives where nothing is said, and at most.
pub(super) const FOUND: usize = 10;
pub(super) const FOUND_MAX: usize = 100;

/// Tokens of a context that is looked at where nothing is said, and at most.
pub(super) const CONTEXT_TOKENS: u64 = 8_000;
pub(super) const CONTEXT_TOKENS_MAX: u64 = 200_000;

/// How often a change is tried again that somebody else's came before, where the caller did not say what was seen.
pub(super) const CHANGE_TRIES: usize = 3;

/// Texts that are read at a time for an export with every version: readers of the log share its connections with everybody.
pub(super) const READ_AT_ONCE: usize = 16;
