//! A copy of the file as it is at one moment, and a log from such a copy.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;

use super::errors::storage;
use super::open::{SqliteLog, reading, shown};
use super::snapshot::SqliteSnapshot;
use crate::backend::DatabaseCopy;
use crate::backup::{BACKING_UP, Backup, BackupError, DatabaseKind, RESTORING, add_file, failed};
use crate::error::Storage;
use crate::heads::private;
use crate::migrations::SQLITE as MIGRATIONS;
use crate::objects::ObjectOptions;
use crate::opening::{newest, not_newer};

/// The copy of the database in a backup.
const COPY: &str = "log.db";

/// `VACUUM INTO` reads within one transaction. What was erased is not in the copy, since free pages are not copied.
pub(super) async fn copy_into(pool: &SqlitePool, folder: &Path) -> Result<DatabaseCopy, Storage> {
    let path = folder.join(COPY);
    let Some(name) = path.to_str() else {
        let advice = "name a folder whose path is UTF-8";
        return Err(Storage::new(BACKING_UP, path.display(), advice));
    };
    sqlx::query("VACUUM INTO $1")
        .bind(name.to_owned())
        .execute(pool)
        .await
        .map_err(storage(BACKING_UP))?;
    let files = vec![add_file(folder, COPY)?];
    let opened = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(reading(&path));
    let copy = opened.await.map_err(storage(BACKING_UP))?;
    let snapshot = SqliteSnapshot::begin(&copy)
        .await
        .map_err(storage(BACKING_UP))?;
    Ok(DatabaseCopy {
        kind: DatabaseKind::Sqlite,
        schema: newest(&MIGRATIONS),
        files,
        snapshot: Box::new(snapshot),
    })
}

impl SqliteLog {
    /// Makes a log at this path out of a backup, with its large blobs in this place and its head file in the folder `heads`.
    ///
    /// # Errors
    ///
    /// There is something at the path, the backup is of another kind of database or newer than this program, or something cannot be
    /// written.
    pub async fn restore(
        path: &Path,
        backup: &Backup,
        objects: &ObjectOptions,
        heads: &Path,
    ) -> Result<(), BackupError> {
        backup.is_of(DatabaseKind::Sqlite)?;
        not_newer(&MIGRATIONS, backup.manifest.schema)?;
        for ending in ["", "-wal", "-journal"] {
            let place = with_ending(path, ending);
            if fs::metadata(&place).is_ok_and(|found| found.len() > 0) {
                let place = place.display().to_string();
                return Err(BackupError::Occupied { place });
            }
        }
        backup.put_blobs(objects).await?;
        let (mut copy, _) = backup.read_file(COPY)?;
        // Moved to its place when it is whole, so that nobody opens half of it.
        let part = with_ending(path, ".part");
        private(OpenOptions::new().write(true).create(true).truncate(true))
            .open(&part)
            .and_then(|mut file| {
                io::copy(&mut copy, &mut file)?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&part, path))
            .map_err(|error| failed(RESTORING, path, &error))?;
        Ok(backup.leave_head(heads, &shown(path))?)
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
