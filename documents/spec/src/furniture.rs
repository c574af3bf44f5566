//! What is shown around a page's content in a company's deck: footer, confidentiality, exhibit, source, footnotes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::origin::SlideOrigin;
use crate::slide::GivenPicture;
use crate::text::spoken;

/// What is shown around the content of one page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Furniture {
    /// At the foot on the left.
    pub footer: Option<String>,
    /// At the foot in the middle.
    pub confidentiality: Option<String>,
    /// At the foot on the right: the number of the page.
    pub page_number: bool,
    /// Above the heading.
    pub exhibit: Option<String>,
    /// Below the content, numbered from 1.
    pub footnotes: Vec<String>,
    /// Below the content.
    pub source: Option<String>,
    pub ground: PageGround,
    /// At the top on the right.
    pub logo: Option<GivenPicture>,
    /// Not visible: the slide of a written deck that the page shows. The shapes of the page are named after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<SlideOrigin>,
}

/// The words before a source at the foot of a page, in the languages that have one.
pub const SOURCE_WORDS: [&str; 2] = ["来源：", "Source: "];

/// The word before a source at the foot of a page in a language; empty where there is none.
#[must_use]
pub fn source_word(language: &str) -> &'static str {
    spoken(language, SOURCE_WORDS).unwrap_or_default()
}

/// The background of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageGround {
    /// The theme's background.
    #[default]
    Light,
    /// The theme's primary colour.
    Dark,
    /// The theme's primary colour, becoming darker.
    Gradient,
}
