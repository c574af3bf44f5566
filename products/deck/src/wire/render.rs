//! `POST /api/decks:render`: draws the text of a deck.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::pipeline::typeset::{
    LeftOut, PaginatedFiles, RenderJob, TemplateFile, TemplateJob, TemplateReading, Typeset,
};
use palimpsest::prelude::tool::{FontTypesetter, Typesetter as _};
use palimpsest::prelude::wire::{ApiError, App, ErrorAnswer, Owner};
use render::Fonts;
use sdsl::{Output, Presentation};
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore};

use super::assets;
use super::assets::AssetPlace;
use super::check::bad_deck;
use super::form::{RenderForm, RenderRequest};
use crate::form;
use crate::pages::{DeckAssets, InspectionReport, LayoutMap, Remark, template_pages};
use crate::pipeline::shape;

const HTML_WITHOUT_NOTES: &str = form::HTML_WITHOUT_NOTES.name;

/// Decks that are drawn at the same time: each takes a core.
const AT_ONCE: usize = 2;

/// Draws decks, a limited number at a time.
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
    async fn draw(&self, app: &App, job: RenderJob) -> Result<Box<PaginatedFiles>, ApiError> {
        let Typeset::Paginated(files) = self.typeset(app, job).await? else {
            return Err(ApiError::internal("drawing a deck", "it is something else"));
        };
        Ok(files)
    }

    async fn typeset(&self, app: &App, job: RenderJob) -> Result<Typeset, ApiError> {
        let fonts = app.config.fonts.clone();
        let load = || async move { Fonts::load(fonts.as_deref()).map(FontTypesetter::new) };
        let typesetter = self.typesetter.get_or_try_init(load).await;
        let typesetter = typesetter
            .map_err(|error| ApiError::internal("loading fonts", error))?
            .clone();
        let place = Arc::clone(&self.places).acquire_owned().await;
        let _place = place.map_err(|error| ApiError::internal("drawing a deck", error))?;
        let until = Instant::now() + Duration::from_secs(app.config.limits.typesetting_seconds);
        let drawn = tokio::task::spawn_blocking(move || {
            typesetter.typeset(job, &|| Instant::now() < until)
        });
        let drawn = drawn
            .await
            .map_err(|error| ApiError::internal("drawing a deck", error))?;
        drawn.map_err(|error| {
            ApiError::unprocessable("not_drawn", format!("the deck cannot be drawn: {error}"))
        })
    }

    /// The template file, and what it contains.
    async fn read(
        &self,
        app: &App,
        name: &str,
        bytes: Bytes,
    ) -> Result<(TemplateFile, Box<TemplateReading>), ApiError> {
        let file = TemplateFile {
            sha256: Sha256::of(&bytes),
            bytes,
        };
        let read = self
            .typeset(app, RenderJob::ReadTemplate(file.clone()))
            .await?;
        let Typeset::Template(read) = read else {
            let cause = "it is something else";
            return Err(ApiError::internal("reading a template", cause));
        };
        let reading = read.map_err(|why| {
            let message = format!("the template `{name}` cannot be used: {why}");
            ApiError::unprocessable("bad_template", message)
        })?;
        Ok((file, reading))
    }
}

/// Draw a deck
///
/// As JSON, or as a form: the fields of the JSON, files with the names that the deck has for its pictures and tables, a file `template`
/// (else the one that the front matter names), and `map`, which layouts slides stand on, as JSON. The words stay as they are; what does not fit goes on on a further page. The header `x-deck-passed` says whether nothing critical was
/// found; `format: "report"` says what was. No model is asked and nothing is kept.
#[utoipa::path(post, path = "/api/decks:render", tag = "decks", 
    request_body(content((RenderRequest = "application/json"), (Object = "multipart/form-data"))),
    responses(
        (status = 200, description = "the file", content_type = "application/octet-stream",
            headers(("x-deck-passed" = String, description = "`true` or `false`"), ("x-deck-pages" = String, description = "how many pages"))),
        (status = 400, description = "not JSON and not a form", body = ErrorAnswer),
        (status = 404, description = "no such page", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "no deck, no such format, a template that cannot be used, or not to be drawn", body = ErrorAnswer)))]
pub(super) async fn render(
    State(app): State<App>,
    _owner: Owner,
    Extension(press): Extension<Press>,
    form: RenderForm,
) -> Result<Response, ApiError> {
    let RenderForm {
        request,
        map,
        template,
        files,
    } = form;
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
        "pptx" | "pdf" | "handout" | "html" | HTML_WITHOUT_NOTES | "png" | "report" => {}
        "ee4p" => {
            let message = "ee4p is a format whose description is not public";
            return Err(ApiError::unprocessable("bad_format", message)
                .hint("write `output: pptx` or `output: pdf`"));
        }
        _ => {
            let message = "`format` is pptx, pdf, handout, html, html_without_notes, png or report";
            return Err(ApiError::unprocessable("bad_format", message));
        }
    }
    let named = deck.meta.template.as_ref().map(ToString::to_string);
    let sent = |name: String| {
        let bytes = files.as_ref()?.get(&name)?.clone();
        Some((name, bytes))
    };
    let template = template.or_else(|| named.clone().and_then(sent));
    // Before anything is fetched or drawn, so that a template that cannot be used is the only thing reported.
    let template = match template {
        Some((name, bytes)) => Some(press.read(&app, &name, bytes).await?),
        None => None,
    };
    let place = files.as_ref().map_or(AssetPlace::Nowhere, AssetPlace::Sent);
    let assets = assets::read(crate::pages::named_assets(&deck), place).await;
    let assets = assets.map_err(|busy| ApiError::busy().because(&busy))?;
    let language = request.language.as_deref();
    let (job, remarks) = match template {
        Some((file, reading)) => {
            in_template(&deck, &assets, language, map.as_deref(), file, &reading)?
        }
        None => {
            if map.is_some() {
                let message = "a map of layouts is for a template, and none was sent";
                return Err(ApiError::unprocessable("bad_map", message));
            }
            let pages = crate::pages::pages(&deck, &assets, language);
            let unused = named.map(|template| Remark::unused_template(&pages.language, &template));
            let remarks = pages.remarks.iter().cloned().chain(unused).collect();
            (RenderJob::Paginated(pages.slide_set(false, None)), remarks)
        }
    };
    let files = press.draw(&app, job).await?;
    let (drawn, slide_of) = (&files.files, &files.slide_of);
    let report = InspectionReport::new(&deck, language, &remarks, &drawn.report, slide_of);
    let mut response = file(format, request.page, &files, &report)?;
    let headers = response.headers_mut();
    let passed = if report.passed { "true" } else { "false" };
    headers.insert("x-deck-passed", header::HeaderValue::from_static(passed));
    headers.insert("x-deck-pages", drawn.report.pages.into());
    Ok(response)
}

/// The job of drawing a deck in a template, and the remarks about what the template overrides.
fn in_template(
    deck: &Presentation,
    assets: &DeckAssets,
    language: Option<&str>,
    map: Option<&str>,
    template: TemplateFile,
    reading: &TemplateReading,
) -> Result<(RenderJob, Vec<Remark>), ApiError> {
    let TemplateReading { outline, themes } = reading;
    let map = match map {
        Some(map) => LayoutMap::read(map, outline).map_err(|error| {
            ApiError::unprocessable("bad_map", format!("the map cannot be used: {error}"))
        })?,
        None => LayoutMap::default(),
    };
    let theme = |layout: usize| themes[layout].clone();
    let mut deck = deck.clone();
    let placed = template_pages(&mut deck, assets, language, outline, &map, &theme);
    let job = TemplateJob {
        slides: placed.pages.slide_set(false, None),
        template,
        layouts: placed.layouts,
    };
    Ok((RenderJob::InTemplate(Box::new(job)), placed.pages.remarks))
}

fn file(
    format: &str,
    page: Option<u32>,
    files: &PaginatedFiles,
    report: &InspectionReport,
) -> Result<Response, ApiError> {
    let drawn = &files.files;
    // A page is sent as a file to be saved: a page with texts of users must not open as a page of this server.
    let html = "text/html; charset=utf-8";
    let printed = |file: &Result<Bytes, LeftOut>| match file {
        Ok(pdf) => Ok(pdf.clone()),
        Err(left_out) => {
            let message = format!("no font here has {}", left_out.characters);
            Err(ApiError::unprocessable("not_drawn", message).hint(left_out.advice.to_string()))
        }
    };
    let (media_type, name, bytes) = match format {
        "report" => {
            let report: Value = json!(report);
            return Ok(Json(report).into_response());
        }
        "pptx" => (shape::PPTX_TYPE, "deck.pptx", drawn.pptx.clone()),
        "html" => (html, "deck.html", files.html.clone()),
        HTML_WITHOUT_NOTES => {
            let page = render::without_notes(&String::from_utf8_lossy(&files.html));
            (html, "deck_without_notes.html", page.into())
        }
        "pdf" => (shape::PDF_TYPE, "deck.pdf", printed(&drawn.pdf)?),
        "handout" => (shape::PDF_TYPE, "handout.pdf", printed(&drawn.handout)?),
        _ => {
            let wanted = page.unwrap_or(1);
            let mut pictures = drawn.thumbnails.iter();
            let found = pictures.find(|(number, _)| *number == wanted);
            let (_, png) = found.ok_or_else(|| {
                let message = format!("there are {} pages, counted from 1", drawn.report.pages);
                ApiError::new(StatusCode::NOT_FOUND, "no_page", message)
            })?;
            (shape::PNG_TYPE, "deck.png", png.clone())
        }
    };
    let name = format!("attachment; filename=\"{name}\"");
    let mut response = Body::from(bytes).into_response();
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
