//! The bottom of the client library's stack: one HTTP exchange, never repeated, whose streaming body is handed over.
//!
//! Left to itself the library repeats failed requests, forgets `Retry-After`, drops the bytes that it has parsed and logs
//! those that it cannot parse. The exchange puts a service of its own under it: refusals become our errors with everything
//! they said, and the body of a good answer goes to the caller byte by byte, where the spool and the reader want it.

use std::collections::BTreeMap;
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
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::clock::Clock;

use super::complaint::{ANSWERED, Complaint, MAX_RETRY_AFTER};
use super::model::{ModelError, ModelErrorKind};
use super::secret::Secret;

/// How much of a refusal is read: enough for any JSON error, too little to be a burden.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// How long the body of a refusal is waited for. The status alone says nearly everything.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(10);

/// What stands for the key in the value of a header.
const KEY: &str = "{key}";

/// A tower service that sends the library's request and keeps the response for the caller.
#[derive(Clone)]
pub(super) struct Exchange {
    http: reqwest::Client,
    key: Secret,
    /// What every address of the provider ends with, such as `api-version=2024-10-21`.
    query: Option<String>,
    further: Further,
    response: Arc<Mutex<Option<Response>>>,
}

/// Headers and parts of the query that are sent in addition to the usual ones.
#[derive(Clone, Default)]
pub(super) struct Further {
    pub(super) headers: BTreeMap<String, String>,
    pub(super) query: BTreeMap<String, String>,
}

impl Exchange {
    /// Adds the model's own headers and parts of the query.
    pub(super) fn with(mut self, further: Further) -> Exchange {
        self.further = further;
        self
    }

    /// An exchange with the provider at this base url.
    pub(super) fn new(http: reqwest::Client, key: Secret, base_url: &str) -> Exchange {
        let query = base_url.split_once('?').map(|(_, query)| query.to_owned());
        Exchange {
            http,
            key,
            query,
            further: Further::default(),
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
            exchange.further.put(&mut request, &exchange.key);
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

impl Further {
    /// A header whose name or value is not valid is left out.
    fn put(&self, request: &mut reqwest::Request, key: &Secret) {
        if !self.query.is_empty() {
            request
                .url_mut()
                .query_pairs_mut()
                .extend_pairs(&self.query);
        }
        for (name, value) in &self.headers {
            let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
                continue;
            };
            if value.is_empty() || (value.contains(KEY) && key.is_empty()) {
                request.headers_mut().remove(&name);
                continue;
            }
            if let Ok(mut value) = HeaderValue::from_str(&value.replace(KEY, key.reveal())) {
                value.set_sensitive(true);
                request.headers_mut().insert(name, value);
            }
        }
    }
}

fn boxed(error: ModelError) -> OpenAIError {
    OpenAIError::Boxed(Box::new(error))
}

/// What an error of the library means to us; errors of our own come back as they were put in.
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

/// The innermost cause of a connection's error, such as "connection refused". The outer causes name the address.
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
pub(super) async fn refusal(response: Response, key: &Secret) -> ModelError {
    let status = response.status().as_u16();
    let retry_after = retry_after(response.headers());
    let body = tokio::time::timeout(REFUSAL_PATIENCE, beginning(response))
        .await
        .unwrap_or_default();
    let said: Option<Value> = serde_json::from_slice(&body).ok();
    let complaint = said.as_ref().and_then(Complaint::of);
    let complaint = complaint.unwrap_or_else(|| Complaint {
        words: plain(&String::from_utf8_lossy(&body)),
        ..Complaint::default()
    });
    let complaint = Complaint {
        words: key.redact(&complaint.words),
        retry_after: retry_after.or(complaint.retry_after),
        ..complaint
    };
    complaint.error(Some(status), &format!("{ANSWERED}{status}"))
}

/// What a page says, without its tags.
fn plain(page: &str) -> String {
    if !page.trim_start().starts_with('<') {
        return page.to_owned();
    }
    let mut parts = page.split('<').map(|part| match part.split_once('>') {
        Some((tag, _)) if tag.starts_with("style") || tag.starts_with("script") => "",
        Some((_, text)) => text,
        None => part,
    });
    parts.by_ref().collect::<Vec<_>>().join(" ")
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
            // The date is compared with the provider's clock where the answer tells its time, because our clock may differ.
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
}
