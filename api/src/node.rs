//! The name by which this process claims steps. It is the name of a file in the data folder that is locked while the process lives. A file
//! that nobody locks belongs to a process that is gone, however it ended; its claims are released at once and not only when its lease ends.
//! Host names and process numbers cannot show this: both are used again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use runner::clock::fresh_id;
use store::NodeId;

/// The ending of the file's name once the file is locked; before that it has none.
const EXTENSION: &str = "node";

/// This process, and those of the same data folder that are gone.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    /// Locked until it is closed.
    pub(crate) alive: File,
    pub(crate) gone: Gone,
}

/// Processes that are gone. Their files are locked, so that no other process cleans up after them at the same time.
pub(crate) struct Gone(Vec<(NodeId, PathBuf, File)>);

impl Node {
    /// Makes a fresh name and its file in this folder; the folder is made if it does not exist.
    pub(crate) fn take(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let gone = find_gone(folder)?;
        let id = fresh_id();
        let path = folder.join(&id);
        let alive = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        alive.lock()?;
        fs::rename(&path, path.with_extension(EXTENSION))?;
        Ok(Self {
            id: NodeId::new(id),
            alive,
            gone,
        })
    }
}

impl Gone {
    /// The names of the processes whose claims are to be released.
    pub(crate) fn ids(&self) -> Vec<NodeId> {
        self.0.iter().map(|(id, ..)| id.clone()).collect()
    }

    /// Removes the files of these processes, once nothing of them is left in the log.
    pub(crate) fn forget(self) {
        for (_, path, _held) in self.0 {
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(%error, path = %path.display(), "the file of a process that is gone stays; it does no harm");
            }
        }
    }
}

fn find_gone(folder: &Path) -> io::Result<Gone> {
    let mut gone = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_one = path.extension().is_some_and(|ending| ending == EXTENSION);
        let Some(id) = path.file_stem().and_then(|name| name.to_str()) else {
            continue;
        };
        if !is_one {
            continue;
        }
        // If the file is gone by now, another process has already cleaned up.
        let Ok(held) = OpenOptions::new().write(true).open(&path) else {
            continue;
        };
        match held.try_lock() {
            Ok(()) => gone.push((NodeId::new(id), path.clone(), held)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(Gone(gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_gone_once_nobody_holds_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("nodes");
        let first = Node::take(&folder).expect("a name");
        assert!(first.gone.ids().is_empty());
        let second = Node::take(&folder).expect("a name");
        assert!(second.gone.ids().is_empty(), "the first one lives");
        let first_id = first.id.clone();
        drop(first);
        let third = Node::take(&folder).expect("a name");
        assert_eq!(third.gone.ids(), std::slice::from_ref(&first_id));
        // The process that found it first cleans up.
        let fourth = Node::take(&folder).expect("a name");
        assert!(fourth.gone.ids().is_empty());
        third.gone.forget();
        let second_id = second.id.clone();
        drop(second);
        let last = Node::take(&folder).expect("a name").gone.ids();
        assert!(last.contains(&second_id) && !last.contains(&first_id));
    }
}
