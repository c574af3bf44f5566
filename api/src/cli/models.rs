//! `models check`: asks the configured provider a few cheap questions to find out what each model accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use domain::carry::Call;
use runner::ports::habits::{Habits, THINKING_TOKENS};
use runner::ports::{
    AnswerSink, Message, Model, ModelAnswer, ModelErrorKind, ModelRequest, NamedSchema,
    OpenAiModel, Role, ToolSpec, parse_structured,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Settings;
use crate::config::Config;
use crate::start::provider;
use crate::verb::{Exit, Failure, out};

/// The most tokens of an answer, which is one word.
const ANSWER_TOKENS: u32 = 300;

/// The width of the first column, before what is said about it.
const COLUMN: usize = 24;

/// Which models there are, and what they take.
#[derive(Args, Debug)]
pub(super) struct Models {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Ask each configured model two cheap questions, and print what is known of it then
    Check,
}

pub(super) async fn models(settings: Settings, args: Models) -> Result<Exit, Failure> {
    match args.command {
        Command::Check => check(&settings.config).await,
    }
}

async fn check(config: &Config) -> Result<Exit, Failure> {
    if config.is_offline() || config.models.own.is_some() {
        return Err(Failure::usage(
            "no provider is configured: set OPENAI_BASE_URL, OPENAI_API_KEY and PALIMPSEST_MODEL",
        ));
    }
    crate::data::make_private(&config.data)?;
    let provider = provider(config)?;
    out::line(&format!("provider at {}", provider.known().host()))?;
    let mut all_answer = true;
    for (model, roles) in asked(config) {
        let roles: Vec<_> = roles.into_iter().collect();
        out::line("")?;
        out::line(&format!("{model}, for {}", roles.join(", ")))?;
        all_answer &= check_model(&provider, &model).await?;
        let price = config.prices.get(&model).copied();
        let price = price.or_else(|| config.models.list_price(&model));
        let units = |micros: u64| micros / 10_000;
        let unknown =
            "unknown: what it costs is not counted unless `[prices]` in the file names it";
        let price = price.map_or(unknown.to_owned(), |price| {
            let cents = |micros| format!("{}.{:02}", units(micros) / 100, units(micros) % 100);
            let (input, output) = (cents(price.input), cents(price.output));
            format!("{input} in, {output} out, for a million tokens")
        });
        said("price", &price)?;
    }
    Ok(if all_answer { Exit::Done } else { Exit::Failed })
}

/// Every model that may be asked, with its roles.
fn asked(config: &Config) -> BTreeMap<String, BTreeSet<String>> {
    let all = &config.models;
    let own = config.pipelines.values().flat_map(|own| &own.models);
    let named = [("default", &all.default), ("fallback", &all.fallback)];
    let named = named
        .into_iter()
        .filter_map(|(role, model)| Some((role.to_owned(), model.clone()?)));
    let by_role = all.by_role.iter().chain(own);
    let by_role = by_role.map(|(role, model)| (role.clone(), model.clone()));
    let mut models: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (role, model) in named.chain(by_role) {
        models.entry(model).or_default().insert(role);
    }
    models
}

/// Whether the model answers both questions.
async fn check_model(provider: &OpenAiModel, model: &str) -> Result<bool, Failure> {
    let mut learned = Learned::default();
    let shape = json!({"type": "object", "properties": {"word": {"type": "string", "enum": ["yes"]}},
        "required": ["word"], "additionalProperties": false});
    let mut question = question(
        model,
        "Answer with the word yes, as JSON: {\"word\": \"yes\"}",
    );
    question.schema = Some(NamedSchema {
        name: "word".to_owned(),
        schema: shape,
    });
    let shaped = ask(provider, &question, &mut learned, |answer| {
        let reason = answer.finish_reason.as_deref();
        let read = parse_structured(&answer.text, reason);
        match read {
            Ok(read) if read.value == json!({"word": "yes"}) => Ok(()),
            Ok(read) => Err(format!(
                "came, and is not what was asked for: {}",
                read.value
            )),
            Err(error) => Err(error.to_string()),
        }
    })
    .await;
    said("a structured answer", &shaped.told)?;
    if !shaped.is_exchanged {
        return Ok(false);
    }
    question.schema = None;
    question.messages[0] = Message::new(Role::User, "Call the tool `ping` with the word hello.");
    question.tools = vec![ToolSpec {
        name: "ping".to_owned(),
        description: "Takes a word.".to_owned(),
        parameters: json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}),
    }];
    let called = ask(provider, &question, &mut learned, |answer| {
        let is_ping = |call: &Call| call.name == "ping";
        if answer.tool_calls.iter().any(is_ping) {
            Ok(())
        } else {
            Err(
                "none came: stages that work with tools will end without what tools give"
                    .to_owned(),
            )
        }
    })
    .await;
    said("a call of a tool", &called.told)?;
    for told in &learned.0 {
        said("learned", told)?;
    }
    for (about, what) in shown(&provider.known().habits(model)) {
        said(about, &what)?;
    }
    Ok(shaped.is_right && called.is_exchanged)
}

fn question(model: &str, words: &str) -> ModelRequest {
    ModelRequest {
        role: "check".to_owned(),
        model: model.to_owned(),
        messages: vec![Message::new(Role::User, words)],
        schema: None,
        tools: vec![],
        temperature: Some(0.3),
        frequency_penalty: None,
        max_output_tokens: ANSWER_TOKENS,
        spare_tokens: THINKING_TOKENS,
        idempotency_key: runner::clock::fresh_id(),
    }
}

/// The result of a question.
struct Checked {
    told: String,
    /// Whether any answer came.
    is_exchanged: bool,
    is_right: bool,
}

async fn ask(
    provider: &OpenAiModel,
    question: &ModelRequest,
    learned: &mut Learned,
    read: impl FnOnce(&ModelAnswer) -> Result<(), String>,
) -> Checked {
    let started = Instant::now();
    let cancel = CancellationToken::new();
    let answer = provider.call(question, learned, &cancel).await;
    let answer = match answer.and_then(|answer| match answer.fault(question) {
        None => Ok(answer),
        Some(fault) => Err(fault),
    }) {
        Ok(answer) => answer,
        Err(error) => {
            let told = match advice(error.kind) {
                Some(advice) => format!("{}; {advice}", error.message),
                None => error.message,
            };
            return Checked {
                told,
                is_exchanged: false,
                is_right: false,
            };
        }
    };
    let tokens = answer.usage.map_or(
        "tokens are not counted, and estimated".to_owned(),
        |usage| format!("{} tokens in, {} out", usage.input, usage.output),
    );
    let read = read(&answer);
    let is_right = read.is_ok();
    let came = read.map_or_else(|wrong| wrong, |()| "came".to_owned());
    Checked {
        told: format!("{came}; {}, {tokens}", seconds(started.elapsed())),
        is_exchanged: true,
        is_right,
    }
}

/// What to look at where the settings or the account are the reason why no answer came.
fn advice(kind: ModelErrorKind) -> Option<&'static str> {
    match kind {
        ModelErrorKind::Unreachable => {
            Some("check that OPENAI_BASE_URL is the provider's address and that it is up")
        }
        ModelErrorKind::Auth => Some("check OPENAI_API_KEY"),
        ModelErrorKind::OutOfCredit => {
            Some("see to the account at the provider, which has no credit left")
        }
        ModelErrorKind::NoModel | ModelErrorKind::NotAnAnswer => Some(
            "check the model's name (PALIMPSEST_MODEL) and that OPENAI_BASE_URL is the provider's address, which mostly ends in `/v1`",
        ),
        ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Rejected
        | ModelErrorKind::TooLong
        | ModelErrorKind::Filtered
        | ModelErrorKind::Refused
        | ModelErrorKind::Empty
        | ModelErrorKind::Length
        | ModelErrorKind::Loop
        | ModelErrorKind::Malformed
        | ModelErrorKind::Cancelled
        | ModelErrorKind::NotKept => None,
    }
}

fn seconds(taken: Duration) -> String {
    format!("{:.1} s", taken.as_secs_f64())
}

/// Collects what refusals teach about a model.
#[derive(Default)]
struct Learned(Vec<String>);

impl AnswerSink for Learned {
    fn bytes(&mut self, _raw: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn text(&mut self, _delta: &str) {}

    fn learned(&mut self, told: &str) {
        self.0.push(told.to_owned());
    }
}

/// What is known about a model, without empty entries; of headers only the names.
fn shown(habits: &Habits) -> Vec<(&'static str, String)> {
    let list = |names: Vec<&str>| (!names.is_empty()).then(|| names.join(", "));
    let omitted = habits.omit.iter().chain(&habits.omit_keywords);
    let yes = |it: Option<bool>| it.map(|it| if it { "yes" } else { "no" }.to_owned());
    let number = |it: Option<u32>| it.map(|it| it.to_string());
    let capability = serde_json::to_value(habits.capability());
    let capability = capability
        .ok()
        .and_then(|name| Some(name.as_str()?.to_owned()));
    let limit = habits.output_limit.unwrap_or_default().field().to_owned();
    let record = [
        ("structured", capability),
        ("output_limit", Some(limit)),
        ("output_tokens", number(habits.output_tokens)),
        ("context_tokens", number(habits.context_tokens)),
        ("thinks", yes(habits.thinks)),
        ("reasoning_effort", habits.reasoning_effort.clone()),
        ("system", yes(habits.system)),
        ("alternates", yes(habits.alternates)),
        ("sends_back", yes(habits.sends_back)),
        ("left out", list(omitted.map(String::as_str).collect())),
        (
            "body",
            list(habits.body.keys().map(String::as_str).collect()),
        ),
        (
            "headers",
            list(habits.headers.0.keys().map(String::as_str).collect()),
        ),
        (
            "query",
            list(habits.query.keys().map(String::as_str).collect()),
        ),
    ];
    let record = record.into_iter();
    record
        .filter_map(|(about, what)| Some((about, what?)))
        .collect()
}

fn said(about: &str, what: &str) -> Result<(), Failure> {
    out::line(&format!("  {about:<COLUMN$}{what}"))
}
