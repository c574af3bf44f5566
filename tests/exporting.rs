//! The deck as files: over HTTP, on the wires and from the command line, and the theme that a person gives.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::api::{Api, Follow};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest, run};
use crate::support::within;

const PPTX: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

/// A server of the offline author with a finished deck in the session `s`.
async fn with_a_deck(input: Value) -> (TestFolder, Server, Api) {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    let request = json!({
        "pipeline": "course", "message": "Tides for beginners, 4 pages", "session": "s", "input": input,
    });
    api.open(&request).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    (place, server, api)
}

/// The artifacts of a kind, as the session lists them.
async fn of_kind(api: &Api, kind: &str) -> Vec<Value> {
    let view = api.session("s").await;
    let artifacts = view["artifacts"].as_array().expect("artifacts");
    artifacts
        .iter()
        .filter(|artifact| artifact["kind"] == kind)
        .cloned()
        .collect()
}

async fn fetch(server: &Server, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
    let http = reqwest::Client::builder().no_proxy().build();
    let http = http.expect("a client without special wishes");
    let mut request = http.request(Method::GET, format!("{}{path}", server.address()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    within(path, request.send()).await.expect("an answer")
}

fn head<'a>(response: &'a reqwest::Response, name: &header::HeaderName) -> &'a str {
    let value = response.headers().get(name);
    value.and_then(|value| value.to_str().ok()).unwrap_or("")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_powerpoint_file_is_downloaded_whole_in_parts_or_not_again() {
    let (_place, server, api) = with_a_deck(Value::Null).await;
    let pptx = &of_kind(&api, "pptx").await[0];
    let session = api.session("s").await;
    assert_eq!(
        session["runs"][0]["outcome"]["final"], pptx["artifact"],
        "{session:#}"
    );
    let path = pptx["content"].as_str().expect("a path");
    let whole = fetch(&server, path, &[]).await;
    assert_eq!(whole.status(), StatusCode::OK);
    assert_eq!(head(&whole, &header::CONTENT_TYPE), PPTX);
    assert_eq!(head(&whole, &header::ACCEPT_RANGES), "bytes");
    assert_eq!(
        head(&whole, &header::CONTENT_DISPOSITION),
        "inline; filename=\"Tides for beginners.pptx\"; filename*=UTF-8''Tides%20for%20beginners.pptx"
    );
    let etag = head(&whole, &header::ETAG).to_owned();
    let sha256 = pptx["blob"]["sha256"].as_str().expect("a hash");
    assert_eq!(etag, format!("\"{sha256}\""));
    let bytes = whole.bytes().await.expect("a body");
    assert!(bytes.starts_with(b"PK"));
    assert_eq!(pptx["blob"]["size"], bytes.len());

    let known = fetch(&server, path, &[("if-none-match", &etag)]).await;
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    let part = fetch(
        &server,
        path,
        &[("range", "bytes=2-9"), ("if-range", &etag)],
    )
    .await;
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.bytes().await.expect("a body"), bytes.slice(2..10));
    let saved = fetch(&server, &format!("{path}?download=1"), &[]).await;
    let named = head(&saved, &header::CONTENT_DISPOSITION);
    assert!(named.starts_with("attachment; "), "{named}");

    let about = api.get(path.trim_end_matches("/content")).await.succeeded();
    assert_eq!(
        (&about["media_type"], &about["file_name"], &about["size"]),
        (
            &json!(PPTX),
            &json!("Tides for beginners.pptx"),
            &json!(bytes.len())
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_has_its_media_type_and_is_no_part_of_any_frame() {
    let (_place, server, api) = with_a_deck(Value::Null).await;
    for (kind, media_type, begins) in [
        ("pptx", PPTX, b"PK".as_slice()),
        ("pdf", "application/pdf", b"%PDF".as_slice()),
        ("handout", "application/pdf", b"%PDF".as_slice()),
        ("thumbnail", "image/png", b"\x89PNG".as_slice()),
        ("layout_report", "application/json", b"{".as_slice()),
    ] {
        let made = of_kind(&api, kind).await;
        assert_eq!(
            made.len(),
            if kind == "thumbnail" { 4 } else { 1 },
            "{kind}"
        );
        for artifact in made {
            let path = artifact["content"].as_str().expect("a path");
            let response = fetch(&server, path, &[]).await;
            assert_eq!(head(&response, &header::CONTENT_TYPE), media_type);
            assert!(response.bytes().await.expect("a body").starts_with(begins));
        }
    }
    let pages: Vec<Value> = of_kind(&api, "thumbnail")
        .await
        .into_iter()
        .map(|thumbnail| thumbnail["item"].clone())
        .collect();
    assert_eq!(pages, ["1", "2", "3", "4"]);
    for wire in ["native", "course"] {
        for frame in api.frames("s", wire).await {
            let text = frame.to_string();
            for beginning in ["iVBORw0KGgo", "UEsDBB", "JVBERi0"] {
                assert!(!text.contains(beginning), "{wire}: {}", frame["type"]);
            }
        }
    }
    let is_unknown = |frame: &Value| {
        let kind = &frame["data"]["artifact"]["type"];
        frame["type"] == "tool:artifact"
            && ["pdf", "thumbnail", "layout_report"]
                .iter()
                .any(|known| kind == known)
    };
    let frames = api.frames("s", "course").await;
    assert!(
        !frames.iter().any(is_unknown),
        "the contract has no such type"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_theme_can_be_exported_and_given_to_another_deck() {
    let (place, server, api) = with_a_deck(json!({ "theme": "深空黑" })).await;
    let theme = &of_kind(&api, "presentation_theme").await[0];
    let path = theme["content"].as_str().expect("a path");
    let theme = api.get(path).await.succeeded();
    assert_eq!(theme["themeName"], "深空黑");
    let note = "The theme was given and is used as it is.";
    assert_eq!(theme["notes"], json!([note]));
    drop(server);

    // With a colour of its own, the theme is none of the built-in styles.
    let mut own = theme;
    own["themeName"] = json!("Ours");
    own["colorScheme"]["accent"] = json!("#ff5500");
    place.write("ours.json", &own.to_string());
    let other = TestFolder::new();
    let file = place.file("ours.json").display().to_string();
    let arguments = [
        "run",
        "course",
        "Rain, 4 pages",
        "--theme",
        &file,
        "--out",
        "out",
    ];
    run(palimpsest(&other), &arguments).await.with(0);
    let made = other.file("out/artifacts/05-presentation_theme.json");
    let made = std::fs::read(made).expect("a theme");
    let made: Value = serde_json::from_slice(&made).expect("JSON");
    assert_eq!(made["colorScheme"], own["colorScheme"]);
    assert_eq!(made["themeName"], "Ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_theme_that_cannot_be_used_is_refused_before_anything_is_made() {
    let place = TestFolder::new();
    let mut pale = json!(spec::default_theme());
    pale["colorScheme"]["text"] = pale["colorScheme"]["background"].clone();
    place.write("pale.json", &pale.to_string());
    place.write("broken.json", "{");
    for (theme, said) in [
        ("pale.json", "contrast"),
        ("broken.json", "is not JSON"),
        ("missing.json", "cannot be read"),
        ("no such style", "no built-in style"),
    ] {
        let arguments = ["run", "course", "Rain, 4 pages", "--theme", theme];
        let ended = run(palimpsest(&place), &arguments).await.with(2);
        assert!(ended.err.contains(said), "{theme}: {ended:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_forms_of_the_deck_are_told_of_with_what_the_checks_found() {
    let place = TestFolder::new();
    let arguments = ["run", "course", "Rain, 4 pages", "--out", "out"];
    let ended = run(palimpsest(&place), &arguments).await.with(0);
    let pptx = ended.err.lines().find(|line| line.starts_with("pptx"));
    assert_eq!(pptx, Some("pptx  out/deck.pptx"), "{ended:#?}");
    let read = |name: &str| std::fs::read(place.file("out").join(name)).expect(name);
    assert!(read("handout.pdf").starts_with(b"%PDF"));
    let pages = ["deck.html", "deck_without_notes.html"].map(|name| {
        let html = String::from_utf8(read(name)).expect("UTF-8");
        html.matches("<aside").count()
    });
    assert_eq!(pages, [4, 0], "notes are in one of the pages alone");
    let layout = ended.err.lines().find(|line| line.starts_with("layout"));
    let layout = layout.expect("a line about the layout");
    assert!(
        layout.contains(" critical, ") && layout.ends_with("(out/layout_report.json)"),
        "{layout}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_of_a_server_says_with_which_fonts_it_draws() {
    let place = TestFolder::new();
    let ended = run(palimpsest(&place), &["serve", "--check"]).await.with(0);
    let fonts = |name: &str| {
        let begins = format!("fonts for {name} = ");
        ended.out.lines().any(|line| line.starts_with(&begins))
    };
    assert!(ended.out.contains("fonts = the system's"), "{}", ended.out);
    assert!(fonts("Chinese, simplified"), "{}", ended.out);
    let empty = place.file("fonts");
    std::fs::create_dir(&empty).expect("a folder");
    let folder = empty.display().to_string();
    for folder in [folder.as_str(), "nowhere"] {
        let arguments = ["serve", "--check", "--fonts", folder];
        let ended = run(palimpsest(&place), &arguments).await.with(2);
        assert!(ended.err.contains("font folder"), "{ended:#?}");
    }
}
