//! The shapes of what the pipeline is given and of what it makes.

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::LayoutReport;

use super::ingest::IndexedVersion;
use super::stage;
use crate::deck::{Remark, Requirements};
use crate::event::Violation;
use crate::schema;

/// Most slides that one may ask for: a deck of an hour.
pub const SLIDES_WANTED_MAX: u32 = 60;

/// The structured input that is given with the message.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Input {
    /// Colours and fonts of the company.
    pub brand: Option<BrandInput>,
    /// How many slides the deck has.
    #[schemars(range(min = 1, max = SLIDES_WANTED_MAX))]
    pub target_slide_count: Option<u32>,
    /// pptx or pdf, which the deck says in its front matter; all files are made in any case.
    pub output_format: Option<OutputFormat>,
    /// The PowerPoint template that the deck is drawn in: the name of a file that comes with the message. A file in the folder
    /// `template/` needs no name.
    pub template: Option<String>,
    /// For whom the deck is.
    pub audience: Option<String>,
    /// What is wanted, where somebody has found that out already; otherwise it is read from the message.
    pub requirements: Option<Requirements>,
    /// A deck in SlideDSL that is to be changed.
    pub existing_dsl: Option<String>,
    pub title: Option<String>,
    pub author: Option<String>,
    pub company: Option<String>,
    pub date: Option<String>,
    pub confidentiality: Option<String>,
    /// Ask a person whether the requirements are right before anything is written.
    pub confirm_requirements: bool,
    /// Ask a person whether the deck is good enough before its files are made.
    pub confirm_deck: bool,
}

/// Colours as six hexadecimal digits, and families of fonts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BrandInput {
    pub primary: Option<String>,
    pub secondary: Option<String>,
    pub accent: Option<String>,
    pub header_font: Option<String>,
    pub body_font: Option<String>,
    /// Path of a file of the session, or a public address.
    pub logo: Option<String>,
}

/// The file that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    #[default]
    Pptx,
    Pdf,
}

impl From<OutputFormat> for sdsl::Output {
    fn from(wanted: OutputFormat) -> Self {
        match wanted {
            OutputFormat::Pptx => Self::Pptx,
            OutputFormat::Pdf => Self::Pdf,
        }
    }
}

impl Input {
    pub(super) fn read(input: &Value) -> Result<Self, String> {
        if input.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(input.clone()).map_err(|error| error.to_string())
    }
}

/// A version of the deck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeckVersion {
    /// The deck in SlideDSL.
    pub dsl_text: String,
    pub slide_count: usize,
    /// 0 to 1: how much of what a good deck has this deck has.
    pub confidence: f64,
    /// What was said about the choices that were made.
    pub reasoning: String,
    /// The parts of the answer that could not be kept, and what was wrong with them.
    pub parse_errors: Vec<String>,
    /// Slides of the design index that the writer named as used, and all those that it was shown.
    pub design_references: Vec<String>,
    pub injected_references: Vec<String>,
    /// Who wrote it.
    pub written_by: String,
}

/// The pages of a version of the deck, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckLayout {
    pub report: LayoutReport,
    /// The slide of each page, counted from 0.
    pub slide_of: Vec<usize>,
    pub remarks: Vec<Remark>,
}

pub(super) fn input_schema() -> Value {
    schema_for!(Input).to_value()
}

/// Every kind of artifact with the schema of its content.
pub(super) fn kinds() -> Vec<(&'static str, Value)> {
    let file = |media_type: &str| serde_json::json!({ "contentMediaType": media_type });
    let object = || serde_json::json!({ "type": "object" });
    vec![
        (stage::REQUIREMENTS, schema_for!(Requirements).to_value()),
        (stage::REFERENCES, object()),
        (stage::REFERENCE, object()),
        (stage::DECK, schema_for!(DeckVersion).to_value()),
        (stage::LAYOUT, object()),
        (stage::PAGE, file(PNG_TYPE)),
        (stage::INSPECTION, object()),
        (stage::SDSL, file(SDSL_TYPE)),
        (stage::PPTX, file(PPTX_TYPE)),
        (stage::PDF, file(PDF_TYPE)),
        (stage::HTML, file("text/html")),
        (stage::THUMBNAIL, file(PNG_TYPE)),
        (stage::QA_REPORT, object()),
        (stage::INDEXED, schema_for!(IndexedVersion).to_value()),
    ]
}

/// Media types of the files.
pub const SDSL_TYPE: &str = "text/x-slidedsl";
pub const PPTX_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
pub const PDF_TYPE: &str = "application/pdf";
pub const PNG_TYPE: &str = "image/png";

pub(super) fn check_input(input: &Value) -> Vec<Violation> {
    if input.is_null() {
        return vec![];
    }
    let mut found = schema::violations(&input_schema(), input);
    let Ok(input) = Input::read(input) else {
        return found;
    };
    if let Some(text) = &input.existing_dsl
        && let Err(error) = sdsl::read(text.as_bytes())
    {
        found.push(Violation::new("/existing_dsl", error.to_string()));
    }
    if let Some(brand) = &input.brand {
        for (name, color) in [
            ("primary", &brand.primary),
            ("secondary", &brand.secondary),
            ("accent", &brand.accent),
        ] {
            let is_color = |color: &String| <sdsl::Hex as sdsl::Value>::read(color).is_some();
            if color.as_ref().is_some_and(|color| !is_color(color)) {
                let message = "is no colour: write six hexadecimal digits such as 1E2761";
                found.push(Violation::new(format!("/brand/{name}"), message));
            }
        }
    }
    found
}
