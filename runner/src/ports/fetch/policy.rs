//! Which addresses may be fetched.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::address::{never, not_public};
use super::error::FetchError;

/// Scheme, host and port of a server, in a normal form that is the same for all ways of writing it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: String,
    host: Host,
    port: u16,
}

impl Origin {
    /// From a text such as `http://127.0.0.1:8787`.
    ///
    /// # Errors
    ///
    /// Where it is no address of http or https, or has more to it than scheme, host and port.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let url = parsed(text)?;
        check_form(&url)?;
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            let cause = "an origin has no path".to_owned();
            return Err(FetchError::BadAddress { cause });
        }
        Self::of(&url)
    }

    /// The origin of a whole address.
    ///
    /// # Errors
    ///
    /// Where it is no address of http or https.
    pub fn of_address(text: &str) -> Result<Self, FetchError> {
        let url = parsed(text)?;
        check_form(&url)?;
        Self::of(&url)
    }

    pub(super) fn of(url: &Url) -> Result<Self, FetchError> {
        let host = url.host().map(|host| host.to_owned());
        let (Some(host), Some(port)) = (host, url.port_or_known_default()) else {
            let cause = "it has no host".to_owned();
            return Err(FetchError::BadAddress { cause });
        };
        let scheme = url.scheme().to_owned();
        Ok(Self { scheme, host, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = match self.scheme.as_str() {
            "https" => 443,
            _ => 80,
        };
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.port == default {
            Ok(())
        } else {
            write!(f, ":{}", self.port)
        }
    }
}

/// Which addresses may be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The public internet, on the ports of the web.
    Public,
    /// These servers and no others. The operator has listed them, so that they may be on this machine or in a private network,
    /// but never where metadata services, multicast and the like are.
    Listed(Vec<Origin>),
    /// The public internet on the ports of the web, as far as the operator lists the names.
    Hosts(Vec<HostRule>),
}

/// A name, or all names under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    host: String,
    and_below: bool,
}

impl HostRule {
    /// From `example.com` or, for all names under it and not itself, `*.example.com`.
    ///
    /// # Errors
    ///
    /// Where it is no name of a host.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let wrong = |cause: &str| FetchError::BadAddress {
            cause: cause.to_owned(),
        };
        let (and_below, name) = match text.trim().strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, text.trim()),
        };
        // As the web writes it: in lower case, letters of other scripts in Punycode.
        let url = parsed(&format!("http://{name}/"))?;
        match url.host() {
            Some(Host::Domain(host))
                if !name.contains([':', '@'])
                    && url.path() == "/"
                    && host.contains('.')
                    && !host.contains('*') =>
            {
                let host = host.trim_end_matches('.').to_owned();
                Ok(Self { host, and_below })
            }
            Some(_) | None => Err(wrong(
                "it is no host such as `example.com` or `*.example.com`",
            )),
        }
    }

    fn covers(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        if self.and_below {
            host.strip_suffix(self.host.as_str())
                .is_some_and(|above| above.len() > 1 && above.ends_with('.'))
        } else {
            host == self.host
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.and_below { "*." } else { "" };
        write!(f, "{below}{}", self.host)
    }
}

fn named<T: fmt::Display>(listed: &[T]) -> String {
    let listed: Vec<_> = listed.iter().map(|one| format!("`{one}`")).collect();
    if listed.is_empty() {
        "nothing".to_owned()
    } else {
        listed.join(", ")
    }
}

impl Policy {
    /// Whether a hop may be made to an address, as far as the address itself says.
    pub(super) fn check(&self, url: &Url) -> Result<(), FetchError> {
        check_form(url)?;
        let origin = Origin::of(url)?;
        match self {
            Self::Public => {
                if !matches!(origin.port, 80 | 443) {
                    return Err(FetchError::Port { port: origin.port });
                }
            }
            Self::Listed(listed) => {
                if !listed.contains(&origin) {
                    return Err(FetchError::NotListed {
                        origin: origin.to_string(),
                        listed: named(listed),
                    });
                }
            }
            Self::Hosts(listed) => {
                if !matches!(origin.port, 80 | 443) {
                    return Err(FetchError::Port { port: origin.port });
                }
                let covered = match &origin.host {
                    Host::Domain(host) => listed.iter().any(|rule| rule.covers(host)),
                    // An IP address is not a name: an operator who wants to allow one lists its origin.
                    Host::Ipv4(_) | Host::Ipv6(_) => false,
                };
                if !covered {
                    return Err(FetchError::NotListed {
                        origin: origin.to_string(),
                        listed: named(listed),
                    });
                }
            }
        }
        let literal: Option<IpAddr> = match &origin.host {
            Host::Domain(_) => None,
            Host::Ipv4(ip) => Some((*ip).into()),
            Host::Ipv6(ip) => Some((*ip).into()),
        };
        match literal.and_then(|ip| self.forbids(ip)) {
            Some(why) => Err(FetchError::Forbidden {
                host: origin.host.to_string(),
                why,
            }),
            None => Ok(()),
        }
    }

    /// Why nothing is fetched from an address; `None` where it may be.
    pub(super) fn forbids(&self, ip: IpAddr) -> Option<&'static str> {
        match self {
            Self::Public | Self::Hosts(_) => not_public(ip),
            Self::Listed(_) => never(ip),
        }
    }
}

/// An address as the web reads it: `0x7f000001` and `127.1` are `127.0.0.1` from here on.
pub(super) fn parsed(text: &str) -> Result<Url, FetchError> {
    Url::parse(text.trim()).map_err(|cause| FetchError::BadAddress {
        cause: cause.to_string(),
    })
}

fn check_form(url: &Url) -> Result<(), FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Scheme {
            scheme: url.scheme().chars().take(20).collect(),
        });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Credentials);
    }
    Ok(())
}
