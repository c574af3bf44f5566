//! The files of a session's deck.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use palimpsest::prelude::pipeline::Run;
use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::wire::{
    ApiError, ApiPath, App, ContentQuery, ErrorAnswer, Owner, Session, SessionId, serve_content,
};
use palimpsest::read;

use super::PIPELINE;
use super::result::{PipelineResult, of_run};
use crate::form::HTML_WITHOUT_NOTES;
use crate::pipeline::stage::{HANDOUT, HTML, PDF, PPTX, SDSL, THUMBNAIL};

/// The files, by the ends of their names, longer ones first; with the form that is meant, where it is not the file as it is.
const FILES: [(&str, &str, Option<&str>); 6] = [
    (".sdsl", SDSL, None),
    (".pptx", PPTX, None),
    (".handout.pdf", HANDOUT, None),
    (".pdf", PDF, None),
    (".without_notes.html", HTML, Some(HTML_WITHOUT_NOTES.name)),
    (".html", HTML, None),
];

/// The deck of a session
///
/// `{session}` alone is answered with the fields of `POST /api/decks:generate`; with `.sdsl`, `.pptx`, `.pdf`, `.handout.pdf`, `.html` or
/// `.without_notes.html` behind it, with that file of the deck that was accepted last.
#[utoipa::path(get, path = "/api/decks/{file}", operation_id = "show_deck", tag = "decks",
    params(("file" = String, Path, description = "the session, or the session and `.sdsl`, `.pptx`, `.pdf`, `.handout.pdf`, `.html`, `.without_notes.html`")),
    responses(
        (status = 200, description = "the deck, or its file", body = PipelineResult),
        (status = 404, description = "no such session, or its deck has no such file yet", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(file): ApiPath<String>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let named = FILES
        .iter()
        .find_map(|(end, kind, form)| Some((file.strip_suffix(end)?, *kind, *form)));
    let Some((session, kind, form)) = named else {
        let session = session(&app, &owner, &file).await?;
        // The latest run, even if it has not ended.
        let run = session.runs.values().next_back();
        let run = run.ok_or_else(|| no_file("deck"))?;
        let stream = owner.stream(&SessionId::new(file));
        return Ok(Json(of_run(&app, &stream, run).await?).into_response());
    };
    let run = delivered(&app, &owner, session).await?;
    let artifact = run.artifact(kind).cloned();
    let artifact = artifact.ok_or_else(|| no_file(kind))?;
    content(&app, &artifact, form, &parts).await
}

/// A page of a deck as a picture
#[utoipa::path(get, path = "/api/decks/{session}/thumbnails/{number}", tag = "decks",
    params(("number" = u32, Path, description = "the page, from 1")),
    responses(
        (status = 200, description = "PNG", content_type = "image/png"),
        (status = 404, description = "no such session or page", body = ErrorAnswer)))]
pub(super) async fn thumbnail(
    State(app): State<App>,
    owner: Owner,
    ApiPath((session, number)): ApiPath<(String, u32)>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let run = delivered(&app, &owner, &session).await?;
    let number = number.to_string();
    let mut pages = run.artifacts_of(THUMBNAIL);
    let page = pages.find(|(part, _)| *part == number);
    let page = page.map(|(_, page)| Arc::clone(page));
    let page = page.ok_or_else(|| {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "no_page",
            format!("the deck has no picture of page {number}"),
        )
    })?;
    content(&app, &page, None, &parts).await
}

async fn content(
    app: &App,
    artifact: &Arc<ArtifactProduced>,
    form: Option<&str>,
    parts: &Parts,
) -> Result<Response, ApiError> {
    let query = ContentQuery::of_form(form);
    serve_content(app, &artifact.artifact, &query, parts).await
}

/// The session, if it belongs to this pipeline.
async fn session(app: &App, owner: &Owner, name: &str) -> Result<Arc<Session>, ApiError> {
    let stream = owner.stream(&SessionId::new(name));
    let session = app.engine.session(&stream).await?;
    if session.pipeline != PIPELINE {
        return Err(ApiError::no_session());
    }
    Ok(session)
}

/// The run whose files are wanted: the head, else the latest one that made something.
async fn delivered(app: &App, owner: &Owner, name: &str) -> Result<Run, ApiError> {
    let session = session(app, owner, name).await?;
    let run = read::shown_run(&session).and_then(|run| session.run(run));
    run.cloned().ok_or_else(|| no_file("deck"))
}

fn no_file(kind: &str) -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "no_file",
        format!("this session has no {kind} yet"),
    )
    .hint("GET /v1/sessions/{session} says how far it is")
}
