//! Back ends: other servers that have templates and knowledge bases. Their answers are not trusted and are checked.

use std::fmt;
use std::time::Duration;

use palimpsest::prelude::pipeline::shown;
use palimpsest::prelude::tool::{FetchError, FetchLimits, Fetcher, Origin, Policy};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::{Database, DatabaseFile, Lookup, ResourceError, ResourceQuery, Template};
use crate::resources::{DATABASE_FILES_MAX, DATABASES, TEMPLATES};

/// The back end that a message may name if none is configured: the address at which the contract's back end listens.
pub(crate) const DEFAULT_BACK_END: &str = "http://127.0.0.1:8787";

/// How long a back end may take for one answer; the contract's own number.
const BACK_END_LIMIT: Duration = Duration::from_secs(10);

/// Bytes of one answer: the largest knowledge base, with every second character escaped.
const ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;

const JSON: &[&str] = &["application/json"];

/// Back ends that may be asked.
#[derive(Clone)]
pub(crate) struct BackEnds {
    fetcher: Fetcher,
    configured: Option<String>,
}

impl fmt::Debug for BackEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackEnds")
            .field("fetcher", &self.fetcher)
            .field(
                "configured",
                &self.configured.as_deref().map(shown::address),
            )
            .finish()
    }
}

impl BackEnds {
    /// The back end `configured` is asked if a message names none; `allowed` are those that a message may name. The configured one has to
    /// be among them.
    ///
    /// # Errors
    ///
    /// Where the HTTP client cannot be built, in its own words.
    pub(crate) fn new(configured: Option<String>, allowed: Vec<Origin>) -> Result<Self, String> {
        let limits = FetchLimits {
            total: BACK_END_LIMIT,
            bytes: ANSWER_BYTES_MAX,
            ..FetchLimits::default()
        };
        Ok(Self {
            fetcher: Fetcher::new(Policy::Listed(allowed), limits)?,
            configured,
        })
    }

    pub(crate) fn configured(&self) -> Option<&str> {
        self.configured.as_deref()
    }

    pub(super) async fn template(
        &self,
        base: &str,
        wanted: ResourceQuery<'_>,
    ) -> Result<Lookup<Template>, ResourceError> {
        let listed: Vec<ListedTemplate> = self.get(base, &["templates"], "a list").await?;
        let line = |item: &ListedTemplate| (text(&item.id), item.name.clone());
        let place = match place(listed.iter().map(line), wanted) {
            Lookup::It(place) => place,
            Lookup::Names(names) => return Ok(Lookup::Names(names)),
        };
        let ListedTemplate { id, name, content } =
            listed.into_iter().nth(place).unwrap_or_default();
        let id = text(&id);
        let content = match content {
            Some(content) => content,
            // A list that is long may leave the contents out.
            None => {
                let path = ["templates", id.as_str()];
                let whole: ListedTemplate = self.get(base, &path, "a template").await?;
                whole.content.ok_or_else(|| ResourceError::NotJson {
                    path: "/api/templates/{id}".to_owned(),
                    expected: "a template",
                    cause: "it has no `content`".to_owned(),
                })?
            }
        };
        let (bytes, most) = (content.len() as u64, TEMPLATES.document_bytes_max);
        if bytes > most {
            return Err(ResourceError::TooLarge { name, bytes, most });
        }
        let media_type = template_media_type(&name, &content).to_owned();
        Ok(Lookup::It(Template {
            id,
            name,
            content,
            media_type,
        }))
    }

    pub(super) async fn database(
        &self,
        base: &str,
        wanted: ResourceQuery<'_>,
    ) -> Result<Lookup<Database>, ResourceError> {
        let mut by_id = None;
        if let Some(id) = wanted.id {
            by_id = self.database_of(base, id).await?;
        }
        let found = match by_id {
            Some(found) => found,
            None => {
                let listed: Vec<ListedDatabase> = self.get(base, &["databases"], "a list").await?;
                let lines = listed
                    .iter()
                    .map(|item| (text(&item.id), item.name.clone()));
                let id = match place(lines, wanted) {
                    Lookup::It(place) => listed.get(place).map(|item| text(&item.id)),
                    Lookup::Names(names) => return Ok(Lookup::Names(names)),
                };
                match self.database_of(base, &id.unwrap_or_default()).await? {
                    Some(found) => found,
                    // The knowledge base was removed in between.
                    None => return Ok(Lookup::Names(vec![])),
                }
            }
        };
        let (name, files) = (found.name.clone(), found.files.len());
        if files > DATABASE_FILES_MAX {
            let most = DATABASE_FILES_MAX;
            return Err(ResourceError::TooManyFiles { name, files, most });
        }
        let bytes = found.files.iter().map(|file| file.data.get().len() as u64);
        let (bytes, most) = (bytes.sum(), DATABASES.document_bytes_max);
        if bytes > most {
            return Err(ResourceError::TooLarge { name, bytes, most });
        }
        Ok(Lookup::It(found.read()))
    }

    /// A knowledge base by its id; `None` where the back end has none.
    async fn database_of(
        &self,
        base: &str,
        id: &str,
    ) -> Result<Option<WholeDatabase>, ResourceError> {
        match self.get(base, &["databases", id], "a knowledge base").await {
            Ok(found) => Ok(Some(found)),
            Err(ResourceError::Fetch(FetchError::Status { status: 404, .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn get<T: DeserializeOwned>(
        &self,
        base: &str,
        path: &[&str],
        expected: &'static str,
    ) -> Result<T, ResourceError> {
        let address = address(base, path)?;
        let fetched = self.fetcher.get(address.as_str(), JSON).await?;
        serde_json::from_slice(&fetched.body).map_err(|cause| ResourceError::NotJson {
            path: address.path().chars().take(80).collect(),
            expected,
            cause: cause.to_string(),
        })
    }
}

/// The address of a part of the interface below a base, whatever characters an id has.
fn address(base: &str, path: &[&str]) -> Result<Url, FetchError> {
    let bad = |cause: String| FetchError::BadAddress { cause };
    let mut url = Url::parse(base.trim()).map_err(|cause| bad(cause.to_string()))?;
    url.set_query(None);
    url.set_fragment(None);
    url.path_segments_mut()
        .map_err(|()| bad("it has no host".to_owned()))?
        .pop_if_empty()
        .push("api")
        .extend(path);
    Ok(url)
}

/// The place of the line that is wanted.
fn place(
    lines: impl Iterator<Item = (String, String)>,
    wanted: ResourceQuery<'_>,
) -> Lookup<usize> {
    let lines: Vec<_> = lines.collect();
    let by_id = lines
        .iter()
        .position(|line| Some(line.0.as_str()) == wanted.id);
    let by_name = || {
        lines
            .iter()
            .position(|line| Some(line.1.as_str()) == wanted.name)
    };
    match by_id.or_else(by_name) {
        Some(place) => Lookup::It(place),
        None => Lookup::Names(lines.into_iter().map(|(_, name)| name).collect()),
    }
}

/// An id, which other systems may write as a number.
fn text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Whether a template is Markdown or HTML, by its name and its beginning.
pub(crate) fn template_media_type(name: &str, content: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let start: String = content.trim_start().chars().take(15).collect();
    let start = start.to_ascii_lowercase();
    let is_named = name.ends_with(".html") || name.ends_with(".htm");
    if is_named || start.starts_with("<!doctype html") || start.starts_with("<html") {
        "text/html"
    } else {
        "text/markdown"
    }
}

#[derive(Default, Deserialize)]
struct ListedTemplate {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    name: String,
    #[serde(default)]
    content: Option<String>,
}

#[derive(Deserialize)]
struct ListedDatabase {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct WholeDatabase {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    name: String,
    files: Vec<WholeFile>,
}

#[derive(Deserialize)]
struct WholeFile {
    #[serde(default)]
    id: Value,
    name: String,
    #[serde(default = "null")]
    data: Box<serde_json::value::RawValue>,
}

fn null() -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::NULL.to_owned()
}

impl WholeDatabase {
    fn read(self) -> Database {
        let file = |file: WholeFile| DatabaseFile {
            id: text(&file.id),
            name: file.name,
            data: serde_json::from_str(file.data.get()).unwrap_or_default(),
        };
        Database {
            id: text(&self.id),
            name: self.name,
            files: self.files.into_iter().map(file).collect(),
        }
    }
}
