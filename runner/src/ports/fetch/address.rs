//! Which internet addresses lead where nobody from outside may go. Sources: the special-purpose registries of IANA for IPv4
//! and IPv6, and the addresses at which clouds tell their machines secrets.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not one of the public internet; `None` where it is.
pub(super) fn not_public(ip: IpAddr) -> Option<&'static str> {
    never(ip).or_else(|| match ip {
        IpAddr::V4(v4) => not_public_v4(v4),
        IpAddr::V6(v6) => not_public_v6(v6),
    })
}

/// Why nothing is ever fetched from an address, whatever the operator lists; `None` where it may be.
pub(super) fn never(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(v4) => never_v4(v4),
        IpAddr::V6(v6) => never_v6(v6),
    }
}

fn never_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, d] = ip.octets();
    match (a, b, c, d) {
        // Alibaba, Oracle, Azure; the others use a link-local one.
        (100, 100, 100, 200) | (192, 0, 0, 192) | (168, 63, 129, 16) => {
            Some("an address of a cloud's metadata service")
        }
        (0, ..) => Some("an unspecified address"),
        (169, 254, ..) => Some("a link-local address, where clouds keep their metadata service"),
        (224..=239, ..) => Some("a multicast address"),
        (240..=255, ..) => Some("a reserved or broadcast address"),
        _ => None,
    }
}

fn not_public_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = ip.octets();
    match (a, b, c) {
        (127, ..) => Some("a loopback address"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Some("a private address"),
        (100, 64..=127, _) => Some("an address shared behind a provider's translation"),
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => Some("an address for documentation"),
        (192, 0, 0) | (198, 18..=19, _) => Some("a reserved address"),
        (192, 88, 99) => Some("a 6to4 relay"),
        _ => None,
    }
}

fn never_v6(ip: Ipv6Addr) -> Option<&'static str> {
    if ip.is_unspecified() {
        return Some("an unspecified address");
    }
    if let Some(inner) = embedded(ip) {
        return never_v4(inner);
    }
    // AWS and Google.
    let metadata = [
        Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
        Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    ];
    if metadata.contains(&ip) {
        return Some("an address of a cloud's metadata service");
    }
    match ip.segments()[0] {
        0xfe80..=0xfebf => Some("a link-local address"),
        0xff00..=0xffff => Some("a multicast address"),
        _ => None,
    }
}

fn not_public_v6(ip: Ipv6Addr) -> Option<&'static str> {
    if ip.is_loopback() {
        return Some("a loopback address");
    }
    // Refused even where the embedded address is public: there is no need to write it like this.
    if embedded(ip).is_some() {
        return Some("an IPv4 address in the clothes of an IPv6 address");
    }
    let s = ip.segments();
    match (s[0], s[1]) {
        (0xfc00..=0xfdff, _) => Some("a private address"),
        (0x2001, 0xdb8) | (0x3fff, 0..=0xfff) => Some("an address for documentation"),
        (0x2001, 0..=0x1ff) => Some("a reserved address"),
        (0x2000..=0x3fff, _) => None,
        _ => Some("a reserved address"),
    }
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, translated by NAT64, 6to4.
fn embedded(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match s {
        [0, 0, 0, 0, 0, 0, 0, 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, ..] => v4(high, low),
        // Teredo has it inverted.
        [0x2001, 0, _, _, _, _, high, low] => v4(!high, !low),
        _ => None,
    }
}
