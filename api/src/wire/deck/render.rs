//! `POST /api/decks:render`: a text, drawn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use domain::deck::InspectionReport;
use domain::typeset::{DeckFiles, RenderJob, SlideSet, Typeset};
use render::Fonts;
use runner::FontTypesetter;
use runner::ports::Typesetter as _;
use sdsl::Output;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore};
use utoipa::ToSchema;

use super::assets;
use super::check::bad_deck;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::ApiJson;

/// Decks that are drawn at the same time: each takes a core.
const AT_ONCE: usize = 2;

/// Draws decks of this server, some at a time.
#[derive(Clone)]
pub(super) struct Press {
    typesetter: Arc<OnceCell<FontTypesetter>>,
    places: Arc<Semaphore>,
}

impl Default for Press {
    fn default() -> Self {
        Self {
            typesetter: Arc::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

impl Press {
    async fn draw(&self, app: &App, set: SlideSet) -> Result<Box<DeckFiles>, ApiError> {
        let fonts = app.config.fonts.clone();
        let load = || async move { Fonts::load(fonts.as_deref()).map(FontTypesetter::new) };
        let typesetter = self.typesetter.get_or_try_init(load).await;
        let typesetter = typesetter
            .map_err(|error| ApiError::internal("loading fonts", error))?
            .clone();
        let place = Arc::clone(&self.places).acquire_owned().await;
        let _place = place.map_err(|error| ApiError::internal("drawing a deck", error))?;
        let until = Instant::now() + Duration::from_secs(app.config.limits.typesetting_seconds);
        let job = RenderJob::Deck(set);
        let drawn = tokio::task::spawn_blocking(move || {
            typesetter.typeset(job, &|| Instant::now() < until)
        });
        let drawn = drawn
            .await
            .map_err(|error| ApiError::internal("drawing a deck", error))?;
        match drawn {
            Ok(Typeset::Deck(files)) => Ok(files),
            Ok(_) => Err(ApiError::internal("drawing a deck", "it is something else")),
            Err(error) => Err(ApiError::unprocessable(
                "not_drawn",
                format!("the deck cannot be drawn: {error}"),
            )),
        }
    }
}

/// A deck as text, and the file that is wanted of it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenderRequest {
    /// The deck in SlideDSL. Pictures are public addresses; files are not sent with it.
    dsl: String,
    /// `pptx`, `pdf`, `html`, `png` for one page, or `report` for what was found while it was drawn, as JSON; what the front matter
    /// asks for where absent.
    format: Option<String>,
    /// Of `png`: the page, from 1.
    page: Option<u32>,
    /// The language of the deck's words; told from them where absent.
    language: Option<String>,
}

/// Draw a deck
///
/// The words stay as they are; what does not fit goes on on a further page. The header `x-deck-passed` says whether nothing critical was
/// found; `format: "report"` says what was. No model is asked and nothing is kept.
#[utoipa::path(post, path = "/api/decks:render", tag = "decks", request_body = RenderRequest,
    responses(
        (status = 200, description = "the file", content_type = "application/octet-stream",
            headers(("x-deck-passed" = String, description = "`true` or `false`"), ("x-deck-pages" = String, description = "how many pages"))),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such page", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "no deck, no such format, or not to be drawn", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn render(
    State(app): State<App>,
    _owner: Owner,
    Extension(press): Extension<Press>,
    ApiJson(request): ApiJson<RenderRequest>,
) -> Result<Response, ApiError> {
    let deck = sdsl::read(request.dsl.as_bytes()).map_err(|error| bad_deck(&error))?;
    let deck = deck.presentation;
    if deck.slides.is_empty() {
        return Err(bad_deck(&"it has no slide: begin one with a line `# Name`"));
    }
    let format = match (request.format.as_deref(), deck.meta.output.get()) {
        (Some(named), _) => named,
        (None, Output::Pptx) => "pptx",
        (None, Output::Pdf) => "pdf",
        (None, Output::Ee4p) => "ee4p",
    };
    match format {
        "pptx" | "pdf" | "html" | "png" | "report" => {}
        "ee4p" => {
            let message = "ee4p is a format whose description is not public";
            return Err(ApiError::unprocessable("bad_format", message)
                .hint("write `output: pptx` or `output: pdf`"));
        }
        _ => {
            let message = "`format` is pptx, pdf, html, png or report";
            return Err(ApiError::unprocessable("bad_format", message));
        }
    }
    let assets = assets::read(domain::deck::named_assets(&deck), None).await;
    let mut pages = domain::deck::pages(&deck, &assets, request.language.as_deref());
    if let Some(template) = &deck.meta.template {
        let unused = domain::deck::Remark::unused_template(template.as_str());
        pages.remarks.push(unused);
    }
    let set = SlideSet::of_deck(&pages, false, None);
    let files = press.draw(&app, set).await?;
    let (drawn, slide_of) = (&files.files, &files.slide_of);
    let report = InspectionReport::new(&deck, &pages.remarks, &drawn.report, slide_of);
    let mut response = file(format, request.page, &files, &report)?;
    let headers = response.headers_mut();
    let passed = if report.passed { "true" } else { "false" };
    headers.insert("x-deck-passed", header::HeaderValue::from_static(passed));
    headers.insert("x-deck-pages", drawn.report.pages.into());
    Ok(response)
}

fn file(
    format: &str,
    page: Option<u32>,
    files: &DeckFiles,
    report: &InspectionReport,
) -> Result<Response, ApiError> {
    let drawn = &files.files;
    let (media_type, bytes): (&str, &Bytes) = match format {
        "report" => {
            let report: Value = json!(report);
            return Ok(Json(report).into_response());
        }
        "pptx" => (domain::pipelines::deck::shape::PPTX_TYPE, &drawn.pptx),
        // As a file to be saved: a page of somebody's words is no page of this server.
        "html" => ("text/html; charset=utf-8", &files.html),
        "pdf" => match &drawn.pdf {
            Ok(pdf) => (domain::pipelines::deck::shape::PDF_TYPE, pdf),
            Err(left_out) => {
                let message = format!("no font here has {}", left_out.characters);
                return Err(
                    ApiError::unprocessable("not_drawn", message).hint(left_out.advice.to_string())
                );
            }
        },
        _ => {
            let wanted = page.unwrap_or(1);
            let mut pictures = drawn.thumbnails.iter();
            let found = pictures.find(|(number, _)| *number == wanted);
            let (_, png) = found.ok_or_else(|| {
                let message = format!("there are {} pages, counted from 1", drawn.report.pages);
                ApiError::new(StatusCode::NOT_FOUND, "no_page", message)
            })?;
            (domain::pipelines::deck::shape::PNG_TYPE, png)
        }
    };
    let name = format!("attachment; filename=\"deck.{format}\"");
    let mut response = Body::from(bytes.clone()).into_response();
    let headers = response.headers_mut();
    let media_type = header::HeaderValue::from_str(media_type);
    headers.insert(
        header::CONTENT_TYPE,
        media_type.map_err(|error| ApiError::internal("naming a file", error))?,
    );
    let name = header::HeaderValue::from_str(&name);
    headers.insert(
        header::CONTENT_DISPOSITION,
        name.map_err(|error| ApiError::internal("naming a file", error))?,
    );
    let fixed = header::HeaderValue::from_static;
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, fixed("sandbox"));
    Ok(response)
}
