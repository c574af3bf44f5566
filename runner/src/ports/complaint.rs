//! What providers say when they give no answer, and what that means: one table for refusals with a status, for errors in the
//! middle of a stream, and for bodies with status 200 that hold an error.

use std::time::Duration;

use serde_json::Value;
use words::rows;

use super::model::{ModelError, ModelErrorKind};

/// How much of a provider's own words an error carries.
const MAX_QUOTED_CHARS: usize = 500;

/// How the message of a refusal with a status begins.
pub(super) const ANSWERED: &str = "the provider answered ";

/// What a provider complains of.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Complaint {
    /// Its word for programs: a code, a type or a status.
    pub(super) code: String,
    /// Its words for people.
    pub(super) words: String,
    /// The status that stands in the body.
    pub(super) status: Option<u16>,
    /// How long it asks not to be called, where the body says so.
    pub(super) retry_after: Option<Duration>,
}

impl Complaint {
    /// Reads what a body says in any of the shapes in use: an `error` that is an object or a text, a list with one, `msg`, `detail`,
    /// `base_resp`. `None` where it is not a complaint.
    pub(super) fn of(said: &Value) -> Option<Self> {
        let said = said.as_array().and_then(|all| all.first()).unwrap_or(said);
        let inner = ["error", "errors", "base_resp", "detail"]
            .iter()
            .filter_map(|name| said.get(*name))
            .find(|inner| !inner.is_null());
        let inner = inner
            .map(|inner| {
                inner
                    .as_array()
                    .and_then(|all| all.first())
                    .unwrap_or(inner)
            })
            .unwrap_or(said);
        let words = text_of(
            inner,
            &["message", "msg", "status_msg", "error_msg", "detail"],
        );
        let words = words.or_else(|| inner.as_str().map(str::to_owned));
        let words = words.or_else(|| texts_in(inner.get("message")?));
        // The field that is meant may stand beside the words.
        let details = inner["details"].as_array().into_iter().flatten();
        let mut places = [inner].into_iter().chain(details);
        let names = ["loc", "param", "field"];
        let place = places.find_map(|at| names.iter().find_map(|name| texts_in(at.get(*name)?)));
        let words = match (words, place) {
            (Some(words), Some(place)) if !words.contains(&place) => {
                Some(format!("{words} ({place})"))
            }
            (words, _) => words,
        };
        let code = text_of(inner, &["code", "type", "status", "status_code"]);
        let words = words.or_else(|| code.clone())?;
        // A provider that passes requests on quotes what the provider behind it said.
        let behind = inner.pointer("/metadata/raw").and_then(Value::as_str);
        let words = behind.map_or(words.clone(), |behind| format!("{words}: {behind}"));
        let code = code.unwrap_or_default();
        Some(Self {
            status: code.parse().ok().filter(|code| (400..600).contains(code)),
            retry_after: pause_in(inner, &words),
            code,
            words,
        })
    }

    /// Reads an event of a stream that holds no part of an answer and says what is wrong, without a field for errors.
    pub(super) fn beside_answers(event: &Value) -> Option<Self> {
        let is_answer = ["choices", "usage", "id"]
            .iter()
            .any(|name| event.get(*name).is_some());
        let says = ["message", "msg", "detail", "error_msg", "status_msg"];
        let says = says
            .iter()
            .any(|name| event[*name].is_string() || event[*name].is_array());
        (!is_answer && says).then(|| Self::of(event)).flatten()
    }

    /// The error that it means. The key must have been removed from the words before.
    pub(super) fn error(self, status: Option<u16>, said_how: &str) -> ModelError {
        ModelError {
            kind: kind_of(status.or(self.status), &self),
            status: status.or(self.status),
            message: format!("{said_how}: {}", shortened(&self.words)),
            retry_after: self.retry_after,
        }
    }
}

/// The names and texts in a value, in their order; `None` where there are none.
fn texts_in(value: &Value) -> Option<String> {
    let said =
        match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Array(values) => joined(values.iter().filter_map(texts_in)),
            Value::Object(fields) => joined(fields.iter().filter_map(
                |(name, value)| match texts_in(value) {
                    Some(text) => Some(format!("{name}: {text}")),
                    None => value.is_object().then(|| name.clone()),
                },
            )),
            Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
        };
    (!said.is_empty()).then_some(said)
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// The first of these fields that holds a text or a number.
fn text_of(object: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match object.get(*name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    })
}

/// Requests that are wrong in themselves, where no status says so.
const WRONG_REQUEST: [&str; 3] = ["invalid_request_error", "invalid_argument", "bad_request"];

fn kind_of(status: Option<u16>, complaint: &Complaint) -> ModelErrorKind {
    let (code, words) = (
        complaint.code.to_lowercase(),
        complaint.words.to_lowercase(),
    );
    let meanings = || rows(include_str!("complaints.tsv"));
    let by_code = meanings().find(|[_, codes, _]| codes.split(',').any(|known| known == code));
    let by_words =
        || meanings().find(|[.., said]| said.split(',').any(|said| words.contains(said)));
    let is_missing_model = || {
        words.contains("model") && (words.contains("does not exist") || words.contains("not found"))
    };
    match by_code
        .or_else(by_words)
        .and_then(|[kind, ..]| kind.parse().ok())
    {
        // Whoever passes requests on knows the model, and nobody who serves what is asked of it.
        Some(ModelErrorKind::NoModel) if words.contains("no endpoints found that") => {
            ModelErrorKind::Rejected
        }
        // A refusal of a request that is wrong for another reason may mention a limit only as an example.
        Some(ModelErrorKind::RateLimited) if matches!(status, Some(400 | 422)) => {
            ModelErrorKind::Rejected
        }
        Some(kind) => kind,
        None if is_missing_model() && !matches!(status, Some(500..=599)) => ModelErrorKind::NoModel,
        None => match status {
            Some(402) => ModelErrorKind::OutOfCredit,
            Some(429) => ModelErrorKind::RateLimited,
            Some(401 | 403) => ModelErrorKind::Auth,
            Some(404) => ModelErrorKind::NoModel,
            Some(413) => ModelErrorKind::TooLong,
            Some(408) => ModelErrorKind::Timeout,
            // 409 and 425: the request collided with another, or came too early; the same one may pass later.
            Some(409 | 425 | 500..=599) => ModelErrorKind::Server,
            Some(_) => ModelErrorKind::Rejected,
            None if WRONG_REQUEST.contains(&code.as_str()) => ModelErrorKind::Rejected,
            None => ModelErrorKind::Server,
        },
    }
}

/// The longest pause that a provider may ask for and get: a whole day, the widest window of published quotas.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A pause that stands in the body: Google's `retryDelay`, a `retry_after`, or words such as `try again in 1m3.5s`.
fn pause_in(error: &Value, words: &str) -> Option<Duration> {
    let details = error["details"].as_array().into_iter().flatten();
    let delay = details
        .filter_map(|detail| detail["retryDelay"].as_str())
        .find_map(duration);
    let seconds = || {
        error["retry_after"]
            .as_f64()
            .or(error.pointer("/metadata/retry_after")?.as_f64())
    };
    let seconds = || Duration::try_from_secs_f64(seconds()?).ok();
    let said = || {
        let words = words.to_lowercase();
        let marks = ["try again in ", "retry in ", "retry after "];
        let behind = marks
            .iter()
            .find_map(|mark| Some(words.split_once(mark)?.1.to_owned()))?;
        duration(&behind)
    };
    let pause = delay.or_else(seconds).or_else(said)?;
    Some(pause.min(MAX_RETRY_AFTER))
}

/// A length of time as people and programs write it: `38s`, `1m3.5s`, `20 seconds`, `850ms`.
fn duration(text: &str) -> Option<Duration> {
    let mut whole = Duration::ZERO;
    let mut rest = text.trim_start();
    let mut found = false;
    loop {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let Ok(number) = rest[..end].trim_end_matches('.').parse::<f64>() else {
            break;
        };
        let behind = rest[end..].trim_start();
        let unit_end = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let seconds = match &behind[..unit_end] {
            "ms" | "milliseconds" => number / 1000.0,
            "s" | "sec" | "secs" | "second" | "seconds" => number,
            "m" | "min" | "minute" | "minutes" => number * 60.0,
            "h" | "hour" | "hours" => number * 3600.0,
            _ => break,
        };
        whole += Duration::try_from_secs_f64(seconds).ok()?;
        found = true;
        rest = behind[unit_end..].trim_start();
    }
    found.then_some(whole)
}

/// A provider's words on one line, not too many of them.
pub(super) fn shortened(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return "no message".to_owned();
    }
    if line.chars().count() <= MAX_QUOTED_CHARS {
        return line;
    }
    line.chars().take(MAX_QUOTED_CHARS).collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(status: impl Into<Option<u16>>, body: Value) -> ModelErrorKind {
        let complaint = Complaint::of(&body).expect("a complaint");
        complaint.error(status.into(), "said").kind
    }

    #[test]
    fn a_complaint_means_what_its_code_its_words_or_else_its_status_say() {
        use ModelErrorKind as Kind;
        let error =
            |code: &str, message: &str| json!({"error": {"code": code, "message": message}});
        let cases = [
            (
                Some(429),
                error("insufficient_quota", "x"),
                Kind::OutOfCredit,
            ),
            (
                Some(429),
                json!({"error": {"code": "1113", "message": "余额不足或无可用资源包"}}),
                Kind::OutOfCredit,
            ),
            (
                Some(429),
                error("rate_limit_exceeded", "x"),
                Kind::RateLimited,
            ),
            (Some(402), json!({"message": "x"}), Kind::OutOfCredit),
            (
                Some(400),
                error("context_length_exceeded", "x"),
                Kind::TooLong,
            ),
            (
                Some(400),
                error("", "This model's maximum context length is 8192 tokens"),
                Kind::TooLong,
            ),
            (None, error("context_length_exceeded", "x"), Kind::TooLong),
            (
                Some(400),
                json!([{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}]),
                Kind::Auth,
            ),
            (Some(403), json!({"detail": "no"}), Kind::Auth),
            (
                Some(404),
                error("", "The model `m` does not exist"),
                Kind::NoModel,
            ),
            (Some(400), error("", "Model Not Exist"), Kind::NoModel),
            (
                Some(400),
                error("content_filter", "filtered"),
                Kind::Filtered,
            ),
            (Some(400), error("", "unknown field"), Kind::Rejected),
            (Some(503), error("", "busy"), Kind::Server),
            (None, error("", "busy"), Kind::Server),
            (
                None,
                json!({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}),
                Kind::Auth,
            ),
            (
                None,
                json!({"error": {"code": 429, "message": "busy"}}),
                Kind::RateLimited,
            ),
            (
                Some(422),
                json!({"detail": [{"loc": ["body", "x"], "msg": "Extra inputs are not permitted"}]}),
                Kind::Rejected,
            ),
        ];
        for (status, body, expected) in cases {
            assert_eq!(kind(status, body.clone()), expected, "{status:?} {body}");
        }
    }

    #[test]
    fn a_pause_is_read_in_the_body_too() {
        let google = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "details": [{"@type": "RetryInfo", "retryDelay": "38s"}]}});
        let complaint = Complaint::of(&google).expect("a complaint");
        assert_eq!(complaint.retry_after, Some(Duration::from_secs(38)));
        assert_eq!(kind(429, google), ModelErrorKind::RateLimited);
        for (words, seconds) in [
            ("Please try again in 1m3.5s.", 63.5),
            ("try again in 20ms", 0.02),
            ("Please retry after 7 seconds", 7.0),
        ] {
            let said = json!({"error": {"message": words}});
            let pause = Complaint::of(&said).expect("a complaint").retry_after;
            assert_eq!(pause, Some(Duration::from_secs_f64(seconds)), "{words}");
        }
        assert_eq!(duration("soon"), None);
    }

    #[test]
    fn the_field_that_is_meant_is_found_wherever_it_stands() {
        for body in [
            json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}),
            json!({"message": {"stream_options": ["Unknown field."]}}),
            json!({"error": {"message": {"errors": {"stream_options": {"reason": "not allowed"}}}}}),
            json!({"error": {"message": "Unsupported parameter.", "param": "stream_options", "code": 400}}),
            json!({"error": {"message": "stream_options is not supported", "param": "stream_options"}}),
            json!({"error": {"message": "Validation error", "details": [{"field": "stream_options", "issue": "unknown"}]}}),
        ] {
            let words = Complaint::of(&body).expect("a complaint").words;
            assert_eq!(
                words.matches("stream_options").count(),
                1,
                "{words}: {body}"
            );
        }
        assert_eq!(
            kind(
                404,
                json!({"error": {"message": "No endpoints found that support tool use.", "code": 404}})
            ),
            ModelErrorKind::Rejected
        );
        assert_eq!(
            kind(
                404,
                json!({"error": {"message": "No endpoints found for acme/m.", "code": 404}})
            ),
            ModelErrorKind::NoModel
        );
    }

    #[test]
    fn what_the_one_behind_said_is_told_too() {
        let said = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "bad schema"}}});
        let words = Complaint::of(&said).expect("a complaint").words;
        assert_eq!(words, "Provider returned error: bad schema");
    }

    #[test]
    fn an_answer_is_no_complaint() {
        assert_eq!(Complaint::of(&json!({"choices": []})), None);
        assert_eq!(Complaint::of(&json!({"error": null, "choices": []})), None);
    }
}
