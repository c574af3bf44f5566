//! Files that a log cannot do without. While a process has a file open, the file can be removed, replaced or cut, and writing to it goes on
//! without an error; so the writer looks at the names of its files before a commit is acknowledged.
//!
//! The writer does not ask for the times of the files. After somebody asked for the times of a file, Linux records the next change of the
//! file with a finer time, which is one more write of its inode: 50 µs for each commit to SQLite.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Storage;

const APPENDING: &str = "appending";
const ADVICE: &str = "stop the server, put back the files that belong together, and start it again; \
     nothing is taken until then";

/// The files of one writer, each looked at by its name.
#[derive(Default)]
pub(crate) struct WatchedFiles {
    files: Vec<Watched>,
    /// The first loss that was found. It is kept until the process ends: what was written after it may be lost as well.
    lost: Option<Storage>,
}

struct Watched {
    what: &'static str,
    path: PathBuf,
    /// Device and number of the file, where the system has such.
    identity: (u64, u64),
    /// The file has at least so many bytes.
    least: u64,
    /// It never gets shorter than it was seen.
    grows: bool,
}

impl WatchedFiles {
    /// Watches the file that has this name now. It replaces a file that was watched before under the same description.
    pub(crate) fn watch(&mut self, what: &'static str, path: &Path) -> Result<(), Storage> {
        let found =
            Found::at(path).map_err(|error| lost(format!("{what} {}: {error}", path.display())))?;
        self.leave(what);
        self.files.push(Watched {
            what,
            path: path.to_owned(),
            identity: found.identity,
            least: 0,
            grows: false,
        });
        Ok(())
    }

    /// Stops watching this file.
    pub(crate) fn leave(&mut self, what: &str) {
        self.files.retain(|file| file.what != what);
    }

    /// From now on the file has at least so many bytes.
    pub(crate) fn has_at_least(&mut self, what: &str, bytes: u64) {
        for file in self.files.iter_mut().filter(|file| file.what == what) {
            file.least = bytes;
        }
    }

    /// From now on the file never gets shorter than it is seen.
    pub(crate) fn only_grows(&mut self, what: &str) {
        for file in self.files.iter_mut().filter(|file| file.what == what) {
            file.grows = true;
        }
    }

    /// Whether a file is there with fewer bytes than it has to have.
    pub(crate) fn is_short(&self, what: &str) -> bool {
        let mut files = self.files.iter().filter(|file| file.what == what);
        files.any(|file| {
            let found = Found::at(&file.path);
            found.is_ok_and(|found| found.bytes < file.least)
        })
    }

    /// Whether all files are still there. After a loss this stays an error.
    pub(crate) fn check(&mut self) -> Result<(), Storage> {
        self.is_lost()?;
        match self.files.iter_mut().find_map(Watched::missing) {
            None => Ok(()),
            Some(cause) => Err(self.lose(cause)),
        }
    }

    /// Whether something was found lost before.
    pub(crate) fn is_lost(&self) -> Result<(), Storage> {
        self.lost.clone().map_or(Ok(()), Err)
    }

    /// Records a loss, which stays until the process ends.
    pub(crate) fn lose(&mut self, cause: String) -> Storage {
        let error = lost(cause);
        tracing::error!(%error, "the log has lost what it was written to; no append is taken any longer");
        self.lost.get_or_insert(error).clone()
    }
}

impl Watched {
    fn missing(&mut self) -> Option<String> {
        let (what, path) = (self.what, self.path.display());
        match Found::at(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some(format!("{what} {path} was removed"))
            }
            Err(error) => Some(format!("{what} {path} cannot be looked at: {error}")),
            Ok(found) if found.identity != self.identity => {
                Some(format!("{what} {path} was replaced by another file"))
            }
            Ok(found) if found.bytes < self.least => Some(format!(
                "{what} {path} was cut: it has {} bytes of at least {}",
                found.bytes, self.least
            )),
            Ok(found) => {
                if self.grows {
                    self.least = found.bytes;
                }
                None
            }
        }
    }
}

/// The file that has a name.
struct Found {
    identity: (u64, u64),
    bytes: u64,
}

impl Found {
    #[cfg(target_os = "linux")]
    fn at(path: &Path) -> io::Result<Self> {
        use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
        let asked = StatxFlags::INO | StatxFlags::SIZE;
        let found = statx(CWD, path, AtFlags::empty(), asked)?;
        let device = u64::from(found.stx_dev_major) << 32 | u64::from(found.stx_dev_minor);
        Ok(Self {
            identity: (device, found.stx_ino),
            bytes: found.stx_size,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn at(path: &Path) -> io::Result<Self> {
        let found = std::fs::metadata(path)?;
        Ok(Self {
            identity: identity(&found),
            bytes: found.len(),
        })
    }
}

fn lost(cause: String) -> Storage {
    let mut error = Storage::new(APPENDING, cause, ADVICE);
    error.lost = true;
    error
}

#[cfg(unix)]
pub(crate) fn identity(found: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (found.dev(), found.ino())
}

/// Without such numbers only a missing file or its length can show a loss.
#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "the log";

    fn watched() -> (tempfile::TempDir, PathBuf, WatchedFiles) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        std::fs::write(&path, "0123456789").expect("written");
        let mut files = WatchedFiles::default();
        files.watch(LOG, &path).expect("there");
        files.only_grows(LOG);
        assert_eq!(files.check(), Ok(()));
        (folder, path, files)
    }

    fn cause(files: &mut WatchedFiles) -> String {
        files.check().expect_err("is noticed").cause
    }

    #[test]
    fn a_file_that_was_removed_stays_lost_also_when_another_comes() {
        let (_folder, path, mut files) = watched();
        std::fs::remove_file(&path).expect("removed");
        assert!(cause(&mut files).ends_with("was removed"));
        std::fs::write(&path, "0123456789").expect("written");
        assert!(cause(&mut files).ends_with("was removed"));
    }

    #[test]
    fn a_file_that_was_replaced_is_noticed() {
        let (folder, path, mut files) = watched();
        let other = folder.path().join("other");
        std::fs::write(&other, "0123456789").expect("written");
        std::fs::rename(&other, &path).expect("moved");
        assert!(cause(&mut files).ends_with("was replaced by another file"));
    }

    #[test]
    fn a_file_that_was_cut_is_noticed_and_one_that_may_be_short_is_not() {
        let (_folder, path, _) = watched();
        let mut files = WatchedFiles::default();
        files.watch(LOG, &path).expect("there");
        files.has_at_least(LOG, 3);
        std::fs::write(&path, "0123").expect("cut");
        assert_eq!(files.check(), Ok(()));
        std::fs::write(&path, "01").expect("cut");
        assert!(cause(&mut files).contains("was cut: it has 2 bytes of at least 3"));
    }
}
