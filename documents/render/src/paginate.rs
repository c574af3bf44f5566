//! From slides to the pages of a deck, more of them than slides where that is allowed and a slide says too much.

use spec::{Furniture, LayoutChange, Reading, SlideSpec, Theme};

use crate::fonts::Fonts;
use crate::scene::Scene;
use crate::{DeckPage, PageContext, misfits, scene};

/// Whether a deck may have more pages than slides were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageCount {
    /// One page for each slide: what does not fit is left to its author, who is told the excess.
    Binding,
    /// A slide whose texts do not fit in type that can be read goes on on a further page.
    Free,
}

/// A slide becomes at most so many pages: the lists of slides have at most six entries.
const PAGES_OF_A_SLIDE_MAX: usize = 4;
/// The same for a slide that shows a source unchanged, and may be as long as that source.
const PAGES_OF_A_WHOLE_MAX: usize = 64;

/// A slide that is to be typeset.
#[derive(Debug, Clone)]
pub struct DraftPage {
    pub slide: SlideSpec,
    /// What the speaker says while the page is shown.
    pub notes: Option<String>,
    /// What stands around its content instead of a teaching deck's header and footer.
    pub furniture: Option<Furniture>,
}

impl DraftPage {
    /// A page of a teaching deck.
    #[must_use]
    pub fn new(slide: SlideSpec, notes: Option<String>) -> Self {
        Self {
            slide,
            notes,
            furniture: None,
        }
    }
}

/// Typesets slides with their notes. Title, language and authorship are those of `deck`; its numbers are not read.
#[must_use]
pub fn paginate(
    slides: Vec<DraftPage>,
    theme: &Theme,
    deck: &PageContext,
    count: PageCount,
    fonts: &Fonts,
) -> Vec<DeckPage> {
    let pages = paginate_with(slides, deck, count, &|_, slide, context| {
        scene(slide, theme, context, fonts)
    });
    pages.into_iter().map(|(_, page)| page).collect()
}

/// The same with a function that draws the pages: it is given the index of the slide. Each page is returned with that index.
pub(crate) fn paginate_with(
    slides: Vec<DraftPage>,
    deck: &PageContext,
    count: PageCount,
    draw: &dyn Fn(usize, &SlideSpec, &PageContext) -> Scene,
) -> Vec<(usize, DeckPage)> {
    let parts = slides.into_iter().enumerate().map(|(at, draft)| {
        let context = PageContext {
            furniture: draft.furniture,
            ..deck.clone()
        };
        let fits = |slide: &SlideSpec| misfits(&draw(at, slide, &context)).is_empty();
        let mut parts = vec![draft.slide];
        if count == PageCount::Free {
            split(&mut parts, &deck.language, &fits);
        }
        (parts, draft.notes, context)
    });
    let parts: Vec<_> = parts.collect();
    let whole = parts.iter().map(|(parts, _, _)| parts.len()).sum::<usize>();
    let page_count = u32::try_from(whole).unwrap_or(u32::MAX);
    let mut pages = Vec::with_capacity(whole);
    let mut page_number = 0;
    for (at, (parts, mut notes, of_slide)) in parts.into_iter().enumerate() {
        let of = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        for (slide, part) in parts.into_iter().zip(1..) {
            page_number += 1;
            let context = PageContext {
                page_number,
                page_count,
                ..of_slide.clone()
            };
            let mut scene = draw(at, &slide, &context);
            if of > 1 {
                scene
                    .adjustments
                    .insert(0, LayoutChange::Continued { part, of });
            }
            let page = DeckPage {
                slide,
                scene,
                context,
                notes: notes.take(),
            };
            pages.push((at, page));
        }
    }
    pages
}

/// Splits the first part that does not fit, until all fit or none can be split.
fn split(parts: &mut Vec<SlideSpec>, language: &str, fits: &impl Fn(&SlideSpec) -> bool) {
    let whole = |slide: &SlideSpec| match slide.reading() {
        Reading::Written => false,
        Reading::Standing | Reading::Code => true,
    };
    let most = if parts.first().is_some_and(whole) {
        PAGES_OF_A_WHOLE_MAX
    } else {
        PAGES_OF_A_SLIDE_MAX
    };
    let mut at = 0;
    while at < parts.len() && parts.len() < most {
        match parts[at].continued(language) {
            Some(halves) if !fits(&parts[at]) => {
                parts.splice(at..=at, halves);
            }
            Some(_) | None => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deck() -> PageContext {
        PageContext {
            title: "Tides".to_owned(),
            page_number: 1,
            page_count: 1,
            language: "en".to_owned(),
            offline: false,
            furniture: None,
        }
    }

    /// Five points, each so many words long.
    fn bullets(words: usize) -> SlideSpec {
        let detail = "The moon pulls the sea towards itself. ".repeat(words / 7);
        let items: Vec<_> = (1..=5)
            .map(|n| json!({ "text": format!("Point {n}"), "detail": detail.trim() }))
            .collect();
        let slide = json!({ "layout": "bullets", "title": "Tides", "items": items });
        serde_json::from_value(slide).expect("a slide")
    }

    fn pages(words: usize, count: PageCount) -> Vec<DeckPage> {
        let slides = vec![DraftPage::new(bullets(words), Some("said".to_owned()))];
        let theme = spec::default_theme();
        paginate(slides, &theme, &deck(), count, &Fonts::embedded())
    }

    #[test]
    fn a_slide_that_fits_is_one_page_whatever_is_allowed() {
        for count in [PageCount::Binding, PageCount::Free] {
            let pages = pages(7, count);
            assert_eq!(pages.len(), 1);
            assert!(misfits(&pages[0].scene).is_empty());
        }
    }

    #[test]
    fn what_is_too_much_goes_on_where_pages_are_free_and_else_is_told() {
        let bound = pages(126, PageCount::Binding);
        assert_eq!(bound.len(), 1);
        assert!(!misfits(&bound[0].scene).is_empty());
        let free = pages(126, PageCount::Free);
        assert!(free.len() > 1, "{} pages", free.len());
        let of = u32::try_from(free.len()).expect("few pages");
        for (page, part) in free.iter().zip(1..) {
            assert!(misfits(&page.scene).is_empty(), "page {part} fits");
            assert_eq!(
                page.scene.adjustments[0],
                LayoutChange::Continued { part, of }
            );
            assert_eq!(
                (page.context.page_number, page.context.page_count),
                (part, of)
            );
            assert_eq!(page.notes.is_some(), part == 1);
        }
    }
}
