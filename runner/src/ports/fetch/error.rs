//! Why something was not fetched. No message holds a query, a user or a password.

/// Why something was not fetched: which rule refused it, or what went wrong on the way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("the address cannot be read ({cause}); give it as http://host/path")]
    BadAddress { cause: String },
    #[error("`{scheme}:` is not fetched; only http and https are")]
    Scheme { scheme: String },
    #[error("the address holds a user or a password; leave them out")]
    Credentials,
    #[error("port {port} is not fetched from; only 80 and 443 are")]
    Port { port: u16 },
    #[error(
        "`{origin}` is not on the list of servers that may be asked, which has {listed}; name one of these, or have the operator add it"
    )]
    NotListed { origin: String, listed: String },
    #[error("`{host}` leads to {why}, and nothing is fetched from there")]
    Forbidden { host: String, why: &'static str },
    #[error("the name `{host}` is not known; check how it is written")]
    UnknownHost { host: String },
    #[error("more than {most} redirects; give the address at their end")]
    TooManyRedirects { most: usize },
    #[error("`{host}` redirects to nowhere (status {status})")]
    BadRedirect { host: String, status: u16 },
    #[error("`{host}` cannot be reached: {cause}")]
    Unreachable { host: String, cause: String },
    #[error("`{host}` did not answer completely within {seconds} seconds")]
    Timeout { host: String, seconds: u64 },
    #[error("`{host}` answered with status {status}")]
    Status { host: String, status: u16 },
    #[error("`{host}` answered with `{found}`, not with {wanted}")]
    ContentType {
        host: String,
        found: String,
        wanted: String,
    },
    #[error("`{host}` answered compressed (`{encoding}`), which was not asked for")]
    Encoded { host: String, encoding: String },
    #[error("the answer of `{host}` is longer than {most} bytes")]
    TooLarge { host: String, most: usize },
}

impl FetchError {
    /// Whether the same may be fetched when it is tried again.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Timeout { .. } => true,
            Self::Status { status, .. } => *status == 429 || *status >= 500,
            Self::BadAddress { .. }
            | Self::Scheme { .. }
            | Self::Credentials
            | Self::Port { .. }
            | Self::NotListed { .. }
            | Self::Forbidden { .. }
            | Self::UnknownHost { .. }
            | Self::TooManyRedirects { .. }
            | Self::BadRedirect { .. }
            | Self::ContentType { .. }
            | Self::Encoded { .. }
            | Self::TooLarge { .. } => false,
        }
    }
}
