//! The bottom of the client library's stack: one HTTP exchange, never repeated, whose streaming body is handed over.
//!
//! Left to itself the library repeats failed requests, forgets `Retry-After`, drops the bytes that it has parsed and logs
//! those that it cannot parse. The exchange puts a service of its own under it: refusals become our errors with everything
//! they said, and the body of a good answer goes to the caller byte by byte, where the spool and the reader want it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use chrono::{DateTime, NaiveDateTime, Utc};
use futures::StreamExt;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::clock::Clock;

use super::model::{ModelError, ModelErrorKind};
use super::secret::Secret;

/// How much of a refusal is read: enough for any JSON error, too little to be a burden.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// How long the body of a refusal is waited for. The status alone says nearly everything.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(10);

/// How much of a provider's own words an error carries.
const MAX_QUOTED_CHARS: usize = 500;

/// The longest pause that a provider may ask for and get: a whole day, the widest window of published quotas.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The header by which Azure knows a key, and the ends of the names of its hosts.
const API_KEY: &str = "api-key";
const AZURE_HOSTS: [&str; 3] = [
    ".openai.azure.com",
    ".services.ai.azure.com",
    ".cognitiveservices.azure.com",
];

/// A tower service that sends the library's request and keeps the response for the caller.
#[derive(Clone)]
pub(super) struct Exchange {
    http: reqwest::Client,
    key: Secret,
    /// What every address of the provider ends with, such as `api-version=2024-10-21`.
    query: Option<String>,
    response: Arc<Mutex<Option<Response>>>,
}

impl Exchange {
    /// An exchange with the provider at this base url.
    pub(super) fn new(http: reqwest::Client, key: Secret, base_url: &str) -> Exchange {
        let query = base_url.split_once('?').map(|(_, query)| query.to_owned());
        Exchange {
            http,
            key,
            query,
            response: Arc::default(),
        }
    }

    /// The response, once the library's call has returned.
    pub(super) fn take_response(&self) -> Option<Response> {
        self.response
            .lock()
            .expect("nothing panics while the response is put away")
            .take()
    }
}

impl tower::Service<HttpRequestFactory> for Exchange {
    type Response = Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<Response, OpenAIError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequestFactory) -> Self::Future {
        let exchange = self.clone();
        Box::pin(async move {
            let mut request = request.build().await?;
            if let Some(query) = &exchange.query {
                request.url_mut().set_query(Some(query));
            }
            if wants_api_key_header(request.url()) && !exchange.key.is_empty() {
                request.headers_mut().insert(API_KEY, exchange.key.header());
            }
            let response = exchange
                .http
                .execute(request)
                .await
                .map_err(|error| boxed(transport_error(&error)))?;
            if !response.status().is_success() {
                return Err(boxed(refusal(response, &exchange.key).await));
            }
            *exchange
                .response
                .lock()
                .expect("nothing panics while the response is put away") = Some(response);
            Ok(http::Response::new(reqwest::Body::default()).into())
        })
    }
}

/// Where Azure has its models: it knows a key by a header of its own.
fn wants_api_key_header(url: &url::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    AZURE_HOSTS.iter().any(|suffix| host.ends_with(suffix))
}

fn boxed(error: ModelError) -> OpenAIError {
    OpenAIError::Boxed(Box::new(error))
}

/// What the library's error means to us; ours come back as they were put in.
pub(super) fn unwrapped(error: OpenAIError) -> ModelError {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<ModelError>() {
            Ok(ours) => *ours,
            Err(other) => ModelError::new(ModelErrorKind::Rejected, other.to_string()),
        },
        OpenAIError::Reqwest(error) => transport_error(&error),
        OpenAIError::InvalidArgument(message) => ModelError::new(
            ModelErrorKind::Rejected,
            format!("the request cannot be sent: {message}"),
        ),
        OpenAIError::ApiError(_)
        | OpenAIError::JSONDeserialize(..)
        | OpenAIError::FileSaveError(_)
        | OpenAIError::FileReadError(_)
        | OpenAIError::StreamError(_) => ModelError::new(
            ModelErrorKind::Malformed,
            "the client library could not read the answer",
        ),
    }
}

/// An error of the connection. The address is left out: it may contain a key.
pub(super) fn transport_error(error: &reqwest::Error) -> ModelError {
    let (kind, what) = if error.is_timeout() {
        (ModelErrorKind::Timeout, "the provider took too long")
    } else if error.is_connect() {
        (
            ModelErrorKind::Unreachable,
            "the provider cannot be reached",
        )
    } else if error.is_builder() {
        (
            ModelErrorKind::Rejected,
            "the request cannot be built, check the base url",
        )
    } else if error.is_body() || error.is_decode() {
        (
            ModelErrorKind::Cut,
            "the connection broke in the middle of the answer",
        )
    } else {
        (
            ModelErrorKind::Cut,
            "the connection broke before the answer began",
        )
    };
    ModelError::new(kind, format!("{what}: {}", deepest_cause(error)))
}

/// What a connection's error comes down to, such as "connection refused". The outer ones name the address.
pub(super) fn deepest_cause(error: &reqwest::Error) -> String {
    let mut deepest = None;
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        deepest = Some(error.to_string());
        cause = error.source();
    }
    deepest.unwrap_or_else(|| "no further reason".to_owned())
}

/// A status other than 2xx, with what the provider says about it.
async fn refusal(response: Response, key: &Secret) -> ModelError {
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let body = tokio::time::timeout(REFUSAL_PATIENCE, beginning(response))
        .await
        .unwrap_or_default();
    let said: Option<Value> = serde_json::from_slice(&body).ok();
    let error = said.as_ref().map(|said| said.get("error").unwrap_or(said));
    let code = error
        .and_then(|error| error["code"].as_str().or(error["type"].as_str()))
        .unwrap_or_default();
    let words = match error.and_then(|error| error["message"].as_str().or(error.as_str())) {
        Some(message) => message.to_owned(),
        None => String::from_utf8_lossy(&body).into_owned(),
    };
    ModelError {
        kind: kind_of(status.as_u16(), code),
        status: Some(status.as_u16()),
        message: format!(
            "the provider answered {}: {}",
            status.as_u16(),
            shortened(&key.redact(&words))
        ),
        retry_after,
    }
}

/// What providers call an account that has nothing left (`1113` is Zhipu's, `exceeded_current_quota_error` Moonshot's). Waiting
/// does not fill it.
pub(super) const NO_CREDIT: [&str; 5] = [
    "insufficient_quota",
    "exceeded_current_quota_error",
    "insufficient_balance",
    "billing_hard_limit_reached",
    "1113",
];

fn kind_of(status: u16, code: &str) -> ModelErrorKind {
    match status {
        402 => ModelErrorKind::OutOfCredit,
        429 if NO_CREDIT.contains(&code) => ModelErrorKind::OutOfCredit,
        429 => ModelErrorKind::RateLimited,
        401 | 403 => ModelErrorKind::Auth,
        408 => ModelErrorKind::Timeout,
        // The request collided with another, or came too early: the same one may pass later.
        409 | 425 => ModelErrorKind::Server,
        500..=599 => ModelErrorKind::Server,
        _ => ModelErrorKind::Rejected,
    }
}

/// `Retry-After-Ms`, or `Retry-After` in seconds or as a date.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after_at(headers, &Clock::system())
}

fn retry_after_at(headers: &HeaderMap, clock: &Clock) -> Option<Duration> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let milliseconds = number("retry-after-ms").map(|milliseconds| milliseconds / 1000.0);
    let asked = match milliseconds.or_else(|| number("retry-after")) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        None => {
            let until = http_date(text("retry-after")?)?;
            // By the clock of whoever says so, where the answer tells it: ours may differ.
            let now = text("date").and_then(http_date);
            // A date that has passed means at once.
            (until - now.unwrap_or_else(|| clock.now()))
                .to_std()
                .unwrap_or_default()
        }
    };
    Some(asked.min(MAX_RETRY_AFTER))
}

/// A date in any of the three forms of RFC 9110.
fn http_date(text: &str) -> Option<DateTime<Utc>> {
    const OLD_FORMS: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    if let Ok(date) = DateTime::parse_from_rfc2822(text) {
        return Some(date.to_utc());
    }
    let old = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
    Some(OLD_FORMS.iter().find_map(old)?.and_utc())
}

/// The first bytes of a body, as many as came.
async fn beginning(response: Response) -> Vec<u8> {
    let mut body = response.bytes_stream();
    let mut read = Vec::new();
    while let Some(Ok(piece)) = body.next().await {
        read.extend_from_slice(&piece);
        if read.len() >= MAX_REFUSAL_BYTES {
            read.truncate(MAX_REFUSAL_BYTES);
            break;
        }
    }
    read
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
    use super::*;

    const NOW: &str = "Wed, 21 Oct 2015 07:28:00 GMT";

    fn told(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers.iter().map(|(name, value)| {
            (
                reqwest::header::HeaderName::from_static(name),
                value.parse().unwrap(),
            )
        });
        let now = http_date(NOW).unwrap();
        retry_after_at(&headers.collect(), &Clock::of(move || now))
    }

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        told(&[(name, value)])
    }

    #[test]
    fn a_pause_is_read_in_seconds_or_milliseconds_and_bounded() {
        assert_eq!(asked("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(
            asked("retry-after", "0.5"),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            asked("retry-after-ms", "40"),
            Some(Duration::from_millis(40))
        );
        assert_eq!(asked("retry-after", "1e12"), Some(MAX_RETRY_AFTER));
        assert_eq!(asked("retry-after", "-1"), None);
        assert_eq!(asked("retry-after", "soon"), None);
    }

    #[test]
    fn a_pause_may_be_a_date_by_the_clock_of_whoever_asks_for_it() {
        let minute = Some(Duration::from_secs(60));
        for date in [
            "Wed, 21 Oct 2015 07:29:00 GMT",
            "Wednesday, 21-Oct-15 07:29:00 GMT",
            "Wed Oct 21 07:29:00 2015",
        ] {
            assert_eq!(asked("retry-after", date), minute, "{date}");
        }
        assert_eq!(asked("retry-after", NOW), Some(Duration::ZERO));
        let past = "Wed, 21 Oct 2015 07:27:00 GMT";
        assert_eq!(asked("retry-after", past), Some(Duration::ZERO));
        let far = "Wed, 21 Oct 2026 07:28:00 GMT";
        assert_eq!(asked("retry-after", far), Some(MAX_RETRY_AFTER));
        let their_hour = [
            ("date", "Wed, 21 Oct 2015 09:28:00 GMT"),
            ("retry-after", "Wed, 21 Oct 2015 09:29:00 GMT"),
        ];
        assert_eq!(told(&their_hour), minute);
    }

    #[test]
    fn azure_is_known_by_its_hosts() {
        let wants = |url: &str| wants_api_key_header(&url::Url::parse(url).unwrap());
        assert!(wants(
            "https://mine.openai.azure.com/openai/deployments/d/chat/completions"
        ));
        assert!(!wants("https://api.openai.com/v1/chat/completions"));
        assert!(!wants("https://openai.azure.com.example.com/v1"));
    }

    #[test]
    fn an_empty_account_is_not_a_rate_limit() {
        assert_eq!(
            kind_of(429, "insufficient_quota"),
            ModelErrorKind::OutOfCredit
        );
        assert_eq!(kind_of(429, "1113"), ModelErrorKind::OutOfCredit);
        assert_eq!(
            kind_of(429, "rate_limit_exceeded"),
            ModelErrorKind::RateLimited
        );
        assert_eq!(kind_of(404, ""), ModelErrorKind::Rejected);
    }
}
