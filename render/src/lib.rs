//! Typesetting: a slide and a theme become a scene of placed boxes; a scene becomes HTML or a canvas document.
//!
//! Every output is an emitter over the same scene, so that they cannot disagree about where things stand.

mod art;
mod axis;
mod canvas;
mod chart;
mod deck;
mod html;
mod icons;
mod layouts;
mod measure;
mod palette;
mod qa;
pub mod scene;

pub use canvas::any_gen_document;
pub use deck::{DeckMeta, deck_html};
pub use html::{escape, page_fragment};
pub use layouts::scene;
pub use qa::{Fault, faults};

/// What a page knows of the deck it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageContext {
    /// Shown in the page's header.
    pub course_title: String,
    /// Counted from 1.
    pub page_number: u32,
    pub page_count: u32,
    /// BCP 47, for example `zh-CN`; decides fonts, hyphenation and the few words drawn by us.
    pub language: String,
    /// Whether the text was written without a model; the first page says so.
    pub offline: bool,
}
