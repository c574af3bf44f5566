//! Files that were uploaded and wait for a message to attach them. They lie in the data folder, by owner and content hash. A message copies
//! what it attaches into the log, and uploads are removed after a day.
//!
//! An upload reserves a place and room on the disk before the first byte is read, and holds both until the last one is kept.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aws_lc_rs::digest;
use bytes::Bytes;
use domain::SessionId;
use domain::hash::Sha256;
use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use tokio::fs;
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;
use ts_rs::TS;
use utoipa::ToSchema;

use crate::config::Limits;
use crate::data::make_private;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::shares::{Account, Exceeded, Share, Shares, bites};
use crate::sniff;

/// How long an upload waits: a form that was left open over night can still be sent.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Digits of the content hash in the name of an uploaded file: 128 bits, which do not collide by chance.
const FILE_DIGITS: usize = 32;

/// Files of an owner that may wait. A small file takes more of the disk than its bytes; a folder of sources has a few hundred files.
const FILES_MAX: usize = 10_000;

/// The beginning of the name of a file that is still coming in.
const PART: &str = "part-";

/// How long such a file stays after the last write. A killed program leaves files that nobody completes.
const PART_KEPT: Duration = Duration::from_secs(60 * 60);

/// The ending of the name of the list of sessions that attached an upload.
const SESSIONS: &str = "sessions";

/// The most bytes of a form beside its file: a boundary, a few headers and fields.
const FORM_BYTES: u64 = 16 * 1024;

/// A file of a message: an upload and the path that it gets in the session.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Attachment {
    /// Relative, with `/` between segments.
    pub path: String,
    /// The name that the upload was given.
    pub file: Option<String>,
    /// Or the hash of its content.
    pub sha256: Option<String>,
}

/// What an upload became.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, ToSchema, TS)]
pub struct Uploaded {
    /// Its name in attachments.
    pub file: String,
    /// Of the content, in hexadecimal.
    pub sha256: String,
    /// From the content.
    pub media_type: String,
    /// Bytes.
    pub size: u64,
}

/// An upload with its content.
pub struct Upload {
    pub bytes: Bytes,
    pub media_type: String,
}

/// The waiting uploads of every owner.
#[derive(Clone)]
pub struct Uploads {
    folder: PathBuf,
    file_bytes: u64,
    owner_bytes: u64,
    places: Arc<Shares>,
    /// Reservations by the folder of their owner. The ledger is locked while a folder is looked through and while a file is moved into it,
    /// so that each file is counted once.
    ledger: Ledger,
}

type Ledger = Arc<Mutex<HashMap<PathBuf, Room>>>;

/// The room on the disk for an owner with uploads under way.
#[derive(Default)]
struct Room {
    /// Bytes of files that wait.
    kept: u64,
    /// Bytes that uploads under way have or may yet need.
    reserved: u64,
    uploads: usize,
}

/// A place for an upload, with room on the disk. Both are given back when it is dropped.
pub(crate) struct Reservation {
    folder: PathBuf,
    owner_bytes: u64,
    bytes: u64,
    ledger: Ledger,
    /// Absent where the bytes are here already.
    _place: Option<Share>,
}

impl Reservation {
    /// Makes sure that this upload has room for `bytes` in total.
    async fn has(&mut self, bytes: u64) -> Result<(), ApiError> {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else {
            return Ok(());
        };
        let mut ledger = self.ledger.lock().await;
        let room = ledger.entry(self.folder.clone()).or_default();
        room.reserve(more, self.owner_bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Room {
    fn reserve(&mut self, bytes: u64, most: u64) -> Result<(), ApiError> {
        let reserved = self.reserved.saturating_add(bytes);
        if self.kept.saturating_add(reserved) > most {
            bites("uploads_bytes", "each");
            return Err(no_room(most));
        }
        self.reserved = reserved;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let (folder, bytes) = (std::mem::take(&mut self.folder), self.bytes);
        let give_back = move |ledger: &mut HashMap<PathBuf, Room>| {
            let Some(room) = ledger.get_mut(&folder) else {
                return;
            };
            room.reserved = room.reserved.saturating_sub(bytes);
            room.uploads -= 1;
            if room.uploads == 0 {
                ledger.remove(&folder);
            }
        };
        if let Ok(mut ledger) = self.ledger.try_lock() {
            return give_back(&mut ledger);
        }
        // Somebody is looking through a folder; the room is given back right after that.
        let ledger = Arc::clone(&self.ledger);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { give_back(&mut *ledger.lock().await) });
        }
    }
}

impl Uploads {
    pub fn new(folder: PathBuf, limits: &Limits) -> Self {
        Self {
            folder,
            file_bytes: limits.upload_bytes,
            owner_bytes: limits.uploads_bytes,
            places: Shares::new(
                "uploads",
                limits.uploads as u64,
                limits.uploads_share as u64,
            ),
            ledger: Arc::default(),
        }
    }

    /// Bytes of a form with a file.
    pub(crate) fn form_bytes_max(&self) -> u64 {
        self.file_bytes.saturating_add(FORM_BYTES)
    }

    /// A place for an upload, with room for the bytes that are announced. A file that is too large is refused before it is sent. For a
    /// form, the lines around its file are subtracted.
    pub(crate) async fn reserve(
        &self,
        owner: &Owner,
        announced: Option<u64>,
        is_form: bool,
    ) -> Result<Reservation, ApiError> {
        let around = if is_form { FORM_BYTES } else { 0 };
        let bytes = announced.unwrap_or(0).saturating_sub(around);
        if bytes > self.file_bytes {
            return Err(self.file_too_large());
        }
        let place = self.places.take(&Account::Owner(owner.0.clone()), 1);
        let place = place.map_err(|exceeded| match exceeded {
            Exceeded::All => ApiError::busy(),
            Exceeded::Each => {
                let message = "too many uploads of this key come in at the same time";
                ApiError::too_many("too_many_uploads", message)
            }
        })?;
        self.reserve_at(owner, bytes, Some(place)).await
    }

    async fn reserve_at(
        &self,
        owner: &Owner,
        bytes: u64,
        place: Option<Share>,
    ) -> Result<Reservation, ApiError> {
        let folder = self.folder_of(owner);
        make_private(&folder).map_err(|error| not_kept(&error))?;
        let mut ledger = self.ledger.lock().await;
        let (kept, files) = kept_in(&folder).await;
        if files >= FILES_MAX {
            bites("uploads_files", "each");
            return Err(no_room(self.owner_bytes));
        }
        let room = ledger.entry(folder.clone()).or_default();
        room.kept = kept;
        room.uploads += 1;
        // From here on, dropping the reservation gives back what was taken.
        let mut reservation = Reservation {
            folder,
            owner_bytes: self.owner_bytes,
            bytes: 0,
            ledger: Arc::clone(&self.ledger),
            _place: place,
        };
        let reserved = room.reserve(bytes, self.owner_bytes);
        drop(ledger);
        reserved?;
        reservation.bytes = bytes;
        Ok(reservation)
    }

    fn file_too_large(&self) -> ApiError {
        too_large(format!(
            "the file is larger than the {} bytes that are taken",
            self.file_bytes
        ))
    }

    /// Keeps a file while its bytes come in. Unless all bytes come, nothing of the file stays.
    pub(crate) async fn put<E: Into<ApiError>>(
        &self,
        mut room: Reservation,
        name: &str,
        bytes: impl Stream<Item = Result<Bytes, E>>,
    ) -> Result<Uploaded, ApiError> {
        if !name.is_empty() {
            commands::check_path(name)?;
        }
        let folder = room.folder.clone();
        let part = folder.join(format!("{PART}{}", runner::clock::fresh_id()));
        let part = PartFile(part);
        let (sha256, size, start) = self.write(&part.0, &mut room, bytes).await?;
        let uploaded = Uploaded {
            file: file_name(&sha256),
            sha256: sha256.to_string(),
            media_type: sniff::media_type(name, &start),
            size,
        };
        let mut ledger = self.ledger.lock().await;
        let kept = keep(&folder, &part.0, &uploaded).await;
        kept.map_err(|error| not_kept(&error))?;
        if let Some(room) = ledger.get_mut(&folder) {
            room.kept = room.kept.saturating_add(size);
        }
        drop(ledger);
        Ok(uploaded)
    }

    /// Keeps a file whose bytes are here already: it came in the body of another request, or was made here.
    pub async fn put_whole(
        &self,
        owner: &Owner,
        name: &str,
        bytes: Bytes,
    ) -> Result<Uploaded, ApiError> {
        let room = self.reserve_at(owner, bytes.len() as u64, None).await?;
        let bytes = futures::stream::iter([Ok::<_, ApiError>(bytes)]);
        self.put(room, name, bytes).await
    }

    async fn write<E: Into<ApiError>>(
        &self,
        part: &Path,
        room: &mut Reservation,
        bytes: impl Stream<Item = Result<Bytes, E>>,
    ) -> Result<(Sha256, u64, Vec<u8>), ApiError> {
        let mut file = fs::File::create(part)
            .await
            .map_err(|error| not_kept(&error))?;
        let mut hash = digest::Context::new(&digest::SHA256);
        let (mut size, mut start) = (0_u64, vec![]);
        let mut bytes = std::pin::pin!(bytes);
        while let Some(piece) = bytes.next().await {
            let piece = piece.map_err(Into::into)?;
            size += piece.len() as u64;
            if size > self.file_bytes {
                return Err(self.file_too_large());
            }
            room.has(size).await?;
            let wanted = sniff::SNIFFED_BYTES.saturating_sub(start.len());
            start.extend_from_slice(&piece[..piece.len().min(wanted)]);
            hash.update(&piece);
            file.write_all(&piece)
                .await
                .map_err(|error| not_kept(&error))?;
        }
        file.flush().await.map_err(|error| not_kept(&error))?;
        let sha256 = Sha256::from(hash.finish());
        Ok((sha256, size, start))
    }

    /// The content of an upload of this owner.
    pub async fn get(&self, owner: &Owner, attachment: &Attachment) -> Result<Upload, ApiError> {
        let name = name_of(attachment)?;
        let place = self.folder_of(owner).join(&name);
        let kept = async {
            Ok::<_, std::io::Error>((read(&place).await?, read(&with_type(&place)).await?))
        };
        match kept.await {
            Ok((bytes, media_type)) => {
                let media_type = String::from_utf8_lossy(&media_type).into_owned();
                Ok(Upload {
                    bytes: bytes.into(),
                    media_type,
                })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(no_file(&attachment.path))
            }
            Err(error) => Err(ApiError::internal("reading an upload", error)),
        }
    }

    /// Remembers that a message of this session attached the upload, so that it can go with its session.
    pub async fn attached(&self, owner: &Owner, attachment: &Attachment, session: &SessionId) {
        let Ok(name) = name_of(attachment) else {
            return;
        };
        let marks = with_sessions(&self.folder_of(owner).join(name));
        let mark = mark(session);
        let known = fs::read_to_string(&marks).await.unwrap_or_default();
        if known.lines().any(|line| line == mark) {
            return;
        }
        let marked = fs::write(&marks, format!("{known}{mark}\n")).await;
        if let Err(error) = marked {
            tracing::warn!(cause = %error, "an upload could not be marked; it stays for a day though its session is erased");
        }
    }

    /// Removes the uploads that were attached in this session, which was erased, and in no other one.
    pub async fn forget(&self, owner: &Owner, session: &SessionId) {
        let Ok(mut files) = fs::read_dir(self.folder_of(owner)).await else {
            return;
        };
        let mark = mark(session);
        while let Ok(Some(file)) = files.next_entry().await {
            let path = file.path();
            if path.extension().is_none_or(|ending| ending != SESSIONS) {
                continue;
            }
            let known = fs::read_to_string(&path).await.unwrap_or_default();
            let others: Vec<&str> = known.lines().filter(|line| *line != mark).collect();
            if others.len() == known.lines().count() {
                continue;
            }
            let done = if others.is_empty() {
                self.remove(&path.with_extension("")).await
            } else {
                fs::write(&path, others.join("\n") + "\n").await
            };
            if let Err(error) = done {
                tracing::error!(cause = %error, "an upload of an erased session could not be removed; it goes within a day");
            }
        }
    }

    /// Removes an upload with what lies beside it.
    async fn remove(&self, place: &Path) -> std::io::Result<()> {
        for path in [place.to_owned(), with_type(place), with_sessions(place)] {
            match fs::remove_file(&path).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Removes what has waited too long.
    pub async fn sweep(&self) {
        let Ok(mut owners) = fs::read_dir(&self.folder).await else {
            return;
        };
        while let Ok(Some(owner)) = owners.next_entry().await {
            let Ok(mut files) = fs::read_dir(owner.path()).await else {
                continue;
            };
            while let Ok(Some(file)) = files.next_entry().await {
                let name = file.file_name();
                let is_part = name.to_string_lossy().starts_with(PART);
                let kept = if is_part { PART_KEPT } else { KEPT };
                if is_old(&file, kept).await {
                    let _ = fs::remove_file(file.path()).await;
                }
            }
        }
    }

    /// The folder of an owner, named by a hash of the owner's name, which may not be a safe file name.
    fn folder_of(&self, owner: &Owner) -> PathBuf {
        self.folder.join(&*Sha256::of(owner.0.as_bytes()).hex())
    }
}

/// The name of the upload that an attachment refers to. Only names that this program made are accepted, so that no name leads out of the
/// folder.
fn name_of(attachment: &Attachment) -> Result<String, ApiError> {
    let name = match (&attachment.file, &attachment.sha256) {
        (Some(file), None) => file.clone(),
        (None, Some(sha256)) => {
            let sha256 = sha256.to_lowercase().parse();
            file_name(&sha256.map_err(|_| no_file(&attachment.path))?)
        }
        (Some(_), Some(_)) | (None, None) => {
            let message = format!(
                "the attachment `{}` names either a `file` or a `sha256`",
                attachment.path
            );
            return Err(ApiError::unprocessable("bad_attachment", message));
        }
    };
    if is_file_name(&name) {
        Ok(name)
    } else {
        Err(no_file(&attachment.path))
    }
}

async fn keep(folder: &Path, part: &Path, uploaded: &Uploaded) -> std::io::Result<()> {
    let place = folder.join(&uploaded.file);
    // The file waits for another message now, so that the list of earlier sessions that attached it goes.
    match fs::remove_file(with_sessions(&place)).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // The type is renamed into its place as the content is, so that a link at that place is replaced and not followed.
    let part_type = part.with_extension("type");
    fs::write(&part_type, &uploaded.media_type).await?;
    fs::rename(&part_type, with_type(&place)).await?;
    fs::rename(part, &place).await
}

/// Reads a file that this program wrote; a link in its place counts as absent.
async fn read(place: &Path) -> std::io::Result<Vec<u8>> {
    if fs::symlink_metadata(place).await?.is_symlink() {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    fs::read(place).await
}

fn with_type(place: &Path) -> PathBuf {
    place.with_extension("type")
}

/// The file with the sessions that attached an upload.
fn with_sessions(place: &Path) -> PathBuf {
    place.with_extension(SESSIONS)
}

/// How a session is written in such a list: as a hash, since its name may contain anything.
fn mark(session: &SessionId) -> String {
    Sha256::of(session.as_str().as_bytes()).to_string()
}

/// The bytes and the number of the files of an owner that wait. Files that are still coming in are counted where they are reserved.
async fn kept_in(folder: &Path) -> (u64, usize) {
    let Ok(mut entries) = fs::read_dir(folder).await else {
        return (0, 0);
    };
    let (mut bytes, mut files) = (0_u64, 0);
    while let Ok(Some(file)) = entries.next_entry().await {
        let name = file.file_name();
        if name.to_string_lossy().starts_with(PART) {
            continue;
        }
        bytes += file.metadata().await.map_or(0, |metadata| metadata.len());
        // Each upload has a second file with its type.
        if is_file_name(&name.to_string_lossy()) {
            files += 1;
        }
    }
    (bytes, files)
}

/// A file that is still coming in. It is removed if it is not completed.
struct PartFile(PathBuf);

impl Drop for PartFile {
    fn drop(&mut self) {
        // If the file is not there, it was moved to its place or was never made. Removing it is one short call, so that blocking is fine.
        let _ = std::fs::remove_file(&self.0);
    }
}

async fn is_old(file: &fs::DirEntry, kept: Duration) -> bool {
    let modified = file
        .metadata()
        .await
        .and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| age(modified) > kept)
}

/// The age of a file by the machine's clock, which is also the file system's.
fn age(modified: SystemTime) -> Duration {
    let modified = chrono::DateTime::<chrono::Utc>::from(modified);
    (runner::clock::Clock::system().now() - modified)
        .to_std()
        .unwrap_or_default()
}

fn file_name(sha256: &Sha256) -> String {
    format!("file_{}", &sha256.hex()[..FILE_DIGITS])
}

fn is_file_name(name: &str) -> bool {
    let digits = name.strip_prefix("file_").unwrap_or_default();
    digits.len() == FILE_DIGITS
        && digits
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn no_file(path: &str) -> ApiError {
    let message = format!("there is no upload for the attachment `{path}`");
    ApiError::unprocessable("no_file", message)
        .hint("upload it with POST /v1/files; an upload is kept for a day")
}

fn no_room(most: u64) -> ApiError {
    let message = format!("uploads that wait may have {most} bytes together, in {FILES_MAX} files");
    too_large(message).hint("attach them to messages; what is a day old goes by itself")
}

fn too_large(message: String) -> ApiError {
    ApiError::new(
        axum::http::StatusCode::PAYLOAD_TOO_LARGE,
        "too_large",
        message,
    )
}

fn not_kept(error: &std::io::Error) -> ApiError {
    if error.kind() == std::io::ErrorKind::StorageFull {
        tracing::error!(cause = %error, "the disk of the data folder is full");
        let message = "the server's disk is full";
        return ApiError::new(
            axum::http::StatusCode::INSUFFICIENT_STORAGE,
            "disk_full",
            message,
        )
        .retryable();
    }
    ApiError::internal("keeping an upload", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uploads(place: &tempfile::TempDir) -> Uploads {
        let limits = Limits {
            upload_bytes: 10,
            uploads_bytes: 55,
            uploads_share: 2,
            ..Limits::default()
        };
        Uploads::new(place.path().join("uploads"), &limits)
    }

    async fn put(
        uploads: &Uploads,
        owner: &Owner,
        name: &str,
        texts: &[&str],
    ) -> Result<Uploaded, ApiError> {
        let room = uploads.reserve(owner, None, false).await?;
        uploads.put(room, name, pieces(texts)).await
    }

    fn pieces(pieces: &[&str]) -> impl Stream<Item = Result<Bytes, ApiError>> + use<> {
        futures::stream::iter(
            pieces
                .iter()
                .map(|piece| Ok(Bytes::copy_from_slice(piece.as_bytes())))
                .collect::<Vec<_>>(),
        )
    }

    fn by_file(file: &str) -> Attachment {
        Attachment {
            path: "a.md".to_owned(),
            file: Some(file.to_owned()),
            sha256: None,
        }
    }

    #[tokio::test]
    async fn an_upload_is_found_by_its_owner_under_its_name_and_its_hash() {
        let place = tempfile::tempdir().expect("a folder");
        let uploads = uploads(&place);
        let (ann, bob) = (Owner("ann".to_owned()), Owner("bob".to_owned()));
        let uploaded = put(&uploads, &ann, "a.md", &["hel", "lo"])
            .await
            .expect("kept");
        assert_eq!(
            (uploaded.size, uploaded.media_type.as_str()),
            (5, "text/markdown")
        );
        assert_eq!(uploaded.sha256, Sha256::of(b"hello").to_string());
        let upload = uploads
            .get(&ann, &by_file(&uploaded.file))
            .await
            .expect("there");
        assert_eq!(upload.bytes, "hello");
        let by_hash = Attachment {
            path: "a.md".to_owned(),
            file: None,
            sha256: Some(uploaded.sha256.clone()),
        };
        assert_eq!(
            uploads.get(&ann, &by_hash).await.expect("there").bytes,
            "hello"
        );
        let of_bob = uploads
            .get(&bob, &by_file(&uploaded.file))
            .await
            .map(|_| ())
            .map_err(|e| e.error.code);
        assert_eq!(of_bob, Err("no_file".into()));
        let outside = uploads
            .get(&ann, &by_file("../../etc/passwd"))
            .await
            .map(|_| ())
            .map_err(|e| e.error.code);
        assert_eq!(outside, Err("no_file".into()));
    }

    #[tokio::test]
    async fn an_upload_goes_with_the_last_session_that_attached_it() {
        let place = tempfile::tempdir().expect("a folder");
        let uploads = Uploads::new(place.path().join("uploads"), &Limits::default());
        let ann = Owner("ann".to_owned());
        let give = async |text: &str| {
            let uploaded = put(&uploads, &ann, "a.md", &[text]).await;
            by_file(&uploaded.expect("kept").file)
        };
        let is_there = async |file: &Attachment| uploads.get(&ann, file).await.is_ok();
        let (shared, own, waiting) = (give("both").await, give("own").await, give("none").await);
        let (s, t) = (SessionId::new("s"), SessionId::new("t"));
        uploads.attached(&ann, &shared, &s).await;
        uploads.attached(&ann, &shared, &t).await;
        uploads.attached(&ann, &own, &s).await;
        uploads.forget(&ann, &s).await;
        let left = [
            is_there(&shared).await,
            is_there(&own).await,
            is_there(&waiting).await,
        ];
        assert_eq!(left, [true, false, true]);
        uploads.forget(&ann, &t).await;
        assert!(!is_there(&shared).await);
        uploads.attached(&ann, &waiting, &s).await;
        give("none").await;
        uploads.forget(&ann, &s).await;
        assert!(is_there(&waiting).await, "it waits for another message");
    }

    #[tokio::test]
    async fn what_is_too_large_leaves_nothing_behind() {
        let place = tempfile::tempdir().expect("a folder");
        let uploads = uploads(&place);
        let ann = Owner("ann".to_owned());
        let refused = put(&uploads, &ann, "a.md", &["hello ", "world"])
            .await
            .map_err(|e| e.status.as_u16());
        assert_eq!(refused, Err(413));
        assert_eq!(kept_in(&uploads.folder_of(&ann)).await, (0, 0));
        assert_eq!(uploads.ledger.lock().await.len(), 0);
        let hostile = put(&uploads, &ann, "../a", &["x"])
            .await
            .map_err(|e| e.error.code);
        assert_eq!(hostile, Err("bad_file_name".into()));
        for text in ["1234567890", "2345678901"] {
            put(&uploads, &ann, "a.md", &[text]).await.expect("room");
        }
        let full = put(&uploads, &ann, "a.md", &["3456789012"])
            .await
            .map_err(|e| e.status.as_u16());
        assert_eq!(full, Err(413));
    }

    #[tokio::test]
    async fn uploads_at_the_same_time_have_the_room_of_one_owner_together() {
        let place = tempfile::tempdir().expect("a folder");
        let limits = Limits {
            upload_bytes: 10,
            uploads_bytes: 25,
            uploads_share: 3,
            ..Limits::default()
        };
        let uploads = Uploads::new(place.path().join("uploads"), &limits);
        let (ann, bob) = (Owner("ann".to_owned()), Owner("bob".to_owned()));
        let status = |reserved: Result<Reservation, ApiError>| {
            reserved.err().map(|error| error.status.as_u16())
        };
        let first = uploads.reserve(&ann, Some(10), false).await.expect("room");
        let second = uploads.reserve(&ann, Some(10), false).await.expect("room");
        assert_eq!(
            status(uploads.reserve(&ann, Some(6), false).await),
            Some(413)
        );
        assert_eq!(status(uploads.reserve(&bob, Some(10), false).await), None);
        // Bytes that were not announced are reserved as they come.
        let third = uploads.reserve(&ann, None, false).await.expect("a place");
        assert_eq!(status(uploads.reserve(&ann, None, false).await), Some(429));
        let late = uploads.put(third, "a.md", pieces(&["123", "456"])).await;
        assert_eq!(late.map_err(|error| error.status.as_u16()), Err(413));
        drop(first);
        let kept = uploads.put(second, "a.md", pieces(&["12345"])).await;
        assert_eq!(kept.expect("room").size, 5);
        assert_eq!(uploads.ledger.lock().await.len(), 0);
        assert_eq!(kept_in(&uploads.folder_of(&ann)).await.1, 1);
    }
}
