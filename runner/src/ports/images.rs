//! The images port: one picture from a provider, from words alone or also from a reference picture.
//!
//! Asking and reading are apart: [`Images::draw`] is the exchange that is paid for, whose bytes go through the sink into the
//! spool; [`Images::picture`] makes a picture of these bytes, fetching it where they only say where it is, and may be done
//! again as often as needed.

use async_trait::async_trait;
use bytes::Bytes;
use domain::hash::Sha256;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::model::{AnswerSink, ModelError};

pub use render::picture::{Picture, PictureError, at_most};

/// Draws pictures: a provider behind HTTP.
#[async_trait]
pub trait Images: Send + Sync {
    /// The model that draws, by its name at the provider.
    fn model(&self) -> &str;

    /// Makes exactly one exchange and returns the provider's bytes. Cancelling the token ends the call, and with it the connection, at
    /// once.
    ///
    /// # Errors
    ///
    /// The same kinds as of a model's call.
    async fn draw(
        &self,
        request: &ImageRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<Bytes, ModelError>;

    /// The picture that an answer holds or points to, decoded and without metadata.
    ///
    /// # Errors
    ///
    /// [`PictureFault::Answer`] where the answer itself is of no use, [`PictureFault::Fetch`] where it can be read and only the
    /// picture could not be fetched: that costs nothing to try again.
    async fn picture(
        &self,
        answer: &Bytes,
        cancel: &CancellationToken,
    ) -> Result<DrawnPicture, PictureFault>;
}

/// What is to be drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageRequest {
    /// The model's name at the provider.
    pub model: String,
    pub prompt: String,
    /// In pixels; a provider that has only some sizes draws the one that is nearest in shape.
    pub width: u32,
    pub height: u32,
    /// The picture to follow, if there is one.
    pub reference: Option<Reference>,
    /// Names the turn: the same turn asked again carries the same key.
    #[serde(skip)]
    pub idempotency_key: String,
}

/// A picture that the new one is to follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    pub sha256: String,
    pub media_type: String,
    #[serde(skip)]
    pub bytes: Bytes,
}

impl ImageRequest {
    /// SHA-256, in hex, of everything that is asked; the reference counts by its hash.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("a request has only text keys");
        Sha256::of(&text).to_string()
    }
}

/// A picture that was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnPicture {
    pub picture: Picture,
    /// What the provider made of the prompt, where it says so.
    pub revised_prompt: Option<String>,
}

/// Why an answer gave no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureFault {
    #[error(transparent)]
    Answer(ModelError),
    #[error(transparent)]
    Fetch(ModelError),
}
