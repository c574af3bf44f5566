//! Reading the log: what both the API and the command line show. Nothing here needs an engine, so that a log that another
//! process owns can be read as well.

use std::sync::Arc;

use bytes::Bytes;
use domain::event::{ArtifactProduced, Body, Event};
use domain::facets::Status;
use domain::hash::Sha256;
use domain::session::End;
use domain::{ArtifactId, Recorded, RunId, Session};
use projections::history::History;
use serde_json::Value;
use spec::{PptHtmlDocument, Theme};
use store::{Log, SessionLine, StreamId};

use crate::error::{ApiError, no_version};

/// Events read at a time.
const PAGE_EVENTS: usize = 2_000;

/// The kind of a whole deck, and of the theme it was made with.
const DECK: &str = "ppt_html_doc";
const THEME: &str = "presentation_theme";

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

/// The lines of sessions in a list. A fork whose own events name no pipeline has its parent's, and its title.
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
        (line.title, line.pipeline) = (state.title, state.pipeline);
    }
    Ok(lines)
}

/// What the latest run of a session says about it.
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

/// An artifact where it was recorded.
#[derive(Clone, Debug)]
pub struct Found {
    pub stream: StreamId,
    pub recorded: Arc<Recorded>,
    pub artifact: ArtifactProduced,
}

/// An artifact of an owner, by its id.
pub async fn artifact(log: &dyn Log, owner: &str, id: &ArtifactId) -> Result<Found, ApiError> {
    let (stream, version) = log
        .find_artifact(owner, id)
        .await?
        .ok_or_else(ApiError::no_artifact)?;
    let page = log.read(&stream, version.saturating_sub(1), 1).await?;
    let recorded = page.into_iter().next().ok_or_else(ApiError::no_artifact)?;
    let Event::ArtifactProduced(artifact) = &recorded.event else {
        return Err(ApiError::internal(
            "finding an artifact",
            "the log names another event",
        ));
    };
    let artifact = artifact.clone();
    Ok(Found {
        stream,
        recorded,
        artifact,
    })
}

/// The bytes of something, with what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub bytes: Bytes,
    pub media_type: String,
    pub sha256: Sha256,
}

impl Content {
    fn of(bytes: Bytes, media_type: &str) -> Self {
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
                sha256: blob.sha256.clone(),
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

/// Whether an artifact can be shown as one HTML file.
pub fn is_deck(artifact: &ArtifactProduced) -> bool {
    artifact.kind == DECK
}

/// The whole deck as one HTML file that needs nothing else.
pub async fn deck_html(
    log: &dyn Log,
    stream: &StreamId,
    artifact: &ArtifactProduced,
) -> Result<Content, ApiError> {
    if !is_deck(artifact) {
        let message = format!(
            "an artifact of the kind `{}` cannot be shown as html; `{DECK}` can",
            artifact.kind
        );
        return Err(ApiError::unprocessable("not_a_deck", message));
    }
    let document = json(log, stream, artifact).await?.unwrap_or_default();
    let document: PptHtmlDocument = serde_json::from_value(Value::clone(&document))
        .map_err(|error| ApiError::internal("reading a deck", error))?;
    let session = session(log, stream, None).await?;
    let theme = match theme_of(&session, artifact) {
        Some(theme) => json(log, stream, &theme).await?,
        None => None,
    };
    // Only the colour of the browser's frame comes from here; the pages carry their own.
    let theme = theme.and_then(|theme| serde_json::from_value::<Theme>(Value::clone(&theme)).ok());
    let theme = theme.unwrap_or_else(|| {
        spec::builtin_themes()
            .into_iter()
            .next()
            .expect("there are themes")
    });
    let settings = session
        .run(artifact.step.run)
        .map(|run| run.settings.clone())
        .unwrap_or_default();
    let meta = render::DeckMeta {
        language: settings.language,
        offline: settings.ports.is_offline(),
    };
    Ok(Content::of(
        render::deck_html(&document, &theme, &meta).into(),
        "text/html; charset=utf-8",
    ))
}

/// The theme that a deck was made from; the one of its run where its lineage does not say.
fn theme_of(session: &Session, deck: &ArtifactProduced) -> Option<Arc<ArtifactProduced>> {
    let by_lineage = deck
        .from
        .iter()
        .filter_map(|id| session.artifacts.get(id))
        .find(|a| a.kind == THEME);
    let by_run = || {
        session
            .run(deck.step.run)
            .and_then(|run| run.artifact(THEME))
    };
    by_lineage.or_else(by_run).cloned()
}

/// The run whose artifacts are wanted: the head, else the latest one that made something.
pub fn shown_run(session: &Session) -> Option<RunId> {
    session.refinable()
}
