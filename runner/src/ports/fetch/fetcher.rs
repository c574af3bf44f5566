//! The exchange itself: hop by hop, under limits.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response};
use url::Url;

use super::super::exchange::deepest_cause;
use super::error::FetchError;
use super::policy::{Policy, parsed};
use super::resolver::{Guarded, Lookup, SystemLookup};

/// The name by which fetched servers know this program.
const USER_AGENT: &str = concat!("palimpsest/", env!("CARGO_PKG_VERSION"));

/// How much a fetch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// For making one connection.
    pub connect: Duration,
    /// For everything: looking up, all hops, the whole body.
    pub total: Duration,
    /// Bytes of a body, as it is handed on.
    pub bytes: usize,
    /// Hops after the first.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            // A handshake around the world is under a second.
            connect: Duration::from_secs(5),
            // People do not wait longer than this either.
            total: Duration::from_secs(20),
            // Articles are under a megabyte; the longest pages of encyclopedias and laws are a few.
            bytes: 8 * 1024 * 1024,
            // The most that the web needs: one each to https, to `www.`, to a language and to a slash, and one to spare.
            redirects: 5,
        }
    }
}

/// What was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The address at the end of the redirects.
    pub url: String,
    /// In lower case, without parameters.
    pub media_type: String,
    pub body: Bytes,
}

/// Fetches under one policy. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Fetcher {
    http: Client,
    policy: Arc<Policy>,
    limits: FetchLimits,
}

impl Fetcher {
    /// Fetches with names as this machine looks them up.
    ///
    /// # Errors
    ///
    /// Where the HTTP client cannot be built, in its own words.
    pub fn new(policy: Policy, limits: FetchLimits) -> Result<Self, String> {
        Self::with_lookup(policy, limits, Arc::new(SystemLookup))
    }

    /// The same with another way to look names up.
    ///
    /// # Errors
    ///
    /// Those of [`Self::new`].
    pub fn with_lookup(
        policy: Policy,
        limits: FetchLimits,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, String> {
        let policy = Arc::new(policy);
        let resolver = Guarded {
            lookup,
            policy: Arc::clone(&policy),
        };
        let http = Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(limits.connect)
            .timeout(limits.total)
            .no_proxy()
            .referer(false)
            .redirect(reqwest::redirect::Policy::none())
            // A connection that is kept open would be used again without a new check of its address.
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(resolver))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            http,
            policy,
            limits,
        })
    }

    /// Fetches what is at an address, if it is of one of these media types.
    ///
    /// # Errors
    ///
    /// Which rule refused it, or what went wrong on the way.
    pub async fn get(&self, address: &str, wanted: &[&str]) -> Result<Fetched, FetchError> {
        let mut url = parsed(address)?;
        self.policy.check(&url)?;
        let host = host_of(&url);
        let fetching = async {
            for _ in 0..=self.limits.redirects {
                let response = self.hop(&url, wanted).await?;
                let status = response.status().as_u16();
                if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                    return self.read(&url, response, wanted).await;
                }
                let location = response.headers().get(LOCATION);
                let location = location.and_then(|location| location.to_str().ok());
                url = next_hop(&self.policy, &url, location, status)?;
            }
            Err(FetchError::TooManyRedirects {
                most: self.limits.redirects,
            })
        };
        match tokio::time::timeout(self.limits.total, fetching).await {
            Ok(fetched) => fetched,
            Err(_) => Err(FetchError::Timeout {
                host,
                seconds: self.limits.total.as_secs(),
            }),
        }
    }

    async fn hop(&self, url: &Url, wanted: &[&str]) -> Result<Response, FetchError> {
        self.http
            .get(url.clone())
            .header(ACCEPT, wanted.join(", "))
            // A compressed body can become a thousand times as large.
            .header(ACCEPT_ENCODING, "identity")
            .send()
            .await
            .map_err(|error| self.broken(url, &error))
    }

    async fn read(
        &self,
        url: &Url,
        response: Response,
        wanted: &[&str],
    ) -> Result<Fetched, FetchError> {
        let host = host_of(url);
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(FetchError::Status { host, status });
        }
        let header = |name| {
            let value = response.headers().get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
        };
        if let Some(encoding) = header(CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
            let encoding = encoding.chars().take(20).collect();
            return Err(FetchError::Encoded { host, encoding });
        }
        let media_type = header(CONTENT_TYPE).unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        if !wanted.contains(&media_type) {
            let found: String = media_type.chars().take(80).collect();
            return Err(FetchError::ContentType {
                host,
                found,
                wanted: wanted.join(" or "),
            });
        }
        let media_type = media_type.to_owned();
        let most = self.limits.bytes;
        if response
            .content_length()
            .is_some_and(|announced| announced > most as u64)
        {
            return Err(FetchError::TooLarge { host, most });
        }
        let mut body = BytesMut::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| self.broken(url, &error))?;
            if body.len() + piece.len() > most {
                return Err(FetchError::TooLarge { host, most });
            }
            body.extend_from_slice(&piece);
        }
        Ok(Fetched {
            url: url.to_string(),
            media_type,
            body: body.freeze(),
        })
    }

    /// What a connection's error means: a rule of ours stopped it, or something failed.
    fn broken(&self, url: &Url, error: &reqwest::Error) -> FetchError {
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            if let Some(refused) = inner.downcast_ref::<FetchError>() {
                return refused.clone();
            }
            cause = inner.source();
        }
        let host = host_of(url);
        if error.is_timeout() && !error.is_connect() {
            let seconds = self.limits.total.as_secs();
            return FetchError::Timeout { host, seconds };
        }
        FetchError::Unreachable {
            host,
            cause: deepest_cause(error),
        }
    }
}

/// Where a redirect leads, if that may be fetched.
pub(super) fn next_hop(
    policy: &Policy,
    from: &Url,
    location: Option<&str>,
    status: u16,
) -> Result<Url, FetchError> {
    let Some(location) = location else {
        let host = host_of(from);
        return Err(FetchError::BadRedirect { host, status });
    };
    let next = from
        .join(location)
        .map_err(|cause| FetchError::BadAddress {
            cause: cause.to_string(),
        })?;
    policy.check(&next)?;
    Ok(next)
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
