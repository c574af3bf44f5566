//! A book as files to read, print and hand on: EPUB, a document for word processors, Markdown.
//!
//! All are written from the same leaves, and from nothing else: no clock, no chance, so that the same book is the same bytes
//! again.

pub(super) mod leaves;

mod epub;
mod markdown;

use spec::book::Book;

use crate::picture::PictureError;
use leaves::leaves;

/// Bytes of text in all chapters of a book that is written: five million characters of Chinese, the longest novels that appear in
/// instalments.
pub const BOOK_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Chapters and volumes of a book that is written.
pub const BOOK_CHAPTERS_MAX: usize = 10_000;

/// Why a book is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    #[error("the book has no title")]
    NoTitle,
    #[error("the book has no identifier")]
    NoIdentifier,
    #[error("the book has {bytes} bytes of text, and at most {BOOK_BYTES_MAX} are written")]
    TooLarge { bytes: usize },
    #[error(
        "the book has {chapters} chapters and volumes, and at most {BOOK_CHAPTERS_MAX} are written"
    )]
    TooManyChapters { chapters: usize },
    #[error("\"{0}\" is no time of the form 2026-01-31T08:00:00Z")]
    Time(String),
    #[error("the cover cannot be used: {0}")]
    Cover(#[from] PictureError),
    #[error("the book cannot be put together: {0}")]
    Package(String),
}

/// The book as EPUB 3 with a table of contents for readers of EPUB 2, one page for each chapter and volume. A cover is drawn into
/// it where the book has one whose bytes are there.
///
/// `modified` is when the text was last changed, in UTC to the second, of the form `2026-01-31T08:00:00Z`.
///
/// # Errors
///
/// [`BookError`]: the book is too large, lacks what an EPUB needs, or has a cover that is no picture.
pub fn epub(book: &Book, modified: &str) -> Result<Vec<u8>, BookError> {
    check(book)?;
    if !is_time(modified) {
        return Err(BookError::Time(modified.to_owned()));
    }
    epub::file(book, modified)
}

/// The book as a DOCX file: a page with its title, volumes and chapters as headings that each begin a page, paragraphs set in as
/// the language has it. It has no cover.
///
/// # Errors
///
/// [`BookError`]: the book is too large, or has no title.
pub fn docx(book: &Book) -> Result<Vec<u8>, BookError> {
    check(book)?;
    super::docx::book::file(book)
}

/// The book as one Markdown file: its title as the heading of level 1, volumes and chapters below. It has no cover.
///
/// # Errors
///
/// [`BookError`]: the book is too large, or has no title.
pub fn markdown(book: &Book) -> Result<String, BookError> {
    check(book)?;
    Ok(markdown::file(book))
}

fn check(book: &Book) -> Result<(), BookError> {
    if book.title.trim().is_empty() {
        return Err(BookError::NoTitle);
    }
    if book.identifier.trim().is_empty() {
        return Err(BookError::NoIdentifier);
    }
    let chapters = || book.volumes.iter().flat_map(|volume| &volume.chapters);
    let count = chapters().count() + book.volumes.len();
    if count > BOOK_CHAPTERS_MAX {
        return Err(BookError::TooManyChapters { chapters: count });
    }
    let bytes = chapters().map(|chapter| chapter.text.len()).sum();
    if bytes > BOOK_BYTES_MAX {
        return Err(BookError::TooLarge { bytes });
    }
    Ok(())
}

/// Whether this is a time that an EPUB may have. A 31st day is accepted in every month, which does no harm.
fn is_time(text: &str) -> bool {
    let form = "0000-00-00T00:00:00Z";
    let fits = |(char, form): (char, char)| {
        if form == '0' {
            char.is_ascii_digit()
        } else {
            char == form
        }
    };
    let part = |from: usize| text[from..from + 2].parse::<u8>().unwrap_or(u8::MAX);
    text.len() == form.len()
        && text.chars().zip(form.chars()).all(fits)
        && (1..=12).contains(&part(5))
        && (1..=31).contains(&part(8))
        && part(11) < 24
        && part(14) < 60
        && part(17) < 60
}
