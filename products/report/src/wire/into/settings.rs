//! The settings of this contract, under its own names: a flag and a table of the file for its second address, and variables. Settings about
//! runs apply however a run is started.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use clap::Args;
use palimpsest::prelude::wire::{
    Config, ConfigError, Contract, Draft, Environment, PipelineConfig, WireConfig, address,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::REPORT;
use super::back_end::BackEnd;

/// The role of the model that writes one sentence about a file.
const SUMMARIZER: &str = "summarizer";

/// The contract's defaults.
const CONCURRENCY: u32 = 5;
const MAX_RETRY: u32 = 1;
const RETRY_DELAY_SECONDS: f64 = 3.0;
const CONFIRM_TIMEOUT_SECONDS: f64 = 600.0;

/// The most extra attempts: a step has at most ten attempts, and the first one counts.
const MAX_RETRY_MAX: u32 = 9;

/// The most sections that are written at the same time: the limit for the stages of every pipeline.
const CONCURRENCY_MAX: u32 = 32;

/// The longest wait before a repetition, in seconds: nobody watches for longer than ten minutes.
const RETRY_DELAY_SECONDS_MAX: f64 = 600.0;

/// The longest wait for an answer, in seconds: thirty days, after which nobody remembers the question.
const CONFIRM_TIMEOUT_SECONDS_MAX: f64 = 30.0 * 24.0 * 60.0 * 60.0;

/// What becomes of the runs of a session when the last connection that follows it closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnClose {
    /// The runs go on, and a client that reconnects finds what they made.
    #[default]
    Detach,
    /// They are cancelled.
    Cancel,
}

/// The flags of this wire.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
pub(crate) struct ReportFlags {
    /// Second address to serve on, the one that clients of the report protocol know [default: none]
    #[arg(
        long,
        env = "PALIMPSEST_REPORT_LISTEN",
        global = true,
        value_name = "ADDRESS"
    )]
    pub(crate) report_listen: Option<String>,
}

/// The table `[wires.report]` of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    listen: Option<String>,
}

/// The settings that the connections of this wire and the resources of its runs use.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReportSettings {
    pub(crate) on_close: OnClose,
    pub(crate) back_end: BackEnd,
}

impl ReportSettings {
    /// The settings of this process; the contract's defaults if it was started without this wire.
    pub(crate) fn of(config: &Config) -> Result<Self, ConfigError> {
        match config.of_wire::<Self>(REPORT) {
            Some(settings) => Ok(settings.clone()),
            None => Ok(Self {
                on_close: OnClose::default(),
                back_end: BackEnd::of(&Environment::default())?,
            }),
        }
    }
}

impl Contract for ReportFlags {
    fn wire(&self) -> &'static str {
        REPORT
    }

    fn read(
        &self,
        environment: &Environment,
        table: toml::Table,
        draft: &mut Draft<'_>,
    ) -> Result<WireConfig, ConfigError> {
        let table: Table = table
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::bad("wires.report", error.message()))?;
        let listen = self.report_listen.clone().or(table.listen);
        let listen = listen.map(|listen| address("report-listen", &listen));
        let listen = listen.transpose()?;
        let variables = Variables::of(environment)?;
        variables.configure(draft.pipelines.entry(REPORT.to_owned()).or_default());
        if let Some(models) = &mut draft.models {
            variables.configure_models(models);
        }
        let back_end = BackEnd::of(environment)?;
        let own = ReportSettings {
            on_close: variables.on_close,
            back_end,
        };
        Ok(WireConfig::new(listen, own))
    }
}

/// The values of the variables.
struct Variables {
    concurrency: Option<u32>,
    max_retry: Option<u32>,
    retry_delay_ms: u64,
    broadcast_tasks: bool,
    require_confirm: bool,
    confirm_timeout_s: u64,
    on_close: OnClose,
    small_model: Option<String>,
}

impl Variables {
    fn of(environment: &Environment) -> Result<Self, ConfigError> {
        let retry_delay = number(
            environment,
            "TEMPLATE_WS_RETRY_DELAY",
            0.0,
            RETRY_DELAY_SECONDS_MAX,
        )?;
        let timeout = number(
            environment,
            "TEMPLATE_WS_CONFIRM_TIMEOUT",
            1.0,
            CONFIRM_TIMEOUT_SECONDS_MAX,
        )?;
        Ok(Self {
            concurrency: number(environment, "TEMPLATE_WS_CONCURRENCY", 1, CONCURRENCY_MAX)?,
            max_retry: number(environment, "TEMPLATE_WS_MAX_RETRY", 0, MAX_RETRY_MAX)?,
            retry_delay_ms: whole(retry_delay.unwrap_or(RETRY_DELAY_SECONDS) * 1000.0),
            broadcast_tasks: boolean(environment, "TEMPLATE_WS_BROADCAST_TASKS", true),
            require_confirm: boolean(environment, "TEMPLATE_WS_REQUIRE_CONFIRM", true),
            confirm_timeout_s: whole(timeout.unwrap_or(CONFIRM_TIMEOUT_SECONDS).ceil()),
            on_close: on_close(environment)?,
            small_model: environment.get("SLM_MODEL"),
        })
    }

    /// Changes the settings of the report pipeline. A variable takes precedence over the file, and the file over the contract's default.
    fn configure(&self, pipeline: &mut PipelineConfig) {
        let width = self.concurrency.or(pipeline.width);
        pipeline.width = Some(width.unwrap_or(CONCURRENCY));
        let attempts = self.max_retry.map(|extra| 1 + extra).or(pipeline.attempts);
        pipeline.attempts = Some(attempts.unwrap_or(1 + MAX_RETRY));
        pipeline.retry_wait_ms = Some(self.retry_delay_ms);
        pipeline.options.extend([
            (
                "broadcast_tasks".to_owned(),
                Value::from(self.broadcast_tasks),
            ),
            (
                "require_confirm".to_owned(),
                Value::from(self.require_confirm),
            ),
            (
                "confirm_timeout_s".to_owned(),
                Value::from(self.confirm_timeout_s),
            ),
        ]);
    }

    /// Uses the small model for summaries, unless that role has a model of its own.
    fn configure_models(&self, by_role: &mut BTreeMap<String, String>) {
        if let Some(model) = &self.small_model {
            by_role
                .entry(SUMMARIZER.to_owned())
                .or_insert_with(|| model.clone());
        }
    }
}

/// Reads a boolean: 1, true, yes, y and 0, false, no, n in any case; anything else means the default.
fn boolean(environment: &Environment, name: &str, default: bool) -> bool {
    let text = environment.get(name).unwrap_or_default();
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "y" => true,
        "0" | "false" | "no" | "n" => false,
        _ => default,
    }
}

/// Reads a number within limits. A number outside of them is refused at start and not replaced.
fn number<T: FromStr + PartialOrd + fmt::Display + Copy>(
    environment: &Environment,
    name: &str,
    least: T,
    most: T,
) -> Result<Option<T>, ConfigError> {
    let Some(text) = environment.get(name) else {
        return Ok(None);
    };
    let known = text.trim().parse::<T>().ok();
    match known.filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => {
            let cause = format!("`{text}` is not a number between {least} and {most}");
            Err(ConfigError::bad(name, cause))
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range was checked"
)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

fn on_close(environment: &Environment) -> Result<OnClose, ConfigError> {
    let text = environment.get("TEMPLATE_WS_ON_CLOSE").unwrap_or_default();
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "detach" => Ok(OnClose::Detach),
        "cancel" => Ok(OnClose::Cancel),
        _ => Err(ConfigError::bad(
            "TEMPLATE_WS_ON_CLOSE",
            format!("`{text}` is none of detach, cancel"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Result<Variables, ConfigError> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Variables::of(&Environment::from_pairs(pairs))
    }

    fn configured(pairs: &[(&str, &str)], mut pipeline: PipelineConfig) -> PipelineConfig {
        variables(pairs).expect("right").configure(&mut pipeline);
        pipeline
    }

    #[test]
    fn the_second_address_is_that_of_the_flag_else_of_the_table_in_the_file() {
        let read = |flag: Option<&str>, table: &str| {
            let flags = ReportFlags {
                report_listen: flag.map(str::to_owned),
            };
            let table = table.parse().expect("a table");
            let mut draft = Draft {
                pipelines: &mut BTreeMap::new(),
                models: None,
            };
            flags.read(&Environment::default(), table, &mut draft)
        };
        let listen = |flag, table| {
            let config = read(flag, table).expect("right");
            config.listen.map(|address| address.port())
        };
        let file = "listen = '127.0.0.1:2'";
        assert_eq!(listen(None, ""), None);
        assert_eq!(listen(None, file), Some(2));
        assert_eq!(listen(Some("127.0.0.1:1"), file), Some(1));
        for (flag, table, name) in [
            (Some("8081"), "", "report-listen"),
            (None, "lisen = ''", "wires.report"),
        ] {
            let refused = read(flag, table).map(drop);
            assert!(
                matches!(&refused, Err(ConfigError::Bad { name: told, .. }) if told == name),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn a_variable_wins_over_the_file_and_the_file_over_the_default() {
        let default = configured(&[], PipelineConfig::default());
        assert_eq!((default.width, default.attempts), (Some(5), Some(2)));
        assert_eq!(default.retry_wait_ms, Some(3_000));
        let options =
            json!({ "broadcast_tasks": true, "require_confirm": true, "confirm_timeout_s": 600 });
        assert_eq!(Value::Object(default.options), options);
        let file = PipelineConfig {
            width: Some(7),
            attempts: Some(4),
            ..PipelineConfig::default()
        };
        let from_file = configured(&[], file.clone());
        assert_eq!((from_file.width, from_file.attempts), (Some(7), Some(4)));
        let pairs = [
            ("TEMPLATE_WS_CONCURRENCY", "2"),
            ("TEMPLATE_WS_MAX_RETRY", "0"),
            ("TEMPLATE_WS_RETRY_DELAY", "0.05"),
            ("TEMPLATE_WS_BROADCAST_TASKS", "No"),
            ("TEMPLATE_WS_REQUIRE_CONFIRM", "n"),
            ("TEMPLATE_WS_CONFIRM_TIMEOUT", "1.5"),
        ];
        let set = configured(&pairs, file);
        assert_eq!((set.width, set.attempts), (Some(2), Some(1)));
        assert_eq!(set.retry_wait_ms, Some(50));
        let options =
            json!({ "broadcast_tasks": false, "require_confirm": false, "confirm_timeout_s": 2 });
        assert_eq!(Value::Object(set.options), options);
    }

    #[test]
    fn a_boolean_that_is_none_means_the_default_and_a_number_that_is_none_is_refused() {
        for (text, expected) in [
            ("Y", true),
            ("yes", true),
            ("TRUE", true),
            (" 1 ", true),
            ("N", false),
            ("0", false),
            ("false", false),
            ("no", false),
            ("on", true),
            ("off", true),
        ] {
            let variables = variables(&[("TEMPLATE_WS_REQUIRE_CONFIRM", text)]).expect("right");
            assert_eq!(variables.require_confirm, expected, "{text}");
        }
        for (name, text) in [
            ("TEMPLATE_WS_CONCURRENCY", "0"),
            ("TEMPLATE_WS_CONCURRENCY", "many"),
            ("TEMPLATE_WS_MAX_RETRY", "-1"),
            ("TEMPLATE_WS_RETRY_DELAY", "NaN"),
            ("TEMPLATE_WS_CONFIRM_TIMEOUT", "0"),
            ("TEMPLATE_WS_ON_CLOSE", "stay"),
        ] {
            let refused = variables(&[(name, text)]).err();
            assert!(
                matches!(&refused, Some(ConfigError::Bad { name: told, .. }) if told == name),
                "{name}={text}: {refused:?}"
            );
        }
    }

    #[test]
    fn the_small_model_is_that_of_its_role_unless_the_role_has_one() {
        let variables = variables(&[("SLM_MODEL", "small")]).expect("right");
        let mut models = BTreeMap::new();
        variables.configure_models(&mut models);
        assert_eq!(models["summarizer"], "small");
        models.insert("summarizer".to_owned(), "named".to_owned());
        variables.configure_models(&mut models);
        assert_eq!(models["summarizer"], "named");
    }
}
