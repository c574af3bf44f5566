//! Who may come here from a browser: `Host` and `Origin` are checked on every route, sockets included, and listed origins
//! get the headers that let their pages read the answers.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::config::{Config, is_loopback_host};
use crate::error::ApiError;

/// Seconds that a browser may remember what it was told before a request: ten minutes, which is what the strictest of them
/// remembers at most.
const PREFLIGHT_SECONDS: &str = "600";

/// What pages of listed origins may send and read.
const ALLOWED_METHODS: &str = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const ALLOWED_HEADERS: &str = "authorization, content-type, idempotency-key, if-match, if-none-match, range, last-event-id, accept";
const EXPOSED_HEADERS: &str = "etag, content-range, accept-ranges, content-disposition, link, location, retry-after, x-run-id, x-thread-id";

/// Which hosts and origins are let in.
#[derive(Clone, Debug)]
pub(super) struct Guard(Arc<Allowed>);

#[derive(Debug)]
struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
    listen: Vec<IpAddr>,
}

impl Guard {
    pub(super) fn new(config: &Config) -> Self {
        let lower = |list: &[String]| {
            list.iter()
                .map(|text| text.trim_end_matches('/').to_ascii_lowercase())
                .collect()
        };
        let allowed = Allowed {
            hosts: lower(&config.hosts),
            origins: lower(&config.origins),
            listen: std::iter::once(config.listen)
                .chain(config.further_listens().map(|(_, address)| address))
                .map(|address| address.ip())
                .collect(),
        };
        Self(Arc::new(allowed))
    }

    /// A page whose name was pointed at this machine by its owner (DNS rebinding) has that name in `Host`: only names that
    /// are known to be ours are answered. An address cannot be pointed elsewhere, so where every address is listened on,
    /// any address will do.
    fn takes_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = without_port(&host);
        if is_loopback_host(name)
            || self
                .0
                .hosts
                .iter()
                .any(|known| *known == host || known == name)
        {
            return true;
        }
        let address = name
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<IpAddr>();
        let listens = |ip| {
            self.0
                .listen
                .iter()
                .any(|listen| listen.is_unspecified() || ip == *listen)
        };
        address.is_ok_and(listens)
    }

    /// The same origin, or a listed one. Requests that no page made have none.
    fn takes_origin(&self, origin: &str, host: &str) -> bool {
        self.lists(origin)
            || origin
                .split_once("://")
                .is_some_and(|(_, place)| place.eq_ignore_ascii_case(host))
    }

    fn lists(&self, origin: &str) -> bool {
        self.0
            .origins
            .iter()
            .any(|known| known.eq_ignore_ascii_case(origin))
    }
}

pub(super) async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let host = host(request.headers(), request.uri()).unwrap_or_default();
    if !guard.takes_host(&host) {
        return ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host_not_allowed",
            "this server is not known by this host",
        )
        .hint("add the name to `hosts` in the configuration")
        .into_response();
    }
    let Some(origin) = request.headers().get(header::ORIGIN).cloned() else {
        return next.run(request).await;
    };
    let shown = origin.to_str().unwrap_or_default();
    if !guard.takes_origin(shown, &host) {
        return ApiError::new(
            StatusCode::FORBIDDEN,
            "origin_not_allowed",
            "pages of this origin may not ask this server",
        )
        .hint("add the origin to `origins` in the configuration")
        .into_response();
    }
    if !guard.lists(shown) {
        return next.run(request).await;
    }
    let is_preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if is_preflight {
        preflight()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED_HEADERS),
    );
    // Socket.IO clients poll with credentials when they are told to; keys come in headers, never in cookies.
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
        HeaderValue::from_static("true"),
    );
    response
}

fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static(ALLOWED_METHODS),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(ALLOWED_HEADERS),
    );
    headers.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static(PREFLIGHT_SECONDS),
    );
    response
}

/// HTTP/1.1 has it in a header, HTTP/2 in the address.
fn host(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let header = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    header
        .map(str::to_owned)
        .or_else(|| uri.authority().map(ToString::to_string))
}

fn without_port(host: &str) -> &str {
    match host.rfind(']') {
        Some(end) => &host[..=end],
        None => host.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(listen: &str, hosts: &[&str], origins: &[&str]) -> Guard {
        let list = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Guard(Arc::new(Allowed {
            hosts: list(hosts),
            origins: list(origins),
            listen: vec![listen.parse().expect("an address")],
        }))
    }

    #[test]
    fn only_hosts_that_are_ours_are_answered() {
        let here = guard("127.0.0.1", &["deck.example.com"], &[]);
        for host in [
            "localhost",
            "localhost:8080",
            "127.0.0.1:1",
            "[::1]:8080",
            "a.localhost",
            "Deck.Example.com:443",
        ] {
            assert!(here.takes_host(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "10.0.0.5:8080",
            "127.0.0.1.evil.example",
        ] {
            assert!(!here.takes_host(host), "{host}");
        }
        assert!(guard("0.0.0.0", &[], &[]).takes_host("10.0.0.5:8080"));
        assert!(guard("10.0.0.5", &[], &[]).takes_host("10.0.0.5:8080"));
        assert!(!guard("0.0.0.0", &[], &[]).takes_host("evil.example"));
    }

    #[test]
    fn a_page_may_ask_from_the_same_origin_or_from_a_listed_one() {
        let here = guard("127.0.0.1", &[], &["https://app.example.com"]);
        assert!(here.takes_origin("http://localhost:8080", "localhost:8080"));
        assert!(here.takes_origin("https://app.example.com", "localhost:8080"));
        for origin in [
            "http://localhost:3000",
            "https://evil.example",
            "null",
            "https://app.example.com.evil.example",
        ] {
            assert!(!here.takes_origin(origin, "localhost:8080"), "{origin}");
        }
    }
}
