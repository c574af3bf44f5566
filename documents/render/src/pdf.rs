//! Pages as a PDF: one sheet each, its text selectable, its fonts inside as far as they are used, with tags that say what is what.

mod tagged;

use krilla::Document;
use krilla::action::LinkAction;
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::destination::XyzDestination;
use krilla::geom::{Point, Rect, Size};
use krilla::metadata::{Metadata, PageLayout};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::tagging::TagTree;
use spec::Theme;

use crate::DeckPage;
use crate::fonts::Fonts;
use crate::raster::RasterError;
use crate::scene::{Line, Run, Text};
use tagged::Writer;

/// Points in a CSS pixel.
const PT_PER_PX: f32 = 0.75;
/// Most pages of a PDF: a course has thirty, and every page is held until the file is written.
pub(crate) const PAGES_MAX: usize = 500;

/// The pages as a PDF of sheets as large as the slides, with their titles as bookmarks. It has no date and no random
/// identifier: the same pages give the same bytes.
///
/// # Errors
/// [`RasterError::MissingGlyphs`] with the characters of all pages that no font here has; the others when there is no page or
/// too many, or the file cannot be written.
pub fn pdf(
    pages: &[DeckPage],
    theme: &Theme,
    title: &str,
    fonts: &Fonts,
) -> Result<Vec<u8>, RasterError> {
    let Some(first) = pages.first().filter(|_| pages.len() <= PAGES_MAX) else {
        return Err(RasterError::Pages { pages: pages.len() });
    };
    let language = crate::html::lang(&first.context.language);
    let mut document = Document::new();
    let mut outline = Outline::new();
    let mut tags = TagTree::new().with_lang(Some(language.clone()));
    // What is missing is missing for all pages, so that one message is enough.
    let mut missing = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        let (w, h) = page.scene.size;
        let size = Size::from_wh(w * PT_PER_PX, h * PT_PER_PX);
        let Some(settings) = size.map(PageSettings::new) else {
            return Err(unwritable(format!(
                "page {} is {w} x {h} pixels large",
                index + 1
            )));
        };
        let mut sheet = document.start_page_with(settings);
        let writer = Writer::new(page, index, theme, fonts);
        tags.push(writer.page(&mut sheet, page, &mut missing)?);
        sheet.finish();
        let top = XyzDestination::new(index, Point::from_xy(0.0, 0.0));
        outline.push_child(OutlineNode::new(spec::text::plain(page.slide.title()), top));
    }
    if !missing.is_empty() {
        return Err(RasterError::missing(missing));
    }
    document.set_tag_tree(tags);
    document.set_outline(outline);
    document.set_metadata(
        Metadata::new()
            .title(title.to_owned())
            .language(language)
            .creator("Palimpsest".to_owned())
            .page_layout(PageLayout::SinglePage),
    );
    document
        .finish()
        .map_err(|error| unwritable(error.to_string()))
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
