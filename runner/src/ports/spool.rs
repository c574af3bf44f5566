//! The response spool: a provider's bytes are kept while they stream, so that an answer that was paid for and not yet
//! recorded when the process died is committed by recovery instead of being bought again.
//!
//! A file holds one turn. It begins with a line of JSON (format, request hash, salt), goes on with sealed frames, each
//! behind its length in four bytes, and ends with a sealed frame that says how many bytes the answer has, their SHA-256 and which turn it
//! is of.
//! Only a file with that last frame is an answer; any other file is an unfinished one and cannot be used. While an answer is being written
//! its file has a name of its own, because two processes may work on the same turn: one of them was taken for dead but goes on.
//!
//! Where processes share a log and not the data folder, a complete answer also goes into a store that they share, sealed as it is in the
//! file. A process that takes a step over looks into its own folder first. The shared store may be slow or unreachable: a process waits for
//! it only a little while, and an answer that the store did not take or give costs no more than one call.
//!
//! Bytes are handed to the operating system at once, so that they survive the death of the process; the last frame is also synced to the
//! disk, so that the answer survives a crash of the machine.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_lc_rs::digest::{self, SHA256};
use aws_lc_rs::rand;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use domain::hash::Sha256;
use domain::{SessionId, StepId};
use foldhash::HashSet;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};
use store::{AnswerStore, StreamId};

use super::answer::MAX_ANSWER_BYTES;
use super::sealing::{Frame, KEY_BYTES, SALT_BYTES, Sealer, TAG_BYTES};

/// The version of the file's format.
const FORMAT: u32 = 1;

/// How a spool file's name ends.
const EXTENSION: &str = "spool";

/// How it ends while the answer comes in.
const UNFINISHED: &str = "part";

/// The longest key, in hex digits: a SHA-512.
const MAX_KEY_DIGITS: usize = 128;

/// The most content of a frame. Pieces from a socket are mostly smaller; the bound keeps a damaged length harmless.
const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// How long the shared store is waited for: longer than a healthy one takes for an answer of some megabytes, and shorter than the
/// call to a model that it may spare.
const SHARED_WAIT: Duration = Duration::from_secs(5);

/// Why the spool could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    #[error("a spool key is 1 to {MAX_KEY_DIGITS} lower-case hex digits, and `{0}` is not")]
    Key(String),
    #[error(
        "the answer with key {0} is complete already: use it, or remove it before asking again"
    )]
    AlreadyAnswered(String),
    #[error("the spool at {path} cannot be used: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// The turn that an answer is of: its session, its step, and where it stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnPlace {
    pub owner: SmolStr,
    pub session: SessionId,
    pub step: StepId,
    pub attempt: u32,
    /// Counted from 0 in the attempt.
    pub turn: u32,
}

impl TurnPlace {
    /// The key under which the turn is paid for and spooled: the same each time the turn is asked.
    pub fn key(&self) -> String {
        let (attempt, turn) = (
            format_smolstr!("{}", self.attempt),
            format_smolstr!("{}", self.turn),
        );
        let step = self.step.text();
        let parts = [
            self.owner.as_str(),
            self.session.as_str(),
            &step,
            &attempt,
            &turn,
        ];
        Sha256::of_parts(parts.map(str::as_bytes)).to_string()
    }

    /// The stream of its session.
    pub fn stream(&self) -> StreamId {
        StreamId::new(self.owner.clone(), self.session.clone())
    }
}

/// A folder of answers, sealed with one key. Destroying the key destroys the answers.
#[derive(Clone)]
pub struct Spool {
    folder: PathBuf,
    key: [u8; KEY_BYTES],
    shared: Option<AnswerStore>,
}

/// A complete answer that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spooled {
    /// The hash of the request that it answers. A caller whose request has changed since must not use it.
    pub request_hash: String,
    /// The provider's bytes, for [`super::parse_sse`].
    pub answer: Bytes,
    /// Which call gave it; see [`SpoolWriter::call`].
    pub call: String,
    /// The turn that it is of; `None` for a file from before this was recorded.
    pub place: Option<TurnPlace>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Header {
    palimpsest_spool: u32,
    request: String,
    salt: String,
}

/// The last frame of a file.
#[derive(Serialize, Deserialize)]
struct Marker {
    length: u64,
    sha256: String,
    place: Option<TurnPlace>,
}

impl Spool {
    /// The spool in this folder, which is made if it is missing.
    pub fn new(folder: impl Into<PathBuf>, key: [u8; KEY_BYTES]) -> Result<Spool, SpoolError> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        Ok(Spool {
            folder,
            key,
            shared: None,
        })
    }

    /// Also uses a store that other processes look into. They must have the same key.
    pub fn shared_through(self, store: AnswerStore) -> Spool {
        Spool {
            shared: Some(store),
            ..self
        }
    }

    /// Gives the complete answer of a turn to other processes.
    pub async fn share(&self, stream: &StreamId, key: &str) {
        let Some(shared) = &self.shared else { return };
        let Ok(path) = self.path(key) else { return };
        let put = async {
            let sealed = tokio::fs::read(&path)
                .await
                .map_err(|error| error.to_string())?;
            let put = shared.put(stream, key, sealed.into()).await;
            put.map_err(|error| error.to_string())
        };
        if let Err(error) = in_time(put).await {
            tracing::warn!(
                error,
                "an answer could not be shared; if this process ends now, others ask for it again"
            );
        }
    }

    /// The answer of a turn, if all of it is here or in the shared store.
    ///
    /// # Errors
    ///
    /// Those of [`Self::complete_answer`]. That the shared store cannot be used is logged.
    pub async fn find(&self, stream: &StreamId, key: &str) -> Result<Option<Spooled>, SpoolError> {
        if let Some(found) = self.complete_answer(key)? {
            return Ok(Some(found));
        }
        let Some(shared) = &self.shared else {
            return Ok(None);
        };
        let got = async {
            let got = shared.get(stream, key).await;
            got.map_err(|error| error.to_string())
        };
        match in_time(got).await {
            Ok(sealed) => Ok(sealed.and_then(|sealed| read_file(&sealed, &self.key))),
            Err(error) => {
                tracing::warn!(error, "answers of other processes cannot be looked for");
                Ok(None)
            }
        }
    }

    /// Removes the answer of a turn here and in the shared store; it is not an error if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`Self::remove`]. That the shared store cannot be used is logged: what is left there goes with its session.
    pub async fn remove_all(&self, stream: &StreamId, key: &str) -> Result<(), SpoolError> {
        self.remove(key)?;
        if let Some(shared) = &self.shared {
            let removed = async {
                let removed = shared.remove(stream, key).await;
                removed.map_err(|error| error.to_string())
            };
            if let Err(error) = in_time(removed).await {
                tracing::warn!(
                    error,
                    "an answer could not be removed from the shared store"
                );
            }
        }
        Ok(())
    }

    /// Begins the answer of a turn. A complete one is never overwritten.
    pub fn open(&self, place: TurnPlace, request_hash: &str) -> Result<SpoolWriter, SpoolError> {
        let key = place.key();
        let path = self.path(&key)?;
        if self.complete_answer(&key)?.is_some() {
            return Err(SpoolError::AlreadyAnswered(key));
        }
        let mut salt = [0; SALT_BYTES];
        rand::fill(&mut salt).expect("the system has random bytes");
        let header = Header {
            palimpsest_spool: FORMAT,
            request: request_hash.to_owned(),
            salt: HEXLOWER.encode(&salt),
        };
        let mut head = serde_json::to_vec(&header).expect("a header has only text keys");
        head.push(b'\n');
        let unfinished = path.with_extension(format!("{}.{UNFINISHED}", HEXLOWER.encode(&salt)));
        let mut file = private_file(&unfinished).map_err(at(&unfinished))?;
        let unfinished = Unfinished(unfinished);
        file.write_all(&head).map_err(at(&unfinished.0))?;
        Ok(SpoolWriter {
            file,
            path,
            unfinished,
            sealer: Sealer::new(&self.key, &salt),
            call: header.salt,
            head,
            digest: digest::Context::new(&SHA256),
            length: 0,
            place,
        })
    }

    /// The answer of a turn, if all of it is there. What is unfinished, damaged or sealed with another key is `None`.
    pub fn complete_answer(&self, key: &str) -> Result<Option<Spooled>, SpoolError> {
        let path = self.path(key)?;
        match fs::read(&path) {
            Ok(file) => Ok(read_file(&file, &self.key)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// The keys of all answers that are in the folder, complete or damaged.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be read.
    pub fn keys(&self) -> Result<HashSet<String>, SpoolError> {
        let mut keys = HashSet::default();
        for entry in fs::read_dir(&self.folder).map_err(at(&self.folder))? {
            let name = entry.map_err(at(&self.folder))?.file_name();
            let key = name.to_str().and_then(|name| name.strip_suffix(EXTENSION));
            keys.extend(key.and_then(|key| key.strip_suffix('.')).map(str::to_owned));
        }
        Ok(keys)
    }

    /// Removes the complete answer of a turn; it is not an error if there is none.
    pub fn remove(&self, key: &str) -> Result<(), SpoolError> {
        remove_if_there(&self.path(key)?)
    }

    /// Removes the unfinished files of a turn that processes left when they died.
    pub fn remove_unfinished(&self, key: &str) -> Result<(), SpoolError> {
        let begins = format!("{key}.");
        for entry in fs::read_dir(&self.folder).map_err(at(&self.folder))? {
            let entry = entry.map_err(at(&self.folder))?;
            let name = entry.file_name();
            let is_one = |name: &str| name.starts_with(&begins) && name.ends_with(UNFINISHED);
            if name.to_str().is_some_and(is_one) {
                remove_if_there(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes the files that nobody has written to for this long, and says how many they were.
    pub fn sweep(&self, older_than: Duration) -> Result<usize, SpoolError> {
        self.remove_where(|file| {
            let age = file
                .modified()
                .ok()
                .and_then(|written| written.elapsed().ok());
            age.is_some_and(|age| age >= older_than)
        })
    }

    /// Removes every file, for erasure.
    pub fn clear(&self) -> Result<usize, SpoolError> {
        self.remove_where(|_| true)
    }

    fn remove_where(&self, unwanted: impl Fn(&fs::Metadata) -> bool) -> Result<usize, SpoolError> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.folder).map_err(at(&self.folder))? {
            let path = entry.map_err(at(&self.folder))?.path();
            let ours = path
                .extension()
                .is_some_and(|extension| extension == EXTENSION || extension == UNFINISHED);
            // A file that went away meanwhile was removed by somebody else.
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            if ours && unwanted(&metadata) {
                remove_if_there(&path)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn path(&self, key: &str) -> Result<PathBuf, SpoolError> {
        let hex_digit = |digit: char| matches!(digit, '0'..='9' | 'a'..='f');
        if key.is_empty() || key.len() > MAX_KEY_DIGITS || !key.chars().all(hex_digit) {
            return Err(SpoolError::Key(key.to_owned()));
        }
        Ok(self.folder.join(format!("{key}.{EXTENSION}")))
    }
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spool")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Keeps the bytes of one answer. Dropped before [`SpoolWriter::finish`], it leaves nothing behind.
pub struct SpoolWriter {
    file: File,
    path: PathBuf,
    unfinished: Unfinished,
    call: String,
    sealer: Sealer,
    head: Vec<u8>,
    digest: digest::Context,
    length: u64,
    place: TurnPlace,
}

impl SpoolWriter {
    /// Identifies the call that gives the answer among all calls, including those of other processes.
    pub fn call(&self) -> &str {
        &self.call
    }

    /// Keeps the next bytes; they survive the death of the process when this returns.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        for content in bytes.chunks(MAX_FRAME_BYTES) {
            self.digest.update(content);
            self.length += content.len() as u64;
            self.append(Frame::Content, content)?;
        }
        Ok(())
    }

    /// Declares the answer complete; from then on it survives the death of the machine.
    pub fn finish(mut self) -> Result<(), SpoolError> {
        let marker = Marker {
            length: self.length,
            sha256: HEXLOWER.encode(self.digest.clone().finish().as_ref()),
            place: Some(self.place.clone()),
        };
        let marker = serde_json::to_vec(&marker).expect("a marker has only text keys");
        self.append(Frame::Last, &marker)
            .and_then(|()| self.file.sync_data())
            .map_err(at(&self.unfinished.0))?;
        match fs::hard_link(&self.unfinished.0, &self.path) {
            // Another process worked on the same turn, and finished first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // A file system without links: the later one of two answers then replaces the first, and is just as complete.
            Err(_) => fs::rename(&self.unfinished.0, &self.path).map_err(at(&self.path)),
            Ok(()) => Ok(()),
        }
    }

    /// One write for each frame, so that the process can die only between frames or within one, never between two halves
    /// that were meant to be one.
    fn append(&mut self, frame: Frame, content: &[u8]) -> io::Result<()> {
        let sealed = self.sealer.seal(frame, &self.head, content);
        let length = u32::try_from(sealed.len()).expect("frames are at most a megabyte");
        let mut record = length.to_be_bytes().to_vec();
        record.extend_from_slice(&sealed);
        self.file.write_all(&record)
    }
}

/// A file that is removed when this is dropped; a file that became an answer has another name by then.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Err(error) = remove_if_there(&self.0) {
            tracing::warn!(%error, "the beginning of an answer stays in the spool until it is swept");
        }
    }
}

/// Reads a whole file; `None` for anything but a complete answer.
fn read_file(file: &[u8], key: &[u8; KEY_BYTES]) -> Option<Spooled> {
    let end = file.iter().position(|byte| *byte == b'\n')? + 1;
    let (head, mut rest) = file.split_at(end);
    let header: Header = serde_json::from_slice(head).ok()?;
    if header.palimpsest_spool != FORMAT {
        return None;
    }
    let salt = HEXLOWER
        .decode(header.salt.as_bytes())
        .ok()?
        .try_into()
        .ok()?;
    let mut sealer = Sealer::new(key, &salt);
    let mut answer = Vec::new();
    loop {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        if length > MAX_FRAME_BYTES + TAG_BYTES || length > behind.len() {
            return None;
        }
        let (sealed, following) = behind.split_at(length);
        if let Some(content) = sealer.open(Frame::Content, head, sealed) {
            answer.extend_from_slice(&content);
            if answer.len() > MAX_ANSWER_BYTES {
                return None;
            }
            rest = following;
            continue;
        }
        let marker: Marker =
            serde_json::from_slice(&sealer.open(Frame::Last, head, sealed)?).ok()?;
        let is_whole = marker.length == answer.len() as u64
            && marker.sha256 == Sha256::of(&answer).to_string()
            && following.is_empty();
        return is_whole.then_some(Spooled {
            request_hash: header.request,
            answer: answer.into(),
            call: header.salt,
            place: marker.place,
        });
    }
}

async fn in_time<T>(done: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let done = tokio::time::timeout(SHARED_WAIT, done).await;
    done.unwrap_or_else(|_| Err(format!("it took more than {SHARED_WAIT:?}")))
}

/// A new empty file that only this user may read. One that is there, or a link, is replaced and never written into.
fn private_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn remove_if_there(path: &Path) -> Result<(), SpoolError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> SpoolError {
    let path = path.to_owned();
    move |source| SpoolError::Io {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> TurnPlace {
        TurnPlace {
            owner: "ann".into(),
            session: "s".into(),
            step: StepId::new(domain::RunId(1), "pages", "2"),
            attempt: 1,
            turn: 0,
        }
    }

    fn key() -> String {
        place().key()
    }

    fn spool() -> (tempfile::TempDir, Spool) {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path().join("spool"), [1; KEY_BYTES]).unwrap();
        (folder, spool)
    }

    fn fill(spool: &Spool) -> PathBuf {
        let mut writer = spool.open(place(), "hash").unwrap();
        writer.write("data: 你".as_bytes()).unwrap();
        writer.write("好\n\n".as_bytes()).unwrap();
        writer.write(b"data: [DONE]\n\n").unwrap();
        writer.finish().unwrap();
        spool.path(&key()).unwrap()
    }

    const ANSWER: &str = "data: 你好\n\ndata: [DONE]\n\n";

    /// The answer that there is, to the request that is asked.
    fn found(spool: &Spool) -> Option<Bytes> {
        let found = spool.complete_answer(&key()).unwrap()?;
        assert_eq!(
            (found.request_hash.as_str(), found.call.len(), found.place),
            ("hash", 2 * SALT_BYTES, Some(place()))
        );
        Some(found.answer)
    }

    #[test]
    fn a_file_cut_at_any_byte_is_no_answer_and_the_whole_one_is() {
        let (_folder, spool) = spool();
        let path = fill(&spool);
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(spool.complete_answer(&key()).unwrap(), None, "cut at {end}");
        }
        fs::write(&path, &whole).unwrap();
        assert_eq!(found(&spool).unwrap(), ANSWER);
    }

    #[test]
    fn a_file_with_any_byte_changed_is_no_answer() {
        let (_folder, spool) = spool();
        let path = fill(&spool);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            assert_eq!(
                spool.complete_answer(&key()).unwrap(),
                None,
                "changed at {at}"
            );
        }
        let longer = [whole.as_slice(), b"x"].concat();
        fs::write(&path, longer).unwrap();
        assert_eq!(spool.complete_answer(&key()).unwrap(), None, "appended to");
    }

    #[test]
    fn the_file_shows_nothing_of_the_answer_and_needs_its_key() {
        let (_folder, spool) = spool();
        let path = fill(&spool);
        let whole = fs::read(&path).unwrap();
        for secret in ["DONE", "ann", "pages"] {
            let mut windows = whole.windows(secret.len());
            assert!(
                !windows.any(|window| window == secret.as_bytes()),
                "{secret}"
            );
        }
        let other = Spool::new(&spool.folder, [2; KEY_BYTES]).unwrap();
        assert_eq!(other.complete_answer(&key()).unwrap(), None);
    }

    #[test]
    fn a_complete_answer_is_not_overwritten_and_an_unfinished_one_is() {
        let (_folder, spool) = spool();
        let mut unfinished = spool.open(place(), "earlier").unwrap();
        unfinished.write(b"data: half of it").unwrap();
        assert_eq!(spool.complete_answer(&key()).unwrap(), None);
        fill(&spool);
        // The other one goes on, and takes nothing away.
        unfinished.write(b"data: the rest").unwrap();
        unfinished.finish().unwrap();
        assert_eq!(found(&spool).unwrap(), ANSWER);
        assert_eq!(fs::read_dir(&spool.folder).unwrap().count(), 1);
        let again = spool.open(place(), "hash");
        assert!(matches!(again, Err(SpoolError::AlreadyAnswered(key)) if key == self::key()));
    }

    #[test]
    fn large_pieces_are_kept_whole() {
        let (_folder, spool) = spool();
        let large = vec![b'x'; MAX_FRAME_BYTES * 2 + 17];
        let mut writer = spool.open(place(), "h").unwrap();
        writer.write(&large).unwrap();
        writer.finish().unwrap();
        assert_eq!(
            spool.complete_answer(&key()).unwrap().unwrap().answer,
            large
        );
    }

    #[test]
    fn removing_sweeping_and_clearing_leave_nothing_behind() {
        let (_folder, spool) = spool();
        fill(&spool);
        fs::write(spool.folder.join("note.txt"), "not ours").unwrap();
        assert_eq!(spool.sweep(Duration::from_secs(3600)).unwrap(), 0);
        assert_eq!(spool.sweep(Duration::ZERO).unwrap(), 1);
        assert_eq!(spool.complete_answer(&key()).unwrap(), None);
        fill(&spool);
        spool.remove(&key()).unwrap();
        spool.remove(&key()).unwrap();
        // A process died while an answer came in.
        let unfinished = spool.folder.join(format!("{}.00.part", key()));
        fs::write(&unfinished, "half").unwrap();
        fill(&spool);
        spool.remove_unfinished(&key()).unwrap();
        assert!(!unfinished.exists() && spool.complete_answer(&key()).unwrap().is_some());
        assert_eq!(spool.keys().unwrap(), HashSet::from_iter([key()]));
        spool.remove(&key()).unwrap();
        assert_eq!(spool.keys().unwrap(), HashSet::default());
        assert_eq!(spool.clear().unwrap(), 0);
        assert!(spool.folder.join("note.txt").exists());
    }

    #[test]
    fn a_key_cannot_name_another_file() {
        let (_folder, spool) = spool();
        for key in ["", "../x", "AB", "a.b", &"a".repeat(200)] {
            assert!(
                matches!(spool.remove(key), Err(SpoolError::Key(_))),
                "{key}"
            );
        }
    }
}
