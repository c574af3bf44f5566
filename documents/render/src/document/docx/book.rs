//! A book as a document: its title on a page of its own, then each volume and chapter on a new page.

use docx_rs::{AlignmentType, LineSpacing};
use spec::book::Book;

use super::body::{Body, Setting};
use super::package::{self, Properties};
use super::{paged, styles};
use crate::document::DocumentError;
use crate::document::book::BookError;
use crate::document::book::leaves::leaves;
use crate::document::text::{Text, one_line};

/// Space above the title, in twentieths of a point: a quarter of a page.
const TITLE_DOWN: u32 = 4_000;

pub(in crate::document) fn file(book: &Book) -> Result<Vec<u8>, BookError> {
    let leaves = leaves(book);
    let texts: Vec<Text<'_>> = leaves.iter().map(|leaf| leaf.text()).collect();
    let language = crate::html::lang(&book.language);
    let title = one_line(&book.title);
    let authors: Vec<String> = book.authors.iter().map(|author| one_line(author)).collect();
    let authors = authors.join(", ");
    let empty = Text::default();
    let mut body = Body::new(&empty, Setting::Report, &book.language);
    body.put_line(&title, "Title", |paragraph| {
        paragraph
            .align(AlignmentType::Center)
            .line_spacing(LineSpacing::new().before(TITLE_DOWN).after(480))
    });
    let note = one_line(book.note.as_deref().unwrap_or_default());
    for line in [&authors, &note] {
        if !line.is_empty() {
            body.put_line(line, "Subtitle", |paragraph| {
                paragraph.align(AlignmentType::Center)
            });
        }
    }
    for (leaf, text) in leaves.iter().zip(&texts) {
        let setting = Setting::Book {
            above: leaf.level,
            is_first_set_in: sets_in_first(&language),
        };
        body.go_on(text, setting);
        let style = match leaf.level {
            1 => "Heading1",
            _ => "Heading2",
        };
        // A chapter without a heading begins its page with an empty one of no level.
        let style = if leaf.title.is_empty() {
            styles::BODY_TEXT
        } else {
            style
        };
        body.put_line(&leaf.title, style, |paragraph| {
            paragraph.page_break_before(true)
        });
        body.events(&text.events);
        body.notes(&text.notes);
    }
    let formulas = std::mem::take(&mut body.formulas);
    let mut all = styles::styles(&language);
    all.extend(styles::of_books(&language));
    let docx = paged(styles::book_fonts(&language), all, body);
    let properties = Properties {
        title: &title,
        authors: &authors,
        description: &one_line(book.description.as_deref().unwrap_or_default()),
        language: &language,
    };
    package::write(docx, &properties, &formulas).map_err(|error| match error {
        DocumentError::Package(cause) => BookError::Package(cause),
        DocumentError::TooLarge { bytes, .. } => BookError::TooLarge { bytes },
    })
}

/// Whether the first paragraph of a chapter is set in like the others, as in China and Japan.
fn sets_in_first(language: &str) -> bool {
    let language = language.to_lowercase();
    ["zh", "ja"].iter().any(|code| language.starts_with(code))
}
