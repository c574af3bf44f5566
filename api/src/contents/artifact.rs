//! The content of an artifact, either as it is or in a form that is made on request. The owner is that of the key or of the signed address.

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use domain::ArtifactId;
use domain::event::Body as Stored;
use serde::Deserialize;
use utoipa::IntoParams;

use super::respond;
use crate::app::App;
use crate::connections::Caller;
use crate::error::ApiError;
use crate::forms::FormSource;
use crate::in_flight::Counted;
use crate::read::{self, RecordedArtifact};
use crate::signer::Signer;

/// What a browser may do with a content that is opened as a page of its own: a sandbox without an origin, so that nothing
/// in it can reach this server's other answers. Links open pages of their own, outside of it. A form that is made when it is asked for has a policy of its own.
const SANDBOX: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
     frame-ancestors 'self'";

/// Browsers show a PDF with their own viewer, which does not start in a sandbox.
const PDF: &str = "application/pdf";
const PDF_POLICY: &str = "default-src 'none'; frame-ancestors 'self'";

/// How a content is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ContentQuery {
    /// `html`: all pages as one HTML file, such as a deck, or one of them as a file; what is HTML already as it is.
    #[serde(rename = "as")]
    form: Option<String>,
    /// Of `as=html`: this page alone, from 1.
    page: Option<usize>,
    /// `1`: as a file to be saved.
    download: Option<String>,
    /// Of a signed address: when it expires, in seconds since 1970.
    exp: Option<i64>,
    /// Of a signed address.
    sig: Option<String>,
}

/// Serves the content of an artifact to the owner that the key or the signed address stands for.
pub async fn serve(
    app: &App,
    id: &ArtifactId,
    query: &ContentQuery,
    parts: &Parts,
) -> Result<Response, ApiError> {
    let owner = owner(app, id, query, parts)?;
    served(app, &owner, id, query, parts).await
}

impl ContentQuery {
    /// The content in this form, or as it is.
    pub fn of_form(form: Option<&str>) -> Self {
        Self {
            form: form.map(str::to_owned),
            ..Self::default()
        }
    }

    /// The owner whose artifacts are searched. A signed address only claims its owner; the signature is checked once the artifact is known.
    pub fn claimed_owner(&self, app: &App, parts: &Parts) -> Result<String, ApiError> {
        match &self.sig {
            Some(signature) => Signer::claimed_owner(signature).ok_or_else(bad_address),
            None => Ok(app.keys.owner_of(parts)?.0),
        }
    }

    /// The answer if the claimed owner has no such artifact. With a signed address it is the same as for a wrong signature, so that a false
    /// claim does not show which artifacts an owner has.
    pub fn not_found(&self) -> ApiError {
        if self.sig.is_some() {
            bad_address()
        } else {
            ApiError::no_artifact()
        }
    }
}

async fn served(
    app: &App,
    owner: &str,
    id: &ArtifactId,
    query: &ContentQuery,
    parts: &Parts,
) -> Result<Response, ApiError> {
    let log = app.engine.log().as_ref();
    let found = read::artifact(log, owner, id).await?;
    let RecordedArtifact {
        stream, artifact, ..
    } = &found;
    let stored_as = match &artifact.body {
        Stored::Blob { media_type, .. } => media_type.as_str(),
        Stored::Event { .. } => "application/json",
    };
    let account = Caller::of(&parts.extensions).account().clone();
    let as_it_is = || async {
        let Stored::Blob { blob, media_type } = &artifact.body else {
            return read::content(log, stream, artifact).await;
        };
        let load = || async { Ok(read::content(log, stream, artifact).await?.bytes) };
        let name = (stream.clone(), blob.sha256);
        let bytes = app.in_flight.load(&account, name, Some(blob.size), load);
        Ok(read::Content {
            bytes: bytes.await?,
            media_type: media_type.clone(),
            sha256: blob.sha256,
        })
    };
    let wanted = query.form.as_deref().unwrap_or_default();
    let whole = query.page.is_none();
    let made = app.forms.find(&artifact.kind, wanted).filter(|_| whole);
    let (content, sandbox) = match (wanted, made) {
        ("", _) if stored_as == PDF => (as_it_is().await?, PDF_POLICY),
        ("", _) => (as_it_is().await?, SANDBOX),
        ("html", _) if stored_as.starts_with("text/html") => (as_it_is().await?, SANDBOX),
        (_, Some(form)) => {
            let made = (form.make)(FormSource::new(artifact, log, stream));
            (made.await?, form.policy)
        }
        ("html", None) => {
            let page = query.page.unwrap_or(1);
            let html = read::page_html(log, stream, artifact, page).await?;
            (html, SANDBOX)
        }
        (_, None) => {
            return Err(unknown_form(app, &artifact.kind));
        }
    };
    let is_loaded = wanted.is_empty();
    let mut response = respond(&content, &parts.headers, sandbox);
    if is_loaded {
        response.extensions_mut().insert(Counted);
    }
    let saved = query
        .download
        .as_deref()
        .is_some_and(|download| download != "0");
    let shown_as = if saved { "attachment" } else { "inline" };
    let name = projections::file_name(&found.artifact, &content.media_type);
    let named = disposition(shown_as, &name);
    response
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, named);
    Ok(response)
}

fn unknown_form(app: &App, kind: &str) -> ApiError {
    let own = app.forms.of_kind(kind).map(|form| form.name);
    let own = own.filter(|name| *name != "html");
    let names: Vec<_> = std::iter::once("html").chain(own).collect();
    let message = format!("`as` is `{}` or absent", names.join("`, `"));
    ApiError::unprocessable("unknown_form", message)
}

/// Whose artifact is asked for: by the signature where there is one, else by the key.
fn owner(
    app: &App,
    id: &ArtifactId,
    query: &ContentQuery,
    parts: &Parts,
) -> Result<String, ApiError> {
    let Some(signature) = &query.sig else {
        return app.keys.owner_of(parts).map(|owner| owner.0);
    };
    let now = app.engine.clock().now();
    let expires = query.exp.unwrap_or(0);
    app.signer
        .address_owner(id, expires, signature, now)
        .ok_or_else(bad_address)
}

fn bad_address() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "bad_address",
        "the address is wrong or has expired",
    )
    .hint("ask for the artifact again to get a fresh one")
}

/// A `Content-Disposition` with the name for every browser: in plain letters, and as RFC 5987 has it.
pub fn disposition(shown_as: &str, name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    HeaderValue::from_str(&format!(
        "{shown_as}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
    ))
    .expect("only plain letters are left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_survives_in_every_script() {
        assert_eq!(
            disposition("attachment", "光合\"作用\r\n.html"),
            "attachment; filename=\"_______.html\"; filename*=UTF-8''%E5%85%89%E5%90%88%22%E4%BD%9C%E7%94%A8%0D%0A.html"
        );
    }
}
