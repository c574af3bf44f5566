//! Reference pictures as requests name them: addresses, and pictures in the request itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use palimpsest::prelude::wire::{App, Owner};
use palimpsest::sniff;
use palimpsest::uploads::Attachment;
use serde_json::{Value, json};

use super::errors::PostRefusal;
use super::limits::REFERENCES_MAX;
use super::request::{Reference, StreamRequest};

/// The accepted types of pictures, with the endings of their file names.
const PICTURES: [(&str, &str); 4] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/webp", "webp"),
    ("image/gif", "gif"),
];

/// The beginning of addresses that contain their data.
const DATA: &str = "data:";

/// The known kinds. A picture of any other kind counts as one without a kind.
const KINDS: [&str; 3] = ["style", "layout", "content"];

/// All pictures that a request names, each once, in the order of the contract's fields.
fn named(request: &StreamRequest) -> Vec<Reference> {
    let typed = request.reference_inputs.iter().flatten().cloned();
    let untyped = request.reference_images.iter().flatten();
    let untyped = untyped.chain(&request.reference_image_url).cloned();
    let untyped = untyped.map(|url| Reference { url, kind: None });
    let mut all: Vec<Reference> = vec![];
    for reference in typed.chain(untyped) {
        let is_new = all.iter().all(|known| known.url != reference.url);
        if is_new && !reference.url.trim().is_empty() {
            all.push(reference);
        }
    }
    all
}

/// The pictures as the pipeline's input, and those that came in the request as files of the session.
pub(super) async fn taken(
    app: &App,
    owner: &Owner,
    request: &StreamRequest,
) -> Result<(Vec<Value>, Vec<Attachment>), PostRefusal> {
    let named = named(request);
    if named.len() > REFERENCES_MAX {
        return Err(PostRefusal::bad_request(format!(
            "{} reference pictures were sent, at most {REFERENCES_MAX} are taken",
            named.len()
        )));
    }
    let (mut inputs, mut attachments) = (vec![], vec![]);
    for (place, reference) in named.into_iter().enumerate() {
        let url = match reference.url.strip_prefix(DATA) {
            Some(data) => {
                let (bytes, ending) = decoded(data, place + 1)?;
                let path = format!("references/{}.{ending}", place + 1);
                let uploaded = app.uploads.put_whole(owner, &path, bytes).await?;
                attachments.push(Attachment {
                    path: path.clone(),
                    file: Some(uploaded.file),
                    sha256: None,
                });
                path
            }
            None => reference.url,
        };
        let kind = reference.kind.filter(|kind| KINDS.contains(&kind.as_str()));
        inputs.push(match kind {
            Some(kind) => json!({ "url": url, "type": kind }),
            None => json!({ "url": url }),
        });
    }
    Ok((inputs, attachments))
}

/// The picture in a `data:` address. Its type follows from the bytes and not from the address.
fn decoded(data: &str, number: usize) -> Result<(Bytes, &'static str), PostRefusal> {
    let wrong = |what: &str| PostRefusal::bad_request(format!("reference picture {number} {what}"));
    let (head, body) = data
        .split_once(',')
        .ok_or_else(|| wrong("has no content"))?;
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Err(wrong("is not in Base64"));
    }
    let bytes = STANDARD.decode(body.trim());
    let bytes = bytes.map_err(|_| wrong("is not in Base64"))?;
    let found = sniff::media_type("", &bytes);
    let known = PICTURES.iter().find(|(media_type, _)| *media_type == found);
    let (_, ending) = known.ok_or_else(|| wrong("is no PNG, JPEG, WebP or GIF"))?;
    Ok((bytes.into(), ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_what_its_bytes_say() {
        let png = format!(
            "image/jpeg;base64,{}",
            STANDARD.encode(b"\x89PNG\r\n\x1a\nrest")
        );
        assert_eq!(decoded(&png, 1).map(|(_, ending)| ending), Ok("png"));
        let text = format!("image/png;base64,{}", STANDARD.encode("<svg/>"));
        for wrong in [
            text.as_str(),
            "image/png;base64,%%",
            "image/png,abc",
            "image/png",
        ] {
            assert_eq!(
                decoded(wrong, 1).map_err(|e| e.0.status.as_u16()),
                Err(400),
                "{wrong}"
            );
        }
    }

    #[test]
    fn every_address_counts_once_and_keeps_its_kind() {
        let request: StreamRequest = serde_json::from_value(json!({
            "referenceInputs": [{ "url": "https://a/1.png", "type": "style" }, { "url": " " }],
            "referenceImages": ["https://a/1.png", "https://a/2.png"], "referenceImageUrl": "https://a/3.png",
        }))
        .expect("a request");
        let all = named(&request);
        let all: Vec<_> = all
            .iter()
            .map(|one| (one.url.as_str(), one.kind.as_deref()))
            .collect();
        let expected = [
            ("https://a/1.png", Some("style")),
            ("https://a/2.png", None),
            ("https://a/3.png", None),
        ];
        assert_eq!(all, expected);
    }
}
