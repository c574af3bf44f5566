//! What a run was started with. The settings are recorded in `RunStarted`, so that a changed configuration does not change a run in flight.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::text::LANGUAGE;

/// Limits of one run. Defaults: a course deck of 12 pages takes about 20 calls and 150,000 tokens with a talkative model and one rejected
/// answer in four; each limit leaves about a factor of ten above that, so that it stops only a run that is out of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Budget {
    /// Exchanges with models and paid tools, failed ones included.
    pub calls: u64,
    /// Input and output together.
    pub tokens: u64,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
    /// Milliseconds that calls of models and tools take, added up also where calls are made at the same time.
    pub working_ms: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            calls: 200,
            tokens: 2_000_000,
            cost_micros: 20_000_000,
            working_ms: 2 * 60 * 60 * 1000,
        }
    }
}

/// Prices in millionths of the currency for a million tokens, so that `micros = tokens * price / 1_000_000`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Price {
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    /// Millionths for a picture.
    #[serde(default, skip_serializing_if = "is_free")]
    pub image: u64,
}

fn is_free(price: &u64) -> bool {
    *price == 0
}

/// The name under which the offline author is recorded where a model's would stand.
pub const OFFLINE: &str = "offline";

/// The role of the model that draws, in [`Settings::models`]; its price is that of a picture.
pub const IMAGES_ROLE: &str = "images";

/// The role of the model that makes vectors of texts, in [`Settings::models`]; its price is that of input.
pub const EMBEDDINGS_ROLE: &str = "embeddings";

/// Which effects were on when the run started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Ports {
    /// `offline` or `openai`.
    pub model: String,
    pub search: bool,
    /// Whether a provider makes pictures; otherwise pictures are drawn by this program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub images: bool,
    /// Whether a model makes vectors of texts; otherwise searches go by words alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub embeddings: bool,
}

impl Ports {
    pub fn is_offline(&self) -> bool {
        self.model == OFFLINE
    }
}

/// What happens to a message that comes while a run is busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OnBusy {
    /// It waits for its turn.
    #[default]
    Enqueue,
    /// It is refused, and nothing is recorded.
    Refuse,
    /// The busy run is cancelled for it.
    Interrupt,
}

/// Milliseconds before the second attempt. It is short, since the wait that a provider asks for is already respected within an attempt.
pub const RETRY_WAIT_MS: u64 = 500;

fn retry_wait_ms() -> u64 {
    RETRY_WAIT_MS
}

/// The most attempts that a step of any pipeline may be given: more would only pay again for something that does not work.
pub const ATTEMPTS_MAX: u32 = 10;

/// Everything a run was started with that is not its brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Settings {
    /// BCP 47 tag of the language to write in, `zh` or `en` so far.
    pub language: String,
    /// Whether somebody named the language; otherwise it is the language of the message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub language_named: bool,
    pub ports: Ports,
    /// Attempts that a step has: the first and its repetitions.
    pub attempts: u32,
    /// Steps of one stage that work at the same time.
    pub width: u32,
    /// Milliseconds between a failed attempt and the next one; doubled for each further one.
    #[serde(default = "retry_wait_ms")]
    pub retry_wait_ms: u64,
    pub budget: Budget,
    /// By model name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
    /// The model of each role; `default` is the model of all roles that are not named.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// Whether somebody may be there to answer a gate; where nobody is, gates take their default at once.
    pub attended: bool,
    /// Settings of the pipeline's own.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown")]
    pub options: Value,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: LANGUAGE.to_owned(),
            language_named: false,
            ports: Ports {
                model: "offline".to_owned(),
                search: false,
                images: false,
                embeddings: false,
            },
            attempts: 3,
            width: 3,
            retry_wait_ms: RETRY_WAIT_MS,
            budget: Budget::default(),
            prices: BTreeMap::new(),
            models: BTreeMap::new(),
            attended: false,
            options: Value::Null,
        }
    }
}

impl Settings {
    /// The model configured for a role, if any is.
    pub fn model_for(&self, role: &str) -> Option<&str> {
        self.models
            .get(role)
            .or_else(|| self.models.get("default"))
            .map(String::as_str)
    }

    /// The models that write, of any role: all but the ones that draw and make vectors.
    pub fn writing_models(&self) -> impl Iterator<Item = &str> {
        let writing = self.models.iter();
        let writing = writing.filter(|(role, _)| *role != IMAGES_ROLE && *role != EMBEDDINGS_ROLE);
        writing.map(|(_, model)| model.as_str())
    }

    /// The model that is configured for exactly this role, without falling back to `default`: for tasks that not every model can do, such
    /// as seeing.
    pub fn model_of(&self, role: &str) -> Option<&str> {
        let model = self.models.get(role).map(String::as_str);
        model.filter(|_| !self.ports.is_offline())
    }

    /// What this many tokens of this model cost; 0 where the price is not known.
    pub fn cost_micros(&self, model: &str, input: u64, cached: u64, output: u64) -> u64 {
        let price = self.prices.get(model).copied().unwrap_or_default();
        let fresh = input.saturating_sub(cached);
        (fresh * price.input + cached * price.cached + output * price.output) / 1_000_000
    }
}
