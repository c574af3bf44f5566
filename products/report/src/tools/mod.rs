//! Where a run's template and knowledge base come from: the owner's own collections, or a back end that speaks the interface
//! of the contract (`/api/templates`, `/api/databases`).

mod back_end;
mod load;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use palimpsest::prelude::resource::{Collection, CollectionId, Collections, Kind};
use palimpsest::prelude::tool::{FetchError, Surroundings, Tool};
use palimpsest::prelude::wire::SendError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resources::{DATABASES, TEMPLATES};
use crate::wire::into::ReportSettings;
pub(crate) use back_end::{BackEnds, DEFAULT_BACK_END, template_media_type};
pub(crate) use load::LoadResources;

/// The tools of this product, with the back ends that are configured.
pub(crate) fn tools(of: &Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let back_end = ReportSettings::of(of.config)?.back_end;
    let back_ends = BackEnds::new(back_end.base_url, back_end.allowed);
    let back_ends = back_ends.map_err(anyhow::Error::msg)?;
    let resources = OwnedResources::new(of.collections.clone(), back_ends);
    Ok(vec![Arc::new(LoadResources(Some(Arc::new(resources))))])
}

/// Names that are listed if the one that was asked for does not exist: as many as a person reads.
const NAMES_SHOWN: usize = 10;

/// What a message says about its template and its knowledge base. An empty text says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Hints {
    pub(crate) template_id: Option<String>,
    pub(crate) template_name: Option<String>,
    pub(crate) database_id: Option<String>,
    pub(crate) knowledge_base_name: Option<String>,
    /// The back end that has both. Without it the owner's own collections are asked first, then the configured back end.
    pub(crate) api_base_url: Option<String>,
}

impl Hints {
    fn tidy(mut self) -> Self {
        for hint in [
            &mut self.template_id,
            &mut self.template_name,
            &mut self.database_id,
            &mut self.knowledge_base_name,
            &mut self.api_base_url,
        ] {
            *hint = hint.take().filter(|text| !text.trim().is_empty());
        }
        self
    }

    fn template(&self) -> Option<ResourceQuery<'_>> {
        ResourceQuery::of(self.template_id.as_deref(), self.template_name.as_deref())
    }

    fn database(&self) -> Option<ResourceQuery<'_>> {
        ResourceQuery::of(
            self.database_id.as_deref(),
            self.knowledge_base_name.as_deref(),
        )
    }
}

/// The template or knowledge base that is wanted: by id first, then by exact name.
#[derive(Clone, Copy, Debug)]
struct ResourceQuery<'a> {
    id: Option<&'a str>,
    name: Option<&'a str>,
}

impl<'a> ResourceQuery<'a> {
    fn of(id: Option<&'a str>, name: Option<&'a str>) -> Option<Self> {
        (id.is_some() || name.is_some()).then_some(Self { id, name })
    }

    /// The text of an error for what was asked for.
    fn shown(&self) -> String {
        let text = self.name.or(self.id).unwrap_or_default();
        text.chars().take(80).collect()
    }
}

/// A template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Template {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Markdown or HTML.
    pub(crate) content: String,
    /// `text/markdown` or `text/html`.
    pub(crate) media_type: String,
}

/// A knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Database {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) files: Vec<DatabaseFile>,
}

/// A file of a knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DatabaseFile {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) data: Value,
}

/// Exactly what the hints name.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Loaded {
    pub(crate) template: Option<Template>,
    pub(crate) database: Option<Database>,
}

/// Why a template or a knowledge base was not loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ResourceError {
    #[error("there is no template `{asked}`; {known}")]
    NoTemplate { asked: String, known: String },
    #[error("there is no knowledge base `{asked}`; {known}")]
    NoDatabase { asked: String, known: String },
    #[error("{0}; the list is TEMPLATE_API_ALLOW and the origin of TEMPLATE_API_BASE_URL")]
    NotListed(FetchError),
    #[error("the back end cannot be used: {0}")]
    Fetch(FetchError),
    #[error("the back end answered `{path}` with something else than {expected}: {cause}")]
    NotJson {
        path: String,
        expected: &'static str,
        cause: String,
    },
    #[error("`{name}` is too large: {bytes} bytes, at most {most} are taken; split it")]
    TooLarge { name: String, bytes: u64, most: u64 },
    #[error("`{name}` has {files} files, at most {most} are taken; put some together")]
    TooManyFiles {
        name: String,
        files: usize,
        most: usize,
    },
    #[error(transparent)]
    Log(#[from] SendError),
}

impl ResourceError {
    /// For programs; stable.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoTemplate { .. } => "no_template",
            Self::NoDatabase { .. } => "no_database",
            Self::NotListed(_) => "host_not_allowed",
            Self::Fetch(FetchError::TooLarge { .. })
            | Self::TooLarge { .. }
            | Self::TooManyFiles { .. } => "too_large",
            Self::Fetch(FetchError::ContentType { .. }) | Self::NotJson { .. } => "not_json",
            Self::Fetch(FetchError::Unreachable { .. } | FetchError::Timeout { .. }) => {
                "unreachable"
            }
            Self::Fetch(_) => "back_end",
            Self::Log(_) => "storage",
        }
    }

    /// Whether the same may be loaded when it is tried again.
    pub(crate) fn retryable(&self) -> bool {
        match self {
            Self::Fetch(error) => error.retryable(),
            Self::Log(error) => matches!(error, SendError::Storage { .. } | SendError::Busy),
            Self::NoTemplate { .. }
            | Self::NoDatabase { .. }
            | Self::NotListed(_)
            | Self::NotJson { .. }
            | Self::TooLarge { .. }
            | Self::TooManyFiles { .. } => false,
        }
    }
}

impl From<FetchError> for ResourceError {
    fn from(error: FetchError) -> Self {
        if matches!(error, FetchError::NotListed { .. }) {
            Self::NotListed(error)
        } else {
            Self::Fetch(error)
        }
    }
}

/// Somewhere that templates and knowledge bases come from.
#[async_trait]
pub(crate) trait Resources: Send + Sync {
    /// What these hints name, for this owner.
    async fn load(&self, owner: &str, hints: Hints) -> Result<Loaded, ResourceError>;
}

/// The result of looking in one place: the one that was wanted, or else the names of all that are there.
enum Lookup<T> {
    It(T),
    Names(Vec<String>),
}

/// The owner's own collections, and back ends.
#[derive(Clone, Debug)]
pub(crate) struct OwnedResources {
    collections: Collections,
    back_ends: BackEnds,
}

impl OwnedResources {
    pub(crate) fn new(collections: Collections, back_ends: BackEnds) -> Self {
        Self {
            collections,
            back_ends,
        }
    }

    /// The back end to ask, if there is one: the one that is named, otherwise the configured one.
    fn back_end<'a>(&'a self, hints: &'a Hints) -> Option<&'a str> {
        let named = hints.api_base_url.as_deref();
        named.or(self.back_ends.configured())
    }

    async fn template(
        &self,
        owner: &str,
        hints: &Hints,
        wanted: ResourceQuery<'_>,
    ) -> Result<Template, ResourceError> {
        let mut known = vec![];
        if hints.api_base_url.is_none() {
            match self.own_template(owner, wanted).await? {
                Lookup::It(template) => return Ok(template),
                Lookup::Names(names) => known.extend(names),
            }
        }
        if let Some(base) = self.back_end(hints) {
            match self.back_ends.template(base, wanted).await? {
                Lookup::It(template) => return Ok(template),
                Lookup::Names(names) => known.extend(names),
            }
        }
        let asked = wanted.shown();
        let known = shown(&known);
        Err(ResourceError::NoTemplate { asked, known })
    }

    async fn database(
        &self,
        owner: &str,
        hints: &Hints,
        wanted: ResourceQuery<'_>,
    ) -> Result<Database, ResourceError> {
        let mut known = vec![];
        if hints.api_base_url.is_none() {
            match self.own_database(owner, wanted).await? {
                Lookup::It(database) => return Ok(database),
                Lookup::Names(names) => known.extend(names),
            }
        }
        if let Some(base) = self.back_end(hints) {
            match self.back_ends.database(base, wanted).await? {
                Lookup::It(database) => return Ok(database),
                Lookup::Names(names) => known.extend(names),
            }
        }
        let asked = wanted.shown();
        let known = shown(&known);
        Err(ResourceError::NoDatabase { asked, known })
    }

    async fn own_template(
        &self,
        owner: &str,
        wanted: ResourceQuery<'_>,
    ) -> Result<Lookup<Template>, ResourceError> {
        let found = self.own(owner, TEMPLATES, wanted).await?;
        Ok(match found {
            Lookup::Names(names) => Lookup::Names(names),
            Lookup::It((document, content)) => Lookup::It(Template {
                id: document.id.to_string(),
                name: document.name,
                content: String::from_utf8_lossy(&content).into_owned(),
                media_type: document.media_type,
            }),
        })
    }

    async fn own_database(
        &self,
        owner: &str,
        wanted: ResourceQuery<'_>,
    ) -> Result<Lookup<Database>, ResourceError> {
        let found = self.own(owner, DATABASES, wanted).await?;
        Ok(match found {
            Lookup::Names(names) => Lookup::Names(names),
            Lookup::It((document, content)) => {
                let read = serde_json::from_slice(&content);
                Lookup::It(read.map_err(|cause| SendError::Storage {
                    cause: format!("knowledge base `{}` is not readable: {cause}", document.id),
                })?)
            }
        })
    }

    async fn own(
        &self,
        owner: &str,
        kind: Kind,
        wanted: ResourceQuery<'_>,
    ) -> Result<Lookup<(palimpsest::prelude::resource::Document, bytes::Bytes)>, ResourceError>
    {
        let id = CollectionId::only(kind);
        let collection = match self.collections.get(owner, &id).await {
            // A collection that was erased counts as empty.
            Err(SendError::Erased) => Arc::new(Collection::default()),
            other => other?,
        };
        let Some(entry) = collection.find(wanted.id, wanted.name) else {
            let names = collection.documents.values().take(NAMES_SHOWN);
            let names = names.map(|entry| entry.document.name.clone());
            return Ok(Lookup::Names(names.collect()));
        };
        let document = entry.document.clone();
        let content = self.collections.content(owner, &id, &document).await?;
        Ok(Lookup::It((document, content)))
    }
}

#[async_trait]
impl Resources for OwnedResources {
    async fn load(&self, owner: &str, hints: Hints) -> Result<Loaded, ResourceError> {
        let hints = hints.tidy();
        let mut loaded = Loaded::default();
        if let Some(wanted) = hints.template() {
            loaded.template = Some(self.template(owner, &hints, wanted).await?);
        }
        if let Some(wanted) = hints.database() {
            loaded.database = Some(self.database(owner, &hints, wanted).await?);
        }
        Ok(loaded)
    }
}

/// The text of an error for the names that exist.
fn shown(names: &[String]) -> String {
    if names.is_empty() {
        return "there is none at all; put one in with POST /api/templates or /api/databases"
            .to_owned();
    }
    let names = names.iter().take(NAMES_SHOWN);
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    format!("there is {}", names.join(", "))
}
