//! The settings that a run is started with, from the configuration and the request.

use std::collections::BTreeMap;

use domain::language;
use domain::pipeline::Pipeline;
use domain::settings::{
    ATTEMPTS_MAX, Budget, EMBEDDINGS_ROLE, IMAGES_ROLE, OnBusy, Ports, Price, RETRY_WAIT_MS,
    Settings,
};
use domain::text::{LANGUAGE, language_of};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;
use utoipa::ToSchema;

use crate::config::{Config, OFFLINE};
use crate::error::ApiError;

/// The role of the model that is asked if the first choice of another role cannot be reached.
const FALLBACK_ROLE: &str = "fallback";

/// The widest stage that a request may ask for. The configuration has the same limit.
const WIDTH_MAX: u32 = 32;

/// What a request may say about its run. What is left out comes from the configuration.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct SettingsRequest {
    /// BCP 47 tag of the language to write in, such as `zh`, `en`, `ar` or `pt-BR`; that of the message where absent. The program's
    /// own words are Chinese or English.
    pub language: Option<String>,
    pub budget: Option<BudgetRequest>,
    /// What happens to a message that comes while a run is busy: `enqueue`, `refuse` or `interrupt`; as configured where
    /// absent.
    #[schema(value_type = Option<String>)]
    pub on_busy: Option<OnBusy>,
    /// Whether somebody is there to answer gates; where nobody is, they take their defaults at once. Default false.
    pub attended: Option<bool>,
    /// Attempts that a step has, 1 to 10, of a course 1 to 3.
    pub attempts: Option<u32>,
    /// Steps of one stage that work at the same time, 1 to 32.
    pub width: Option<u32>,
    /// Settings of the pipeline's own.
    #[serde(default)]
    #[schema(value_type = Object)]
    #[ts(type = "unknown", optional)]
    pub options: Value,
}

/// Limits of the run; those left out come from the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct BudgetRequest {
    /// Exchanges with models and paid tools.
    pub calls: Option<u64>,
    /// Input and output together.
    pub tokens: Option<u64>,
    /// Millionths of the currency the prices are in.
    pub cost_micros: Option<u64>,
    /// Milliseconds of work.
    pub working_ms: Option<u64>,
}

/// What happens to a message for this pipeline that comes while a run is busy.
pub fn on_busy(config: &Config, pipeline: &str, request: &SettingsRequest) -> OnBusy {
    let own = config.pipelines.get(pipeline);
    request
        .on_busy
        .or(own.and_then(|own| own.on_busy))
        .unwrap_or(config.on_busy)
}

/// Settings for a run of a pipeline on this text. `otherwise` is the language if the request names none and the text neither wishes for one nor is
/// surely written in one.
pub fn resolve(
    config: &Config,
    pipeline: Option<&dyn Pipeline>,
    text: &str,
    request: &SettingsRequest,
    otherwise: Option<&str>,
) -> Result<Settings, ApiError> {
    let own = pipeline.and_then(|pipeline| config.pipelines.get(pipeline.name()));
    let own = own.cloned().unwrap_or_default();
    let most = pipeline.map_or(ATTEMPTS_MAX, Pipeline::attempts_max);
    let attempts = request.attempts.or(own.attempts);
    let attempts = attempts.unwrap_or(config.attempts.min(most));
    let width = request.width.or(own.width).unwrap_or(config.width);
    within("attempts", attempts, most)?;
    within("width", width, WIDTH_MAX)?;
    let mut models = if config.is_offline() {
        BTreeMap::new()
    } else {
        models(config, own.models)
    };
    // Vectors of texts are also made where the offline author writes.
    if let Some(embeddings) = &config.embeddings {
        models.insert(EMBEDDINGS_ROLE.to_owned(), embeddings.model.clone());
    }
    Ok(Settings {
        language: written_in(request.language.as_deref(), text, otherwise)?,
        language_named: request.language.is_some(),
        ports: Ports {
            model: port(config).to_owned(),
            search: config.search.is_some(),
            images: config.images.is_some(),
            embeddings: config.embeddings.is_some(),
        },
        attempts,
        width,
        retry_wait_ms: own.retry_wait_ms.unwrap_or(RETRY_WAIT_MS),
        budget: budget(config.budget, request.budget.unwrap_or_default()),
        prices: prices(config, models.values()),
        models,
        attended: request.attended.unwrap_or(false),
        options: options(own.options, &request.options),
    })
}

/// The configured prices, and list prices for those models of the run that have no configured price.
fn prices<'a>(
    config: &Config,
    models: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, Price> {
    let mut prices = config.prices.clone();
    for model in models {
        if !prices.contains_key(model)
            && let Some(price) = config.models.list_price(model)
        {
            prices.insert(model.clone(), price);
        }
    }
    prices
}

/// What answers prompts, as the run's record names it.
fn port(config: &Config) -> &str {
    match &config.models.own {
        _ if config.is_offline() => OFFLINE,
        Some(own) => own,
        None => "openai",
    }
}

/// The pipeline's own settings: what the request says, else what is configured for the pipeline.
fn options(own: serde_json::Map<String, Value>, request: &Value) -> Value {
    if own.is_empty() {
        return request.clone();
    }
    let mut all = own;
    match request {
        Value::Object(request) => all.extend(request.clone()),
        Value::Null => {}
        // Not an object: the pipeline that reads the options refuses them.
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return request.clone();
        }
    }
    Value::Object(all)
}

/// The model of each role: as configured for the pipeline, else as configured for all.
fn models(config: &Config, own: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let all = &config.models;
    let mut models = all.by_role.clone();
    let images = config.images.as_ref().map(|images| images.model.clone());
    let default = all.default.clone().or_else(|| all.own.clone());
    let named = [
        ("default", &default),
        (FALLBACK_ROLE, &all.fallback),
        (IMAGES_ROLE, &images),
    ];
    models.extend(
        named
            .into_iter()
            .filter_map(|(role, model)| Some((role.to_owned(), model.clone()?))),
    );
    models.extend(own);
    models
}

fn written_in(
    wanted: Option<&str>,
    text: &str,
    otherwise: Option<&str>,
) -> Result<String, ApiError> {
    let Some(wanted) = wanted else {
        let sure = language::of_message(text).or(otherwise);
        let found = sure.or_else(|| language_of(text)).unwrap_or(LANGUAGE);
        return Ok(found.to_owned());
    };
    language::tag(wanted).ok_or_else(|| {
        let message = format!(
            "`{}` is no tag of a language; it is a BCP 47 tag, such as `zh`, `en`, `ar` or `pt-BR`",
            short(wanted)
        );
        ApiError::unprocessable("unknown_language", message)
    })
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}

fn budget(all: Budget, asked: BudgetRequest) -> Budget {
    Budget {
        calls: asked.calls.unwrap_or(all.calls),
        tokens: asked.tokens.unwrap_or(all.tokens),
        cost_micros: asked.cost_micros.unwrap_or(all.cost_micros),
        working_ms: asked.working_ms.unwrap_or(all.working_ms),
    }
}

fn within(name: &str, value: u32, most: u32) -> Result<(), ApiError> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(ApiError::unprocessable(
        "bad_settings",
        format!("`settings.{name}` is {value}; it is 1 to {most}"),
    ))
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::config::{Environment, Flags};
    use crate::testing::{LETTER, POSTCARD};

    fn config(pairs: &[(&str, &str)]) -> Config {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut flags = Flags::default();
        flags.given.fallback_model = Some("spare".to_owned());
        Config::load(
            &flags,
            &Environment::from_pairs(pairs),
            &[],
            &Default::default(),
        )
        .expect("right")
    }

    #[test]
    fn the_language_is_that_of_the_message_unless_it_is_named() {
        let request = |language: Option<&str>| SettingsRequest {
            language: language.map(str::to_owned),
            ..Default::default()
        };
        let language = |text, named| {
            resolve(
                &config(&[]),
                Some(LETTER),
                text,
                &request(named),
                Some("en"),
            )
            .map(|s| s.language)
        };
        assert_eq!(language("4!", None), Ok("en".to_owned()));
        assert_eq!(language("光合作用", None), Ok("zh".to_owned()));
        assert_eq!(language("Photosynthesis", None), Ok("en".to_owned()));
        assert_eq!(
            language("Letters about tides, in German", None),
            Ok("de".to_owned())
        );
        assert_eq!(
            language("Letters about tides, in German", Some("fr")),
            Ok("fr".to_owned())
        );
        assert_eq!(
            language("Photosynthesis", Some("zh-CN")),
            Ok("zh".to_owned())
        );
        assert_eq!(
            language("Photosynthesis", Some("pt-BR")),
            Ok("pt-BR".to_owned())
        );
        assert_eq!(
            language("Photosynthesis", Some("French")).map_err(|e| e.error.code),
            Err("unknown_language".into())
        );
    }

    #[test]
    fn a_busy_session_does_what_the_request_says_else_the_pipeline_else_everybody() {
        let mut config = config(&[]);
        let asked = |what| SettingsRequest {
            on_busy: what,
            ..Default::default()
        };
        let none = asked(None);
        assert_eq!(on_busy(&config, "letter", &none), OnBusy::Enqueue);
        config.on_busy = OnBusy::Refuse;
        assert_eq!(on_busy(&config, "letter", &none), OnBusy::Refuse);
        let own = crate::config::PipelineConfig {
            on_busy: Some(OnBusy::Interrupt),
            ..Default::default()
        };
        config.pipelines.insert("letter".to_owned(), own);
        assert_eq!(on_busy(&config, "letter", &none), OnBusy::Interrupt);
        assert_eq!(on_busy(&config, "postcard", &none), OnBusy::Refuse);
        let enqueue = asked(Some(OnBusy::Enqueue));
        assert_eq!(on_busy(&config, "letter", &enqueue), OnBusy::Enqueue);
    }

    #[test]
    fn models_by_role_are_frozen_with_the_run_and_offline_has_none() {
        let request = SettingsRequest::default();
        let online = [
            ("OPENAI_API_KEY", "k"),
            ("PALIMPSEST_MODEL_DEFAULT", "big"),
            ("PALIMPSEST_MODEL_WRITER", "small"),
        ];
        let settings = resolve(&config(&online), Some(LETTER), "x", &request, None).expect("right");
        let models: Vec<_> = settings
            .models
            .iter()
            .map(|(role, model)| (role.as_str(), model.as_str()))
            .collect();
        assert_eq!(
            models,
            [
                ("default", "big"),
                ("fallback", "spare"),
                ("writer", "small")
            ]
        );
        assert_eq!(settings.ports.model, "openai");
        let settings = resolve(&config(&[]), Some(LETTER), "x", &request, None).expect("right");
        assert_eq!(
            (settings.models.len(), settings.ports.model.as_str()),
            (0, "offline")
        );
    }

    #[test]
    fn what_a_request_asks_for_is_bounded() {
        let asked = |pipeline: &dyn Pipeline, attempts| {
            let request = SettingsRequest {
                attempts: Some(attempts),
                ..SettingsRequest::default()
            };
            let resolved = resolve(&config(&[]), Some(pipeline), "x", &request, None);
            resolved
                .map(|settings| settings.attempts)
                .map_err(|e| e.error.message)
        };
        assert_eq!(asked(POSTCARD, 10), Ok(10));
        let refused = Err("`settings.attempts` is 11; it is 1 to 10".into());
        assert_eq!(asked(POSTCARD, 11), refused);
        // One that asks again at most twice after a rejected output.
        assert_eq!(asked(LETTER, 3), Ok(3));
        let refused = Err("`settings.attempts` is 4; it is 1 to 3".into());
        assert_eq!(asked(LETTER, 4), refused);
    }

    #[test]
    fn what_is_configured_for_all_pipelines_is_taken_as_far_as_one_allows_it() {
        let mut flags = Flags::default();
        flags.given.attempts = Some(7);
        let config = Config::load(
            &flags,
            &Environment::from_pairs([]),
            &[],
            &Default::default(),
        )
        .expect("right");
        let pipelines: [&dyn Pipeline; 2] = [LETTER, POSTCARD];
        let attempts = pipelines.map(|pipeline| {
            let request = SettingsRequest::default();
            let resolved = resolve(&config, Some(pipeline), "x", &request, None);
            resolved.expect("right").attempts
        });
        assert_eq!(attempts, [3, 7]);
    }
}
