//! The body of `POST /api/decks:render`: JSON, or a form with the files that the deck names.

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use bytes::Bytes;
use palimpsest::prelude::wire::{ApiError, ApiJson, Form, FormError, PartHead, is_form};
use serde::Deserialize;
use utoipa::ToSchema;

use super::assets::SentFiles;
use super::limits::{FORM_BYTES_MAX, FORM_FIELD_BYTES_MAX, FORM_FILES_MAX};

/// A deck as text, and the file that is wanted of it.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenderRequest {
    /// The deck in SlideDSL. Pictures are public addresses; where files are sent with it, the request is a form.
    pub(super) dsl: String,
    /// `pptx`, `pdf`, `handout` for the pages with their notes as a PDF, `html`, `html_without_notes`, `png` for one page, or `report` for what was found while it was drawn, as JSON; what the front matter
    /// asks for where absent.
    pub(super) format: Option<String>,
    /// Of `png`: the page, from 1.
    pub(super) page: Option<u32>,
    /// The language of the deck's words; told from them where absent.
    pub(super) language: Option<String>,
}

/// A deck with the files that it names.
#[derive(Clone, Debug, Default)]
pub(super) struct RenderForm {
    pub(super) request: RenderRequest,
    /// Which layouts of the template slides stand on, as JSON.
    pub(super) map: Option<String>,
    /// The template to draw the deck in, with its name. It is used instead of the one that the front matter names.
    pub(super) template: Option<(String, Bytes)>,
    /// Absent where the deck came as JSON.
    pub(super) files: Option<SentFiles>,
}

impl<S: Send + Sync> FromRequest<S> for RenderForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_form(request.headers()) {
            let ApiJson(request) = ApiJson::from_request(request, state).await?;
            return Ok(Self {
                request,
                ..Self::default()
            });
        }
        let mut form = Form::of(request, FORM_BYTES_MAX as u64).map_err(broken)?;
        let mut read = Self {
            files: Some(SentFiles::default()),
            ..Self::default()
        };
        let mut seen = vec![];
        while let Some(part) = form.next().await.map_err(broken)? {
            read.take(part, &mut form, &mut seen).await?;
        }
        if seen.iter().any(|name| name == "dsl") {
            Ok(read)
        } else {
            let message = "the form has no field `dsl` with the deck in SlideDSL";
            Err(ApiError::unprocessable("bad_form", message))
        }
    }
}

impl RenderForm {
    async fn take(
        &mut self,
        part: PartHead,
        form: &mut Form,
        seen: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let PartHead { name, file_name } = part;
        let is_said = matches!(
            name.as_str(),
            "dsl" | "format" | "page" | "language" | "map"
        );
        let is_once = is_said || name == "template";
        if is_once && seen.contains(&name) {
            return Err(refused(format!("the form has the field `{name}` twice")));
        }
        let bytes = form.bytes().await.map_err(broken)?;
        match (name.as_str(), file_name) {
            ("template", Some(file)) => self.template = Some((file, bytes)),
            ("dsl", _) => self.request.dsl = text(&name, &bytes)?,
            (_, _) if is_said => self.say(&name, &bytes)?,
            (_, Some(file)) => self.file(&file, bytes)?,
            (_, None) => {
                return Err(refused(format!(
                    "`{name}` is no field of this form and no file: there are dsl, format, page, language, map, template, and \
                     files with their names"
                )));
            }
        }
        seen.push(name);
        Ok(())
    }

    fn say(&mut self, name: &str, bytes: &[u8]) -> Result<(), ApiError> {
        if bytes.len() > FORM_FIELD_BYTES_MAX {
            return Err(refused(format!(
                "the field `{name}` has {} bytes, at most {FORM_FIELD_BYTES_MAX} are read",
                bytes.len()
            )));
        }
        let said = text(name, bytes)?;
        match name {
            "format" => self.request.format = Some(said),
            "language" => self.request.language = Some(said),
            "map" => self.map = Some(said),
            _ => {
                let page = said.trim().parse();
                let page =
                    page.map_err(|_| refused("`page` is the number of a page, from 1".to_owned()))?;
                self.request.page = Some(page);
            }
        }
        Ok(())
    }

    fn file(&mut self, name: &str, bytes: Bytes) -> Result<(), ApiError> {
        let files = self.files.get_or_insert_default();
        if files.len() >= FORM_FILES_MAX {
            return Err(refused(format!(
                "more than {FORM_FILES_MAX} files were sent with the deck"
            )));
        }
        match files.put(name, bytes) {
            None => Ok(()),
            Some(_) => Err(refused(format!(
                "two files are called `{name}`: rename one"
            ))),
        }
    }
}

fn text(name: &str, bytes: &[u8]) -> Result<String, ApiError> {
    let text = std::str::from_utf8(bytes);
    let text =
        text.map_err(|error| refused(format!("the field `{name}` is not UTF-8: {error}")))?;
    Ok(text.to_owned())
}

fn refused(message: String) -> ApiError {
    ApiError::unprocessable("bad_form", message)
}

fn broken(error: FormError) -> ApiError {
    if matches!(error, FormError::TooLarge { .. }) {
        let message = format!(
            "the deck and its files are too large: at most {FORM_BYTES_MAX} bytes are taken together"
        );
        return ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message);
    }
    error.into()
}
