//! One process owns a log. The lock is on the database file itself, so that every program that opens that file finds it; a lock file beside
//! the database names the address under which the owner can be asked to do what others cannot, and is locked as well, for earlier versions.
//!
//! SQLite locks the same file with locks of another sort (`fcntl`), which do not conflict with this one (`flock`). But a process that
//! closes any of its descriptors of a file loses all its locks of that sort. So the descriptor here is closed after all of SQLite's, and a
//! process that owns the log opens no second one.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{OpenError, Storage};
use crate::files::identity;
use crate::heads::private;

/// Released when it is dropped, or when the process ends in whatever way.
pub(crate) struct OwnerLock {
    #[expect(dead_code, reason = "held for its lock, which ends with it")]
    database: HeldDatabase,
    #[expect(dead_code, reason = "held for its lock, which ends with it")]
    beside: File,
}

impl OwnerLock {
    pub(crate) fn take(database: &Path, address: &str) -> Result<Self, OpenError> {
        let held = HeldDatabase::take(database)?;
        let path = beside(database);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = private(&mut options)
            .open(&path)
            .map_err(|error| cannot(&path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(database)),
            Err(TryLockError::Error(error)) => return Err(cannot(&path, &error)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(address.as_bytes()))
            .map_err(|error| cannot(&path, &error))?;
        Ok(Self {
            database: held,
            beside: file,
        })
    }
}

/// The database files that this process holds, by device and number.
static HELD: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

fn held() -> MutexGuard<'static, BTreeSet<(u64, u64)>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often a database file is opened anew because another one took its name in between.
const OPENINGS: usize = 8;

/// The lock on the database file.
struct HeldDatabase {
    #[expect(dead_code, reason = "held for its lock, which ends with it")]
    file: File,
    identity: (u64, u64),
}

impl HeldDatabase {
    fn take(database: &Path) -> Result<Self, OpenError> {
        for _ in 0..OPENINGS {
            // The file is not opened if this process already holds it: see the comment at the top.
            let mut all = held();
            let found = std::fs::metadata(database);
            if found.is_ok_and(|found| all.contains(&identity(&found))) {
                return Err(locked(database));
            }
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = private(&mut options)
                .open(database)
                .map_err(|error| cannot(database, &error))?;
            lock(&file, database)?;
            let own = file.metadata().map_err(|error| cannot(database, &error))?;
            let identity = identity(&own);
            if std::fs::metadata(database).is_ok_and(|found| self::identity(&found) == identity) {
                all.insert(identity);
                return Ok(Self { file, identity });
            }
        }
        Err(cannot(
            database,
            &std::io::Error::other("it is replaced again and again"),
        ))
    }
}

impl Drop for HeldDatabase {
    fn drop(&mut self) {
        held().remove(&self.identity);
    }
}

/// On other systems than Linux, locks of the two sorts conflict, and SQLite would wait for this one.
#[cfg(target_os = "linux")]
fn lock(file: &File, database: &Path) -> Result<(), OpenError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(locked(database)),
        Err(TryLockError::Error(error)) => Err(cannot(database, &error)),
    }
}

#[cfg(not(target_os = "linux"))]
fn lock(_: &File, _: &Path) -> Result<(), OpenError> {
    Ok(())
}

/// The address of the owner, if it has one, is in the file beside the database.
fn locked(database: &Path) -> OpenError {
    // The owner may be writing it just now; then it is not known yet.
    let address = std::fs::read_to_string(beside(database)).unwrap_or_default();
    let address = address.trim();
    OpenError::Locked {
        owner_address: (!address.is_empty()).then(|| address.to_owned()),
    }
}

/// `name.db.lock`.
fn beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn cannot(path: &Path, error: &std::io::Error) -> OpenError {
    let cause = format!("{}: {error}", path.display());
    Storage::new(
        "taking the lock file",
        cause,
        "check that its folder exists and can be written to",
    )
    .into()
}
