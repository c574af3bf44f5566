//! Blobs that are too large for rows: objects in a folder or in an S3-compatible store, sealed like everything else, named by
//! the hash of their stream and the hash of their content.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::hash::Sha256;
use domain::shown;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};

use crate::error::{OpenError, Storage};
use crate::ids::StreamId;

/// Where large blobs are kept.
#[derive(Clone, PartialEq, Eq)]
pub enum ObjectOptions {
    /// A folder, made if it is not there.
    Folder(PathBuf),
    /// A store such as `s3://bucket/prefix`, with its options (`aws_endpoint`, `aws_access_key_id` and so on).
    Url {
        url: String,
        options: Vec<(String, String)>,
    },
    /// In memory, for tests.
    Memory,
}

impl fmt::Debug for ObjectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => f.debug_tuple("Folder").field(folder).finish(),
            Self::Url { url, .. } => f
                .debug_struct("Url")
                .field("url", &shown::address(url))
                .finish_non_exhaustive(),
            Self::Memory => f.write_str("Memory"),
        }
    }
}

pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    /// Whether the store survives the loss of the data folder.
    is_apart: bool,
}

impl Objects {
    pub(crate) fn open(options: &ObjectOptions) -> Result<Self, OpenError> {
        // The errors contain addresses, so secrets are removed from them.
        let fail = |cause: String| OpenError::Objects {
            cause: shown::without_secrets(&cause).into_owned(),
        };
        let store: Arc<dyn ObjectStore> = match options {
            ObjectOptions::Folder(folder) => {
                std::fs::create_dir_all(folder)
                    .map_err(|e| fail(format!("{}: {e}", folder.display())))?;
                let local =
                    LocalFileSystem::new_with_prefix(folder).map_err(|e| fail(e.to_string()))?;
                // A durable append refers to the blob, so the blob has to be durable too.
                Arc::new(local.with_automatic_cleanup(true).with_fsync(true))
            }
            ObjectOptions::Url { url, options } => {
                let parsed = url::Url::parse(url).map_err(|e| fail(format!("{url}: {e}")))?;
                let (store, prefix) = object_store::parse_url_opts(
                    &parsed,
                    options.iter().map(|(k, v)| (k.as_str(), v.as_str())),
                )
                .map_err(|e| fail(e.to_string()))?;
                Arc::new(PrefixStore::new(store, prefix))
            }
            ObjectOptions::Memory => Arc::new(InMemory::new()),
        };
        let is_apart = matches!(options, ObjectOptions::Url { .. });
        Ok(Self { store, is_apart })
    }

    pub(crate) async fn put(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
        sealed: Vec<u8>,
    ) -> Result<(), Storage> {
        let put = self
            .store
            .put(&place(stream, sha256), PutPayload::from(sealed))
            .await;
        put.map(drop).map_err(|e| failed("writing a large blob", e))
    }

    pub(crate) async fn get(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
    ) -> Result<Option<Vec<u8>>, Storage> {
        let got = async { self.store.get(&place(stream, sha256)).await?.bytes().await }.await;
        match got {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("reading a large blob", error)),
        }
    }

    /// Puts a sealed blob under the name of its object, as [`object_name`] gives it.
    pub(crate) async fn put_at(&self, name: &str, sealed: Vec<u8>) -> Result<(), Storage> {
        let place = Path::from(name);
        let put = self.store.put(&place, PutPayload::from(sealed));
        put.await
            .map(drop)
            .map_err(|e| failed("writing a large blob", e))
    }

    /// Deletes a blob; one that is not there is deleted already.
    pub(crate) async fn delete(&self, stream: &StreamId, sha256: &Sha256) -> Result<(), Storage> {
        match self.store.delete(&place(stream, sha256)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("deleting a large blob", error)),
        }
    }

    /// Whether signed heads of the log are kept here. A folder does not keep them, because it would be lost or replaced together with the
    /// log.
    pub(crate) fn keeps_heads(&self) -> bool {
        self.is_apart
    }

    pub(crate) async fn put_head(
        &self,
        log: &str,
        position: u64,
        text: Vec<u8>,
    ) -> Result<(), Storage> {
        let place = head_place(log, position);
        let put = self.store.put(&place, PutPayload::from(text));
        put.await
            .map(drop)
            .map_err(|e| failed("writing a signed head", e))
    }

    /// The positions of the heads of a log that are kept here.
    pub(crate) async fn heads(&self, log: &str) -> Result<Vec<u64>, Storage> {
        let folder = Path::from(format!("heads/{log}"));
        let listed: Result<Vec<_>, _> = self.store.list(Some(&folder)).try_collect().await;
        let listed = listed.map_err(|e| failed("listing signed heads", e))?;
        let names = listed
            .iter()
            .filter_map(|object| object.location.filename());
        Ok(names.filter_map(|name| name.parse().ok()).collect())
    }

    pub(crate) async fn head(&self, log: &str, position: u64) -> Result<Option<Vec<u8>>, Storage> {
        let place = head_place(log, position);
        let got = async { self.store.get(&place).await?.bytes().await }.await;
        match got {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("reading a signed head", error)),
        }
    }

    pub(crate) async fn remove_head(&self, log: &str, position: u64) -> Result<(), Storage> {
        match self.store.delete(&head_place(log, position)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("removing a signed head", error)),
        }
    }

    /// Shows the place of every object here, and when it came.
    pub(crate) async fn for_each(
        &self,
        mut see: impl FnMut(&str, DateTime<Utc>) + Send,
    ) -> Result<(), Storage> {
        let mut all = self.store.list(None);
        while let Some(object) = all.next().await {
            let object = object.map_err(|e| failed("listing large blobs", e))?;
            see(object.location.as_ref(), object.last_modified);
        }
        Ok(())
    }

    /// Deletes everything that a stream has here.
    pub(crate) async fn delete_all(&self, stream: &StreamId) -> Result<(), Storage> {
        let folder = folder(stream);
        let places = self
            .store
            .list(Some(&folder))
            .map_ok(|object| object.location)
            .boxed();
        let mut deleted = self.store.delete_stream(places);
        while let Some(one) = deleted.next().await {
            match one {
                // Somebody else may be deleting them as well.
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(failed("deleting large blobs", error)),
            }
        }
        Ok(())
    }
}

/// Answers that were paid for but are not yet in the log: for processes that share the log and not the data folder. They are objects beside
/// the large blobs of their session, so that they are erased with it. The caller seals them before it puts them here.
#[derive(Clone)]
pub struct AnswerStore(Arc<Objects>);

impl AnswerStore {
    /// # Errors
    ///
    /// [`OpenError::Objects`] where the place cannot be used.
    pub fn open(options: &ObjectOptions) -> Result<Self, OpenError> {
        Ok(Self(Arc::new(Objects::open(options)?)))
    }

    /// Keeps the answer of a turn, whose key is made of hexadecimal digits.
    pub async fn put(&self, stream: &StreamId, key: &str, sealed: Bytes) -> Result<(), Storage> {
        let place = answer_place(stream, key);
        let put = self.0.store.put(&place, PutPayload::from(sealed));
        put.await
            .map(drop)
            .map_err(|e| failed("writing an answer", e))
    }

    pub async fn get(&self, stream: &StreamId, key: &str) -> Result<Option<Bytes>, Storage> {
        let place = answer_place(stream, key);
        let got = async { self.0.store.get(&place).await?.bytes().await }.await;
        match got {
            Ok(bytes) => Ok(Some(bytes)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("reading an answer", error)),
        }
    }

    /// One that is not there is removed already.
    pub async fn remove(&self, stream: &StreamId, key: &str) -> Result<(), Storage> {
        match self.0.store.delete(&answer_place(stream, key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("removing an answer", error)),
        }
    }
}

impl std::fmt::Debug for AnswerStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AnswerStore")
    }
}

fn failed(doing: &'static str, error: object_store::Error) -> Storage {
    Storage::new(
        doing,
        error,
        "check that the place for blobs is reachable, writable and not full, and try again",
    )
}

/// Session ids are whatever clients chose; a hash of them is a safe name in any store. The first two digits are a folder of
/// their own, because directories with a hundred thousand entries are slow.
fn folder(stream: &StreamId) -> Path {
    Path::from(folder_name(stream))
}

/// What the places of all objects of a stream begin with, before a slash.
pub(crate) fn folder_name(stream: &StreamId) -> String {
    let hash = Sha256::of_parts([stream.owner.as_bytes(), stream.session.as_str().as_bytes()]);
    format!("{}/{hash}", &hash.hex()[..2])
}

fn place(stream: &StreamId, sha256: &Sha256) -> Path {
    Path::from(format!("{}/{sha256}", folder(stream)))
}

/// The name of the object that a blob is kept in.
pub(crate) fn object_name(stream: &StreamId, sha256: &Sha256) -> String {
    place(stream, sha256).to_string()
}

fn answer_place(stream: &StreamId, key: &str) -> Path {
    Path::from(format!("{}/spool/{key}", folder(stream)))
}

/// Names in the order of the positions.
fn head_place(log: &str, position: u64) -> Path {
    Path::from(format!("heads/{log}/{position:020}"))
}
