//! Where may be fetched from.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::address::{never, not_public};
use super::error::FetchError;

/// Scheme, host and port of a server, in the one form that all ways of writing it come to.
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

/// Where may be fetched from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The public internet, on the ports of the web.
    Public,
    /// These servers and no others. The operator has listed them, so that they may be on this machine or in a private network,
    /// but never where metadata services, multicast and the like are.
    Listed(Vec<Origin>),
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
                    let listed: Vec<_> = listed.iter().map(|one| format!("`{one}`")).collect();
                    return Err(FetchError::NotListed {
                        origin: origin.to_string(),
                        listed: if listed.is_empty() {
                            "nothing".to_owned()
                        } else {
                            listed.join(", ")
                        },
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
            Self::Public => not_public(ip),
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
