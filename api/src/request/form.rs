//! Forms of several parts (`multipart/form-data`), read as they come: at most one piece of the connection and one line are in memory, and
//! each byte is looked at once.
//!
//! The crate that the framework uses for forms reads everything that is available before it looks at it, and looks at all of it again with
//! each piece: a form without an end, or a header line without an end, would be kept whole.

use axum::body::BodyDataStream;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use memchr::memmem::Finder;

use crate::error::ApiError;

/// Bytes of the header lines of a part: enough for an escaped file name in any script, and for some further lines.
const PART_HEAD_BYTES_MAX: usize = 8 * 1024;

/// Bytes of the boundary; the standard allows seventy.
const BOUNDARY_BYTES_MAX: usize = 70;

/// Bytes before the first part, where clients send nothing, and of white space after a boundary.
const PADDING_BYTES_MAX: usize = 1024;

/// Parts of a form: more than any form here has fields and files.
const PARTS_MAX: usize = 1_000;

/// What is wrong with a form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    #[error("its content type names no boundary of 1 to {BOUNDARY_BYTES_MAX} bytes")]
    NoBoundary,
    #[error("it ends within a part")]
    Incomplete,
    #[error("there is something else where a part or the end should be")]
    Malformed,
    #[error("the head of a part has more than {PART_HEAD_BYTES_MAX} bytes")]
    HeadTooLarge,
    #[error("it has more than {PARTS_MAX} parts")]
    TooManyParts,
    #[error("it is larger than the {most} bytes that are taken")]
    TooLarge { most: u64 },
    #[error("the connection broke off: {cause}")]
    BrokenOff { cause: String },
}

impl From<FormError> for ApiError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::TooLarge { .. } => {
                let status = axum::http::StatusCode::PAYLOAD_TOO_LARGE;
                Self::new(
                    status,
                    "too_large",
                    format!("the form is too large: {error}"),
                )
            }
            FormError::NoBoundary
            | FormError::Incomplete
            | FormError::Malformed
            | FormError::HeadTooLarge
            | FormError::TooManyParts
            | FormError::BrokenOff { .. } => {
                Self::bad_request(format!("the form is not right: {error}"))
            }
        }
    }
}

/// The head of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartHead {
    pub name: String,
    /// The name of the file, if the part is a file.
    pub file_name: Option<String>,
}

/// A form that is being read.
pub struct Form {
    body: BodyDataStream,
    /// Bytes that came and were not returned yet.
    buffer: BytesMut,
    /// A line break and the boundary: what ends a part.
    delimiter: Finder<'static>,
    state: State,
    parts: usize,
    read: u64,
    most: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    BeforeFirst,
    InPart,
    /// The delimiter was read.
    AtDelimiter,
    Ended,
}

/// Whether a request brings a form.
pub fn is_form(headers: &HeaderMap) -> bool {
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|value| value.to_str().ok());
    declared.is_some_and(|declared| {
        declared
            .to_ascii_lowercase()
            .starts_with("multipart/form-data")
    })
}

impl Form {
    /// The form of a request, which may have at most this many bytes.
    pub fn of(request: Request, most: u64) -> Result<Self, FormError> {
        let declared = request.headers().get(header::CONTENT_TYPE);
        let declared = declared.and_then(|value| value.to_str().ok());
        let boundary = declared.and_then(|declared| parameter(declared, "boundary"));
        let boundary = boundary.filter(|it| (1..=BOUNDARY_BYTES_MAX).contains(&it.len()));
        let boundary = boundary.ok_or(FormError::NoBoundary)?;
        let delimiter = format!("\r\n--{boundary}");
        Ok(Self {
            body: request.into_body().into_data_stream(),
            // The first boundary may be the first line.
            buffer: BytesMut::from(&b"\r\n"[..]),
            delimiter: Finder::new(delimiter.as_bytes()).into_owned(),
            state: State::BeforeFirst,
            parts: 0,
            read: 0,
            most,
        })
    }

    /// The next part; what is left of the current one is skipped.
    pub async fn next(&mut self) -> Result<Option<PartHead>, FormError> {
        let mut before = 0;
        while matches!(self.state, State::BeforeFirst | State::InPart) {
            let is_first = self.state == State::BeforeFirst;
            let passed = self.piece().await?.map_or(0, |piece| piece.len());
            before += passed;
            if is_first && before > PADDING_BYTES_MAX {
                return Err(FormError::Malformed);
            }
        }
        if self.state == State::Ended || self.is_end().await? {
            self.state = State::Ended;
            return Ok(None);
        }
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return Err(FormError::TooManyParts);
        }
        let head = self.head().await?;
        self.state = State::InPart;
        Ok(Some(head))
    }

    /// The next bytes of the part; `None` once it has ended.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FormError> {
        while self.state == State::InPart {
            match self.piece().await? {
                Some(piece) if piece.is_empty() => {}
                Some(piece) => return Ok(Some(piece)),
                None => break,
            }
        }
        Ok(None)
    }

    /// All bytes of the part.
    pub async fn bytes(&mut self) -> Result<Bytes, FormError> {
        let mut all = BytesMut::new();
        while let Some(piece) = self.chunk().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all.freeze())
    }

    /// Bytes that are certainly before the next delimiter. Changes the state once the delimiter is reached.
    async fn piece(&mut self) -> Result<Option<Bytes>, FormError> {
        let length = self.delimiter.needle().len();
        if let Some(at) = self.delimiter.find(&self.buffer) {
            let piece = self.buffer.split_to(at).freeze();
            let _ = self.buffer.split_to(length);
            self.state = State::AtDelimiter;
            return Ok((!piece.is_empty()).then_some(piece));
        }
        // The end of the buffer may be the beginning of a delimiter.
        let sure = self.buffer.len().saturating_sub(length - 1);
        let piece = self.buffer.split_to(sure).freeze();
        if piece.is_empty() && !self.more().await? {
            return Err(FormError::Incomplete);
        }
        Ok(Some(piece))
    }

    /// Whether this delimiter is the last one; if not, the rest of its line is read.
    async fn is_end(&mut self) -> Result<bool, FormError> {
        while self.buffer.len() < 2 {
            if !self.more().await? {
                return Err(FormError::Incomplete);
            }
        }
        if self.buffer.starts_with(b"--") {
            return Ok(true);
        }
        let mut passed = 0;
        loop {
            while let Some(b' ' | b'\t') = self.buffer.first() {
                let _ = self.buffer.split_to(1);
                passed += 1;
            }
            if passed > PADDING_BYTES_MAX {
                return Err(FormError::Malformed);
            }
            if self.buffer.len() >= 2 {
                break;
            }
            if !self.more().await? {
                return Err(FormError::Incomplete);
            }
        }
        // The line break stays in the buffer: for a part without header lines, it begins the empty line.
        if self.buffer.starts_with(b"\r\n") {
            Ok(false)
        } else {
            Err(FormError::Malformed)
        }
    }

    /// Reads the header lines, up to the empty line. They begin with the line break of the line before.
    async fn head(&mut self) -> Result<PartHead, FormError> {
        let mut looked_at = 0;
        let end = loop {
            let found = memchr::memmem::find(&self.buffer[looked_at..], b"\r\n\r\n");
            if let Some(at) = found {
                break looked_at + at;
            }
            if self.buffer.len() > PART_HEAD_BYTES_MAX {
                return Err(FormError::HeadTooLarge);
            }
            looked_at = self.buffer.len().saturating_sub(3);
            if !self.more().await? {
                return Err(FormError::Incomplete);
            }
        };
        if end > PART_HEAD_BYTES_MAX {
            return Err(FormError::HeadTooLarge);
        }
        let head = self.buffer.split_to(end);
        let _ = self.buffer.split_to(4);
        Ok(read_head(&String::from_utf8_lossy(&head)))
    }

    /// Takes the next piece of the body.
    async fn more(&mut self) -> Result<bool, FormError> {
        let Some(piece) = self.body.next().await else {
            return Ok(false);
        };
        let piece = piece.map_err(|error| FormError::BrokenOff {
            cause: error.to_string(),
        })?;
        self.read += piece.len() as u64;
        if self.read > self.most {
            return Err(FormError::TooLarge { most: self.most });
        }
        self.buffer.extend_from_slice(&piece);
        Ok(true)
    }
}

fn read_head(lines: &str) -> PartHead {
    let mut head = PartHead::default();
    for line in lines.split("\r\n") {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if !name.trim().eq_ignore_ascii_case("content-disposition") {
            continue;
        }
        head.name = parameter(value, "name").unwrap_or_default();
        let extended = parameter(value, "filename*").and_then(|value| decoded(&value));
        head.file_name = extended.or_else(|| parameter(value, "filename"));
    }
    head
}

/// A parameter after a semicolon: a word, or a text in quotes. For a quote in the text, browsers write `%22`, others a backslash and a
/// quote.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (found, behind) = match after.strip_prefix('"') {
            Some(quoted) => in_quotes(quoted)?,
            None => {
                let (word, behind) = after.split_once(';').unwrap_or((after, ""));
                (word.trim().to_owned(), behind)
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(found);
        }
        rest = behind;
    }
}

/// The text up to the closing quote, and what follows the semicolon after it.
fn in_quotes(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut signs = quoted.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => {
                let behind = &quoted[at + 1..];
                return Some((text, behind.split_once(';').map_or("", |(_, rest)| rest)));
            }
            // Programs on Windows do not escape backslashes in paths, so only quotes and backslashes count as escaped.
            '\\' => match signs.clone().next() {
                Some((_, next @ ('"' | '\\'))) => {
                    text.push(next);
                    signs.next();
                }
                Some(_) | None => text.push('\\'),
            },
            other => text.push(other),
        }
    }
    None
}

/// Decodes a text such as `UTF-8''%E5%85%89.md`.
fn decoded(value: &str) -> Option<String> {
    let (charset, rest) = value.split_once('\'')?;
    let (_, escaped) = rest.split_once('\'')?;
    if !charset.eq_ignore_ascii_case("utf-8") {
        return None;
    }
    let mut bytes = vec![];
    let mut rest = escaped.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = behind
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match (first, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use proptest::prelude::*;

    use super::*;

    fn form(pieces: Vec<Vec<u8>>, most: u64) -> Form {
        let pieces = pieces.into_iter().map(Ok::<_, std::io::Error>);
        let request = Request::builder()
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(Body::from_stream(futures::stream::iter(pieces)));
        Form::of(request.expect("a request"), most).expect("a boundary")
    }

    async fn read(mut form: Form) -> Result<Vec<(PartHead, Bytes)>, FormError> {
        let mut parts = vec![];
        while let Some(head) = form.next().await? {
            parts.push((head, form.bytes().await?));
        }
        Ok(parts)
    }

    async fn read_text(text: &str) -> Result<Vec<(PartHead, Bytes)>, FormError> {
        read(form(vec![text.as_bytes().to_vec()], 1 << 20)).await
    }

    fn part(name: &str, file_name: Option<&str>, bytes: &[u8]) -> (PartHead, Bytes) {
        let head = PartHead {
            name: name.to_owned(),
            file_name: file_name.map(str::to_owned),
        };
        (head, Bytes::copy_from_slice(bytes))
    }

    fn written(parts: &[(PartHead, Bytes)]) -> Vec<u8> {
        let mut all = vec![];
        for (head, bytes) in parts {
            let file = head.file_name.as_ref();
            let file = file
                .map(|name| format!("; filename=\"{name}\""))
                .unwrap_or_default();
            let name = &head.name;
            let lines =
                format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
            all.extend_from_slice(lines.as_bytes());
            all.extend_from_slice(bytes);
            all.extend_from_slice(b"\r\n");
        }
        all.extend_from_slice(b"--edge--\r\n");
        all
    }

    #[tokio::test]
    async fn fields_and_files_are_read_as_clients_write_them() {
        let text = "--edge\r\ncontent-disposition: form-data; name=note\r\n\r\na note\r\n\
            --edge  \r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".md\"\r\n\r\n\
            --edg\r\n-edge\r\n\
            --edge\r\nContent-Disposition: form-data; filename=\"x\"; filename*=UTF-8''%E5%85%89.md; name=\"f\"\r\n\r\n\r\n\
            --edge\r\n\r\nwithout a head\r\n--edge--";
        let expected = vec![
            part("note", None, b"a note"),
            part("file", Some("a \"b\".md"), b"--edg\r\n-edge"),
            part("f", Some("光.md"), b""),
            part("", None, b"without a head"),
        ];
        assert_eq!(read_text(text).await, Ok(expected));
        let path = "--edge\r\nContent-Disposition: form-data; filename=\"C:\\notes.md\"\r\n\r\n\r\n--edge--";
        assert_eq!(
            read_text(path).await,
            Ok(vec![part("", Some("C:\\notes.md"), b"")])
        );
    }

    #[tokio::test]
    async fn what_is_no_form_is_refused_by_its_fault() {
        let head = "x".repeat(PART_HEAD_BYTES_MAX);
        let cases = [
            (String::new(), FormError::Incomplete),
            ("--edge\r\nA: b".to_owned(), FormError::Incomplete),
            (
                "--edge\r\nA: b\r\n\r\nbytes".to_owned(),
                FormError::Incomplete,
            ),
            ("--edgeless".to_owned(), FormError::Malformed),
            ("x".repeat(PADDING_BYTES_MAX + 100), FormError::Malformed),
            (
                format!("--edge{}\r\n", " ".repeat(PADDING_BYTES_MAX + 1)),
                FormError::Malformed,
            ),
            (format!("--edge\r\n{head}\r\n\r\n"), FormError::HeadTooLarge),
            (format!("--edge\r\n{head}{head}"), FormError::HeadTooLarge),
            (
                "--edge\r\n\r\n\r\n".repeat(PARTS_MAX + 1),
                FormError::TooManyParts,
            ),
        ];
        for (text, expected) in cases {
            let start: String = text.chars().take(20).collect();
            assert_eq!(read_text(&text).await, Err(expected), "{start}");
        }
        let endless = form(
            vec![b"--edge\r\n\r\n".to_vec(), vec![b'x'; 100], vec![b'x'; 100]],
            150,
        );
        assert_eq!(read(endless).await, Err(FormError::TooLarge { most: 150 }));
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_refused_before_it_is_kept() {
        let pieces = std::iter::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 4096]));
        let first = std::iter::once(Ok(b"--edge\r\nA: ".to_vec()));
        let body = Body::from_stream(futures::stream::iter(first.chain(pieces)));
        let request =
            Request::builder().header("content-type", "multipart/form-data; boundary=edge");
        let request = request.body(body).expect("a request");
        let mut form = Form::of(request, u64::MAX).expect("a boundary");
        assert_eq!(form.next().await, Err(FormError::HeadTooLarge));
        assert!(form.buffer.len() < 4 * PART_HEAD_BYTES_MAX);
    }

    proptest! {
        #[test]
        fn a_form_is_the_same_in_whatever_pieces_it_comes(
            parts in prop::collection::vec(("[a-z]{0,8}", prop::option::of("[a-z.]{1,8}"), prop::collection::vec(prop::sample::select(&b"\r\n-edgx"[..]), 0..60)), 0..5),
            size in 1_usize..40,
        ) {
            let parts: Vec<_> = parts
                .iter()
                .map(|(name, file, bytes)| part(name, file.as_deref(), bytes))
                .filter(|(_, bytes)| memchr::memmem::find(&[b"\r\n", &bytes[..], b"\r\n"].concat(), b"\r\n--edge").is_none())
                .collect();
            let pieces = written(&parts).chunks(size).map(<[u8]>::to_vec).collect();
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            prop_assert_eq!(runtime.block_on(read(form(pieces, 1 << 20))), Ok(parts));
        }
    }
}
