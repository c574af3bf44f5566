//! Vectors for searches: the provider with its limits, and a cache of the vectors of recent queries. A search runs outside of a run, and
//! a person waits for it. So a query is tried once with a short time limit, and not at all while the provider is known to be down.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::vectors::{Embedding, Near, TextHash};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::ports::{Embeddings, Limiter, ModelError, ModelErrorKind, ProviderLimits};

/// How long a search waits for the vector of its query. Providers take a third of a second; a person who searches waits a few seconds.
const QUERY_LIMIT: Duration = Duration::from_secs(5);

/// Seconds for which no query is sent after a failure, so that not every search waits for a provider that is down.
const CLOSED_SECONDS: i64 = 30;

/// How long the vector of a query is kept.
const KEPT_MINUTES: i64 = 30;

/// Queries whose vectors are kept. With the largest vectors this is two megabytes.
const KEPT: usize = 512;

/// A provider of vectors as a program uses it. Cheap to clone.
#[derive(Clone)]
pub struct Embedder(Arc<Inner>);

struct Inner {
    port: Arc<dyn Embeddings>,
    limiter: Limiter,
    clock: Clock,
    queries: Mutex<Queries>,
}

#[derive(Default)]
struct Queries {
    kept: HashMap<TextHash, (DateTime<Utc>, Arc<Embedding>)>,
    /// Until when no query is sent, and the failure that is the reason.
    closed: Option<(DateTime<Utc>, ModelError)>,
}

/// The vector of a query.
#[derive(Clone, Debug)]
pub struct QueryVector {
    name: String,
    vector: Arc<Embedding>,
    /// The tokens that were billed for it; 0 if it came from the cache.
    pub tokens: u64,
}

impl QueryVector {
    /// The vector with its name, for comparison with vectors of the same name.
    pub fn near(&self) -> Near<'_> {
        Near {
            name: &self.name,
            vector: &self.vector,
        }
    }
}

impl Embedder {
    pub fn new(port: Arc<dyn Embeddings>, limits: ProviderLimits, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            port,
            limiter: Limiter::new(limits),
            clock,
            queries: Mutex::default(),
        }))
    }

    /// The name of its vectors.
    pub fn name(&self) -> &str {
        self.0.port.name()
    }

    /// The provider itself, for a step whose turn asks it.
    pub fn port(&self) -> &dyn Embeddings {
        self.0.port.as_ref()
    }

    pub fn limiter(&self) -> &Limiter {
        &self.0.limiter
    }

    /// The vector of a query, from the cache if the query was asked in the last half hour.
    ///
    /// # Errors
    ///
    /// Those of [`Embeddings::ask`]; `Timeout` after five seconds. After a failure that does not concern this text, every query that is not
    /// in the cache gets the same error for half a minute, and no request is sent.
    pub async fn query(&self, text: &str) -> Result<QueryVector, ModelError> {
        let (key, now) = (TextHash::of(text), self.0.clock.now());
        if let Some(vector) = self.known(key, now)? {
            return Ok(self.vector(vector, 0));
        }
        let asked = tokio::time::timeout(QUERY_LIMIT, self.ask(text)).await;
        let asked = asked.unwrap_or_else(|_| {
            let seconds = QUERY_LIMIT.as_secs();
            let message =
                format!("the provider had not given the vector of the query after {seconds} s");
            Err(ModelError::new(ModelErrorKind::Timeout, message))
        });
        let now = self.0.clock.now();
        match asked {
            Ok((vector, tokens)) => {
                let vector = Arc::new(vector);
                self.queries().keep(key, now, &vector);
                Ok(self.vector(vector, tokens))
            }
            Err(error) => {
                let code = error.kind.code();
                metrics::counter!("palimpsest_embedding_errors_total", "code" => code).increment(1);
                tracing::warn!(code, %error, "a query has no vector and is searched by its words");
                if !is_about_the_text(error.kind) {
                    let until = now + TimeDelta::seconds(CLOSED_SECONDS);
                    self.queries().closed = Some((until, error.clone()));
                }
                Err(error)
            }
        }
    }

    fn known(
        &self,
        key: TextHash,
        now: DateTime<Utc>,
    ) -> Result<Option<Arc<Embedding>>, ModelError> {
        let queries = self.queries();
        if let Some((at, vector)) = queries.kept.get(&key)
            && is_fresh(*at, now)
        {
            return Ok(Some(Arc::clone(vector)));
        }
        match &queries.closed {
            Some((until, error)) if now < *until => Err(error.clone()),
            Some(_) | None => Ok(None),
        }
    }

    async fn ask(&self, text: &str) -> Result<(Embedding, u64), ModelError> {
        let _permit = self.0.limiter.permit(self.0.port.model(), 0, None).await;
        let texts = [text.to_owned()];
        let embedded = self.0.port.embed(&texts, &CancellationToken::new()).await?;
        let tokens = embedded.tokens;
        metrics::counter!("palimpsest_embedding_tokens_total", "for" => "queries")
            .increment(tokens);
        let vector = embedded.vectors.into_iter().next();
        let vector = vector.ok_or_else(|| {
            ModelError::new(ModelErrorKind::Malformed, "the answer holds no vector")
        });
        Ok((vector?, tokens))
    }

    fn vector(&self, vector: Arc<Embedding>, tokens: u64) -> QueryVector {
        QueryVector {
            name: self.name().to_owned(),
            vector,
            tokens,
        }
    }

    fn queries(&self) -> MutexGuard<'_, Queries> {
        let queries = self.0.queries.lock();
        queries.expect("nothing panics while vectors are kept")
    }
}

impl std::fmt::Debug for Embedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Embedder");
        shown.field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Queries {
    fn keep(&mut self, key: TextHash, now: DateTime<Utc>, vector: &Arc<Embedding>) {
        self.closed = None;
        if self.kept.len() >= KEPT {
            self.kept.retain(|_, (at, _)| is_fresh(*at, now));
        }
        if self.kept.len() >= KEPT {
            let oldest = self.kept.iter().min_by_key(|(_, (at, _))| *at);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.kept.remove(&oldest);
            }
        }
        self.kept.insert(key, (now, Arc::clone(vector)));
    }
}

/// Whether the failure concerns this text, so that the provider may well accept another one.
fn is_about_the_text(kind: ModelErrorKind) -> bool {
    match kind {
        ModelErrorKind::Rejected
        | ModelErrorKind::TooLong
        | ModelErrorKind::Filtered
        | ModelErrorKind::Refused => true,
        ModelErrorKind::Unreachable
        | ModelErrorKind::Auth
        | ModelErrorKind::OutOfCredit
        | ModelErrorKind::NoModel
        | ModelErrorKind::NotAnAnswer
        | ModelErrorKind::NotKept
        | ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Malformed
        | ModelErrorKind::Empty
        | ModelErrorKind::Length
        | ModelErrorKind::Loop
        | ModelErrorKind::Cancelled => false,
    }
}

fn is_fresh(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    at <= now && now - at < TimeDelta::minutes(KEPT_MINUTES)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use bytes::Bytes;

    use super::*;
    use crate::ports::{AnswerSink, Embedded, EmbeddingRequest};

    /// Gives one vector for everything, fails for `down`, holds `rude` back, and never answers `slow`.
    #[derive(Default)]
    struct Scripted(AtomicUsize);

    #[async_trait]
    impl Embeddings for Scripted {
        fn name(&self) -> &'static str {
            "m-1"
        }
        fn model(&self) -> &'static str {
            "m-1"
        }
        fn texts_max(&self) -> usize {
            1
        }
        async fn ask(
            &self,
            request: &EmbeddingRequest,
            _: &mut dyn AnswerSink,
            _: &CancellationToken,
        ) -> Result<Bytes, ModelError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            match request.texts[0].as_str() {
                "rude" => Err(ModelError::new(ModelErrorKind::Filtered, "not that")),
                "down" => Err(ModelError::new(ModelErrorKind::Server, "it is down")),
                "slow" => std::future::pending().await,
                _ => Ok(Bytes::new()),
            }
        }
        fn read(&self, _: &EmbeddingRequest, _: &[u8]) -> Result<Embedded, ModelError> {
            let vectors = Embedding::of(&[1.0, 0.0]).into_iter().collect();
            Ok(Embedded { vectors, tokens: 3 })
        }
    }

    struct Asked {
        embedder: Embedder,
        port: Arc<Scripted>,
        /// Minutes after the beginning.
        minutes: Arc<AtomicUsize>,
    }

    impl Asked {
        fn new() -> Self {
            let (port, minutes) = (Arc::new(Scripted::default()), Arc::new(AtomicUsize::new(0)));
            let (start, passed) = (DateTime::UNIX_EPOCH, Arc::clone(&minutes));
            let clock = Clock::of(move || {
                let passed = i64::try_from(passed.load(Ordering::SeqCst)).expect("few");
                start + TimeDelta::minutes(passed)
            });
            let limits = ProviderLimits::default();
            Self {
                embedder: Embedder::new(Arc::clone(&port) as Arc<dyn Embeddings>, limits, clock),
                port,
                minutes,
            }
        }

        async fn tokens(&self, text: &str) -> Result<u64, ModelErrorKind> {
            let asked = self.embedder.query(text).await;
            asked.map(|query| query.tokens).map_err(|error| error.kind)
        }

        fn calls(&self) -> usize {
            self.port.0.load(Ordering::SeqCst)
        }
    }

    #[tokio::test]
    async fn a_query_is_paid_once_in_half_an_hour() {
        let it = Asked::new();
        assert_eq!(it.tokens("tides").await, Ok(3));
        it.minutes.store(29, Ordering::SeqCst);
        assert_eq!((it.tokens("tides").await, it.calls()), (Ok(0), 1));
        it.minutes.store(30, Ordering::SeqCst);
        assert_eq!((it.tokens("tides").await, it.calls()), (Ok(3), 2));
    }

    #[tokio::test]
    async fn a_provider_that_is_down_is_left_alone_for_a_while() {
        let it = Asked::new();
        assert_eq!(it.tokens("tides").await, Ok(3));
        assert_eq!(it.tokens("rude").await, Err(ModelErrorKind::Filtered));
        assert_eq!(it.tokens("down").await, Err(ModelErrorKind::Server));
        assert_eq!(it.tokens("dunes").await, Err(ModelErrorKind::Server));
        assert_eq!(it.tokens("tides").await, Ok(0));
        assert_eq!(it.calls(), 3);
        it.minutes.store(1, Ordering::SeqCst);
        assert_eq!((it.tokens("dunes").await, it.calls()), (Ok(3), 4));
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_waits_for_a_few_seconds_only() {
        let it = Asked::new();
        let started = tokio::time::Instant::now();
        assert_eq!(it.tokens("slow").await, Err(ModelErrorKind::Timeout));
        assert_eq!(started.elapsed(), QUERY_LIMIT);
    }
}
