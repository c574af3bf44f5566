//! Recognises the format of a file.
//!
//! The bytes count more than the name: a workbook that is called `report.docx` is a workbook. The name decides only among texts, whose
//! bytes have no signature, and the content of a text decides only if the name says nothing.

mod foreign;
mod packages;
#[cfg(test)]
mod tests;

use serde::de::IgnoredAny;
use spec::source::SourceFormat;

use crate::package::{OldContainer, old_container};
use crate::{Reading, Unreadable, encoding};

/// Bytes by which a text is distinguished from other files.
const SAMPLE: usize = 64 * 1024;

/// How many bytes a PDF may have before its beginning.
const PDF_START: usize = 1024;

/// Recognises the format by the first bytes, and by the name if the bytes do not decide.
pub(crate) fn format(reading: &Reading<'_>) -> Result<SourceFormat, Unreadable> {
    let bytes = reading.bytes;
    if bytes.trim_ascii().is_empty() {
        return Err(Unreadable::Empty);
    }
    let extension = extension(reading.name);
    let start = &bytes[..bytes.len().min(PDF_START)];
    if start.windows(5).any(|bytes| bytes == b"%PDF-") {
        return Ok(SourceFormat::Pdf);
    }
    if let Some(container) = old_container(bytes) {
        return Err(old(container, &extension));
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return packages::format(reading, &extension);
    }
    if bytes.starts_with(b"{\\rtf") {
        return Err(unknown(
            "an RTF document (.rtf)",
            "save it as .docx and give that",
        ));
    }
    if let Some(outcome) = foreign::picture(bytes) {
        return outcome;
    }
    let sample = encoding::decode(&bytes[..bytes.len().min(SAMPLE)]).text;
    if is_no_text(&sample) {
        return foreign::other(bytes, &extension);
    }
    if let Some((found, advice)) = foreign::mail(&sample, &extension) {
        return Err(unknown(found, advice));
    }
    Ok(of_text(&extension, &sample, bytes))
}

/// The end of a name, in small letters; empty if it has none.
pub(crate) fn extension(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let end = file.rsplit_once('.').map(|(_, end)| end);
    end.unwrap_or_default().trim().to_lowercase()
}

fn unknown(found: &str, advice: &str) -> Unreadable {
    Unreadable::UnknownFormat {
        found: found.to_owned(),
        advice: advice.to_owned(),
    }
}

/// Texts have hardly any control characters; other files have many of them everywhere.
fn is_no_text(sample: &str) -> bool {
    let all = sample.chars().count();
    let bad = sample
        .chars()
        .filter(|char| encoding::is_bad(*char))
        .count();
    bad * 50 > all && (bad > 1 || sample.contains('\0'))
}

fn old(container: OldContainer, extension: &str) -> Unreadable {
    match container {
        OldContainer::Encrypted => Unreadable::Encrypted {
            format: packages::by_extension(extension).map_or("document", SourceFormat::title),
        },
        OldContainer::Word => unknown(
            "an old Word document (.doc)",
            "save it as .docx and give that",
        ),
        OldContainer::Excel => unknown(
            "an old Excel workbook (.xls)",
            "save it as .xlsx and give that",
        ),
        OldContainer::PowerPoint => unknown(
            "an old PowerPoint presentation (.ppt)",
            "save it as .pptx and give that",
        ),
        OldContainer::Other => unknown(
            "a file of an old Office program, such as a message of Outlook",
            "save it as .docx, .xlsx, .pptx, PDF or text and give that",
        ),
    }
}

fn of_text(extension: &str, sample: &str, bytes: &[u8]) -> SourceFormat {
    match extension {
        "md" | "markdown" | "mdown" | "mkd" | "mdwn" | "qmd" | "rmd" => SourceFormat::Markdown,
        "html" | "htm" | "xhtml" | "xht" => SourceFormat::Html,
        "csv" | "tsv" | "tab" => SourceFormat::Csv,
        "json" | "jsonl" | "ndjson" | "geojson" | "ipynb" => SourceFormat::Json,
        "svg" => SourceFormat::Picture,
        _ => of_unnamed_text(extension, sample, bytes),
    }
}

/// By the content. Programs give tables and pages that they write the name of an office format, too.
fn of_unnamed_text(extension: &str, sample: &str, bytes: &[u8]) -> SourceFormat {
    let start: String = sample
        .trim_start()
        .chars()
        .take(1_000)
        .collect::<String>()
        .to_lowercase();
    let is_source = crate::readers::language(extension).is_some();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return SourceFormat::Html;
    }
    if start.starts_with("<?xml") && start.contains("<html") && !is_source {
        return SourceFormat::Html;
    }
    if start.starts_with("<svg") || (start.starts_with("<?xml") && start.contains("<svg")) {
        return SourceFormat::Picture;
    }
    if matches!(extension, "xls" | "xlsx" | "ods") {
        return SourceFormat::Csv;
    }
    let is_json = start.starts_with(['{', '[']) && !is_source;
    if is_json && serde_json::from_str::<IgnoredAny>(&encoding::text(bytes)).is_ok() {
        return SourceFormat::Json;
    }
    SourceFormat::Text
}
