//! What is known of a model at its endpoint: how it is asked, what it takes and how long it may take. It is put together from
//! three sources, the later ones over the earlier: the families that the program knows, what is configured, and what refusals
//! have taught.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::openai::TimeLimits;
use super::secret::Secret;

/// How a model is told which shape its answer must have, from the surest way to the least sure one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// The provider enforces the schema.
    #[default]
    JsonSchema,
    /// The provider enforces JSON, and checks it against a schema that stands beside it, as llama.cpp's server does. Other servers ignore
    /// that schema, so it stands in the prompt, too.
    JsonObjectWithSchema,
    /// The provider enforces JSON; the schema stands in the prompt.
    JsonObject,
    /// The provider enforces nothing; the schema stands in the prompt.
    Text,
}

impl Capability {
    /// What is asked for where this one was refused; nothing is left below [`Capability::Text`].
    pub(super) fn next(self) -> Option<Self> {
        match self {
            Self::JsonSchema => Some(Self::JsonObjectWithSchema),
            Self::JsonObjectWithSchema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::Text),
            Self::Text => None,
        }
    }
}

/// The names that the limit of output has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

impl LimitName {
    /// The field of the request.
    pub fn field(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// A provider's list price: units of its currency for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListPrice {
    pub input: f64,
    pub output: f64,
    /// For tokens that the provider had cached; the same as the price of input where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
}

/// Headers of a request, by their names. Their values may be keys, and are not printed.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headers(pub BTreeMap<String, String>);

impl Headers {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text without the values of headers that, by their names, are there to identify whoever asks.
    pub(super) fn redact(&self, text: &str) -> String {
        let secret = |name: &str| {
            let name = name.to_ascii_lowercase();
            SECRET_NAMES.iter().any(|part| name.contains(part))
        };
        let values = self.0.iter().filter(|(name, _)| secret(name));
        // A value such as `Bearer sk-…` is repeated with its first word or without.
        let words = values.flat_map(|(_, value)| value.split_whitespace());
        words.fold(text.to_owned(), |text, word| {
            Secret::new(word).redact(&text)
        })
    }
}

/// What stands in the names of headers that carry secrets.
const SECRET_NAMES: [&str; 5] = ["key", "auth", "token", "secret", "cookie"];

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// What is known of a model. What is absent is as usual.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Habits {
    /// How the shape of an answer is asked for.
    pub structured: Option<Capability>,
    pub output_limit: Option<LimitName>,
    /// The most tokens of an answer.
    pub output_tokens: Option<u32>,
    /// The tokens of prompt and answer together.
    pub context_tokens: Option<u32>,
    /// Whether it reasons before it answers; then its limit of output has to leave room for the reasoning.
    pub thinks: Option<bool>,
    /// Sent as `reasoning_effort`.
    pub reasoning_effort: Option<String>,
    /// Whether it accepts a system message; if not, the instructions stand before the first message of the user.
    pub system: Option<bool>,
    /// Whether user and assistant have to take turns.
    pub alternates: Option<bool>,
    /// Whether it accepts back what it sent beside its tool calls, such as its reasoning.
    pub sends_back: Option<bool>,
    /// Fields of the request, and keywords of JSON Schema, that are left out.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub omit: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub omit_keywords: BTreeSet<String>,
    /// Further fields of the request.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
    /// Further headers; `{key}` in a value stands for the key. An empty value removes a header.
    #[serde(skip_serializing_if = "Headers::is_empty")]
    pub headers: Headers,
    /// The query that is added to every address.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    pub first_byte_seconds: Option<u64>,
    pub between_chunks_seconds: Option<u64>,
    pub total_seconds: Option<u64>,
    pub price: Option<ListPrice>,
}

impl Habits {
    /// These habits; where they say nothing, those of `other`.
    #[must_use]
    pub fn over(self, other: &Self) -> Self {
        let mut all = other.clone();
        all.body.extend(self.body);
        all.headers.0.extend(self.headers.0);
        all.query.extend(self.query);
        all.omit.extend(self.omit);
        all.omit_keywords.extend(self.omit_keywords);
        Self {
            structured: self.structured.or(all.structured),
            output_limit: self.output_limit.or(all.output_limit),
            output_tokens: self.output_tokens.or(all.output_tokens),
            context_tokens: self.context_tokens.or(all.context_tokens),
            thinks: self.thinks.or(all.thinks),
            reasoning_effort: self.reasoning_effort.or(all.reasoning_effort),
            system: self.system.or(all.system),
            alternates: self.alternates.or(all.alternates),
            sends_back: self.sends_back.or(all.sends_back),
            first_byte_seconds: self.first_byte_seconds.or(all.first_byte_seconds),
            between_chunks_seconds: self.between_chunks_seconds.or(all.between_chunks_seconds),
            total_seconds: self.total_seconds.or(all.total_seconds),
            price: self.price.or(all.price),
            ..all
        }
    }

    /// The way in which the shape of an answer is asked for.
    pub fn capability(&self) -> Capability {
        self.structured.unwrap_or_default()
    }

    /// Whether a field of the request is sent.
    pub(super) fn takes(&self, field: &str) -> bool {
        !self.omit.contains(field)
    }

    /// The limit of output to ask for where a step needs this many tokens, and this many more for reasoning. It is at most what the model
    /// allows, and at most what its context holds beside a prompt of about `asked` tokens.
    pub(super) fn limit_for(&self, needed: u32, thinking: u32, asked: u64) -> u32 {
        let thinking = if self.thinks == Some(true) {
            thinking
        } else {
            0
        };
        let wanted = needed.saturating_add(thinking);
        let room = self.context_tokens.map_or(u32::MAX, |context| {
            let asked = asked + asked / ESTIMATE_SLACK;
            let left = u64::from(context).saturating_sub(asked);
            u32::try_from(left)
                .unwrap_or(u32::MAX)
                .max(ANSWER_TOKENS_MIN)
        });
        wanted.min(self.output_tokens.unwrap_or(u32::MAX)).min(room)
    }

    /// The time limits of an exchange: those of these habits where they have any, otherwise the usual ones.
    pub(super) fn times(&self, usual: &TimeLimits) -> TimeLimits {
        let or = |own: Option<u64>, usual: Duration| own.map_or(usual, Duration::from_secs);
        TimeLimits {
            connect: usual.connect,
            first_byte: or(self.first_byte_seconds, usual.first_byte),
            between_chunks: or(self.between_chunks_seconds, usual.between_chunks),
            total: or(self.total_seconds, usual.total),
        }
    }
}

/// One part in this many is added to an estimate of tokens: for texts with much code or markup the estimate is too low by about that much.
const ESTIMATE_SLACK: u64 = 5;

/// The least that is asked for where the prompt seems to fill the context: the estimate may be wrong, and where it is right the
/// provider says so in its own numbers.
const ANSWER_TOKENS_MIN: u32 = 256;

/// Tokens that a model that reasons may use for its reasoning, in addition to its answer. Reasoning counts as output; at the effort that is
/// usual it seldom takes more than this.
pub const THINKING_TOKENS: u32 = 16_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_later_stands_over_what_was_said_before_and_lists_grow() {
        let family: Habits = toml::from_str(
            "structured = \"json_object\"\nomit = [\"temperature\"]\noutput_tokens = 8192\n[headers]\na = \"1\"",
        )
        .expect("habits");
        let own: Habits = toml::from_str(
            "structured = \"text\"\nomit = [\"stream_options\"]\n[headers]\na = \"2\"",
        )
        .expect("habits");
        let all = own.over(&family);
        assert_eq!(all.capability(), Capability::Text);
        assert_eq!(all.output_tokens, Some(8192));
        assert!(!all.takes("temperature") && !all.takes("stream_options"));
        assert_eq!(all.headers.0["a"], "2");
        assert_eq!(format!("{:?}", all.headers), "{\"a\"}");
    }

    #[test]
    fn whoever_thinks_gets_room_for_it_up_to_what_the_model_has() {
        let habits = |thinks, output_tokens| Habits {
            thinks,
            output_tokens,
            ..Habits::default()
        };
        assert_eq!(habits(None, None).limit_for(300, THINKING_TOKENS, 100), 300);
        assert_eq!(
            habits(Some(true), None).limit_for(300, THINKING_TOKENS, 100),
            16_300
        );
        assert_eq!(
            habits(Some(true), Some(8_192)).limit_for(300, THINKING_TOKENS, 100),
            8_192
        );
    }

    #[test]
    fn what_a_header_identifies_with_is_not_repeated() {
        let headers = [
            ("api-key", "az-1234567890"),
            ("Authorization", "Token tk-abcdefgh"),
            ("X-Title", "Palimpsest"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers = Headers(headers.into());
        assert_eq!(
            headers.redact("az-1234567890 and tk-abcdefgh are not known to Palimpsest"),
            "[secret] and [secret] are not known to Palimpsest"
        );
    }

    #[test]
    fn no_more_is_asked_for_than_the_context_holds_beside_the_prompt() {
        let habits = Habits {
            context_tokens: Some(8_192),
            ..Habits::default()
        };
        assert_eq!(habits.limit_for(4_000, 0, 1_000), 4_000);
        assert_eq!(habits.limit_for(4_000, 0, 5_000), 2_192);
        assert_eq!(habits.limit_for(4_000, 0, 50_000), ANSWER_TOKENS_MIN);
    }
}
