//! The embeddings port: vectors of texts, by whose nearness a search finds what means the same in other words.
//!
//! Asking and reading are apart: [`Embeddings::ask`] is the exchange that is paid for, whose bytes go through the sink into the
//! spool; [`Embeddings::read`] makes vectors of these bytes, and may be done again as often as needed.

use async_trait::async_trait;
use bytes::Bytes;
use domain::hash::Sha256;
use domain::masking::Mask;
use domain::vectors::Embedding;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::model::{AnswerSink, Discard, ModelError};

/// A provider of vectors.
#[async_trait]
pub trait Embeddings: Send + Sync {
    /// The name of its vectors. Vectors of different names cannot be compared.
    fn name(&self) -> &str;

    /// The model's name at the provider. Its price is configured under this name.
    fn model(&self) -> &str;

    /// How many texts one exchange may have.
    fn texts_max(&self) -> usize;

    /// Makes exactly one exchange and returns the provider's bytes. A text that is too long for the model is cut at its end. Cancelling
    /// the token ends the call and the connection at once.
    ///
    /// # Errors
    ///
    /// The same kinds as of a model's call. `Rejected`, without an exchange, if a text is empty or there are too many texts.
    async fn ask(
        &self,
        request: &EmbeddingRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<Bytes, ModelError>;

    /// The vectors that an answer holds.
    ///
    /// # Errors
    ///
    /// `Malformed` if the answer does not hold one vector for each text.
    fn read(&self, request: &EmbeddingRequest, answer: &[u8]) -> Result<Embedded, ModelError>;

    /// Vectors of any number of texts, in their order, with as many exchanges as needed. If one exchange fails, the vectors of those before
    /// it are lost although they were paid for. A step therefore makes each exchange in a separate turn.
    ///
    /// # Errors
    ///
    /// Those of [`Self::ask`] and [`Self::read`].
    async fn embed(
        &self,
        texts: &[String],
        cancel: &CancellationToken,
    ) -> Result<Embedded, ModelError> {
        let mut all = Embedded::default();
        for texts in texts.chunks(self.texts_max()) {
            let request = EmbeddingRequest::new(self.name(), texts, String::new());
            let answer = self.ask(&request, &mut Discard, cancel).await?;
            let part = self.read(&request, &answer)?;
            all.vectors.extend(part.vectors);
            all.tokens += part.tokens;
        }
        Ok(all)
    }
}

/// Texts whose vectors are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EmbeddingRequest {
    /// The name of the vectors.
    pub embedding: String,
    pub texts: Vec<String>,
    /// Names the turn: the same turn asked again carries the same key. Empty where there is no turn.
    #[serde(skip)]
    pub idempotency_key: String,
}

impl EmbeddingRequest {
    /// A request for these texts, in which placeholders stand for credentials and personal data. A text has the same placeholders
    /// whatever stands beside it.
    pub fn new(embedding: &str, texts: &[String], idempotency_key: String) -> Self {
        let hidden = |text: &String| Mask::of([text.as_str()]).hide(text);
        Self {
            embedding: embedding.to_owned(),
            texts: texts.iter().map(hidden).collect(),
            idempotency_key,
        }
    }

    /// SHA-256, in hex, of everything that is asked.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("a request has only text keys");
        Sha256::of(&text).to_string()
    }
}

/// Vectors as they came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embedded {
    /// One for each text, in their order.
    pub vectors: Vec<Embedding>,
    /// The tokens that are billed: as the provider counted them, otherwise an estimate.
    pub tokens: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_embedded_without_their_secrets() {
        let texts = [
            "Ring 13912345670 or 13812345678",
            "客户卡号4111111111111111",
        ]
        .map(str::to_owned);
        let request = EmbeddingRequest::new("e-1", &texts, String::new());
        assert_eq!(
            request.texts,
            ["Ring [phone-1] or [phone-2]", "客户卡号[card-1]"]
        );
    }
}
