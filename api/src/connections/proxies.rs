//! Whose request a proxy passes on. Anybody can write the headers that say so; they are believed where the other side of the connection
//! is a proxy that the operator trusts, and no further back than to the first address that is not such a proxy.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

use crate::config::Network;

/// What proxies write by RFC 7239: a list of hops, each with its parameters.
const FORWARDED: &str = "forwarded";

/// What proxies write that do not know `Forwarded`: a list of addresses.
const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// The proxies whose headers are believed.
pub(crate) struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    pub(crate) fn new(networks: Vec<Network>) -> Self {
        Self(networks)
    }

    pub(super) fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.has(address))
    }

    /// The address of the client whose request came over a connection from this peer.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.trust(peer) {
            return peer;
        }
        let forwarded = joined(headers, FORWARDED);
        let forwarded = forwarded.map(|list| self.last_stranger(peer, &list, forwarded_for));
        let listed = joined(headers, X_FORWARDED_FOR);
        let listed = listed.map(|list| self.last_stranger(peer, &list, node_address));
        match (forwarded, listed) {
            // A proxy writes one of them and may pass the other one on as the client sent it. Which one it writes, nobody can tell.
            (Some(one), Some(other)) if one != other => peer,
            (Some(client), _) | (None, Some(client)) => client,
            (None, None) => peer,
        }
    }

    /// The last address of a list that is not a trusted proxy's. Each proxy puts the address that it was asked from at the end, so what
    /// stands before that of a stranger is only what the stranger says. Where a proxy hides an address, the proxy stands for the client.
    fn last_stranger(&self, peer: IpAddr, list: &str, read: ReadAddress) -> IpAddr {
        let mut nearest = peer;
        let mut rest = Some(list);
        while let Some(list) = rest {
            let (before, element) = split_last(list, b',');
            let Some(address) = read(element.trim()) else {
                return nearest;
            };
            nearest = address;
            if !self.trust(address) {
                return nearest;
            }
            rest = before;
        }
        nearest
    }
}

/// Reads the address in an element of a list.
type ReadAddress = fn(&str) -> Option<IpAddr>;

/// All lines of a header as one list.
fn joined(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(name).iter();
    // What is not ASCII is no address, and stands where it stood.
    let lines: Vec<_> = lines.map(|line| line.to_str().unwrap_or("?")).collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

/// The address of `for` in an element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut found = None;
    let mut rest = Some(element);
    while let Some(pairs) = rest {
        let (before, pair) = split_last(pairs, b';');
        rest = before;
        let Some((name, value)) = pair.split_once('=') else {
            continue;
        };
        if name.trim().eq_ignore_ascii_case("for") && found.replace(value.trim()).is_some() {
            return None;
        }
    }
    let value = found?;
    let quoted = value.strip_prefix('"');
    let quoted = quoted.and_then(|rest| rest.strip_suffix('"'));
    node_address(quoted.unwrap_or(value))
}

/// An address with or without a port, that of IPv6 with or without brackets.
fn node_address(node: &str) -> Option<IpAddr> {
    let bare = node.strip_prefix('[');
    let bare = bare.and_then(|rest| rest.strip_suffix(']'));
    let address = bare.unwrap_or(node).parse::<IpAddr>();
    let address = address.or_else(|_| node.parse::<SocketAddr>().map(|place| place.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// The text before the last separator outside of quotes, where there is one, and the text behind it. It is read from the end, so that a
/// quote that a client opened cannot swallow what a proxy wrote behind it.
fn split_last(text: &str, separator: u8) -> (Option<&str>, &str) {
    let bytes = text.as_bytes();
    let mut is_quoted = false;
    for (at, byte) in bytes.iter().enumerate().rev() {
        if *byte == b'"' && !is_escaped(&bytes[..at]) {
            is_quoted = !is_quoted;
        } else if *byte == separator && !is_quoted {
            return (Some(&text[..at]), &text[at + 1..]);
        }
    }
    (None, text)
}

/// Whether what comes after these bytes is escaped by the last of them.
fn is_escaped(before: &[u8]) -> bool {
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    backslashes.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn client(trusted: &[&str], peer: &str, headers: &[(&'static str, &str)]) -> String {
        let networks = trusted.iter().map(|text| text.parse().expect("a network"));
        let proxies = TrustedProxies::new(networks.collect());
        let mut map = HeaderMap::new();
        for &(name, value) in headers {
            let value = HeaderValue::from_str(value).expect("a value");
            map.append(HeaderName::from_static(name), value);
        }
        let peer = peer.parse().expect("an address");
        proxies.client(peer, &map).to_string()
    }

    /// The client behind a proxy at 10.0.0.1, where 10.0.0.0/8 is trusted.
    fn behind(headers: &[(&'static str, &str)]) -> String {
        client(&["10.0.0.0/8"], "10.0.0.1", headers)
    }

    #[test]
    fn headers_are_believed_of_trusted_proxies_alone() {
        for name in ["forwarded", "x-forwarded-for"] {
            let says = if name == "forwarded" {
                "for=1.2.3.4"
            } else {
                "1.2.3.4"
            };
            let headers = [(name, says)];
            assert_eq!(behind(&headers), "1.2.3.4");
            assert_eq!(client(&[], "10.0.0.1", &headers), "10.0.0.1");
            assert_eq!(client(&["10.0.0.0/8"], "11.0.0.1", &headers), "11.0.0.1");
            assert_eq!(
                client(&["10.0.0.0/8"], "::ffff:10.0.0.1", &headers),
                "1.2.3.4"
            );
        }
        assert_eq!(behind(&[]), "10.0.0.1");
    }

    #[test]
    fn what_a_client_puts_in_front_is_not_looked_at() {
        let list = |list| behind(&[("x-forwarded-for", list)]);
        assert_eq!(list("9.9.9.9, 1.2.3.4"), "1.2.3.4");
        assert_eq!(list("9.9.9.9, 1.2.3.4, 10.0.0.7,10.0.0.2"), "1.2.3.4");
        assert_eq!(list("10.0.0.3, 10.0.0.2"), "10.0.0.3");
        let lines = [
            ("x-forwarded-for", "9.9.9.9"),
            ("x-forwarded-for", "1.2.3.4"),
        ];
        assert_eq!(behind(&lines), "1.2.3.4");
        let list = |list| behind(&[("forwarded", list)]);
        assert_eq!(list(r#"for=9.9.9.9;by="x, for=1.2.3.4"#), "1.2.3.4");
        assert_eq!(list(r#"for=1.2.3.4;host="a, for=9.9.9.9;b=\"""#), "1.2.3.4");
        assert_eq!(
            list("for=9.9.9.9, For=1.2.3.4;proto=https, for=10.0.0.2"),
            "1.2.3.4"
        );
    }

    #[test]
    fn an_address_is_read_in_every_form_that_proxies_write() {
        for node in [
            "1.2.3.4",
            "1.2.3.4:5678",
            "::ffff:1.2.3.4",
            "[::ffff:1.2.3.4]:5678",
        ] {
            assert_eq!(behind(&[("x-forwarded-for", node)]), "1.2.3.4", "{node}");
        }
        for node in ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:5678"] {
            assert_eq!(
                behind(&[("x-forwarded-for", node)]),
                "2001:db8::1",
                "{node}"
            );
            let quoted = format!("proto=https;for=\"{node}\"");
            assert_eq!(behind(&[("forwarded", &quoted)]), "2001:db8::1", "{node}");
        }
    }

    #[test]
    fn a_proxy_stands_for_a_client_that_it_hides() {
        for hidden in ["unknown", "_gazonk", "", "1.2.3", "1.2.3.4 5.6.7.8"] {
            assert_eq!(
                behind(&[("x-forwarded-for", hidden)]),
                "10.0.0.1",
                "{hidden}"
            );
            let list = format!("for=1.2.3.4, for={hidden}, for=10.0.0.2");
            assert_eq!(behind(&[("forwarded", &list)]), "10.0.0.2", "{hidden}");
        }
        assert_eq!(
            behind(&[("forwarded", "for=1.2.3.4;for=5.6.7.8")]),
            "10.0.0.1"
        );
        assert_eq!(behind(&[("forwarded", "proto=https")]), "10.0.0.1");
    }

    #[test]
    fn two_headers_are_believed_if_they_say_the_same() {
        let both = |one, other| behind(&[("forwarded", one), ("x-forwarded-for", other)]);
        assert_eq!(both("for=1.2.3.4", "9.9.9.9, 1.2.3.4"), "1.2.3.4");
        assert_eq!(both("for=9.9.9.9", "1.2.3.4"), "10.0.0.1");
    }
}
