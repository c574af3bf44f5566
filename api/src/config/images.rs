//! Who draws pictures, and where pictures to go by may be fetched from.

use std::num::NonZeroU32;

use runner::ports::{ProviderLimits, References, Secret};
use serde::Deserialize;

use super::flags::Environment;
use super::{ConfigError, Flags, Models};

/// Calls at once where none are configured. A picture takes a minute and accounts are commonly allowed five a minute.
const CONCURRENCY: usize = 2;

/// The section as the file has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub api_key: Option<String>,
    pub concurrency: Option<usize>,
    pub requests_per_minute: Option<u32>,
}

/// A provider of pictures.
#[derive(Clone)]
pub struct Images {
    pub model: String,
    /// OpenAI-compatible; used as given. Absent: the address of OpenAI.
    pub base_url: Option<String>,
    pub api_key: Secret,
    pub limits: ProviderLimits,
}

impl Images {
    /// The provider, if a model is named.
    pub(super) fn of(
        flags: &Flags,
        environment: &Environment,
        file: File,
        models: &Models,
    ) -> Result<Option<Self>, ConfigError> {
        let named = flags.images_model.clone().or(file.model);
        let Some(model) = named.filter(|model| !model.is_empty()) else {
            return Ok(None);
        };
        let url = flags.images_url.clone().or(file.base_url);
        let base_url = url
            .filter(|url| !url.is_empty())
            .or(models.base_url.clone());
        let key = environment.get("PALIMPSEST_IMAGES_KEY").or(file.api_key);
        let api_key = key.map_or_else(|| models.api_key.clone(), Secret::new);
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
                concurrency: file.concurrency.unwrap_or(CONCURRENCY),
                requests_per_minute: file.requests_per_minute.and_then(NonZeroU32::new),
                tokens_per_minute: None,
            },
        }))
    }
}

/// The hosts that pictures may be fetched from, each checked.
pub(super) fn fetch_hosts(flags: &Flags, file: Vec<String>) -> Result<Vec<String>, ConfigError> {
    let hosts = flags.fetch_hosts.clone().unwrap_or(file);
    let hosts: Vec<String> = hosts
        .into_iter()
        .map(|host| host.trim().to_owned())
        .filter(|host| !host.is_empty())
        .collect();
    References::new(&hosts).map_err(|cause| ConfigError::bad("fetch-hosts", cause))?;
    Ok(hosts)
}
