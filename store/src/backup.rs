//! Backups: a folder with a copy of the database as it was at one moment, the large blobs that this copy names, the keys where they are
//! wanted, and a list of these files with their sums. A backup is written beside its place and moved there when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use aws_lc_rs::digest;
use domain::hash::Sha256;
use serde::{Deserialize, Serialize};

use crate::anchor::LogHead;
use crate::error::{OpenError, ReadError, Storage};
use crate::heads::{HeadFile, make_folder, private};
use crate::objects::{ObjectOptions, Objects};
use crate::seal::MasterKey;

/// The list of the files of a backup. It is written last.
pub(crate) const MANIFEST: &str = "backup.json";

/// The folder of a backup that has the keys.
pub(crate) const KEYS: &str = "keys";

/// The folder of a backup that has the large blobs, under the names of their objects.
pub(crate) const BLOBS: &str = "blobs";

/// The number of the form that backups have.
pub(crate) const FORMAT: u32 = 1;

pub(crate) const BACKING_UP: &str = "backing up";
pub(crate) const RESTORING: &str = "restoring";

const ADVICE: &str = "check that the folder can be read and written to and has room, and try again";

/// Bytes that are read and hashed at a time: large enough for any disk, and little memory.
pub(crate) const CHUNK: usize = 1024 * 1024;

/// A backup and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupManifest {
    /// The number of the form that this backup has.
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    pub database: DatabaseKind,
    /// The version of the database's schema.
    pub schema: i64,
    /// The id of the log.
    pub log: Option<String>,
    /// The position of the last event; 0 for an empty log.
    pub position: u64,
    /// The hash of the last event.
    pub hash: Sha256,
    /// The fingerprint of the master key that the log is sealed with.
    pub master_key: String,
    /// Whether the keys are in it.
    pub keys: bool,
    pub made_at: String,
    pub files: Vec<BackupFile>,
    /// What the log names and the backup does not have, in words.
    pub missing: Vec<String>,
}

impl BackupManifest {
    /// The position and the hash of the last event.
    pub fn head(&self) -> LogHead {
        LogHead {
            position: self.position,
            hash: *self.hash.as_bytes(),
        }
    }

    /// How many large blobs are in it.
    pub fn blobs(&self) -> usize {
        let blobs = self.files.iter();
        blobs.filter(|file| file.blob().is_some()).count()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// Its place in the backup, with slashes.
    pub path: String,
    pub bytes: u64,
    pub sha256: Sha256,
    /// The rows of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

impl BackupFile {
    /// The name of the object that the file has the content of.
    fn blob(&self) -> Option<&str> {
        self.path.strip_prefix(BLOBS)?.strip_prefix('/')
    }
}

/// Why a backup was not made or not restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    #[error("{place} has something in it; name one that is empty or not there yet")]
    Occupied { place: String },
    #[error(
        "{} is left of a backup that was cut off, or another one is being written there; remove it once none is", .0.display()
    )]
    Unfinished(PathBuf),
    #[error(
        "{} is no backup: {cause}; name a folder that `backup` has finished (one that was cut off ends in `.part`)", folder.display()
    )]
    NoBackup { folder: PathBuf, cause: String },
    #[error(
        "the backup has form {found}, this program knows {}; use the program that made it",
        FORMAT
    )]
    OtherForm { found: u32 },
    #[error("the backup is of a log on {found:?}; name a database of this kind with --database")]
    OtherKind { found: DatabaseKind },
    #[error("the backup is damaged: {file} {what}; use another one")]
    Damaged { file: String, what: String },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Storage(#[from] Storage),
}

/// A folder that a backup is written into before it is whole.
pub(crate) struct BackupDraft {
    pub(crate) part: PathBuf,
    folder: PathBuf,
}

impl BackupDraft {
    /// For a backup at a place that is empty or not there yet.
    pub(crate) fn begin(folder: &Path) -> Result<Self, BackupError> {
        let place = folder.display().to_string();
        let Some(name) = folder.file_name() else {
            return Err(BackupError::Occupied { place });
        };
        if !is_empty(folder)? {
            return Err(BackupError::Occupied { place });
        }
        let mut name = name.to_owned();
        name.push(".part");
        let part = folder.with_file_name(name);
        if part.exists() {
            return Err(BackupError::Unfinished(part));
        }
        let draft = Self {
            part,
            folder: folder.to_owned(),
        };
        draft.make()?;
        Ok(draft)
    }

    fn make(&self) -> Result<(), Storage> {
        make_folder(&self.part).map_err(|error| failed(BACKING_UP, &self.part, &error))
    }

    /// Removes what was written so far, to begin again.
    pub(crate) fn empty(&self) -> Result<(), Storage> {
        self.discard()
            .map_err(|error| failed(BACKING_UP, &self.part, &error))?;
        self.make()
    }

    pub(crate) fn discard(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.part)
    }

    /// Writes the list of the files and moves the backup to its place.
    pub(crate) fn finish(&self, manifest: &BackupManifest) -> Result<(), Storage> {
        let mut text = serde_json::to_vec_pretty(manifest).expect("a manifest has only text keys");
        text.push(b'\n');
        write_file(&self.part, MANIFEST, &text)?;
        let above = match self.folder.parent() {
            Some(above) if !above.as_os_str().is_empty() => above,
            Some(_) | None => Path::new("."),
        };
        // An empty folder gives way to the one that is moved there.
        fs::rename(&self.part, &self.folder)
            .and_then(|()| sync_folder(above))
            .map_err(|error| failed(BACKING_UP, &self.folder, &error))
    }
}

/// A file of a backup that is being written.
pub(crate) struct DraftFile {
    whole: PathBuf,
    path: String,
    file: File,
    bytes: u64,
    sum: digest::Context,
}

impl DraftFile {
    pub(crate) fn create(folder: &Path, path: &str) -> Result<Self, Storage> {
        let whole = folder.join(path);
        let above = whole.parent().unwrap_or(folder);
        let file = make_folder(above)
            .and_then(|()| private(OpenOptions::new().write(true).create_new(true)).open(&whole))
            .map_err(|error| failed(BACKING_UP, &whole, &error))?;
        Ok(Self {
            whole,
            path: path.to_owned(),
            file,
            bytes: 0,
            sum: digest::Context::new(&digest::SHA256),
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Storage> {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file
            .write_all(bytes)
            .map_err(|error| failed(BACKING_UP, &self.whole, &error))
    }

    /// Makes it durable. `rows` are those of a table.
    pub(crate) fn finish(self, rows: Option<u64>) -> Result<BackupFile, Storage> {
        self.file
            .sync_all()
            .map_err(|error| failed(BACKING_UP, &self.whole, &error))?;
        Ok(BackupFile {
            path: self.path,
            bytes: self.bytes,
            sha256: self.sum.finish().into(),
            rows,
        })
    }
}

pub(crate) fn write_file(folder: &Path, path: &str, bytes: &[u8]) -> Result<BackupFile, Storage> {
    let mut file = DraftFile::create(folder, path)?;
    file.write(bytes)?;
    file.finish(None)
}

/// Makes a file durable that somebody else has written, and takes its sum.
pub(crate) fn add_file(folder: &Path, path: &str) -> Result<BackupFile, Storage> {
    let whole = folder.join(path);
    let summed = File::open(&whole).and_then(|file| {
        file.sync_all()?;
        sum_file(file)
    });
    let (bytes, sha256) = summed.map_err(|error| failed(BACKING_UP, &whole, &error))?;
    Ok(BackupFile {
        path: path.to_owned(),
        bytes,
        sha256,
        rows: None,
    })
}

/// A backup whose files are there and have the sums that its list gives.
#[derive(Debug)]
pub struct Backup {
    folder: PathBuf,
    pub manifest: BackupManifest,
}

impl Backup {
    /// Reads all of a backup and compares the sums.
    ///
    /// # Errors
    ///
    /// The folder has no list that can be read, its form is unknown, or a file differs from the list.
    pub fn open(folder: &Path) -> Result<Self, BackupError> {
        let no_backup = |cause: String| BackupError::NoBackup {
            folder: folder.to_owned(),
            cause,
        };
        let text = fs::read(folder.join(MANIFEST))
            .map_err(|error| no_backup(format!("{MANIFEST}: {error}")))?;
        let manifest: BackupManifest = serde_json::from_slice(&text)
            .map_err(|error| no_backup(format!("{MANIFEST} cannot be read: {error}")))?;
        if manifest.format != FORMAT {
            return Err(BackupError::OtherForm {
                found: manifest.format,
            });
        }
        let backup = Self {
            folder: folder.to_owned(),
            manifest,
        };
        for file in &backup.manifest.files {
            backup.check(file)?;
        }
        Ok(backup)
    }

    fn check(&self, file: &BackupFile) -> Result<(), BackupError> {
        let mut parts = Path::new(&file.path).components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            return Err(damaged(&file.path, "leads out of the backup"));
        }
        match File::open(self.folder.join(&file.path)).and_then(sum_file) {
            Ok(found) if found == (file.bytes, file.sha256) => Ok(()),
            Ok(_) => Err(damaged(
                &file.path,
                format!("does not have the content that {MANIFEST} says"),
            )),
            Err(error) => Err(damaged(&file.path, format!("cannot be read: {error}"))),
        }
    }

    /// Whether this is the master key that the log of the backup is sealed with.
    pub fn is_sealed_with(&self, master: &MasterKey) -> bool {
        master.fingerprint() == self.manifest.master_key
    }

    /// The keys in it: their names and their texts.
    ///
    /// # Errors
    ///
    /// A key cannot be read.
    pub fn keys(&self) -> Result<Vec<(String, String)>, BackupError> {
        let mut keys = vec![];
        for file in &self.manifest.files {
            let name = file.path.strip_prefix(KEYS);
            if let Some(name) = name.and_then(|name| name.strip_prefix('/')) {
                let text = fs::read_to_string(self.folder.join(&file.path))
                    .map_err(|error| damaged(&file.path, format!("cannot be read: {error}")))?;
                keys.push((name.to_owned(), text));
            }
        }
        Ok(keys)
    }

    pub(crate) fn is_of(&self, kind: DatabaseKind) -> Result<(), BackupError> {
        let found = self.manifest.database;
        if found == kind {
            Ok(())
        } else {
            Err(BackupError::OtherKind { found })
        }
    }

    /// A file of it, for reading.
    pub(crate) fn read_file(&self, path: &str) -> Result<(File, &BackupFile), BackupError> {
        let listed = self.manifest.files.iter().find(|file| file.path == path);
        let listed = listed.ok_or_else(|| damaged(path, format!("is not in {MANIFEST}")))?;
        let file = File::open(self.folder.join(path))
            .map_err(|error| damaged(path, format!("cannot be read: {error}")))?;
        Ok((file, listed))
    }

    /// Puts the large blobs where large blobs are kept.
    pub(crate) async fn put_blobs(&self, options: &ObjectOptions) -> Result<(), BackupError> {
        let objects = Objects::open(options)?;
        for file in &self.manifest.files {
            if let Some(name) = file.blob() {
                let sealed = fs::read(self.folder.join(&file.path))
                    .map_err(|error| damaged(&file.path, format!("cannot be read: {error}")))?;
                objects.put_at(name, sealed).await?;
            }
        }
        Ok(())
    }

    /// Leaves the head file of the restored log, which is at this place.
    pub(crate) fn leave_head(&self, heads: &Path, place: &str) -> Result<(), Storage> {
        match &self.manifest.log {
            Some(id) => HeadFile::open(heads, id, place, self.manifest.head()).map(drop),
            None => Ok(()),
        }
    }
}

fn damaged(file: &str, what: impl Into<String>) -> BackupError {
    BackupError::Damaged {
        file: file.to_owned(),
        what: what.into(),
    }
}

/// The length and the hash of what is left of a file.
fn sum_file(mut file: File) -> io::Result<(u64, Sha256)> {
    let (mut sum, mut bytes) = (digest::Context::new(&digest::SHA256), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok((bytes, sum.finish().into()));
        }
        sum.update(&chunk[..read]);
        bytes += read as u64;
    }
}

/// Whether a folder is not there or has nothing in it.
fn is_empty(folder: &Path) -> Result<bool, Storage> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(failed(BACKING_UP, folder, &error)),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn failed(doing: &'static str, path: &Path, error: &io::Error) -> Storage {
    Storage::new(doing, format!("{}: {error}", path.display()), ADVICE)
}
