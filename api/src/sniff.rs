//! The type of a file, from its bytes. The name that its sender gave is used only if the bytes leave the type open.

use std::path::Path;

/// How many bytes of a file are looked at: every signature is at the start, and a file whose start is text is taken for text.
pub const SNIFFED_BYTES: usize = 8 * 1024;

/// Office files are archives; their names tell them apart.
const ARCHIVES: [(&str, &str); 5] = [
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("epub", "application/epub+zip"),
    ("zip", "application/zip"),
];

/// The media type of a file that begins like this.
pub fn media_type(name: &str, start: &[u8]) -> String {
    let start = &start[..start.len().min(SNIFFED_BYTES)];
    if let Some(known) = signature(start) {
        return known.to_owned();
    }
    if start.starts_with(b"PK\x03\x04") {
        let extension = extension(name);
        let archive = ARCHIVES.iter().find(|(known, _)| *known == extension);
        return archive
            .map_or("application/zip", |(_, media_type)| media_type)
            .to_owned();
    }
    if is_text(start) {
        text_type(name)
    } else {
        "application/octet-stream".to_owned()
    }
}

fn signature(start: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 8] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"ID3", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"\x1f\x8b", "application/gzip"),
    ];
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    if start.get(4..8) == Some(b"ftyp") {
        return Some("video/mp4");
    }
    SIGNATURES
        .iter()
        .find(|(bytes, _)| start.starts_with(bytes))
        .map(|(_, media_type)| *media_type)
}

/// Whether this is UTF-8 without control characters that texts do not have. A character cut off at the end is accepted.
fn is_text(start: &[u8]) -> bool {
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}'))
}

/// The kind of text, from the file's name. A name that stands for something else than text is ignored.
fn text_type(name: &str) -> String {
    let guessed = mime_guess::from_path(name).first();
    let is_textual = |mime: &mime_guess::Mime| {
        mime.type_() == "text"
            || matches!(
                mime.essence_str(),
                "application/json" | "application/xml" | "image/svg+xml"
            )
    };
    guessed.filter(is_textual).map_or_else(
        || "text/plain".to_owned(),
        |mime| mime.essence_str().to_owned(),
    )
}

fn extension(name: &str) -> String {
    Path::new(name)
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_decide_and_the_name_only_says_which_text_it_is() {
        let cases: [(&str, &[u8], &str); 12] = [
            ("a.txt", b"\x89PNG\r\n\x1a\n....", "image/png"),
            ("a.png", b"hello", "text/plain"),
            ("notes.md", "光合作用".as_bytes(), "text/markdown"),
            ("notes.md", &"光".as_bytes()[..2], "text/markdown"),
            ("a.json", b"{}", "application/json"),
            ("a.html", b"<script>", "text/html"),
            ("a.svg", b"<svg/>", "image/svg+xml"),
            ("a.txt", b"\xff\xfe\x00h", "application/octet-stream"),
            ("a.txt", b"a\0b", "application/octet-stream"),
            (
                "a.pptx",
                b"PK\x03\x04rest",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ),
            ("a.exe", b"PK\x03\x04rest", "application/zip"),
            ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(media_type(name, bytes), expected, "{name}");
        }
        assert_eq!(media_type("empty", b""), "text/plain");
    }
}
