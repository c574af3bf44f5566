//! The name by which this process claims steps, told by a file in the data folder that is locked while the process lives. A file
//! that nobody holds is that of a process which is gone, however it ended, and its claims fall at once instead of with its lease.
//! Names of hosts and numbers of processes say no such thing: both come again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use runner::clock::fresh_id;
use store::NodeId;

/// How the name of a process's file ends; before that it is not locked yet.
const EXTENSION: &str = "node";

/// This process, and those of the same data folder that are gone.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    /// Locked until it is closed.
    pub(crate) alive: File,
    pub(crate) gone: Gone,
}

/// Processes that are gone. Their files are held, so that no other process sees to them as well.
pub(crate) struct Gone(Vec<(NodeId, PathBuf, File)>);

impl Node {
    /// A fresh name, with its file in this folder, which is made.
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
    /// Those whose claims are to fall.
    pub(crate) fn ids(&self) -> Vec<NodeId> {
        self.0.iter().map(|(id, ..)| id.clone()).collect()
    }

    /// Nothing is left of them in the log, so their files go.
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
        // One that went away meanwhile was seen to by somebody else.
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
        // Whoever saw it first sees to it.
        let fourth = Node::take(&folder).expect("a name");
        assert!(fourth.gone.ids().is_empty());
        third.gone.forget();
        let second_id = second.id.clone();
        drop(second);
        let last = Node::take(&folder).expect("a name").gone.ids();
        assert!(last.contains(&second_id) && !last.contains(&first_id));
    }
}
