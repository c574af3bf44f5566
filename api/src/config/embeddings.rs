//! The provider of vectors, by which searches find texts that mean the same in other words.

use std::num::NonZeroU32;

use domain::vectors::{DIMENSIONS_MAX, EMBEDDED_CHARS, EMBEDDING};
use runner::ports::openai_embeddings::{TEXTS_DEFAULT, TEXTS_MAX};
use runner::ports::{ProviderLimits, Secret};
use serde::Serialize;

use super::{ConfigError, Models, settings};

/// The smallest limit of characters: below it, a vector says little about a text.
const CHARS_MIN: usize = 100;

/// A provider of vectors.
#[derive(Clone, Serialize)]
pub struct Embeddings {
    pub model: String,
    /// OpenAI-compatible; used as given. Absent: the address of OpenAI.
    pub base_url: Option<String>,
    pub api_key: Secret,
    /// How many numbers a vector has, for models that let the request choose.
    pub dimensions: Option<usize>,
    /// Texts of one exchange.
    pub texts: usize,
    /// Characters of a text that are sent.
    pub chars: usize,
    #[serde(flatten)]
    pub limits: ProviderLimits,
}

impl Embeddings {
    /// The provider, if a model is named.
    pub(super) fn of(
        given: settings::Embeddings,
        models: &Models,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(model) = given.model.filter(|model| !model.is_empty()) else {
            return Ok(None);
        };
        if model == EMBEDDING {
            let cause = format!("`{EMBEDDING}` is what is done without a model");
            return Err(ConfigError::bad("embeddings-model", cause));
        }
        let own_url = given.base_url.filter(|url| !url.is_empty());
        // The key of the models goes to the provider of the models and to nobody else.
        let api_key = match (given.api_key, &own_url) {
            (Some(key), _) => key,
            (None, None) => models.api_key.clone(),
            (None, Some(url)) if models.base_url.as_ref() == Some(url) => models.api_key.clone(),
            (None, Some(_)) => Secret::default(),
        };
        let base_url = own_url.or(models.base_url.clone());
        if base_url.is_none() && api_key.is_empty() {
            return Err(ConfigError::bad(
                "embeddings-model",
                format!(
                    "`{model}` is to make vectors, and it is not said where: set PALIMPSEST_EMBEDDINGS_URL or OPENAI_BASE_URL, or a key"
                ),
            ));
        }
        let dimensions = given.dimensions;
        let dimensions = dimensions.map(|count| within("dimensions", count, 1, DIMENSIONS_MAX));
        let texts = given.texts.unwrap_or(TEXTS_DEFAULT);
        let chars = given.chars.unwrap_or(EMBEDDED_CHARS);
        Ok(Some(Self {
            model,
            base_url,
            api_key,
            dimensions: dimensions.transpose()?,
            texts: within("texts", texts, 1, TEXTS_MAX)?,
            chars: within("chars", chars, CHARS_MIN, EMBEDDED_CHARS)?,
            limits: ProviderLimits {
                concurrency: given.concurrency,
                requests_per_minute: given.requests_per_minute.and_then(NonZeroU32::new),
                tokens_per_minute: None,
            },
        }))
    }
}

fn within(name: &str, value: usize, least: usize, most: usize) -> Result<usize, ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let cause = format!("{value} is not between {least} and {most}");
    Err(ConfigError::bad(format!("embeddings.{name}"), cause))
}
