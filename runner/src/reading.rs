//! Files that people gave, read: on threads of their own, no more at a time than there are cores, each within a time limit, and
//! kept while they are in use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use domain::carry::Source;
use domain::event::FilePut;
use domain::hash::Sha256;
use domain::pictures::{self, CarriedPicture};
use intake::{IntakeLimits, Unreadable};
use smol_str::SmolStr;
use spec::source::{SourceDocument, SourceFormat};
use store::StreamId;
use tokio::sync::{OnceCell, Semaphore};
use tokio_util::sync::CancellationToken;

use store::panics;

/// Characters of files that are kept read, over all sessions: the steps of some dozen runs, with a textbook each.
const KEPT_CHARS_MAX: usize = 16_000_000;

/// Documents whose pictures are kept: those of which pages are drawn just now.
const WITH_PICTURES_MAX: usize = 4;

/// The most bytes of pictures that are kept of one document.
const PICTURES_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A file that was read.
#[derive(Debug)]
pub struct ReadFile {
    /// Without the bytes of the pictures in it.
    pub document: Arc<SourceDocument>,
    /// The pictures in it that pages can show.
    pub pictures: Arc<[CarriedPicture]>,
    /// The file's own text where it is one that people and models read as it stands, else its document as Markdown.
    pub text: Arc<str>,
    /// The format of that text.
    pub text_format: SourceFormat,
    pub chars: usize,
}

/// Identifies a file of a session. The path is part of the key because it distinguishes formats that the bytes do not.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    stream: StreamId,
    sha256: Sha256,
    path: SmolStr,
}

type Read = Result<Arc<ReadFile>, Unreadable>;

/// The pictures in a document, by their hashes; several pages may wait for them.
type PicturesInside = Arc<OnceCell<BTreeMap<Sha256, Vec<u8>>>>;

/// Reads files.
pub(crate) struct FileReader {
    /// What was read, the last used first.
    kept: Mutex<Vec<(Key, Read)>>,
    /// The pictures in the documents that were last asked for any, the last one first.
    pictures: Mutex<Vec<(Key, PicturesInside)>>,
    free: Arc<Semaphore>,
    cores: u32,
}

impl FileReader {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            kept: Mutex::default(),
            pictures: Mutex::default(),
            free: Arc::new(Semaphore::new(cores)),
            cores: u32::try_from(cores).unwrap_or(u32::MAX),
        }
    }

    /// What was read of a file before.
    pub(crate) fn known(&self, stream: &StreamId, file: &FilePut) -> Option<Read> {
        let key = key(stream, file);
        self.with(|kept| {
            let place = kept.iter().position(|(known, _)| *known == key)?;
            kept[..=place].rotate_right(1);
            Some(kept[0].1.clone())
        })
    }

    /// Reads a file with these bytes.
    pub(crate) async fn read(&self, stream: &StreamId, file: &FilePut, bytes: Bytes) -> Read {
        let path = file.path.clone();
        let read = self.in_time(move |stop| read(&path, &bytes, stop).map(Arc::new));
        let read = read.await;
        // A reading that ran out of time or memory may only have waited for others.
        let depends_on_others = matches!(
            read,
            Err(Unreadable::Stopped | Unreadable::OutOfTime { .. } | Unreadable::Busy)
        );
        if !depends_on_others {
            self.keep(key(stream, file), read.clone());
        }
        read
    }

    /// The bytes of a picture in a source with these bytes. The source is read again for this, once for all of its pictures.
    pub(crate) async fn picture(
        &self,
        stream: &StreamId,
        source: &Source,
        bytes: Bytes,
        sha256: Sha256,
    ) -> Result<Option<Vec<u8>>, Unreadable> {
        let key = Key {
            stream: stream.clone(),
            sha256: source.sha256,
            path: source.path.as_str().into(),
        };
        let inside = self.pictures_of(&key);
        let path = source.path.clone();
        let read = || {
            self.in_time(move |stop| {
                let document = intake::read(&path, &bytes, &IntakeLimits::default(), stop)?;
                Ok(pictures::picture_bytes(document))
            })
        };
        let all = inside.get_or_try_init(read).await?;
        if all.values().map(Vec::len).sum::<usize>() > PICTURES_BYTES_MAX {
            self.with_pictures(|kept| kept.retain(|(known, _)| *known != key));
        }
        Ok(all.get(&sha256).cloned())
    }

    /// Where the pictures of a document are, or will be once it is read.
    fn pictures_of(&self, key: &Key) -> PicturesInside {
        self.with_pictures(|kept| {
            let place = kept.iter().position(|(known, _)| known == key);
            let found = place.map(|place| kept.remove(place));
            let (_, inside) = found.unwrap_or_else(|| (key.clone(), PicturesInside::default()));
            kept.insert(0, (key.clone(), Arc::clone(&inside)));
            kept.truncate(WITH_PICTURES_MAX);
            inside
        })
    }

    fn with_pictures<T>(&self, use_it: impl FnOnce(&mut Vec<(Key, PicturesInside)>) -> T) -> T {
        use_it(&mut self.pictures.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads on a thread of its own, no longer than the limit. What others leave no memory for is read again, alone: whether a file can be
    /// read must not depend on how busy the process is.
    async fn in_time<T: Send + 'static>(
        &self,
        read: impl Fn(&dyn Fn() -> bool) -> Result<T, Unreadable> + Send + Sync + 'static,
    ) -> Result<T, Unreadable> {
        let read = Arc::new(read);
        match self.on_cores(1, Arc::clone(&read)).await {
            Err(Unreadable::Busy) => self.on_cores(self.cores, read).await,
            outcome => outcome,
        }
    }

    async fn on_cores<T: Send + 'static>(
        &self,
        cores: u32,
        read: Arc<impl Fn(&dyn Fn() -> bool) -> Result<T, Unreadable> + Send + Sync + 'static>,
    ) -> Result<T, Unreadable> {
        let taken = Arc::clone(&self.free).acquire_many_owned(cores).await;
        let waited_for = CancellationToken::new();
        // When this function ends, however it ends, nobody waits for the work any longer.
        let _end = waited_for.clone().drop_guard();
        let work = tokio::task::spawn_blocking(move || {
            let _taken = taken;
            read(&|| waited_for.is_cancelled())
        });
        let limit = IntakeLimits::default().time;
        match tokio::time::timeout(limit, work).await {
            Ok(Ok(read)) => read,
            Ok(Err(broken)) => Err(Unreadable::Damaged {
                format: "file",
                cause: match broken.try_into_panic() {
                    Ok(panic) => panics::noted("reading", panic.as_ref()),
                    Err(broken) => broken.to_string(),
                },
            }),
            Err(_) => Err(Unreadable::OutOfTime {
                seconds: limit.as_secs(),
            }),
        }
    }

    fn keep(&self, key: Key, read: Read) {
        self.with(|kept| {
            kept.retain(|(known, _)| *known != key);
            kept.insert(0, (key, read));
            let mut room = KEPT_CHARS_MAX;
            let fitting = kept.iter().take_while(|(_, read)| {
                let chars = read.as_ref().map_or(0, |read| read.chars);
                room = room.saturating_sub(chars + OF_EACH);
                room > 0
            });
            // The file that is in use stays, however long it is.
            let fitting = fitting.count().max(1);
            kept.truncate(fitting);
        });
    }

    /// The session is erased.
    pub(crate) fn forget(&self, stream: &StreamId) {
        self.with(|kept| kept.retain(|(known, _)| known.stream != *stream));
        self.with_pictures(|kept| kept.retain(|(known, _)| known.stream != *stream));
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut Vec<(Key, Read)>) -> T) -> T {
        use_it(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What keeping a file costs in addition to its text, in characters, so that many short ones are bounded as well.
const OF_EACH: usize = 4_000;

fn key(stream: &StreamId, file: &FilePut) -> Key {
    Key {
        stream: stream.clone(),
        sha256: file.blob.sha256,
        path: file.path.as_str().into(),
    }
}

fn read(path: &str, bytes: &[u8], stop: &dyn Fn() -> bool) -> Result<ReadFile, Unreadable> {
    let limits = IntakeLimits::default();
    let mut document = intake::read(path, bytes, &limits, stop)?;
    let text_format = match document.format {
        SourceFormat::Text
        | SourceFormat::Markdown
        | SourceFormat::Html
        | SourceFormat::Csv
        | SourceFormat::Json => document.format,
        SourceFormat::Xlsx
        | SourceFormat::Ods
        | SourceFormat::Docx
        | SourceFormat::Pptx
        | SourceFormat::Odt
        | SourceFormat::Odp
        | SourceFormat::Epub
        | SourceFormat::Pdf
        | SourceFormat::Picture => SourceFormat::Markdown,
    };
    let text = if text_format == document.format {
        intake::text(bytes)
    } else {
        intake::markdown(&document)
    };
    Ok(ReadFile {
        pictures: pictures::take_pictures(path, &mut document).into(),
        chars: text.chars().count(),
        document: Arc::new(document),
        text: text.into(),
        text_format,
    })
}

#[cfg(test)]
mod tests {
    use domain::ids::SessionId;

    use super::*;

    #[tokio::test]
    async fn a_document_is_read_once_for_all_of_its_pictures() {
        // A picture of one pixel.
        const PNG: &[u8] = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\
            \x00\x00\x00\x0a\x49\x44\x41\x54\x78\xda\x63\xf8\x0f\x00\x01\x01\x01\x00\x1c\xb0\x8c\x99\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";
        let reader = FileReader::new();
        let stream = StreamId::new("ann", SessionId::new("s"));
        let source = Source {
            path: "a.png".to_owned(),
            text: "".into(),
            document: Arc::default(),
            pictures: Arc::default(),
            sha256: Sha256::of(PNG),
        };
        let mut found = vec![];
        // Later there are no bytes that could be read.
        for bytes in [PNG, b""] {
            let bytes = Bytes::from_static(bytes);
            let picture = reader
                .picture(&stream, &source, bytes, Sha256::of(PNG))
                .await;
            found.push(picture.unwrap().as_deref() == Some(PNG));
        }
        assert_eq!(found, [true, true]);
        reader.forget(&stream);
        let nothing = reader
            .picture(&stream, &source, Bytes::new(), Sha256::of(PNG))
            .await;
        assert!(nothing.is_err(), "what is erased is forgotten");
    }
}
