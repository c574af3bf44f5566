//! The hosts by which this server is known, and the origins of pages that may ask it. Both can be replaced while the server runs.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

use crate::config::{Config, is_loopback_host};

/// Which hosts and origins are let in. A clone is another handle on the same.
#[derive(Clone, Debug)]
pub struct KnownNames(Arc<RwLock<Arc<Allowed>>>);

#[derive(Debug)]
struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
    listen: Vec<IpAddr>,
}

impl KnownNames {
    pub fn new(config: &Config) -> Self {
        let listen = std::iter::once(config.listen)
            .chain(config.further_listens().map(|(_, address)| address))
            .map(|address| address.ip())
            .collect();
        Self::of(Allowed::of(&config.hosts, &config.origins, listen))
    }

    fn of(allowed: Allowed) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(allowed))))
    }

    /// Replaces the hosts and origins.
    pub fn replace(&self, hosts: &[String], origins: &[String]) {
        let allowed = Allowed::of(hosts, origins, self.allowed().listen.clone());
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(allowed);
    }

    fn allowed(&self) -> Arc<Allowed> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a request for this host is answered. Somebody can point a name of their own at this machine (DNS rebinding); a page under
    /// that name then has it in `Host`. So only names that are known to be ours are answered. An address cannot be pointed elsewhere, so
    /// any address is accepted if the server listens on every address.
    pub(crate) fn takes_host(&self, host: &str) -> bool {
        let allowed = self.allowed();
        let host = host.to_ascii_lowercase();
        let name = without_port(&host);
        let mut hosts = allowed.hosts.iter();
        if is_loopback_host(name) || hosts.any(|known| *known == host || known == name) {
            return true;
        }
        let address = name
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<IpAddr>();
        let listens = |ip| {
            let mut listen = allowed.listen.iter();
            listen.any(|listen| listen.is_unspecified() || ip == *listen)
        };
        address.is_ok_and(listens)
    }

    /// Whether this origin may ask: the server's own, or a listed one. Only requests of pages have an origin.
    pub(crate) fn takes_origin(&self, origin: &str, host: &str) -> bool {
        self.lists(origin)
            || origin
                .split_once("://")
                .is_some_and(|(_, place)| place.eq_ignore_ascii_case(host))
    }

    pub(crate) fn lists(&self, origin: &str) -> bool {
        let allowed = self.allowed();
        let mut origins = allowed.origins.iter();
        origins.any(|known| known.eq_ignore_ascii_case(origin))
    }
}

impl Allowed {
    fn of(hosts: &[String], origins: &[String], listen: Vec<IpAddr>) -> Self {
        let lower = |list: &[String]| {
            list.iter()
                .map(|text| text.trim_end_matches('/').to_ascii_lowercase())
                .collect()
        };
        Self {
            hosts: lower(hosts),
            origins: lower(origins),
            listen,
        }
    }
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

    fn names(listen: &str, hosts: &[&str], origins: &[&str]) -> KnownNames {
        let list =
            |list: &[&str]| -> Vec<String> { list.iter().map(|&text| text.into()).collect() };
        let listen = vec![listen.parse().expect("an address")];
        KnownNames::of(Allowed::of(&list(hosts), &list(origins), listen))
    }

    #[test]
    fn only_hosts_that_are_ours_are_answered() {
        let here = names("127.0.0.1", &["desk.example.com"], &[]);
        for host in [
            "localhost",
            "localhost:8080",
            "127.0.0.1:1",
            "[::1]:8080",
            "a.localhost",
            "Desk.Example.com:443",
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
        assert!(names("0.0.0.0", &[], &[]).takes_host("10.0.0.5:8080"));
        assert!(names("10.0.0.5", &[], &[]).takes_host("10.0.0.5:8080"));
        assert!(!names("0.0.0.0", &[], &[]).takes_host("evil.example"));
    }

    #[test]
    fn a_page_may_ask_from_the_same_origin_or_from_a_listed_one() {
        let here = names("127.0.0.1", &[], &["https://app.example.com"]);
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

    #[test]
    fn names_are_exchanged_while_the_server_serves() {
        let here = names("127.0.0.1", &["old.example"], &["https://old.example"]);
        here.clone()
            .replace(&["new.example".into()], &["https://new.example/".into()]);
        assert!(here.takes_host("new.example") && !here.takes_host("old.example"));
        assert!(here.lists("https://new.example") && !here.lists("https://old.example"));
        assert!(here.takes_host("127.0.0.1:80"));
    }
}
