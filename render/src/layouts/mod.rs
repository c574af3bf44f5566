//! From a slide to a scene: one file for each kind of page.

mod cards;
mod cover;
mod data;
mod list;
mod page;
mod picture;
mod table;
mod timeline;

use spec::{SlideSpec, Theme};

use crate::PageContext;
use crate::scene::Scene;
use page::Page;
pub(crate) use page::points;

/// Places everything on the page: decoration, the slide's text, header and footer.
#[must_use]
pub fn scene(slide: &SlideSpec, theme: &Theme, context: &PageContext) -> Scene {
    let mut page = Page::new(theme, context);
    match slide {
        SlideSpec::Title {
            title,
            subtitle,
            kicker,
        } => {
            cover::title(&mut page, title, subtitle.as_deref(), kicker.as_deref());
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
            caption,
            text,
            points,
        } => {
            picture::image_text(
                &mut page,
                title,
                *illustration,
                caption.as_deref(),
                text,
                points,
            );
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
    }
    page.finish()
}
