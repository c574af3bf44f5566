//! A folder of its own for a test, with what lies in it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that ends with the test.
pub(crate) struct TestFolder(TempDir);

impl TestFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for temporary files"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, text).expect("a file in a fresh folder");
        path
    }

    /// The log's database.
    pub(crate) fn database(&self) -> PathBuf {
        self.file("log.db")
    }
}
