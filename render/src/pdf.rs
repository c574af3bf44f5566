//! Pages as a PDF: one sheet each, its text selectable, its fonts inside as far as they are used.

use krilla::Document;
use krilla::destination::XyzDestination;
use krilla::geom::{Point, Size};
use krilla::metadata::{Metadata, PageLayout};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt as _, SvgSettings};
use spec::Theme;

use crate::fonts::Fonts;
use crate::raster::{RasterError, tree};
use crate::{DeckPage, svg};

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
    let trees = trees(pages, theme, fonts)?;
    let mut document = Document::new();
    let mut outline = Outline::new();
    for (index, (page, tree)) in pages.iter().zip(&trees).enumerate() {
        let (w, h) = page.scene.size;
        let size = Size::from_wh(w * PT_PER_PX, h * PT_PER_PX);
        let Some((size, settings)) = size.map(|size| (size, PageSettings::new(size))) else {
            return Err(unwritable(format!(
                "page {} is {w} x {h} pixels large",
                index + 1
            )));
        };
        let mut sheet = document.start_page_with(settings);
        let mut surface = sheet.surface();
        let drawn = surface.draw_svg(tree, size, SvgSettings::default());
        surface.finish();
        sheet.finish();
        if drawn.is_none() {
            return Err(unwritable(format!("page {} cannot be drawn", index + 1)));
        }
        let top = XyzDestination::new(index, Point::from_xy(0.0, 0.0));
        outline.push_child(OutlineNode::new(spec::text::plain(page.slide.title()), top));
    }
    document.set_outline(outline);
    document.set_metadata(
        Metadata::new()
            .title(title.to_owned())
            .language(crate::html::lang(&first.context.language))
            .creator("Palimpsest".to_owned())
            .page_layout(PageLayout::SinglePage),
    );
    document
        .finish()
        .map_err(|error| unwritable(error.to_string()))
}

/// The pages as they are drawn. What is missing is missing for all of them, so that one message is enough.
fn trees(
    pages: &[DeckPage],
    theme: &Theme,
    fonts: &Fonts,
) -> Result<Vec<resvg::usvg::Tree>, RasterError> {
    let (mut trees, mut missing) = (Vec::new(), Vec::new());
    for page in pages {
        match tree(&svg(&page.scene, theme, &page.context.language), fonts) {
            Ok(tree) => trees.push(tree),
            Err(RasterError::MissingGlyphs { characters, .. }) => {
                for character in characters {
                    if !missing.contains(&character) {
                        missing.push(character);
                    }
                }
            }
            Err(other) => return Err(other),
        }
    }
    if missing.is_empty() {
        Ok(trees)
    } else {
        Err(RasterError::missing(missing))
    }
}

fn unwritable(reason: String) -> RasterError {
    RasterError::Unwritable {
        what: "PDF",
        reason,
    }
}
