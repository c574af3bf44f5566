//! Who draws pictures, and where pictures to go by may be fetched from.

use std::num::NonZeroU32;

use runner::ports::{ProviderLimits, References, Secret};
use serde::Serialize;

use super::{ConfigError, Models, settings};

/// A provider of pictures.
#[derive(Clone, Serialize)]
pub struct Images {
    pub model: String,
    /// OpenAI-compatible; used as given. Absent: the address of OpenAI.
    pub base_url: Option<String>,
    pub api_key: Secret,
    #[serde(flatten)]
    pub limits: ProviderLimits,
}

impl Images {
    /// The provider, if a model is named.
    pub(super) fn of(
        given: settings::Images,
        models: &Models,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(model) = given.model.filter(|model| !model.is_empty()) else {
            return Ok(None);
        };
        let own_url = given.base_url.filter(|url| !url.is_empty());
        let base_url = own_url.or(models.base_url.clone());
        let api_key = given.api_key.unwrap_or_else(|| models.api_key.clone());
        if base_url.is_none() && api_key.is_empty() {
            return Err(ConfigError::bad(
                "images-model",
                format!(
                    "`{model}` is to draw, and it is not said where: set PALIMPSEST_IMAGES_URL or OPENAI_BASE_URL, or a key"
                ),
            ));
        }
        Ok(Some(Self {
            model,
            base_url,
            api_key,
            limits: ProviderLimits {
                concurrency: given.concurrency,
                requests_per_minute: given.requests_per_minute.and_then(NonZeroU32::new),
                tokens_per_minute: None,
            },
        }))
    }
}

/// The hosts that pictures may be fetched from, each checked.
pub(super) fn fetch_hosts(given: Vec<String>) -> Result<Vec<String>, ConfigError> {
    let hosts: Vec<String> = given
        .into_iter()
        .map(|host| host.trim().to_owned())
        .filter(|host| !host.is_empty())
        .collect();
    References::new(&hosts).map_err(|cause| ConfigError::bad("fetch-hosts", cause))?;
    Ok(hosts)
}
