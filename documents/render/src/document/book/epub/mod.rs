//! The book as EPUB 3.
//!
//! An EPUB is a ZIP with a page for each chapter, a list of all its parts, and two tables of contents. The crate that is known for
//! writing them takes times and ids from outside and leaves the pages to its caller, so that it would do less than half of the work.

mod contents;
mod package;
mod xhtml;

use std::io::{Cursor, Write as _};

use spec::book::Book;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::leaves::Leaf;
use super::{BookError, leaves};
use crate::document::text::one_line;
use crate::html::escape;
use crate::picture::{self, Picture};

const STYLE: &str = include_str!("style.css");
const MEDIA_TYPE: &str = "application/epub+zip";
/// The longest side of a cover in pixels: more than any reader's screen has.
const COVER_SIDE_MAX: u32 = 2_560;

const CONTAINER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <container version=\"1.0\" xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles>\
    <rootfile full-path=\"book/package.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>\n";

/// A page of the book.
struct Page {
    /// Name of the page's file, and its id in the package.
    name: String,
    xhtml: String,
}

/// What every part of the file knows.
struct Whole<'b> {
    book: &'b Book,
    title: String,
    authors: Vec<String>,
    /// A tag that is well formed.
    language: String,
    cover: Option<Picture>,
    leaves: Vec<Leaf<'b>>,
}

impl Whole<'_> {
    fn is_right_to_left(&self) -> bool {
        let primary = self.language.split('-').next().unwrap_or_default();
        let script = self.language.split('-').nth(1).unwrap_or_default();
        matches!(
            primary.to_ascii_lowercase().as_str(),
            "ar" | "arc" | "ckb" | "dv" | "fa" | "he" | "ps" | "sd" | "ug" | "ur" | "yi"
        ) && !script.eq_ignore_ascii_case("latn")
    }

    /// The name of the page of a leaf, by its place among the leaves.
    fn page_name(at: usize) -> String {
        format!("text-{:05}", at + 1)
    }

    fn leaf_name(&self, leaf: &Leaf<'_>) -> String {
        escape(leaf.name(&self.language))
    }

    /// A page with its head.
    fn page(&self, title: &str, class: &str, body: &str) -> String {
        let direction = if self.is_right_to_left() {
            " dir=\"rtl\""
        } else {
            ""
        };
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n\
             <html xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:epub=\"http://www.idpf.org/2007/ops\" lang=\"{0}\" \
             xml:lang=\"{0}\"{direction}>\n<head><title>{1}</title>\
             <link rel=\"stylesheet\" type=\"text/css\" href=\"style.css\"/></head>\n<body{class}>\n{body}</body>\n</html>\n",
            escape(&self.language),
            escape(title),
        )
    }
}

pub(super) fn file(book: &Book, modified: &str) -> Result<Vec<u8>, BookError> {
    let whole = whole(book)?;
    let pages = pages(&whole);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let failed = |error: &dyn std::error::Error| BookError::Package(error.to_string());
    let mut put = |name: &str, bytes: &[u8], method: CompressionMethod| {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default());
        zip.start_file(name, options)
            .map_err(|error| failed(&error))?;
        zip.write_all(bytes).map_err(|error| failed(&error))
    };
    // The first entry of the archive has to name the type of the file.
    put("mimetype", MEDIA_TYPE.as_bytes(), CompressionMethod::Stored)?;
    let packed = CompressionMethod::Deflated;
    put("META-INF/container.xml", CONTAINER.as_bytes(), packed)?;
    let opf = package::document(&whole, &pages, modified);
    put("book/package.opf", opf.as_bytes(), packed)?;
    put("book/nav.xhtml", contents::nav(&whole).as_bytes(), packed)?;
    put("book/toc.ncx", contents::ncx(&whole).as_bytes(), packed)?;
    put("book/style.css", STYLE.as_bytes(), packed)?;
    if let Some(cover) = &whole.cover {
        let name = format!("book/{}", cover_name(cover));
        put(&name, &cover.bytes, CompressionMethod::Stored)?;
    }
    for page in &pages {
        let name = format!("book/{}.xhtml", page.name);
        put(&name, page.xhtml.as_bytes(), packed)?;
    }
    let file = zip.finish().map_err(|error| failed(&error))?;
    Ok(file.into_inner())
}

fn whole(book: &Book) -> Result<Whole<'_>, BookError> {
    let cover = book.cover.as_ref().map(|cover| &cover.bytes.0);
    // A book that was read back from storage may name its cover without having it.
    let cover = cover.filter(|bytes| !bytes.is_empty());
    let cover = cover.map(|bytes| picture::at_most(bytes, COVER_SIDE_MAX));
    let authors = book.authors.iter().map(|author| one_line(author));
    Ok(Whole {
        book,
        title: one_line(&book.title),
        authors: authors.filter(|author| !author.is_empty()).collect(),
        language: language(&book.language),
        cover: cover.transpose()?,
        leaves: leaves(book),
    })
}

/// The language as a tag that is well formed.
fn language(said: &str) -> String {
    let tag = crate::html::lang(said).replace('_', "-");
    let is_part = |part: &str| {
        (1..=8).contains(&part.len()) && part.chars().all(|char| char.is_ascii_alphanumeric())
    };
    let primary = tag.split('-').next().unwrap_or_default();
    let is_primary =
        (2..=3).contains(&primary.len()) && primary.chars().all(|char| char.is_ascii_alphabetic());
    if is_primary && tag.split('-').all(is_part) {
        tag
    } else {
        "und".to_owned()
    }
}

fn cover_name(cover: &Picture) -> &'static str {
    if cover.media_type == "image/jpeg" {
        "cover.jpg"
    } else {
        "cover.png"
    }
}

fn pages(whole: &Whole<'_>) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut put = |name: &str, xhtml: String| {
        pages.push(Page {
            name: name.to_owned(),
            xhtml,
        });
    };
    if let Some(cover) = &whole.cover {
        put("cover", cover_page(whole, cover));
    }
    put("title", title_page(whole));
    for (at, leaf) in whole.leaves.iter().enumerate() {
        put(&Whole::page_name(at), leaf_page(whole, leaf));
    }
    pages
}

fn cover_page(whole: &Whole<'_>, cover: &Picture) -> String {
    let said = whole.book.cover.as_ref().map(|cover| cover.alt.as_str());
    let said = said.map(one_line).filter(|said| !said.is_empty());
    let alt = escape(said.as_deref().unwrap_or(&whole.title));
    let body = format!(
        "<section class=\"cover\" epub:type=\"cover\"><img src=\"{}\" alt=\"{alt}\"/></section>\n",
        cover_name(cover)
    );
    whole.page(&whole.title, " class=\"cover\"", &body)
}

fn title_page(whole: &Whole<'_>) -> String {
    let mut lines = whole.authors.clone();
    lines.extend(whole.book.note.as_deref().map(one_line));
    let lines = lines.iter().filter(|line| !line.is_empty());
    let lines: String = lines
        .map(|line| format!("<p>{}</p>\n", escape(line)))
        .collect();
    let body = format!(
        "<section class=\"title\" epub:type=\"titlepage\">\n<h1>{}</h1>\n{lines}</section>\n",
        escape(&whole.title)
    );
    whole.page(&whole.title, "", &body)
}

fn leaf_page(whole: &Whole<'_>, leaf: &Leaf<'_>) -> String {
    let level = leaf.level;
    let heading = if leaf.title.is_empty() {
        String::new()
    } else {
        format!("<h{level}>{}</h{level}>\n", escape(&leaf.title))
    };
    let kind = if leaf.is_volume {
        "class=\"volume\" epub:type=\"part\""
    } else {
        "epub:type=\"chapter\""
    };
    let text = xhtml::body(&leaf.text(), level);
    let body = format!("<section {kind}>\n{heading}{text}</section>\n");
    whole.page(leaf.name(&whole.language), "", &body)
}
