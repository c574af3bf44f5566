//! The addresses that give pictures: drawn here, of the size that is asked for, in colours that follow from the prompt.

use axum::body::Bytes;
use axum::extract::{Multipart, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use serde_json::{Map, Value, json};

use crate::play::Choice;
use crate::script::{Asked, Endpoint};
use crate::server::{Shared, hash_of, refused};

/// Pieces that an answer is sent in.
const PIECES: usize = 4;

/// The longest side that is drawn.
const SIDE_MAX: u32 = 4_096;

pub(crate) async fn generate(
    State(shared): State<Shared>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let hash = hash_of(&body);
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return refused(StatusCode::BAD_REQUEST, None, "the body is not json");
    };
    answer(&shared, &headers, Endpoint::Generations, body, hash).await
}

pub(crate) async fn edit(
    State(shared): State<Shared>,
    headers: HeaderMap,
    mut form: Multipart,
) -> Response {
    let mut body = Map::new();
    while let Ok(Some(field)) = form.next_field().await {
        let name = field.name().unwrap_or_default().to_owned();
        let is_file = field.file_name().is_some();
        let media_type = field.content_type().map(str::to_owned);
        let Ok(bytes) = field.bytes().await else {
            return refused(StatusCode::BAD_REQUEST, None, "the form was cut");
        };
        let value = if is_file {
            json!({ "sha256": hash_of(&bytes), "bytes": bytes.len(), "media_type": media_type })
        } else {
            json!(String::from_utf8_lossy(&bytes))
        };
        body.insert(name.trim_end_matches("[]").to_owned(), value);
    }
    let body = Value::Object(body);
    // The form's boundary is chance; what is asked is not.
    let hash = hash_of(body.to_string().as_bytes());
    answer(&shared, &headers, Endpoint::Edits, body, hash).await
}

/// `WIDTHxHEIGHT-HASH.png`.
pub(crate) async fn file(Path(name): Path<String>) -> Response {
    let drawn = name
        .trim_end_matches(".png")
        .split_once('-')
        .and_then(|(size, hash)| Some((size_of(size)?, hash.to_owned())));
    match drawn {
        Some((size, hash)) => {
            let png = drawn_png(size, &hash);
            ([(header::CONTENT_TYPE, "image/png")], png).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn answer(
    shared: &Shared,
    headers: &HeaderMap,
    endpoint: Endpoint,
    body: Value,
    hash: String,
) -> Response {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or("127.0.0.1")
        .to_owned();
    let size = body["size"].as_str().and_then(size_of);
    let asked = Asked::of_picture(endpoint, &body, hash);
    shared
        .respond(headers, asked, body, |asked, choice| {
            let document = document(asked, choice, size.unwrap_or((1024, 1024)), &host);
            ("application/json", pieces(&document.to_string()))
        })
        .await
}

fn document(asked: &Asked, choice: &Choice, size: (u32, u32), host: &str) -> Value {
    let of = |size: (u32, u32)| {
        let png = drawn_png(size, &asked.hash);
        json!({ "b64_json": base64::engine::general_purpose::STANDARD.encode(png) })
    };
    let item = match &choice.answer {
        None => of(size),
        Some(Value::String(said)) if said == "url" => {
            let (width, height) = size;
            let hash = &asked.hash;
            json!({ "url": format!("http://{host}/__picture/{width}x{height}-{hash}.png") })
        }
        Some(answer) if answer["$invalid"] == true => json!({ "b64_json": "this is no base64!" }),
        Some(answer) if answer["$picture"].is_object() => {
            let side = |name: &str| {
                let side = answer["$picture"][name].as_u64();
                side.and_then(|side| u32::try_from(side).ok()).unwrap_or(1)
            };
            of((side("width"), side("height")))
        }
        Some(whole) => return whole.clone(),
    };
    let mut document = json!({ "created": 0, "data": [item] });
    if let Some(usage) = &choice.rule.usage {
        document["usage"] = usage.clone();
    }
    document
}

/// The text in pieces; it is plain ASCII unless a script says otherwise.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let width = letters.len().div_ceil(PIECES).max(1);
    letters
        .chunks(width)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn size_of(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| {
        let side: u32 = text.parse().ok()?;
        (1..=SIDE_MAX).contains(&side).then_some(side)
    };
    Some((side(width)?, side(height)?))
}

/// A ground and a few discs in colours of the hash.
fn drawn_png((width, height): (u32, u32), hash: &str) -> Vec<u8> {
    let color = |at: usize| hash.get(at..at + 6).unwrap_or("888888").to_owned();
    let discs = (1..5).map(|at| {
        let (x, y) = (at * 23 % 100, at * 41 % 100);
        format!(
            "<circle cx=\"{x}%\" cy=\"{y}%\" r=\"18%\" fill=\"#{}\"/>",
            color(at * 6)
        )
    });
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
         <rect width=\"100%\" height=\"100%\" fill=\"#{}\"/>{}</svg>",
        color(0),
        discs.collect::<String>()
    );
    render::png(&svg, width, &render::Fonts::embedded()).expect("shapes need no fonts")
}
