//! Reference pictures from addresses that a message names: they are fetched only from servers from which the operator allows it.

use bytes::Bytes;
use domain::shown;

use super::fetch::{FetchError, Fetcher, HostRule, Origin, Policy};
use super::openai_images::{PICTURE_TYPES, picture_limits};

/// Fetches pictures from listed hosts.
#[derive(Clone, Debug)]
pub struct References {
    listed: Vec<Origin>,
    /// For origins, which are servers that the operator names exactly and that may be on this machine. Names are looked for on the public
    /// internet only.
    from_origins: Fetcher,
    from_hosts: Fetcher,
    is_empty: bool,
}

impl References {
    /// From a list of `example.com`, `*.example.com` and origins such as `http://127.0.0.1:9000`.
    ///
    /// # Errors
    ///
    /// Which entry is neither, in words.
    pub fn new(entries: &[String]) -> Result<Self, String> {
        let (mut origins, mut hosts) = (vec![], vec![]);
        for entry in entries {
            let told = |error: FetchError| format!("`{}`: {error}", shown::address(entry));
            if entry.contains("://") {
                origins.push(Origin::parse(entry).map_err(told)?);
            } else {
                hosts.push(HostRule::parse(entry).map_err(told)?);
            }
        }
        Ok(Self {
            is_empty: entries.is_empty(),
            listed: origins.clone(),
            from_origins: Fetcher::new(Policy::Listed(origins), picture_limits())?,
            from_hosts: Fetcher::new(Policy::Hosts(hosts), picture_limits())?,
        })
    }

    /// From nowhere.
    pub fn none() -> Self {
        Self::new(&[]).expect("there is no entry that could be wrong")
    }

    /// Whether nothing is fetched from anywhere.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The bytes of what is at an address; whether they are a picture is for others to see.
    ///
    /// # Errors
    ///
    /// Which rule refused it, or what went wrong on the way.
    pub async fn get(&self, address: &str) -> Result<Bytes, FetchError> {
        let origin = Origin::of_address(address)?;
        let fetcher = if self.listed.contains(&origin) {
            &self.from_origins
        } else {
            &self.from_hosts
        };
        let fetched = fetcher.get(address, PICTURE_TYPES).await?;
        Ok(fetched.body)
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::response::Redirect;
    use axum::routing::get;

    use super::*;
    use crate::ports::testing::{Server, picture_of};

    fn references(entries: &[&str]) -> References {
        let entries: Vec<_> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        References::new(&entries).expect("right")
    }

    #[tokio::test]
    async fn an_origin_that_is_listed_may_be_on_this_machine_and_no_other() {
        let png = || async { ([("content-type", "image/png")], picture_of(4, 4)) };
        let elsewhere = || async { Redirect::to("http://127.0.0.1:1/a") };
        let routes = Router::new()
            .route("/a", get(png))
            .route("/away", get(elsewhere));
        let server = Server::start(routes).await;
        let listed = references(&["example.com", &server.url]);
        let found = listed.get(&format!("{}/a", server.url)).await;
        assert_eq!(found, Ok(picture_of(4, 4).into()));
        let away = listed.get(&format!("{}/away", server.url)).await;
        assert!(
            matches!(away, Err(FetchError::NotListed { .. })),
            "{away:?}"
        );
        let other = references(&["example.com"]);
        let refused = other.get(&format!("{}/a", server.url)).await;
        assert!(
            matches!(refused, Err(FetchError::Port { .. })),
            "{refused:?}"
        );
    }

    #[tokio::test]
    async fn names_are_those_that_are_listed_and_addresses_are_none() {
        let listed = references(&["Example.com", "*.cdn.example.org"]);
        for refused in [
            "http://example.org/a.png",
            "http://www.example.com/a.png",
            "http://cdn.example.org/a.png",
            "http://xcdn.example.org/a.png",
            "http://8.8.8.8/a.png",
            "http://127.0.0.1/a.png",
        ] {
            let got = listed.get(refused).await;
            assert!(
                matches!(got, Err(FetchError::NotListed { .. })),
                "{refused}: {got:?}"
            );
        }
        let rule = |text: &str| HostRule::parse(text).map(|rule| rule.to_string());
        assert_eq!(rule("EXAMPLE.com."), Ok("example.com".to_owned()));
        assert_eq!(rule("*.例え.jp"), Ok("*.xn--r8jz45g.jp".to_owned()));
        for wrong in [
            "", "*", "*.", "com", "10.0.0.1", "a.b/c", "a.b:80", "u@a.b", "*.*.a.b",
        ] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
