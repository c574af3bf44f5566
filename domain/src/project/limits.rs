//! The limits of a project.

/// Bytes of a chapter's prose: three times as much as the longest chapters have (a hundred thousand characters).
pub const CHAPTER_BYTES_MAX: u64 = 1024 * 1024;

/// Entries of a project. The longest series have some thousand named characters and as many chapters; ten thousand are read from
/// the log in under a second.
pub const ENTRIES_MAX: usize = 10_000;

/// Bytes of an entry as JSON: a world entry is some pages of text.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;

/// Entries that may come in one event: at 2 KB each the event stays below the size of a page of the log.
pub const BATCH_MAX: usize = 500;

/// Versions of a chapter. A writer who saves every minute of a month of working days has ten thousand; beyond this limit, for each new
/// version the oldest one that is neither accepted nor described is removed.
pub const VERSIONS_MAX: usize = 10_000;

/// Facts that one chapter may say: some sentences of every paragraph of a long one.
pub const FACTS_MAX: usize = 2_000;

/// The longest title or name, in characters: a line in a list.
pub const NAME_CHARS_MAX: usize = 200;

/// The longest reason, description of a version or other remark, in characters.
pub const REMARK_CHARS_MAX: usize = 2_000;
