//! The console: files that use nothing but the public protocol, and the page that loads them.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;

use crate::app::App;
use crate::contents;
use crate::error::ApiError;
use crate::in_flight::Counted;
use crate::read::Content;
use crate::request::ApiPath;

/// The page that loads everything else.
const PAGE: &str = "index.html";

/// Where the page names the folders of products.
const FOLDERS: &str = "<!--folders-->\n";

/// What the console may do: run its own scripts, speak to this server, show pictures it was given and frames of this server, which
/// bring sandboxes of their own. Nothing that is written in an artifact can become a script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
                      frame-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'";

/// Browsers may keep a file as long as they like: a file with another content has another address.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The files of the page. Only browsers ask for them, so that the document of the interface leaves them out.
pub(crate) fn routes() -> Router<App> {
    Router::new().route("/console/{tag}/{*path}", get(file))
}

/// The page. The addresses of its files begin with a tag that is made from the contents of all of them, so that browsers ask for no file
/// twice, and never get files of two versions of the program together.
///
/// # Errors
///
/// A debug build does not find the page's file.
pub fn page(app: &App, asked: &HeaderMap) -> Result<Response, ApiError> {
    let page = app.console.read(PAGE).ok_or_else(ApiError::nothing_here)?;
    let tag = app.console.tag(cfg!(debug_assertions));
    let page = String::from_utf8_lossy(&page)
        .replace(FOLDERS, &app.console.links())
        .replace("\"/console/", &format!("\"/console/{tag}/"));
    Ok(served(PAGE, page.into(), asked))
}

/// One of the files.
async fn file(
    State(app): State<App>,
    ApiPath((tagged, path)): ApiPath<(String, String)>,
    asked: HeaderMap,
) -> Result<Response, ApiError> {
    if *tagged != *app.console.tag(false) {
        let message = "this file is of another version of the console";
        return Err(
            ApiError::new(StatusCode::NOT_FOUND, "other_version", message)
                .hint("load the page again"),
        );
    }
    let bytes = app.console.read(&path).ok_or_else(ApiError::nothing_here)?;
    let mut response = served(&path, bytes, &asked);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
    Ok(response)
}

fn served(path: &str, bytes: Bytes, asked: &HeaderMap) -> Response {
    let mut media_type = mime_guess::from_path(path)
        .first_or_octet_stream()
        .to_string();
    if media_type.starts_with("text/") {
        media_type.push_str("; charset=utf-8");
    }
    let mut response = contents::respond(&Content::of(bytes, &media_type), asked, POLICY);
    // The content is part of the program and takes no further memory.
    response.extensions_mut().insert(Counted);
    let alone = HeaderValue::from_static("same-origin");
    let headers = response.headers_mut();
    headers.insert("cross-origin-opener-policy", alone.clone());
    headers.insert("cross-origin-resource-policy", alone);
    response
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use runner::{Engine, Parts};

    use super::*;
    use crate::console_folders::{ConsoleFolder, ConsoleFolders, EmbeddedFiles};
    use crate::testing;

    const FOLDER: ConsoleFolder = ConsoleFolder {
        name: "verse",
        places: &["poems"],
        files: EmbeddedFiles::listed(&[("index.js", b"export default {};")]),
    };

    #[tokio::test]
    async fn a_folder_is_in_the_page_and_its_files_are_served_as_those_of_the_console() {
        let (log, clock) = testing::log().await;
        let server = testing::letters();
        let parts = Parts {
            clock,
            ..Parts::new(log, server.pipelines.clone())
        };
        let engine = Engine::start(parts).await.expect("an engine");
        let (mut app, _files) = testing::app(&server, engine, testing::config(&[], &[]), &[]);
        app.console = ConsoleFolders::new(vec![FOLDER]).expect("they go together");
        let router = testing::router(&server, app);
        let get = async |path: &str| testing::ask(&router, "GET", path, &[], None).await;
        let text = async |answer: Response| {
            let bytes = to_bytes(answer.into_body(), usize::MAX).await;
            String::from_utf8(bytes.expect("a body").into()).expect("text")
        };
        let page = text(get("/").await).await;
        let (_, rest) = page.split_once("href=\"/console/").expect("an address");
        let (tag, _) = rest.split_once('/').expect("a tag");
        let entry = format!("/console/{tag}/products/verse/index.js");
        assert!(page.contains(&format!("href=\"{entry}\" data-folder=\"verse\"")));
        let served = get(&entry).await;
        let headers = served.headers();
        assert_eq!(headers[header::CACHE_CONTROL], FOR_EVER);
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], POLICY);
        assert_eq!(
            headers[header::CONTENT_TYPE],
            "text/javascript; charset=utf-8"
        );
        assert_eq!(text(served).await, "export default {};");
        let other = get("/console/0123456789abcdef/products/verse/index.js").await;
        assert_eq!(
            testing::told(other).await.1["error"]["code"],
            "other_version"
        );
        let missing = get(&format!("/console/{tag}/products/verse/other.js")).await;
        assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    }
}
