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

pub(super) fn storage(doing: &'static str) -> impl Fn(sqlx::Error) -> Storage {
    move |error| {
        let code = primary_code(&error);
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

/// The low byte of the extended code.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
