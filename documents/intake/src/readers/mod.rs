//! A reader for each format.

mod csv;
mod docx;
mod epub;
mod html;
mod json;
mod markdown;
mod odf;
mod office;
mod pdf;
mod picture;
mod pptx;
mod scripts;
mod text;
mod xlsx;

use spec::drawn::DrawnPresentation;
use spec::source::{SourceDocument, SourceFormat};

use crate::{Reading, Unreadable};

pub use html::check_html;
pub(crate) use text::language;

pub(crate) fn read(
    format: SourceFormat,
    reading: &Reading<'_>,
) -> Result<SourceDocument, Unreadable> {
    match format {
        SourceFormat::Csv => csv::read(reading),
        SourceFormat::Docx => docx::read(reading),
        SourceFormat::Epub => epub::read(reading),
        SourceFormat::Html => html::read(reading),
        SourceFormat::Json => json::read(reading),
        SourceFormat::Markdown => markdown::read(reading),
        SourceFormat::Odt | SourceFormat::Odp | SourceFormat::Ods => odf::read(format, reading),
        SourceFormat::Pdf => pdf::read(reading),
        SourceFormat::Picture => picture::read(reading),
        SourceFormat::Pptx => pptx::read(reading),
        SourceFormat::Text => text::read(reading),
        SourceFormat::Xlsx => xlsx::read(reading),
    }
}

/// A presentation with its shapes; for another format, only the document.
pub(crate) fn drawn(
    format: SourceFormat,
    reading: &Reading<'_>,
) -> Result<DrawnPresentation, Unreadable> {
    if format == SourceFormat::Pptx {
        return pptx::drawn(reading);
    }
    Ok(DrawnPresentation {
        document: read(format, reading)?,
        ..DrawnPresentation::default()
    })
}
