//! Slides as files on as many pages as they need: a slide that says too much is continued on a further page.

use domain::typeset::{PaginatedFiles, SlideSet};
use render::{DeckMeta, DeckPage, DraftPage, FileAbout, Fonts, PageContext, PageCount};
use spec::{LayoutChange, PptHtmlDocument, SlideHtml};

use super::fonts::{files, meta, wanted};
use super::sheets::{contact_sheets, picture_px};
use crate::ports::TypesetError;

pub(super) fn paginated_files(
    fonts: &Fonts,
    set: SlideSet,
    go_on: &dyn Fn() -> bool,
) -> Result<PaginatedFiles, TypesetError> {
    wanted(go_on)?;
    let SlideSet {
        title,
        language,
        theme,
        slides,
        sheets_max,
        written,
        author,
        created,
    } = set;
    let offline = slides.iter().any(|slide| slide.offline);
    let context = PageContext {
        title: title.clone(),
        page_number: 1,
        page_count: 1,
        language: language.clone(),
        offline,
        furniture: None,
    };
    let slides = slides.into_iter().map(|said| DraftPage {
        slide: said.slide,
        notes: (!said.notes.trim().is_empty()).then_some(said.notes),
        furniture: said.furniture,
    });
    let pages = render::paginate(slides.collect(), &theme, &context, PageCount::Free, fonts);
    wanted(go_on)?;
    let document = PptHtmlDocument {
        title: title.clone(),
        pages: pages
            .iter()
            .map(|page| SlideHtml {
                slide_index: page.context.page_number - 1,
                html: render::page_fragment(&page.scene, &page.slide, &theme, &page.context),
                speak_notes: page.notes.clone(),
            })
            .collect(),
    };
    let shell = DeckMeta {
        language: language.clone(),
        offline,
    };
    let html = render::deck_html(&document, &theme, &shell);
    let about = FileAbout {
        title,
        author,
        created,
    };
    let meta = meta(about, language, written);
    let picture_px = picture_px(sheets_max);
    let files = files(fonts, &pages, &theme, &meta, picture_px, go_on)?;
    let slide_of = slide_of(&pages);
    Ok(PaginatedFiles {
        sheets: contact_sheets(fonts, &files.thumbnails, &slide_of, sheets_max, go_on)?,
        files,
        html: html.into(),
        slide_of,
    })
}

/// The slide of each page: a page that goes on with a slide says which part of it it is.
fn slide_of(pages: &[DeckPage]) -> Vec<usize> {
    let mut slide = 0_usize;
    pages
        .iter()
        .enumerate()
        .map(|(at, page)| {
            let goes_on =
                page.scene.adjustments.iter().any(
                    |change| matches!(change, LayoutChange::Continued { part, .. } if *part > 1),
                );
            if at > 0 && !goes_on {
                slide += 1;
            }
            slide
        })
        .collect()
}
