//! Vectors for a step: the request is tried as often as the policy allows, and its answer is paid for once.

use std::time::Instant;

use super::{Embedder, Stop, ToolContext, ToolError};
use crate::clock::fresh_seed;
use crate::collections::{CollectionError, NewDocument};
use crate::error::SendError;
use crate::ports::{Embedded, EmbeddingRequest, ModelError, ModelErrorKind};
use bytes::Bytes;
use domain::carry::ToolOutcome;
use domain::collection::CollectionId;
use domain::settings::Settings;
use domain::vectors::{MEDIA_TYPE, TextHash, VectorDocument};
use domain::{Actor, DocumentId};
use serde_json::json;

/// Documents that one change may remove.
const REMOVED_AT_ONCE: usize = 500;

/// One exchange with the provider of vectors, which is one turn of a step.
struct Embedding<'a> {
    context: &'a ToolContext<'a>,
    embedder: &'a Embedder,
    request: EmbeddingRequest,
}

impl<'a> Embedding<'a> {
    fn of(context: &'a ToolContext<'_>, embedder: &'a Embedder, texts: &[String]) -> Embedding<'a> {
        Embedding {
            context,
            embedder,
            request: EmbeddingRequest::new(embedder.name(), texts, context.key()),
        }
    }

    /// The vectors, from an answer in the spool if there is one. The outer error ends the step.
    async fn vectors(&self) -> Result<Result<Embedded, ModelError>, Stop> {
        let port = self.embedder.port();
        let key = &self.request.idempotency_key;
        let spooled = self.context.spooled(key, || self.request.hash()).await?;
        if let Some(answer) = spooled {
            match port.read(&self.request, &answer) {
                Ok(embedded) => return Ok(Ok(embedded)),
                // An answer that cannot be read is of no use; the texts are asked for again.
                Err(_) => self.context.remove_spooled(key).await,
            }
        }
        let retry = self.context.retry();
        let mut tried = 0;
        loop {
            tried += 1;
            if tried > 1 {
                self.context.admit(tried).await?;
            }
            let answered = self.exchange().await?;
            let read = answered.and_then(|answer| port.read(&self.request, &answer));
            let error = match read {
                Ok(embedded) => {
                    metrics::counter!("palimpsest_embedding_tokens_total", "for" => "documents")
                        .increment(embedded.tokens);
                    return Ok(Ok(embedded));
                }
                Err(error) => error,
            };
            self.context.remove_spooled(key).await;
            let code = error.kind.code();
            metrics::counter!("palimpsest_embedding_errors_total", "code" => code).increment(1);
            let step = self.context.step();
            tracing::warn!(%step, tried, code, %error, "texts were given no vectors");
            let Some(pause) = retry.pause_after(tried, &error, fresh_seed()) else {
                return Ok(Err(error));
            };
            let had_too_many = error.kind == ModelErrorKind::RateLimited;
            let (limiter, turn) = (self.embedder.limiter(), &self.context.turn);
            let rests = turn.rest_for_provider(limiter, port.model(), had_too_many, pause);
            rests.await?;
        }
    }

    /// One exchange within the limits of the provider.
    async fn exchange(&self) -> Result<Result<Bytes, ModelError>, Stop> {
        let (cancel, port) = (self.context.cancel(), self.embedder.port());
        let waits = self.context.waits();
        let permit = self.embedder.limiter().permit(port.model(), 0, Some(waits));
        let hash = self.request.hash();
        let begun = self.context.begin_call(permit, &hash);
        let (permit, mut sink) = begun.await?;
        let started = Instant::now();
        let call = port.ask(&self.request, &mut sink, cancel);
        let answered = self.context.unless_overtaken(call).await?;
        drop(permit);
        metrics::histogram!("palimpsest_embedding_call_seconds")
            .record(started.elapsed().as_secs_f64());
        match answered {
            Ok(answer) => {
                self.context.answered(sink).await?;
                Ok(Ok(answer))
            }
            Err(_) if cancel.is_cancelled() => Err(Stop::Over),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// What vectors are made of, and where they are kept.
pub struct VectorsAbout {
    pub place: CollectionId,
    /// The document to which they belong; they are removed together with it.
    pub about: String,
}

/// The outcome for texts of which vectors were wanted.
pub struct MadeVectors {
    /// The document with the vectors, if they were made and kept.
    pub document: Option<VectorDocument>,
    /// What the step is told: how many there are, or why there are none.
    pub outcome: ToolOutcome,
}

impl From<ToolOutcome> for MadeVectors {
    fn from(outcome: ToolOutcome) -> Self {
        Self {
            document: None,
            outcome,
        }
    }
}

/// Gets vectors of these texts, in one exchange that is a turn of the step, and keeps them sealed in a collection of the owner. The tool
/// that calls this is paid for ([`Tool::is_paid`](super::Tool::is_paid)).
///
/// # Errors
///
/// Where the attempt ends meanwhile, or the log cannot be written.
pub async fn make_and_keep(
    context: &ToolContext<'_>,
    embedder: &Embedder,
    of: VectorsAbout,
    texts: Vec<(TextHash, String)>,
) -> Result<MadeVectors, ToolError> {
    if texts.is_empty() {
        let output = json!({ "texts": 0, "tokens": 0 });
        return Ok(ToolOutcome::gave(output, "none of the texts is there").into());
    }
    let session = context.session().await?;
    let run = session.run(context.step().run).ok_or(Stop::Over)?;
    let (hashes, texts): (Vec<TextHash>, Vec<String>) = texts.into_iter().unzip();
    let exchange = Embedding::of(context, embedder, &texts);
    let embedded = match exchange.vectors().await? {
        Ok(embedded) => embedded,
        Err(error) => return Ok(failed(&error).into()),
    };
    let cost_micros = cost_micros(&run.settings, embedder, embedded.tokens);
    let document = VectorDocument {
        name: embedder.name().to_owned(),
        about: of.about,
        vectors: hashes.into_iter().zip(embedded.vectors).collect(),
    };
    let new = NewDocument {
        id: DocumentId::new(document.id()),
        name: document.about.clone(),
        media_type: MEDIA_TYPE.to_owned(),
        content: document.bytes().into(),
        facts: document.facts(),
    };
    let (collections, owner, key) = (context.collections(), context.owner(), context.key());
    let kept = collections.put(owner, &of.place, new, &key, Actor::system());
    let mut made = match kept.await {
        Ok(_) => {
            let texts = document.vectors.len();
            let output = json!({
                "embedding": document.name, "texts": texts, "tokens": embedded.tokens,
            });
            MadeVectors {
                document: Some(document),
                outcome: ToolOutcome::gave(output, format!("{texts} texts")),
            }
        }
        Err(CollectionError::Refused(refusal)) => {
            ToolOutcome::refused(refusal.code(), &refusal.to_string(), false).into()
        }
        Err(error @ CollectionError::Log(_)) => return Err(error.into()),
    };
    made.outcome.cost_micros = cost_micros;
    Ok(made)
}

/// Removes documents of vectors that no search uses any longer. `stays` says of a document, by what it is about, whether it stays; where it
/// leaves this open, those stay that this model made of a text that is used.
///
/// # Errors
///
/// Where the log cannot be read or written.
pub async fn prune(
    context: &ToolContext<'_>,
    embedder: &Embedder,
    place: &CollectionId,
    stays: impl Fn(&str) -> Option<bool>,
    is_used: impl Fn(&TextHash) -> bool,
) -> Result<(), ToolError> {
    let (collections, owner) = (context.collections(), context.owner());
    let kept = collections.get(owner, place).await?;
    let mut gone = vec![];
    for (id, entry) in &kept.documents {
        let facts = &entry.document.facts;
        let stays = match stays(VectorDocument::about_of(facts).unwrap_or_default()) {
            Some(stays) => stays,
            None => {
                let bytes = collections.content(owner, place, &entry.document).await?;
                VectorDocument::read(facts, &bytes).is_some_and(|document| {
                    let mut texts = document.vectors.iter();
                    document.name == embedder.name() && texts.any(|(hash, _)| is_used(hash))
                })
            }
        };
        if !stays {
            gone.push(id.clone());
        }
    }
    gone.truncate(REMOVED_AT_ONCE);
    if gone.is_empty() {
        return Ok(());
    }
    let id = format!("{}#pruned", context.key());
    let pruned = collections.remove(owner, place, gone, &id, Actor::system());
    match pruned.await {
        // This call was made before a crash, and other documents were removed then.
        Ok(_) | Err(CollectionError::Log(SendError::IdReused)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn failed(error: &ModelError) -> ToolOutcome {
    let message = format!("{error}; {}", advice(error.kind));
    ToolOutcome::refused(error.kind.code(), &message, error.retryable())
}

/// What tokens cost with this provider, in millionths of the currency.
pub fn cost_micros(settings: &Settings, embedder: &Embedder, tokens: u64) -> u64 {
    settings.cost_micros(embedder.port().model(), tokens, 0, 0)
}

/// What a person can do if no vectors are made.
pub fn advice(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Unreachable => {
            "check that PALIMPSEST_EMBEDDINGS_URL is the provider's address and that it is up"
        }
        ModelErrorKind::Auth => "check PALIMPSEST_EMBEDDINGS_KEY",
        ModelErrorKind::OutOfCredit => "see to the account at the provider",
        ModelErrorKind::NoModel => {
            "check PALIMPSEST_EMBEDDINGS_MODEL, and that PALIMPSEST_EMBEDDINGS_URL is the provider's address"
        }
        ModelErrorKind::TooLong => {
            "have fewer characters or texts sent at once: `[embeddings]` has `chars` and `texts`"
        }
        ModelErrorKind::Rejected | ModelErrorKind::Filtered | ModelErrorKind::Refused => {
            "check the model's name, `dimensions` and `texts` under `[embeddings]`"
        }
        ModelErrorKind::NotAnAnswer | ModelErrorKind::Malformed => {
            "check PALIMPSEST_EMBEDDINGS_URL: the address of the interface mostly ends in `/v1`"
        }
        ModelErrorKind::NotKept => "make room on the disk of the data folder",
        ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Empty
        | ModelErrorKind::Length
        | ModelErrorKind::Loop
        | ModelErrorKind::Cancelled => "it is tried again later",
    }
}
