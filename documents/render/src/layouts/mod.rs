//! From a slide to a scene: one file for each kind of page.

mod boxes;
mod card;
mod cards;
mod code;
mod composed;
mod cover;
mod data;
mod framed;
mod furniture;
mod grid;
mod list;
mod overlay;
mod page;
mod passage;
mod picture;
mod points;
mod table;
mod timeline;
mod words;

use spec::{LayoutChange, SlideSpec, Theme};

use crate::PageContext;
use crate::fonts::Fonts;
use crate::scene::Scene;
use crate::typeset::Typesetter;
pub use card::card;
pub(crate) use framed::{Frame, Held, Look, Place, framed};
pub(crate) use overlay::{OverlayScene, overlay_scene};
use page::Page;
pub(crate) use page::points;

/// Below this share of its designed size, type is small enough to give up space for it.
const CRAMPED_SHARE: f64 = 0.85;
/// The share of the designed space that is left then.
const TIGHT_SPACING: f32 = 0.5;

/// Places everything on the page: decoration, the slide's text, header and footer. What does not fit as designed is first
/// placed otherwise where the layout knows how, then gets less space around it, then smaller type, down to what can be
/// read; what does not fit then is left for the checks to find.
#[must_use]
pub fn scene(slide: &SlideSpec, theme: &Theme, context: &PageContext, fonts: &Fonts) -> Scene {
    let setter = Typesetter::new(fonts, theme, &context.language);
    let grounded = context
        .furniture
        .as_ref()
        .and_then(|furniture| furniture::grounded(theme, furniture.ground));
    let theme = grounded.as_ref().unwrap_or(theme);
    roomiest(|spacing| spaced(slide, theme, context, &setter, spacing))
}

/// The page as designed, or with less space around its texts where that makes cramped type larger.
fn roomiest(place: impl Fn(f32) -> Scene) -> Scene {
    let designed = place(1.0);
    let share = smallest_share(&designed);
    if share >= CRAMPED_SHARE {
        return designed;
    }
    let mut tight = place(TIGHT_SPACING);
    if smallest_share(&tight) <= share {
        return designed;
    }
    tight.adjustments.insert(
        0,
        LayoutChange::Spacing {
            to: f64::from(TIGHT_SPACING),
        },
    );
    tight
}

/// The smallest of the sizes that were reduced, as a share of its design.
fn smallest_share(scene: &Scene) -> f64 {
    scene
        .adjustments
        .iter()
        .map(|adjustment| match adjustment {
            LayoutChange::TypeSize { from, to, .. } => to / from,
            LayoutChange::Spacing { .. }
            | LayoutChange::Reflow { .. }
            | LayoutChange::Continued { .. } => 1.0,
        })
        .fold(1.0, f64::min)
}

fn spaced(
    slide: &SlideSpec,
    theme: &Theme,
    context: &PageContext,
    setter: &Typesetter,
    spacing: f32,
) -> Scene {
    let mut page = Page::new(theme, context, setter, spacing);
    furniture::reserve(&mut page);
    match slide {
        SlideSpec::Title {
            title,
            subtitle,
            kicker,
            picture,
        } => {
            cover::title(
                &mut page,
                title,
                subtitle.as_deref(),
                kicker.as_deref(),
                picture.as_ref(),
            );
        }
        SlideSpec::Section {
            title,
            number,
            lead,
        } => cover::section(&mut page, title, *number, lead.as_deref()),
        SlideSpec::Bullets { title, lead, items } => {
            list::bullets(&mut page, title, lead.as_deref(), items)
        }
        SlideSpec::IconRows { title, rows } => cards::icon_rows(&mut page, title, rows),
        SlideSpec::TwoColumns { title, left, right } => {
            list::two_columns(&mut page, title, left, right)
        }
        SlideSpec::ImageText {
            title,
            illustration,
            picture,
            caption,
            text,
            points,
        } => {
            let shown = match picture {
                Some(picture) => picture::Shown::Picture(picture),
                None => picture::Shown::Drawn(*illustration),
            };
            picture::image_text(&mut page, title, shown, caption.as_deref(), text, points);
        }
        SlideSpec::Figures {
            title,
            figures,
            takeaway,
        } => cards::figures(&mut page, title, figures, takeaway.as_deref()),
        SlideSpec::Comparison {
            title,
            columns,
            rows,
            highlight,
        } => {
            table::comparison(&mut page, title, columns, rows, *highlight);
        }
        SlideSpec::Timeline { title, steps } => timeline::timeline(&mut page, title, steps),
        SlideSpec::Chart {
            title,
            chart,
            insight,
            source,
        } => {
            data::chart(
                &mut page,
                title,
                chart,
                insight.as_deref(),
                source.as_deref(),
            );
        }
        SlideSpec::Quote {
            quote,
            attribution,
            context,
        } => {
            cover::quote(&mut page, quote, attribution.as_deref(), context.as_deref());
        }
        SlideSpec::Closing {
            title,
            message,
            points,
            action,
        } => {
            cover::closing(
                &mut page,
                title,
                message.as_deref(),
                points,
                action.as_deref(),
            );
        }
        SlideSpec::Picture {
            title,
            picture,
            caption,
        } => picture::given(&mut page, title, picture, caption.as_deref()),
        SlideSpec::Composed {
            title,
            lead,
            beside,
            parts,
        } => composed::composed(&mut page, title, lead.as_deref(), beside.as_ref(), parts),
        SlideSpec::Passage { title, blocks } => passage::passage(&mut page, title, blocks),
        SlideSpec::Code {
            title,
            language,
            code,
            caption,
        } => code::code(
            &mut page,
            title,
            language.as_deref(),
            code,
            caption.as_deref(),
        ),
        SlideSpec::Table {
            title,
            columns,
            rows,
            align,
            caption,
        } => {
            let grid = grid::Grid::new(columns, rows, align.as_deref());
            grid::table(&mut page, title, &grid, caption.as_deref());
        }
    }
    page.finish()
}
