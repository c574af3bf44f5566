//! Pictures that are much larger once they are decoded: all are decoded within one limit, whichever client sends them.

use futures::future::join_all;
use reqwest::Method;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};

const DECK: &str =
    "---\ntitle: Rain\n---\n# A\n@type: image_text\n@image: p.png\n## Rain falls\n- It rains\n";

fn form(picture: &[u8]) -> Vec<u8> {
    let part = |head: &str| format!("--edge\r\ncontent-disposition: form-data; {head}\r\n\r\n");
    let mut body = format!("{}{DECK}\r\n", part("name=\"dsl\"")).into_bytes();
    body.extend(format!("{}report\r\n", part("name=\"format\"")).into_bytes());
    body.extend(part("name=\"files\"; filename=\"p.png\"").into_bytes());
    body.extend(picture);
    body.extend(b"\r\n--edge--\r\n");
    body
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(vec![]);
    image::GrayImage::new(width, height)
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("a picture");
    bytes.into_inner()
}

/// The same picture with another size in its header.
fn with_size(mut png: Vec<u8>, width: u32, height: u32) -> Vec<u8> {
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    png
}

/// The sum that stands behind each chunk of a PNG.
fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = sum & 1;
            sum >>= 1;
            if carry == 1 {
                sum ^= 0xedb8_8320;
            }
        }
    }
    !sum
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_decoded_one_after_the_other_where_there_is_room_for_one() {
    let place = TestFolder::new();
    place.write("palimpsest.toml", "[limits]\ndecoding_bytes = 1\n");
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let api = server.api();
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    let drawn = async |picture: Vec<u8>| {
        let body = form(&picture);
        let answer = api.send(Method::POST, "/api/decks:render", &headers, Some(body));
        answer.await.succeeded()["issues"].to_string()
    };
    let all = join_all((0..8).map(|more| drawn(png(400 + more, 300)))).await;
    for issues in all {
        assert!(!issues.contains("missing_image"), "{issues}");
    }
    for (lies, told) in [
        (with_size(png(4, 4), 16_000, 16_000), "16000 x 16000 pixels"),
        (with_size(png(4, 4), 60_000, 100), "60000 x 100 pixels"),
        (with_size(png(4, 4), 5_000, 5_000), "cannot be read"),
    ] {
        let issues = drawn(lies).await;
        assert!(issues.contains(told), "{told}: {issues}");
    }
    let metrics = api.get("/metrics").await.succeeded();
    let metrics = metrics.as_str().expect("a text");
    for line in [
        "palimpsest_decoding_bytes 0",
        "palimpsest_decoding_bytes_max 1",
        "palimpsest_decoding_waiting 0",
        "palimpsest_decoding_refused_total 0",
    ] {
        assert!(
            metrics.lines().any(|told| told == line),
            "{line}: {metrics}"
        );
    }
}
