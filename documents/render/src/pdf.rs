//! Pages as a PDF: one sheet each, or several small ones on a sheet with what is said to them. Its text is selectable, its fonts are inside
//! as far as they are used, and tags say what is what.

mod handout;
mod tagged;

use chrono::{DateTime, Datelike as _, Timelike as _, Utc};
use krilla::Document;
use krilla::action::LinkAction;
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::destination::XyzDestination;
use krilla::geom::{Point, Rect, Size};
use krilla::metadata::{DateTime as PdfTime, Metadata, PageLayout};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::tagging::TagTree;
use spec::Theme;

use crate::fonts::Fonts;
use crate::raster::RasterError;
use crate::scene::{Line, Run, Text};
use crate::{DeckPage, FileAbout};
pub use handout::handout;
use tagged::Writer;

/// Points in a CSS pixel.
const PT_PER_PX: f32 = 0.75;
/// Most pages that become files: a course has thirty, and every page is held until the file is written.
pub(crate) const PAGES_MAX: usize = 500;

/// The pages as a PDF of sheets as large as the slides, with their titles as bookmarks. It has no random identifier: the same pages
/// give the same bytes.
///
/// # Errors
/// [`RasterError::MissingGlyphs`] with the characters of all pages that no font here has; the others when there is no page or
/// too many, or the file cannot be written.
pub fn pdf(
    pages: &[DeckPage],
    theme: &Theme,
    about: &FileAbout,
    fonts: &Fonts,
) -> Result<Vec<u8>, RasterError> {
    check_count(pages)?;
    let marks = pages.iter().enumerate().map(|(sheet, page)| Bookmark {
        words: spec::text::plain(page.slide.title()),
        sheet,
        y: 0.0,
    });
    let sheets = pages.iter().map(|page| (page, vec![]));
    bound(sheets, marks, theme, about, fonts)
}

fn check_count(pages: &[DeckPage]) -> Result<(), RasterError> {
    match pages.len() {
        1..=PAGES_MAX => Ok(()),
        pages => Err(RasterError::Pages { pages }),
    }
}

/// A title that leads to a place in the file.
struct Bookmark {
    words: String,
    /// Counted from 0.
    sheet: usize,
    /// CSS pixels from the sheet's top.
    y: f32,
}

/// Sheets as a file, each with the words for the drawings on it that mean something.
fn bound<'p>(
    sheets: impl Iterator<Item = (&'p DeckPage, Vec<String>)>,
    marks: impl Iterator<Item = Bookmark>,
    theme: &Theme,
    about: &FileAbout,
    fonts: &Fonts,
) -> Result<Vec<u8>, RasterError> {
    let mut document = Document::new();
    let mut tags = TagTree::new();
    let mut language = None;
    // What is missing is missing for all sheets, so that one message is enough.
    let mut missing = Vec::new();
    for (index, (page, drawings)) in sheets.enumerate() {
        let (w, h) = page.scene.size;
        let size = Size::from_wh(w * PT_PER_PX, h * PT_PER_PX);
        let Some(settings) = size.map(PageSettings::new) else {
            return Err(unwritable(format!(
                "page {} is {w} x {h} pixels large",
                index + 1
            )));
        };
        language.get_or_insert_with(|| crate::html::lang(&page.context.language));
        let mut sheet = document.start_page_with(settings);
        let writer = Writer::new(page, index, theme, fonts, drawings);
        tags.push(writer.page(&mut sheet, page, &mut missing)?);
        sheet.finish();
    }
    if !missing.is_empty() {
        return Err(RasterError::missing(missing));
    }
    let mut outline = Outline::new();
    for Bookmark { words, sheet, y } in marks.filter(|mark| !mark.words.is_empty()) {
        let place = XyzDestination::new(sheet, Point::from_xy(0.0, y * PT_PER_PX));
        outline.push_child(OutlineNode::new(words, place));
    }
    document.set_tag_tree(tags.with_lang(language.clone()));
    document.set_outline(outline);
    document.set_metadata(metadata(about, language.unwrap_or_default()));
    document
        .finish()
        .map_err(|error| unwritable(error.to_string()))
}

fn metadata(about: &FileAbout, language: String) -> Metadata {
    let metadata = Metadata::new()
        .title(about.title.clone())
        .authors(about.author.iter().cloned().collect())
        .language(language)
        .creator("Palimpsest".to_owned())
        .page_layout(PageLayout::SinglePage);
    match about.created {
        Some(at) => metadata.creation_date(pdf_time(at)),
        None => metadata,
    }
}

fn pdf_time(at: DateTime<Utc>) -> PdfTime {
    let small = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    PdfTime::new(u16::try_from(at.year()).unwrap_or(0))
        .month(small(at.month()))
        .day(small(at.day()))
        .hour(small(at.hour()))
        .minute(small(at.minute()))
        .second(small(at.second()))
        .utc_offset_hour(0)
}

/// The place of a part of a line that leads somewhere.
fn link_annotation(
    text: &Text,
    line: &Line,
    run: &Run,
    (x, baseline): (f32, f32),
) -> Option<Annotation> {
    let address = run.link.as_ref()?;
    let top = baseline - line.baseline;
    let place = [x + run.x, top, run.width, text.size * text.line];
    let [x, y, w, h] = place.map(|px| px * PT_PER_PX);
    let target = Target::Action(LinkAction::new(address.to_string()).into());
    let link = LinkAnnotation::new(Rect::from_xywh(x, y, w, h)?, target);
    Some(Annotation::new_link(link, Some(run.text.clone())))
}

fn unwritable(reason: String) -> RasterError {
    RasterError::Unwritable {
        what: "PDF",
        reason,
    }
}
