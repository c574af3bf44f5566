//! Which slide of a written deck a page shows, and which of its texts: what a file of the page is read back by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The slide of a deck that a page shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlideOrigin {
    /// The deck, by the first digits of the hash of its text.
    pub deck: String,
    /// Counted from 1.
    pub slide: u32,
    /// What the slide can show, in the order of reading.
    pub texts: Vec<OriginText>,
}

impl SlideOrigin {
    /// The element that is the heading.
    pub const HEADING: &str = "heading";
    /// The element that is the picture.
    pub const PICTURE: &str = "picture";
    /// The element that is the chart.
    pub const CHART: &str = "chart";
}

/// A text of a slide with its place in the deck.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OriginText {
    /// Which piece of the slide it is, as a shape is called, such as `figure 2 label`.
    pub element: String,
    /// What a page shows of it, with bold marks. For a row of a table, the cells that have text, with bars between them.
    pub text: String,
    pub stands: OriginPlace,
}

/// Where on a page a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OriginPlace {
    /// In a box of its own.
    #[default]
    Alone,
    /// In a box of its own, on each page that the slide takes.
    EachPage,
    /// A paragraph among others in one box.
    Flow,
    /// A row of a table.
    Row,
    /// A block of code.
    Code,
    /// A chart or a picture, which has no text of its own.
    Object,
}
