//! Files that were uploaded and wait for a message to attach them. They lie in the data folder, by owner and content hash;
//! a message copies what it attaches into the log, and what is a day old goes.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aws_lc_rs::digest;
use bytes::Bytes;
use domain::hash::Sha256;
use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use tokio::fs;
use tokio::io::AsyncWriteExt;
use ts_rs::TS;
use utoipa::ToSchema;

use crate::config::Limits;
use crate::data::make_private;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::sniff;

/// How long an upload waits: a form that was left open over night can still be sent.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Digits of the content hash in the name of an uploaded file: 128 bits, which nobody meets by chance.
const FILE_DIGITS: usize = 32;

/// What a form may have around its file: a boundary, a few headers and fields.
const FORM_BYTES: u64 = 16 * 1024;

/// A file of a message: an upload and the path that it gets in the session.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Attachment {
    /// Relative, with `/` between segments.
    pub path: String,
    /// The name that the upload was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Or the hash of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[derive(Clone, Debug)]
pub struct Uploads {
    folder: PathBuf,
    file_bytes: u64,
    owner_bytes: u64,
}

impl Uploads {
    pub fn new(folder: PathBuf, limits: &Limits) -> Self {
        Self {
            folder,
            file_bytes: limits.upload_bytes,
            owner_bytes: limits.uploads_bytes,
        }
    }

    /// Refuses what is announced to be too large before it is sent. A form has some lines around its file.
    pub fn check_announced(&self, bytes: Option<u64>) -> Result<(), ApiError> {
        if bytes.is_some_and(|bytes| bytes > self.file_bytes + FORM_BYTES) {
            return Err(self.file_too_large());
        }
        Ok(())
    }

    fn file_too_large(&self) -> ApiError {
        too_large(format!(
            "the file is larger than the {} bytes that are taken",
            self.file_bytes
        ))
    }

    /// Keeps a file while its bytes come in; nothing of it stays unless all of it came.
    pub async fn put<E: std::fmt::Display>(
        &self,
        owner: &Owner,
        name: &str,
        bytes: impl Stream<Item = Result<Bytes, E>>,
    ) -> Result<Uploaded, ApiError> {
        if !name.is_empty() {
            commands::check_path(name)?;
        }
        let folder = self.folder_of(owner);
        make_private(&folder).map_err(|error| not_kept(&error))?;
        let room = self.owner_bytes.saturating_sub(size_of(&folder).await);
        let part = folder.join(format!("part-{}", runner::clock::fresh_id()));
        let written = self.write(&part, room, bytes).await;
        let done = match written {
            Ok((sha256, size, start)) => {
                let media_type = sniff::media_type(name, &start);
                let uploaded = Uploaded {
                    file: file_name(&sha256),
                    sha256: sha256.to_string(),
                    media_type,
                    size,
                };
                keep(&folder, &part, &uploaded)
                    .await
                    .map(|()| uploaded)
                    .map_err(|error| not_kept(&error))
            }
            Err(error) => Err(error),
        };
        if done.is_err() {
            // It may never have been made.
            let _ = fs::remove_file(&part).await;
        }
        done
    }

    async fn write<E: std::fmt::Display>(
        &self,
        part: &Path,
        room: u64,
        bytes: impl Stream<Item = Result<Bytes, E>>,
    ) -> Result<(Sha256, u64, Vec<u8>), ApiError> {
        let mut file = fs::File::create(part)
            .await
            .map_err(|error| not_kept(&error))?;
        let mut hash = digest::Context::new(&digest::SHA256);
        let (mut size, mut start) = (0_u64, vec![]);
        let mut bytes = std::pin::pin!(bytes);
        while let Some(piece) = bytes.next().await {
            let piece = piece
                .map_err(|error| ApiError::bad_request(format!("the upload broke off: {error}")))?;
            size += piece.len() as u64;
            if size > self.file_bytes {
                return Err(self.file_too_large());
            }
            if size > room {
                let message = format!(
                    "uploads that wait may have {} bytes together",
                    self.owner_bytes
                );
                return Err(too_large(message)
                    .hint("attach them to messages; what is a day old goes by itself"));
            }
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
        // Only names of our own making are looked for, so that none leads out of the folder.
        if !is_file_name(&name) {
            return Err(no_file(&attachment.path));
        }
        let place = self.folder_of(owner).join(&name);
        let kept = async {
            Ok::<_, std::io::Error>((fs::read(&place).await?, fs::read(with_type(&place)).await?))
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
                if is_old(&file).await {
                    let _ = fs::remove_file(file.path()).await;
                }
            }
        }
    }

    /// By a hash of the owner's name, which may not be a safe file name.
    fn folder_of(&self, owner: &Owner) -> PathBuf {
        self.folder.join(&*Sha256::of(owner.0.as_bytes()).hex())
    }
}

async fn keep(folder: &Path, part: &Path, uploaded: &Uploaded) -> std::io::Result<()> {
    let place = folder.join(&uploaded.file);
    fs::write(with_type(&place), &uploaded.media_type).await?;
    fs::rename(part, &place).await
}

fn with_type(place: &Path) -> PathBuf {
    place.with_extension("type")
}

async fn size_of(folder: &Path) -> u64 {
    let Ok(mut files) = fs::read_dir(folder).await else {
        return 0;
    };
    let mut total = 0;
    while let Ok(Some(file)) = files.next_entry().await {
        total += file.metadata().await.map_or(0, |metadata| metadata.len());
    }
    total
}

async fn is_old(file: &fs::DirEntry) -> bool {
    let modified = file
        .metadata()
        .await
        .and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| age(modified) > KEPT)
}

/// By the file system's clock, which is the machine's.
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
            ..Limits::default()
        };
        Uploads::new(place.path().join("uploads"), &limits)
    }

    fn pieces(pieces: &[&str]) -> impl Stream<Item = Result<Bytes, String>> {
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
        let uploaded = uploads
            .put(&ann, "a.md", pieces(&["hel", "lo"]))
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
    async fn what_is_too_large_leaves_nothing_behind() {
        let place = tempfile::tempdir().expect("a folder");
        let uploads = uploads(&place);
        let ann = Owner("ann".to_owned());
        let refused = uploads
            .put(&ann, "a.md", pieces(&["hello ", "world"]))
            .await
            .map_err(|e| e.status.as_u16());
        assert_eq!(refused, Err(413));
        assert_eq!(size_of(&uploads.folder_of(&ann)).await, 0);
        let hostile = uploads
            .put(&ann, "../a", pieces(&["x"]))
            .await
            .map_err(|e| e.error.code);
        assert_eq!(hostile, Err("bad_file_name".into()));
        for text in ["1234567890", "2345678901"] {
            uploads
                .put(&ann, "a.md", pieces(&[text]))
                .await
                .expect("room");
        }
        let full = uploads
            .put(&ann, "a.md", pieces(&["3456789012"]))
            .await
            .map_err(|e| e.status.as_u16());
        assert_eq!(full, Err(413));
    }
}
