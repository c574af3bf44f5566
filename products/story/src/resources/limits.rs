//! How much these resources accept and give at a time.

use palimpsest::prelude::resource::project::CHAPTER_BYTES_MAX;

/// Bytes of most requests: a batch of five hundred lines of an order, or an entry of the largest size twice.
pub(super) const BODY_BYTES_MAX: usize = 256 * 1024;

/// Bytes of a request with the text of a chapter. JSON may write a character of three bytes with six (`\u96FE`); with this limit a chapter
/// of the largest size is always accepted.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a megabyte is a number of every machine"
)]
pub(super) const TEXT_BODY_BYTES_MAX: usize = 6 * CHAPTER_BYTES_MAX as usize + BODY_BYTES_MAX;

/// Bytes of an imported project: a series of twenty books in Chinese with its versions, or a manuscript with pictures.
pub(super) const IMPORT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Elements of a page if the request gives no size: as many as a screen shows.
pub(super) const PAGE_SIZE: usize = 20;

/// Elements of a page of a list within a project if the request gives no size: nearly every project has fewer of a kind.
pub(super) const PAGE_SIZE_INSIDE: usize = 500;

/// The most elements of a page.
pub(super) const PAGE_SIZE_MAX: usize = 1_000;

/// The number of passages that a search gives if the request gives none, and the most.
pub(super) const FOUND: usize = 10;
pub(super) const FOUND_MAX: usize = 100;

/// Tokens of a context if the request gives none, and the most.
pub(super) const CONTEXT_TOKENS: u64 = 8_000;
pub(super) const CONTEXT_TOKENS_MAX: u64 = 200_000;

/// How often a change is tried again after a change of somebody else, if the caller did not say which version it has seen.
pub(super) const CHANGE_TRIES: usize = 3;

/// Texts that are read at a time for an export with every version. These reads share the connections of the log with everybody else.
pub(super) const READ_AT_ONCE: usize = 16;
