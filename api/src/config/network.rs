//! Networks by their addresses, as settings name them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use domain::shown;
use serde::{Serialize, Serializer};

use super::ConfigError;

/// All addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// How many bits its addresses have in common, at least one.
    prefix: u32,
}

/// Why a text names no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadNetwork {
    #[error("is neither an address nor a network such as 10.0.0.0/8")]
    Unreadable,
    #[error("has bits behind its prefix; write the first address of the network")]
    BitsBehindPrefix,
    #[error("is every address there is; name those that are meant")]
    Everything,
    #[error("is an address of IPv4 in the form of IPv6; write it as one of IPv4")]
    MappedIpv4,
}

impl Network {
    pub(crate) fn has(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differs = own.to_bits() ^ other.to_bits();
                differs >> (Ipv4Addr::BITS - self.prefix) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differs = own.to_bits() ^ other.to_bits();
                differs >> (Ipv6Addr::BITS - self.prefix) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| BadNetwork::Unreadable)?;
        if address.to_canonical() != address {
            return Err(BadNetwork::MappedIpv4);
        }
        let (bits, zeros_at_end) = match address {
            IpAddr::V4(address) => (Ipv4Addr::BITS, address.to_bits().trailing_zeros()),
            IpAddr::V6(address) => (Ipv6Addr::BITS, address.to_bits().trailing_zeros()),
        };
        let prefix = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| BadNetwork::Unreadable)?,
            None => bits,
        };
        if prefix > bits {
            return Err(BadNetwork::Unreadable);
        }
        if prefix == 0 {
            return Err(BadNetwork::Everything);
        }
        if zeros_at_end < bits - prefix {
            return Err(BadNetwork::BitsBehindPrefix);
        }
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The networks that a setting lists.
pub(super) fn networks(name: &str, given: &[String]) -> Result<Vec<Network>, ConfigError> {
    let listed = given.iter().map(|text| text.trim());
    let listed = listed.filter(|text| !text.is_empty());
    let network = |text: &str| {
        text.parse::<Network>()
            .map_err(|error| ConfigError::bad(name, format!("`{}` {error}", shown::address(text))))
    };
    listed.map(network).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_the_addresses_that_begin_as_it_does() {
        let has = |network: &str, address: &str| {
            let network: Network = network.parse().expect("a network");
            network.has(address.parse().expect("an address"))
        };
        assert!(has("10.0.0.0/8", "10.255.1.2"));
        assert!(has("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(!has("10.0.0.0/8", "11.0.0.0"));
        assert!(!has("10.0.0.0/8", "a00::"));
        assert!(has("10.0.0.1", "10.0.0.1") && !has("10.0.0.1", "10.0.0.0"));
        assert!(has("0.0.0.0/1", "127.0.0.1") && !has("0.0.0.0/1", "128.0.0.1"));
        assert!(has("2001:db8::/32", "2001:db8:ffff::1"));
        assert!(!has("2001:db8::/32", "2001:db9::1"));
        assert!(has("::1", "::1") && !has("::1", "127.0.0.1"));
    }

    #[test]
    fn a_text_that_names_no_network_is_refused_with_the_reason() {
        let refused = |text: &str| text.parse::<Network>().err();
        for text in [
            "",
            "proxy.example",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0/8",
            "::/129",
        ] {
            assert_eq!(refused(text), Some(BadNetwork::Unreadable), "{text}");
        }
        assert_eq!(refused("10.0.0.1/8"), Some(BadNetwork::BitsBehindPrefix));
        for text in ["0.0.0.0/0", "::/0"] {
            assert_eq!(refused(text), Some(BadNetwork::Everything), "{text}");
        }
        assert_eq!(refused("::ffff:10.0.0.1"), Some(BadNetwork::MappedIpv4));
    }

    #[test]
    fn the_networks_of_a_setting_are_shown_as_they_are_meant() {
        let given = ["10.0.0.0/8", " ::1", ""].map(str::to_owned);
        let read = |given: &[String]| {
            let listed = networks("trusted-proxies", given);
            listed.map_err(|error| error.to_string())
        };
        let listed = read(&given).expect("networks");
        let shown: Vec<_> = listed.iter().map(Network::to_string).collect();
        assert_eq!(shown, ["10.0.0.0/8", "::1/128"]);
        let said = "`trusted-proxies` is not right: `10.0.0.1/8` has bits behind its prefix; write the first address of the network";
        assert_eq!(read(&["10.0.0.1/8".to_owned()]), Err(said.to_owned()));
    }
}
