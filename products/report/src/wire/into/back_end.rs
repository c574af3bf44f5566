//! External back ends that templates and knowledge bases may come from, beside those that this server keeps itself.

use std::fmt;

use palimpsest::prelude::pipeline::shown;
use palimpsest::prelude::tool::{FetchError, Origin};
use palimpsest::prelude::wire::{ConfigError, Environment};
use serde::{Serialize, Serializer};

use crate::tools::DEFAULT_BACK_END;

/// The variables that may hold the base address; the first one that is set is used.
const BASE_URL: [&str; 3] = [
    "TEMPLATE_API_BASE_URL",
    "TEMPLATE_BACKEND_URL",
    "BACKEND_BASE_URL",
];

/// Origins beside the base address's own that a message may name.
const ALLOW: &str = "TEMPLATE_API_ALLOW";

/// Which back ends are asked for templates and knowledge bases.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub(crate) struct BackEnd {
    /// The back end for what an owner does not have here, if the message names no other.
    pub(crate) base_url: Option<String>,
    /// The only servers that are asked, even if a message names another one.
    #[serde(serialize_with = "shown_allowed")]
    pub(crate) allowed: Vec<Origin>,
}

impl fmt::Debug for BackEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackEnd")
            .field("base_url", &self.base_url.as_deref().map(shown::address))
            .field("allowed", &self.allowed)
            .finish()
    }
}

impl BackEnd {
    pub(crate) fn of(environment: &Environment) -> Result<Self, ConfigError> {
        let set = |name: &'static str| Some((name, environment.get(name)?));
        let base = BASE_URL.into_iter().find_map(set);
        let first = match &base {
            Some((name, url)) => origin(name, Origin::of_address(url))?,
            // A message may name the back end of the contract; without that it is not asked.
            None => origin(ALLOW, Origin::parse(DEFAULT_BACK_END))?,
        };
        let mut allowed = vec![first];
        let further = environment.get(ALLOW).unwrap_or_default();
        for text in further.split(',').map(str::trim) {
            if text.is_empty() {
                continue;
            }
            let further = origin(ALLOW, Origin::parse(text))?;
            if !allowed.contains(&further) {
                allowed.push(further);
            }
        }
        Ok(Self {
            base_url: base.map(|(_, url)| url),
            allowed,
        })
    }
}

fn shown_allowed<S: Serializer>(allowed: &[Origin], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(allowed.iter().map(ToString::to_string))
}

fn origin(name: &str, origin: Result<Origin, FetchError>) -> Result<Origin, ConfigError> {
    origin.map_err(|error| ConfigError::bad(name, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_address_of_a_back_end_wins_and_its_origin_may_be_asked() {
        let back_end = |pairs: &[(&str, &str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            BackEnd::of(&Environment::from_pairs(pairs)).map(|back_end| {
                let allowed = back_end.allowed.iter().map(ToString::to_string);
                (back_end.base_url.clone(), allowed.collect::<Vec<_>>())
            })
        };
        let texts = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(back_end(&[]), Ok((None, texts(&["http://127.0.0.1:8787"]))));
        let three = [
            ("BACKEND_BASE_URL", "http://c"),
            ("TEMPLATE_BACKEND_URL", "http://b/path"),
            ("TEMPLATE_API_BASE_URL", ""),
            ("TEMPLATE_API_ALLOW", "https://d.example, http://b,"),
        ];
        let expected = (
            Some("http://b/path".to_owned()),
            texts(&["http://b", "https://d.example"]),
        );
        assert_eq!(back_end(&three), Ok(expected));
        for (name, wrong) in [
            ("TEMPLATE_API_BASE_URL", "127.0.0.1:8787"),
            ("TEMPLATE_API_BASE_URL", "http://me:secret@b"),
            ("TEMPLATE_API_ALLOW", "http://b/path"),
        ] {
            let refused = back_end(&[(name, wrong)]).expect_err(wrong).to_string();
            assert!(
                refused.contains(name) && !refused.contains("secret"),
                "{refused}"
            );
        }
    }
}
