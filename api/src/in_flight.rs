//! Large contents while they are sent. All who read the same content at the same time share one copy, and all copies together have a
//! limited amount of memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use bytes::Bytes;
use domain::hash::Sha256;
use store::StreamId;
use tokio::sync::{OnceCell, Semaphore};

use crate::config::Limits;
use crate::error::ApiError;
use crate::shares::{Account, Exceeded, Share, Shares};

/// Answers of this many bytes or more are counted. A thousand smaller ones are bounded by the number of requests at a time.
pub(crate) const LARGE_BYTES: u64 = 256 * 1024;

/// One owner may have the memory for large contents divided by this number.
const SHARE_OF: u64 = 2;

/// Contents that are loaded at the same time before it is known how large they are.
const UNSIZED_LOADS_MAX: usize = 4;

type Name = (StreamId, Sha256);

/// What is in memory. A clone is another handle on the same.
#[derive(Clone)]
pub struct InFlight {
    memory: Arc<Shares>,
    unsized_loads: Arc<Semaphore>,
    contents: Arc<Mutex<HashMap<Name, Weak<Shared>>>>,
}

/// One content, for all who read it.
#[derive(Default)]
struct Shared(OnceCell<Held>);

/// Bytes that are counted as long as anything refers to them.
pub(crate) struct Held {
    bytes: Bytes,
    _memory: Arc<Share>,
}

impl Held {
    pub(crate) fn new(bytes: Bytes, memory: Arc<Share>) -> Self {
        Self {
            bytes,
            _memory: memory,
        }
    }
}

/// A mark of answers whose bytes are counted already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted;

/// Keeps a content alive as long as any part of its bytes is used.
struct Reader(Arc<Shared>);

impl AsRef<[u8]> for Reader {
    fn as_ref(&self) -> &[u8] {
        self.0.0.get().map_or(&[], |held| &held.bytes)
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl InFlight {
    pub fn new(limits: &Limits) -> Self {
        let all = limits.answers_bytes;
        Self {
            memory: Shares::new("answers_bytes", all, all / SHARE_OF),
            unsized_loads: Arc::new(Semaphore::new(UNSIZED_LOADS_MAX)),
            contents: Arc::default(),
        }
    }

    /// The bytes of a content, loaded unless somebody has them in memory; `size` is the number of bytes, if it is known beforehand.
    pub(crate) async fn load<F>(
        &self,
        account: &Account,
        name: Name,
        size: Option<u64>,
        load: impl FnOnce() -> F,
    ) -> Result<Bytes, ApiError>
    where
        F: Future<Output = Result<Bytes, ApiError>>,
    {
        if size.is_some_and(|size| size < LARGE_BYTES) {
            return load().await;
        }
        let shared = self.shared(name);
        let loaded = shared.0.get_or_try_init(|| async {
            let (bytes, memory) = match size {
                Some(size) => {
                    let memory = self.memory(account, size)?;
                    (load().await?, memory)
                }
                None => {
                    let turn = self.unsized_loads.acquire().await;
                    let _turn = turn.map_err(|closed| ApiError::internal("reading", closed))?;
                    let bytes = load().await?;
                    let memory = self.memory(account, bytes.len() as u64)?;
                    (bytes, memory)
                }
            };
            Ok::<_, ApiError>(Held::new(bytes, Arc::new(memory)))
        });
        loaded.await?;
        Ok(Bytes::from_owner(Reader(shared)))
    }

    /// Takes so much memory for large contents.
    pub(crate) fn memory(&self, account: &Account, size: u64) -> Result<Share, ApiError> {
        self.memory
            .take(account, size)
            .map_err(|exceeded| match exceeded {
                Exceeded::All => ApiError::busy(),
                Exceeded::Each => {
                    let message =
                        "too many large answers to this key are being sent; read them first";
                    ApiError::too_many("too_many_answers", message)
                }
            })
    }

    fn shared(&self, name: Name) -> Arc<Shared> {
        let mut contents = self.lock();
        if let Some(shared) = contents.get(&name).and_then(Weak::upgrade) {
            return shared;
        }
        contents.retain(|_, shared| shared.strong_count() > 0);
        let shared = Arc::new(Shared::default());
        contents.insert(name, Arc::downgrade(&shared));
        shared
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Name, Weak<Shared>>> {
        self.contents
            .lock()
            .expect("nobody panics while looking it up")
    }
}

#[cfg(test)]
mod tests {
    use domain::SessionId;

    use super::*;

    const SIZE: u64 = LARGE_BYTES;

    fn in_flight(contents: u64) -> InFlight {
        InFlight::new(&Limits {
            answers_bytes: contents * SIZE,
            ..Limits::default()
        })
    }

    fn account(name: &str) -> Account {
        Account::Owner(name.to_owned())
    }

    async fn load(in_flight: &InFlight, owner: &str, content: u8) -> Result<Bytes, u16> {
        // Some callers know beforehand how large the content is.
        let size = content.is_multiple_of(2).then_some(SIZE);
        let stream = StreamId::new(owner, SessionId::new("s"));
        let name = (stream, Sha256::of(&[content]));
        let bytes = || async move { Ok(Bytes::from(vec![content; SIZE as usize])) };
        let loaded = in_flight.load(&account(owner), name, size, bytes).await;
        loaded.map_err(|error| error.status.as_u16())
    }

    #[tokio::test]
    async fn readers_of_one_content_share_it_and_others_have_what_is_left() {
        let in_flight = in_flight(4);
        let mut held = vec![];
        for _ in 0..10 {
            held.push(load(&in_flight, "ann", 1).await.expect("the same"));
        }
        assert_eq!(held[9], vec![1; SIZE as usize]);
        let other = load(&in_flight, "ann", 2).await.expect("half is hers");
        assert_eq!(load(&in_flight, "ann", 3).await, Err(429));
        let of_bob = load(&in_flight, "bob", 3)
            .await
            .expect("half is for others");
        // A part of a content keeps the whole content in memory.
        let part = held[0].slice(0..1);
        drop(held);
        assert_eq!(load(&in_flight, "ann", 3).await, Err(429));
        drop(part);
        assert!(load(&in_flight, "ann", 3).await.is_ok());
        drop((other, of_bob));
    }

    #[tokio::test]
    async fn what_could_not_be_loaded_is_loaded_again() {
        let in_flight = in_flight(4);
        let name = || (StreamId::new("ann", SessionId::new("s")), Sha256::of(b"a"));
        let fails = || async { Err(ApiError::no_session()) };
        let failed = in_flight
            .load(&account("ann"), name(), Some(SIZE), fails)
            .await;
        assert!(failed.is_err());
        let works = || async { Ok(Bytes::from_static(b"a")) };
        let loaded = in_flight
            .load(&account("ann"), name(), Some(SIZE), works)
            .await;
        assert_eq!(loaded, Ok(Bytes::from_static(b"a")));
    }
}
