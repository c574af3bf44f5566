//! What SQLite's errors mean for whoever runs the program.

use crate::error::Storage;

/// Primary result codes, as SQLite numbers them.
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READ_ONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CONSTRAINT: i32 = 19;
pub(super) const NOT_A_DATABASE: i32 = 26;

/// An error that SQLite may have given a number.
pub(super) trait Numbered: std::error::Error + Send + Sync + 'static {
    /// The primary result code, which is the low byte of the extended one.
    fn primary_code(&self) -> Option<i32>;
}

impl Numbered for sqlx::Error {
    fn primary_code(&self) -> Option<i32> {
        let code: i32 = self.as_database_error()?.code()?.parse().ok()?;
        Some(code & 0xff)
    }
}

impl Numbered for rusqlite::Error {
    fn primary_code(&self) -> Option<i32> {
        Some(self.sqlite_error()?.extended_code & 0xff)
    }
}

pub(super) fn storage<E: Numbered>(doing: &'static str) -> impl Fn(E) -> Storage {
    move |error| {
        let code = error.primary_code();
        let advice = match code {
            Some(FULL) => {
                "the disk, or the size allowed for the database, is full; make room and try again"
            }
            Some(BUSY | LOCKED) => "another program holds the database; close it and try again",
            Some(READ_ONLY) => "make the database and its folder writable",
            Some(CORRUPT | NOT_A_DATABASE) => {
                "the file is damaged; run `verify` and restore a backup"
            }
            Some(CONSTRAINT) => "two writers disagree, which should not happen; run `verify`",
            Some(_) | None => "check the disk and the folder of the database, and try again",
        };
        let mut storage = Storage::new(doing, error, advice);
        storage.constraint = code == Some(CONSTRAINT);
        storage
    }
}
