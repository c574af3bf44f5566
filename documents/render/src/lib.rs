//! Typesetting: a slide and a theme become a scene of placed boxes; a scene becomes SVG, a picture, PDF, HTML or a canvas
//! document.
//!
//! Every output is an emitter over the same scene, so that they cannot disagree about where things stand.

mod art;
mod axis;
mod canvas;
mod chart;
mod checks;
mod code;
mod contact;
mod day;
mod deck;
pub mod decoding;
pub mod document;
pub mod fonts;
pub mod formula;
mod html;
mod icons;
mod layouts;
mod links;
mod numbers;
mod overlay;
mod paginate;
mod palette;
mod pdf;
pub mod picture;
pub mod pptx;
mod raster;
pub mod scene;
mod svg;
mod typeset;

use chrono::{DateTime, Utc};

pub use canvas::any_gen_document;
pub use checks::{CHECKS_VERSION, misfits, page_findings, report};
pub use contact::{SHEET_PAGE_W, SheetPage, contact_sheet, page_name, slide_parts};
pub use day::read_day;
pub use deck::{DECK_POLICY, DeckMeta, deck_html, without_notes};
pub use fonts::{FontChoice, FontError, Fonts};
pub use html::{escape, page_fragment};
pub use layouts::{card, scene};
pub use overlay::{OverlayError, PictureCard, picture_card};
pub use paginate::{DraftPage, PageCount, paginate};
pub use pdf::{handout, pdf};
pub use raster::{RasterError, THUMBNAIL_W, png, told_missing};
pub use svg::svg;

/// What a file says of itself to programs and people who look for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileAbout {
    pub title: String,
    pub author: Option<String>,
    /// Without it the file has no date: the same pages give the same bytes whenever they are written.
    pub created: Option<DateTime<Utc>>,
}

impl FileAbout {
    #[must_use]
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }
}

/// What a page knows of the deck it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct PageContext {
    /// Shown in the page's header, unless the page has furniture of its own.
    pub title: String,
    /// Counted from 1.
    pub page_number: u32,
    pub page_count: u32,
    /// BCP 47, for example `zh-CN`; decides fonts, hyphenation and the few words drawn by us.
    pub language: String,
    /// Whether the text was written without a model; the first page says so.
    pub offline: bool,
    /// What stands around the content instead of the header and footer of a teaching deck.
    pub furniture: Option<spec::Furniture>,
}

/// A page of a deck that has been typeset: what every emitter and check starts from.
#[derive(Debug, Clone)]
pub struct DeckPage {
    pub slide: spec::SlideSpec,
    pub scene: scene::Scene,
    pub context: PageContext,
    /// What the speaker says while the page is shown.
    pub notes: Option<String>,
}
