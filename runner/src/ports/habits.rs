//! What an endpoint takes for a model, as far as its refusals have told: which parameters it does not know, by which name, and
//! how far. A refused request costs nothing, so it is asked again at once as the refusal wants it, and the next one is asked so
//! from the beginning.

use serde_json::Value;

use super::model::{ModelError, ModelErrorKind};
use super::openai::Capability;

/// How often one request is changed for refusals: each of the five habits below at most once, and the shape of the answer twice.
pub(super) const ADAPTATIONS_MAX: u32 = 6;

/// A limit of output below this leaves no room for any answer that is asked for here, so that no such one is taken on.
const OUTPUT_TOKENS_MIN: u32 = 256;

/// The names of the limit of output.
const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// What differs from what is usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Habits {
    /// How the shape of an answer is asked for, where not as configured.
    pub(super) capability: Option<Capability>,
    pub(super) refuses_temperature: bool,
    pub(super) refuses_stream_options: bool,
    /// The name of the limit of output, where not the usual one.
    pub(super) limit_name: Option<&'static str>,
    /// The most tokens of an answer.
    pub(super) output_tokens: Option<u32>,
}

/// What a refusal teaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lesson {
    pub(super) habits: Habits,
    /// For people: what is done now.
    pub(super) told: String,
    /// Whether it holds for every request to this model, and not for this long one alone.
    pub(super) lasts: bool,
}

impl Habits {
    /// What this refusal of this body teaches beyond what is known; nothing where the provider refuses something else.
    pub(super) fn after(&self, refusal: &ModelError, body: &Value) -> Option<Lesson> {
        let is_refusal = match refusal.kind {
            ModelErrorKind::Rejected => true,
            // Some servers answer what they cannot take with the status of a breakdown, and a validation error.
            ModelErrorKind::Server => refusal.status == Some(500),
            ModelErrorKind::Unreachable
            | ModelErrorKind::Timeout
            | ModelErrorKind::RateLimited
            | ModelErrorKind::OutOfCredit
            | ModelErrorKind::Cut
            | ModelErrorKind::Auth
            | ModelErrorKind::Malformed
            | ModelErrorKind::Cancelled
            | ModelErrorKind::NotKept => false,
        };
        if !is_refusal || refusal.status.is_none() {
            return None;
        }
        let says = refusal.message.to_lowercase();
        let lasting = |habits, told: &str| Lesson {
            habits,
            told: told.to_owned(),
            lasts: true,
        };
        self.shape(&says, body)
            .map(|(habits, told)| lasting(habits, told))
            .or_else(|| {
                let (habits, told) = self.parameter(&says, body)?;
                Some(lasting(habits, told))
            })
            .or_else(|| self.limit(&says, body))
    }

    /// The next way to ask for a shape: by schema, as JSON, in words.
    fn shape(&self, says: &str, body: &Value) -> Option<(Self, &'static str)> {
        let asked = body.pointer("/response_format/type")?.as_str()?;
        let words = [
            "response_format",
            "json_schema",
            "json_object",
            "structured output",
            "response format",
        ];
        if !words.iter().any(|word| says.contains(word)) {
            return None;
        }
        let (next, told) = if asked == "json_schema" {
            (
                Capability::JsonObject,
                "it enforces no schema: JSON is asked for, and the schema stands in the prompt",
            )
        } else {
            (
                Capability::Text,
                "it enforces no JSON: the schema stands in the prompt",
            )
        };
        let habits = Self {
            capability: Some(next),
            ..self.clone()
        };
        Some((habits, told))
    }

    /// A parameter that is not known, or under another name.
    fn parameter(&self, says: &str, body: &Value) -> Option<(Self, &'static str)> {
        let has = |field: &str| body.get(field).is_some();
        let named = |name| Self {
            limit_name: Some(name),
            ..self.clone()
        };
        if says.contains(MAX_COMPLETION_TOKENS) && has(MAX_TOKENS) {
            let told = "the limit of output is called `max_completion_tokens`";
            return Some((named(MAX_COMPLETION_TOKENS), told));
        }
        let is_unknown = [
            "unknown",
            "unrecognized",
            "unsupported",
            "not support",
            "extra",
            "not permitted",
        ]
        .iter()
        .any(|word| says.contains(word));
        if says.contains(MAX_COMPLETION_TOKENS) && has(MAX_COMPLETION_TOKENS) && is_unknown {
            return Some((
                named(MAX_TOKENS),
                "the limit of output is called `max_tokens`",
            ));
        }
        if says.contains("temperature") && has("temperature") {
            let habits = Self {
                refuses_temperature: true,
                ..self.clone()
            };
            return Some((habits, "it takes no temperature, which is left out"));
        }
        if says.contains("stream_options") && has("stream_options") {
            let habits = Self {
                refuses_stream_options: true,
                ..self.clone()
            };
            return Some((
                habits,
                "it takes no `stream_options`, which are left out: tokens may not be counted",
            ));
        }
        None
    }

    /// A limit of output above what the model has, or above what the prompt leaves of its context.
    fn limit(&self, says: &str, body: &Value) -> Option<Lesson> {
        let asked = body.get(MAX_TOKENS).or(body.get(MAX_COMPLETION_TOKENS))?;
        let asked = u32::try_from(asked.as_u64()?).ok()?;
        let is_about_it = [
            "max_tokens",
            "max_completion_tokens",
            "max tokens",
            "completion token",
            "output token",
            "context",
        ]
        .iter()
        .any(|word| says.contains(word));
        if !is_about_it {
            return None;
        }
        let numbers = numbers(says);
        let context = says.contains("context").then(|| left(says, &numbers));
        let (room, lasts) = match context {
            Some(room) => (room?, false),
            None => (below(&numbers, asked)?, true),
        };
        if room >= asked || room < OUTPUT_TOKENS_MIN {
            return None;
        }
        let habits = Self {
            output_tokens: Some(room),
            ..self.clone()
        };
        Some(Lesson {
            habits,
            told: format!("an answer may have {room} tokens, not {asked}"),
            lasts,
        })
    }
}

/// The numbers of a text, each with the place behind it.
fn numbers(says: &str) -> Vec<(u32, usize)> {
    let mut found = vec![];
    let mut rest = says;
    let mut at = 0;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let end = digits
            .find(|c: char| !c.is_ascii_digit() && c != ',')
            .unwrap_or(digits.len());
        let plain = digits[..end].replace(',', "");
        at += start + end;
        rest = &digits[end..];
        if let Ok(number) = plain.parse() {
            found.push((number, at));
        }
    }
    found
}

/// The largest number below what was asked: the limit that a refusal names beside it.
fn below(numbers: &[(u32, usize)], asked: u32) -> Option<u32> {
    let smaller = numbers.iter().map(|(number, _)| *number);
    smaller.filter(|number| *number < asked).max()
}

/// What the prompt leaves of a context: the refusal names the context first, and the prompt's tokens with a word for them.
fn left(says: &str, numbers: &[(u32, usize)]) -> Option<u32> {
    let behind = says.find("context")?;
    let (context, _) = numbers.iter().find(|(_, at)| *at > behind)?;
    let of_prompt = |(_, at): &&(u32, usize)| {
        let words: String = says[*at..].chars().take(24).collect();
        let words = words.trim_start_matches(" tokens");
        [
            "in the messages",
            "in the prompt",
            "of text input",
            "of input",
            "input tokens",
            "prompt tokens",
        ]
        .iter()
        .any(|word| words.contains(word))
    };
    let (prompt, _) = numbers.iter().find(of_prompt)?;
    context.checked_sub(*prompt)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(status: u16, message: &str) -> ModelError {
        let kind = if status == 500 {
            ModelErrorKind::Server
        } else {
            ModelErrorKind::Rejected
        };
        ModelError {
            status: Some(status),
            ..ModelError::new(kind, message)
        }
    }

    fn body() -> Value {
        json!({
            "max_tokens": 32000, "temperature": 0.3, "stream_options": {"include_usage": true},
            "response_format": {"type": "json_schema"},
        })
    }

    fn learned(message: &str) -> Option<Lesson> {
        Habits::default().after(&refusal(400, message), &body())
    }

    #[test]
    fn what_providers_say_they_do_not_take_is_left_out_or_called_otherwise() {
        let says = |message: &str| learned(message).expect("a lesson").habits;
        let shape = says("This response_format type is unavailable now");
        assert_eq!(shape.capability, Some(Capability::JsonObject));
        let named = says(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        );
        assert_eq!(named.limit_name, Some(MAX_COMPLETION_TOKENS));
        let warm = says(
            "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
        );
        assert!(warm.refuses_temperature);
        assert!(
            says("Unrecognized request argument supplied: stream_options").refuses_stream_options
        );
    }

    #[test]
    fn a_limit_is_read_out_of_the_refusal_and_the_context_counts_for_one_request() {
        for (message, room, lasts) in [
            (
                "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
                16_384,
                true,
            ),
            (
                "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
                8_192,
                true,
            ),
            (
                "`max_tokens` must be less than or equal to `32,000`, the maximum value for `max_tokens` is less than the `context_window` for this model",
                0,
                true,
            ),
            (
                "This model's maximum context length is 33000 tokens. However, you requested 40000 tokens (8000 in the messages, 32000 in the completion).",
                25_000,
                false,
            ),
        ] {
            let lesson = learned(message);
            if room == 0 {
                assert_eq!(lesson, None, "{message}");
                continue;
            }
            let lesson = lesson.expect(message);
            assert_eq!(
                (lesson.habits.output_tokens, lesson.lasts),
                (Some(room), lasts),
                "{message}"
            );
        }
        // No room is left for an answer.
        assert_eq!(
            learned("maximum context length is 8000 tokens, you have 7990 tokens in the messages"),
            None
        );
    }

    #[test]
    fn the_shape_is_asked_for_in_words_at_last_and_then_no_more() {
        let known = learned("json_schema is not supported")
            .expect("a lesson")
            .habits;
        let mut body = body();
        body["response_format"] = json!({"type": "json_object"});
        let refused = refusal(500, "1 validation error: response_format.type");
        let known = known.after(&refused, &body).expect("a lesson").habits;
        assert_eq!(known.capability, Some(Capability::Text));
        body.as_object_mut()
            .expect("an object")
            .remove("response_format");
        assert_eq!(known.after(&refused, &body), None);
    }

    #[test]
    fn other_refusals_teach_nothing() {
        assert_eq!(learned("the model `m` does not exist"), None);
        assert_eq!(learned("content policy violation"), None);
        let broken = ModelError {
            kind: ModelErrorKind::RateLimited,
            ..refusal(429, "temperature")
        };
        assert_eq!(Habits::default().after(&broken, &body()), None);
    }
}
