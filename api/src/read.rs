//! Reading the log, for both the API and the command line. Nothing here needs an engine, so that a log that another process owns can be
//! read as well.

use std::sync::Arc;

use axum::http::StatusCode;
use bytes::Bytes;
use domain::event::{ArtifactProduced, Body, Event, StepEvent};
use domain::facets::Status;
use domain::hash::Sha256;
use domain::session::End;
use domain::{ArtifactId, Recorded, RunId, Session};
use projections::history::History;
use serde_json::Value;
use store::{Log, SessionLine, StreamId};

use crate::error::{ApiError, no_version};

/// Events read at a time.
const PAGE_EVENTS: usize = 2_000;

/// Gives every event of a session after a version to a function, in order.
pub async fn each_event(
    log: &dyn Log,
    stream: &StreamId,
    to: Option<u64>,
    mut take: impl FnMut(&Arc<Recorded>),
) -> Result<u64, ApiError> {
    let mut after = 0;
    loop {
        let page = log.read(stream, after, PAGE_EVENTS).await?;
        if page.is_empty() {
            return Ok(after);
        }
        for recorded in &page {
            if to.is_some_and(|to| recorded.version > to) {
                return Ok(after);
            }
            after = recorded.version;
            take(recorded);
        }
    }
}

/// The version of the first event of a session that is like this.
pub async fn first_version(
    log: &dyn Log,
    stream: &StreamId,
    is_it: impl Fn(&Event) -> bool,
) -> Result<Option<u64>, ApiError> {
    let mut first = None;
    each_event(log, stream, None, |recorded| {
        if first.is_none() && is_it(&recorded.event) {
            first = Some(recorded.version);
        }
    })
    .await?;
    Ok(first)
}

/// A session as of now, or as it was at a version.
pub async fn session(
    log: &dyn Log,
    stream: &StreamId,
    at: Option<u64>,
) -> Result<Session, ApiError> {
    let head = log
        .version(stream)
        .await?
        .ok_or_else(ApiError::no_session)?;
    if let Some(at) = at
        && (at == 0 || at > head)
    {
        return Err(no_version(at, head));
    }
    let mut session = Session::default();
    each_event(log, stream, at, |recorded| session.evolve(&recorded.event)).await?;
    Ok(session)
}

/// The lines of a list of sessions. A fork whose own events name no pipeline has the pipeline and the title of its parent.
pub async fn sessions(
    log: &dyn Log,
    owner: &str,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<SessionLine>, ApiError> {
    let mut lines = log.sessions(owner, before, limit).await?;
    for line in lines
        .iter_mut()
        .filter(|line| line.parent.is_some() && line.pipeline.is_empty())
    {
        let state = session(log, &StreamId::new(owner, line.session.clone()), None).await?;
        line.status = line.status.or_else(|| status(&state));
        (line.title, line.pipeline) = (state.title, state.pipeline.into());
    }
    Ok(lines)
}

/// Which sessions are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// In the title or the name; empty for any.
    pub query: String,
    pub status: Option<String>,
    pub pipeline: Option<String>,
}

impl SessionFilter {
    /// Whether a session passes the filter. `query` is the filter's own query, trimmed and in small letters.
    fn fits(&self, line: &SessionLine, query: &str) -> bool {
        let named = || line.session.as_str().to_lowercase().contains(query);
        let titled = || line.title.to_lowercase().contains(query);
        let status = line.status.map(|status| status.as_str());
        let stands = self.status.is_none() || self.status.as_deref() == status;
        let pipeline = self.pipeline.as_ref();
        stands && pipeline.is_none_or(|name| *name == line.pipeline) && (titled() || named())
    }
}

/// Sessions that were found, and where the next page begins.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSessions {
    pub lines: Vec<SessionLine>,
    /// `before` of the next page; nothing at the end of the list.
    pub next: Option<u64>,
}

/// The most lines that are read for one request: titles are encrypted, so that each line has to be decrypted.
const LOOKED_AT_MAX: usize = 2_000;

/// The lines of a list of sessions that pass a filter.
pub async fn find_sessions(
    log: &dyn Log,
    owner: &str,
    before: Option<u64>,
    limit: usize,
    wanted: &SessionFilter,
) -> Result<FoundSessions, ApiError> {
    let is_any = *wanted == SessionFilter::default();
    let page = if is_any { limit } else { limit.max(200) };
    let query = wanted.query.trim().to_lowercase();
    let mut found = vec![];
    let mut next = before;
    let mut looked_at = 0;
    loop {
        let lines = sessions(log, owner, next, page).await?;
        let is_last = lines.len() < page;
        looked_at += lines.len();
        for line in lines {
            next = Some(line.cursor);
            if wanted.fits(&line, &query) {
                found.push(line);
                if found.len() == limit {
                    return Ok(FoundSessions { lines: found, next });
                }
            }
        }
        if is_last || looked_at >= LOOKED_AT_MAX {
            let next = next.filter(|_| !is_last);
            return Ok(FoundSessions { lines: found, next });
        }
    }
}

/// The status of a session, from its latest run.
fn status(session: &Session) -> Option<Status> {
    let run = session.runs.values().next_back()?;
    Some(match &run.end {
        None if run.open_gates().next().is_some() => Status::Waiting,
        None => Status::Running,
        Some(End::Completed { .. }) => Status::Completed,
        Some(End::Failed { .. }) => Status::Failed,
        Some(End::Cancelled { .. }) => Status::Cancelled,
    })
}

/// The audit of a session.
pub async fn history(log: &dyn Log, stream: &StreamId) -> Result<History, ApiError> {
    let mut history = History::default();
    each_event(log, stream, None, |recorded| history.push(recorded)).await?;
    Ok(history)
}

/// An artifact and the session that it was recorded in.
#[derive(Clone, Debug)]
pub struct RecordedArtifact {
    pub stream: StreamId,
    pub recorded: Arc<Recorded>,
    pub artifact: ArtifactProduced,
}

/// An artifact of an owner, by its id.
pub async fn artifact(
    log: &dyn Log,
    owner: &str,
    id: &ArtifactId,
) -> Result<RecordedArtifact, ApiError> {
    let (stream, version) = log
        .find_artifact(owner, id)
        .await?
        .ok_or_else(ApiError::no_artifact)?;
    let page = log.read(&stream, version.saturating_sub(1), 1).await?;
    let recorded = page.into_iter().next().ok_or_else(ApiError::no_artifact)?;
    let Event::Step(StepEvent::ArtifactProduced(artifact)) = &recorded.event else {
        return Err(ApiError::internal(
            "finding an artifact",
            "the log names another event",
        ));
    };
    let artifact = artifact.clone();
    Ok(RecordedArtifact {
        stream,
        recorded,
        artifact,
    })
}

/// The bytes of something, with their type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub bytes: Bytes,
    pub media_type: String,
    pub sha256: Sha256,
}

impl Content {
    /// A content of this media type.
    pub fn of(bytes: Bytes, media_type: &str) -> Self {
        let sha256 = Sha256::of(&bytes);
        Self {
            bytes,
            media_type: media_type.to_owned(),
            sha256,
        }
    }
}

/// The content of an artifact.
pub async fn content(
    log: &dyn Log,
    stream: &StreamId,
    artifact: &ArtifactProduced,
) -> Result<Content, ApiError> {
    match &artifact.body {
        Body::Event { json } => {
            let bytes = serde_json::to_vec(json)
                .map_err(|error| ApiError::internal("writing an artifact", error))?;
            Ok(Content::of(bytes.into(), "application/json"))
        }
        Body::Blob { blob, media_type } => {
            let bytes = log.get_blob(stream, &blob.sha256).await?;
            let bytes = bytes.ok_or_else(|| {
                ApiError::internal("reading an artifact", "its content is missing")
            })?;
            Ok(Content {
                bytes,
                media_type: media_type.clone(),
                sha256: blob.sha256,
            })
        }
    }
}

/// The content of an artifact as JSON; `None` where it is something else.
pub async fn json(
    log: &dyn Log,
    stream: &StreamId,
    artifact: &ArtifactProduced,
) -> Result<Option<Arc<Value>>, ApiError> {
    if let Body::Event { json } = &artifact.body {
        return Ok(Some(Arc::clone(json)));
    }
    let content = content(log, stream, artifact).await?;
    if content.media_type != "application/json" {
        return Ok(None);
    }
    let value = serde_json::from_slice(&content.bytes);
    value
        .map(|value| Some(Arc::new(value)))
        .map_err(|error| ApiError::internal("reading an artifact", error))
}

/// One page of an artifact as an HTML file without a script: the page of a deck by its number, from 1, or what has only one.
pub async fn page_html(
    log: &dyn Log,
    stream: &StreamId,
    artifact: &ArtifactProduced,
    page: usize,
) -> Result<Content, ApiError> {
    let document = json(log, stream, artifact).await?.unwrap_or_default();
    let pages = match document["pages"].as_array() {
        Some(pages) => pages.as_slice(),
        None => std::slice::from_ref(document.as_ref()),
    };
    let fragment = |page: &Value| page["html"].as_str().map(str::to_owned);
    if !pages.iter().any(|page| fragment(page).is_some()) {
        let message = format!(
            "an artifact of the kind `{}` has no pages in HTML",
            artifact.kind
        );
        return Err(ApiError::unprocessable("not_html", message));
    }
    let found = page.checked_sub(1).and_then(|index| pages.get(index));
    let fragment = found.and_then(fragment).ok_or_else(|| {
        let message = format!("there are {} pages, counted from 1", pages.len());
        ApiError::new(StatusCode::NOT_FOUND, "no_page", message)
    })?;
    let html = format!(
        "<!doctype html><html><head><meta charset=\"utf-8\"><title>{page}</title>\
         <style>html,body{{margin:0;padding:0;overflow:hidden;background:transparent}}</style>\
         </head><body>{fragment}</body></html>"
    );
    Ok(Content::of(html.into(), "text/html; charset=utf-8"))
}

/// The run whose artifacts are wanted: the head, else the latest one that made something.
pub fn shown_run(session: &Session) -> Option<RunId> {
    session.refinable()
}
