//! One process owns a log: a lock file beside the database, held as long as the process lives and naming the address under which
//! its owner can be asked to do what others cannot.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{OpenError, Storage};

/// Released when it is dropped, or when the process ends in whatever way.
pub(crate) struct OwnerLock(
    #[expect(dead_code, reason = "held for its lock, which ends with it")] File,
);

impl OwnerLock {
    pub(crate) fn take(database: &Path, address: &str) -> Result<Self, OpenError> {
        let path = beside(database);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| cannot(&path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut address = String::new();
                // The owner may be writing it just now; then it is not known yet.
                let _ = file.read_to_string(&mut address);
                let address = address.trim();
                return Err(OpenError::Locked {
                    owner_address: (!address.is_empty()).then(|| address.to_owned()),
                });
            }
            Err(TryLockError::Error(error)) => return Err(cannot(&path, &error)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(address.as_bytes()))
            .map_err(|error| cannot(&path, &error))?;
        Ok(Self(file))
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
