//! How much reading a file may cost.

use std::time::Duration;

use crate::budget::READING_BYTES;

/// Limits of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Bytes of the file itself.
    pub bytes: u64,
    /// Bytes that an archive or a compressed stream may become, over all its parts.
    pub expanded_bytes: u64,
    /// Bytes of memory that what the file expands to may take at once; at most what all files of the process may take together.
    pub memory_bytes: u64,
    /// How long reading may take.
    pub time: Duration,
    /// Parts of an archive.
    pub parts: usize,
    /// Pages or slides.
    pub pages: usize,
    /// Cells over all tables and sheets.
    pub cells: usize,
    /// Characters over all blocks.
    pub chars: usize,
    /// Blocks.
    pub blocks: usize,
    /// Levels of nesting of elements, lists or values.
    pub depth: usize,
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self {
            // Twice the largest upload, so that the limit of the connection is reached first.
            bytes: 64 * 1024 * 1024,
            // Office files expand five to ten times; a file that expands more is a bomb or a picture book.
            expanded_bytes: 256 * 1024 * 1024,
            memory_bytes: READING_BYTES,
            // A PDF of a thousand pages takes some ten seconds.
            time: Duration::from_secs(60),
            parts: 10_000,
            // A textbook.
            pages: 2_000,
            // A year of hourly values with twenty columns.
            cells: 200_000,
            // Ten times what the largest model takes.
            chars: 4_000_000,
            blocks: 100_000,
            // Deeper than any document that a person wrote, and far from the end of the stack for a reader that recurses.
            depth: 64,
        }
    }
}
