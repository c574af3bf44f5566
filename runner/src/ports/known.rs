//! Which habits are known of which models: families that come as data, and what refusals have taught, which is kept beside the
//! data of the process for the next one.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::habits::Habits;
use super::lessons::Change;
use crate::clock::Clock;

/// The families that the program knows.
const BUILT_IN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../models.toml"));

/// How long a lesson is kept. Endpoints learn to accept new things every few months; learning an old lesson again costs one refused
/// request.
const LESSONS_KEPT: TimeDelta = TimeDelta::days(30);

/// Models that have their habits in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Family {
    /// Names, `*` for any letters: compared with the whole name, and with the part after its last `/`.
    pub models: Vec<String>,
    /// The hosts of these models; without hosts, any host.
    pub hosts: Vec<String>,
    /// Not shown with other settings, as headers may hold keys.
    #[serde(skip_serializing)]
    pub habits: Habits,
}

impl TryFrom<Map<String, Value>> for Family {
    type Error = serde_json::Error;

    /// By hand, since serde takes unknown fields where it flattens.
    fn try_from(mut table: Map<String, Value>) -> Result<Self, Self::Error> {
        let mut names = |field: &str| {
            let names = table.remove(field).unwrap_or_else(|| Value::Array(vec![]));
            Vec::<String>::deserialize(names)
        };
        let (models, hosts) = (names("models")?, names("hosts")?);
        if models.is_empty() {
            return Err(serde::de::Error::custom(
                "a family names its `models`, such as [\"gpt-5*\"]",
            ));
        }
        let habits = Habits::deserialize(Value::Object(table))?;
        Ok(Self {
            models,
            hosts,
            habits,
        })
    }
}

impl Family {
    /// The families that the program knows, in their order.
    pub fn built_in() -> &'static [Self] {
        #[derive(Deserialize)]
        struct File {
            family: Vec<Family>,
        }
        static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
            let file: File = toml::from_str(BUILT_IN).expect("a test reads the families");
            file.family
        });
        &FAMILIES
    }

    /// Whether a model at a host is one of them.
    pub fn has(&self, host: &str, model: &str) -> bool {
        // With or without its port.
        let bare_host = host.rsplit_once(':').map_or(host, |(bare, _)| bare);
        let bare = model.rsplit('/').next().unwrap_or(model);
        let is_named = |pattern: &String| fits(pattern, model) || fits(pattern, bare);
        let is_there = |pattern: &String| fits(pattern, host) || fits(pattern, bare_host);
        self.models.iter().any(is_named)
            && (self.hosts.is_empty() || self.hosts.iter().any(is_there))
    }
}

/// Whether a text matches a pattern in which `*` stands for any letters.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<_> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What is known of the models at one endpoint.
#[derive(Debug)]
pub struct KnownModels {
    host: String,
    families: Vec<Family>,
    learned: Mutex<BTreeMap<String, Learned>>,
    file: Option<PathBuf>,
    /// What the file holds of other endpoints.
    elsewhere: BTreeMap<String, BTreeMap<String, Learned>>,
    clock: Clock,
}

/// What refusals have taught of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Learned {
    at: DateTime<Utc>,
    habits: Habits,
}

impl KnownModels {
    /// The models at this address: what is configured for them takes precedence over what the program knows.
    pub fn at(base_url: &str, configured: &[Family]) -> Self {
        Self::new(&host_of(base_url), configured, Clock::system())
    }

    /// The same for the models at this host.
    fn new(host: &str, configured: &[Family], clock: Clock) -> Self {
        let mut families = configured.to_vec();
        families.extend_from_slice(Family::built_in());
        Self {
            host: host.to_owned(),
            families,
            learned: Mutex::default(),
            file: None,
            elsewhere: BTreeMap::new(),
            clock,
        }
    }

    /// Adds what an earlier process has learned, and keeps what this one learns. A file that cannot be read is begun anew: its lessons are
    /// learned again.
    #[must_use]
    pub fn kept_in(mut self, file: &Path) -> Self {
        let mut all = match std::fs::read(file) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, file = %file.display(), "what was learned of models cannot be read, and is learned again");
                BTreeMap::new()
            }),
            Err(_) => BTreeMap::<String, BTreeMap<String, Learned>>::new(),
        };
        let oldest = self.clock.now() - LESSONS_KEPT;
        for models in all.values_mut() {
            models.retain(|_, learned| learned.at > oldest);
        }
        self.learned = Mutex::new(all.remove(&self.host).unwrap_or_default());
        self.elsewhere = all;
        self.file = Some(file.to_owned());
        self
    }

    /// Where the models are: the host, with its port where that is named.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What is known of a model.
    pub fn habits(&self, model: &str) -> Habits {
        let learned = self.lessons().get(model).cloned();
        let learned = learned.map(|learned| learned.habits).unwrap_or_default();
        learned.over(&of_families(&self.families, &self.host, model))
    }

    /// What refusals have taught of a model, without what was known before.
    pub fn learned(&self, model: &str) -> Option<Habits> {
        let learned = self.lessons().get(model).cloned();
        learned.map(|learned| learned.habits)
    }

    /// Adds what was learned of a model to what others learn of it at the same time.
    pub(super) fn learn(&self, model: &str, change: &Change) {
        let mut learned = self.lessons();
        let now = self.clock.now();
        let of_model = learned.entry(model.to_owned()).or_insert_with(|| Learned {
            at: now,
            habits: Habits::default(),
        });
        of_model.at = now;
        of_model.habits.take(change);
        let Some(file) = &self.file else { return };
        let mut all = self.elsewhere.clone();
        all.insert(self.host.clone(), learned.clone());
        let text = serde_json::to_vec_pretty(&all).expect("habits have only text keys");
        let new = file.with_extension("new");
        // A file that an interrupted process left, or a link, is removed and not written into.
        let _ = std::fs::remove_file(&new);
        let made = std::fs::File::create_new(&new);
        let written = made.and_then(|mut made| made.write_all(&text));
        let written = written.and_then(|()| std::fs::rename(&new, file));
        if let Err(error) = written {
            tracing::warn!(%error, file = %file.display(), "what was learned of a model could not be kept");
        }
    }

    fn lessons(&self) -> MutexGuard<'_, BTreeMap<String, Learned>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the families say of a model at a host; an earlier family takes precedence over a later one.
pub fn of_families(families: &[Family], host: &str, model: &str) -> Habits {
    let of_model = families.iter().filter(|family| family.has(host, model));
    of_model.fold(Habits::default(), |known, family| {
        known.over(&family.habits)
    })
}

/// The host of a provider, with its port where one is named. Lessons are kept, and families are found, by this host.
fn host_of(base_url: &str) -> String {
    let address = url::Url::parse(base_url).ok();
    let host = address.as_ref().and_then(|address| {
        let host = address.host_str()?;
        Some(match address.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    });
    host.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::habits::{Capability, LimitName};

    fn built_in(host: &str, model: &str) -> Habits {
        of_families(Family::built_in(), host, model)
    }

    #[test]
    fn names_and_hosts_are_compared_with_patterns() {
        for (pattern, text, expected) in [
            ("gpt-5*", "gpt-5-mini", true),
            ("gpt-5", "gpt-5-mini", false),
            ("*.azure.com", "mine.azure.com", true),
            ("*.azure.com", "azure.com.example.com", false),
            (
                "dashscope*.aliyuncs.com",
                "dashscope-intl.aliyuncs.com",
                true,
            ),
            ("*", "anything", true),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*b", "ab", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn known_families_are_asked_as_they_take_it() {
        let gpt = built_in("api.openai.com", "gpt-5-mini-2025-08-07");
        assert_eq!(gpt.output_limit, Some(LimitName::MaxCompletionTokens));
        assert!(!gpt.takes("temperature") && gpt.omit_keywords.contains("maxLength"));
        assert_eq!(gpt.price.map(|price| price.input), Some(0.25));
        let passed_on = built_in("openrouter.ai", "openai/gpt-5");
        assert!(!passed_on.takes("temperature") && passed_on.omit_keywords.is_empty());
        let deepseek = built_in("api.deepseek.com", "deepseek-chat");
        assert_eq!(deepseek.capability(), Capability::JsonObject);
        assert_eq!(built_in("127.0.0.1", "deepseek-chat"), Habits::default());
        assert_eq!(
            built_in("api.openai.com", "gpt-4o").output_tokens,
            Some(16_384)
        );
        let azure = built_in("mine.openai.azure.com", "my-deployment");
        assert_eq!(azure.headers.0["api-key"], "{key}");
    }

    #[test]
    fn a_family_with_an_unknown_field_or_without_models_is_refused() {
        let read = |text: &str| toml::from_str::<Family>(text).map_err(|error| error.to_string());
        assert!(read("models = [\"m\"]\nstructured = \"text\"").is_ok());
        assert!(read("models = [\"m\"]\ntemprature = false").is_err());
        let missing = read("structured = \"text\"").expect_err("no models");
        assert!(missing.contains("names its `models`"), "{missing}");
    }

    #[test]
    fn lessons_are_kept_for_the_next_process_and_for_a_month() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("learned.json");
        let at = |days: i64| {
            let then = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(days);
            Clock::of(move || then)
        };
        let known = |days| KnownModels::new("h", &[], at(days)).kept_in(&file);
        let first = known(0);
        // Two that learn at the same time both add to it.
        first.learn("m", &Change::OmitField("temperature".to_owned()));
        first.learn("m", &Change::Structured(Capability::Text));
        KnownModels::new("elsewhere", &[], at(0))
            .kept_in(&file)
            .learn("m", &Change::Alternates);
        let next = known(29).habits("m");
        assert!(!next.takes("temperature") && next.alternates.is_none());
        assert_eq!(next.capability(), Capability::Text);
        assert_eq!(known(31).habits("m"), Habits::default());
    }
}
