//! A report in Markdown as files to read, print and hand on: a page of HTML and a document for word processors.
//!
//! Both are made from the same events of the same parser, and of nothing else: no clock, no chance, so that the same report is
//! the same bytes again.

pub mod book;
mod docx;
mod formulas;
mod page;
mod text;

/// Bytes of Markdown that are written. The longest template with its longest sections is less; a word processor takes minutes
/// for what is more.
pub const MARKDOWN_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub title: String,
    /// BCP 47, for example `zh-CN`; decides fonts and the few words that are ours.
    pub language: String,
    /// `CommonMark` with tables, strikethrough, notes, task lists, and formulas between dollar signs.
    pub markdown: String,
    /// Said below the title: that the text was written without a model, or that something is missing.
    pub note: Option<String>,
}

/// Why a report is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("the report has {bytes} bytes of Markdown, and at most {max} are written")]
    TooLarge { bytes: usize, max: usize },
    #[error("the document cannot be put together: {0}")]
    Package(String),
}

/// The report as one page of HTML that needs nothing but itself and runs nothing. It has a table of contents, and is printed
/// without it.
///
/// # Errors
///
/// The report is too large.
pub fn html(report: &Report) -> Result<String, DocumentError> {
    limited(report)?;
    Ok(page::page(report))
}

/// The report as a DOCX file with styles that a word processor knows: title, headings, lists, quotes, code and tables.
///
/// # Errors
///
/// The report is too large.
pub fn docx(report: &Report) -> Result<Vec<u8>, DocumentError> {
    limited(report)?;
    docx::file(report)
}

fn limited(report: &Report) -> Result<(), DocumentError> {
    let bytes = report.markdown.len();
    if bytes > MARKDOWN_BYTES_MAX {
        let max = MARKDOWN_BYTES_MAX;
        return Err(DocumentError::TooLarge { bytes, max });
    }
    Ok(())
}
