//! The shapes of what the pipeline is given and of what it makes.

use palimpsest::prelude::pipeline::{Violation, schema};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::LayoutReport;

use super::ingest::IndexedVersion;
use super::stage;
use crate::pages::{InspectionReport, Remark, Requirements};

/// Most slides that one may ask for: a deck of an hour.
pub(crate) const SLIDES_WANTED_MAX: u32 = 60;

/// The structured input that is given with the message.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Input {
    /// Colours and fonts of the company.
    pub(crate) brand: Option<BrandInput>,
    /// How many slides the deck has.
    #[schemars(range(min = 1, max = SLIDES_WANTED_MAX))]
    pub(crate) target_slide_count: Option<u32>,
    /// pptx or pdf, which the deck says in its front matter; all files are made in any case.
    pub(crate) output_format: Option<OutputFormat>,
    /// The PowerPoint template that the deck is drawn in: the name of a file that comes with the message. A file in the folder
    /// `template/` needs no name.
    pub(crate) template: Option<String>,
    /// For whom the deck is.
    pub(crate) audience: Option<String>,
    /// What is wanted, where somebody has found that out already; otherwise it is read from the message.
    pub(crate) requirements: Option<Requirements>,
    /// A deck in SlideDSL that is to be changed.
    pub(crate) existing_dsl: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) company: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) confidentiality: Option<String>,
    /// Ask a person whether the requirements are right before anything is written.
    pub(crate) confirm_requirements: bool,
    /// Ask a person whether the deck is good enough before its files are made.
    pub(crate) confirm_deck: bool,
}

/// Colours as six hexadecimal digits, and families of fonts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BrandInput {
    pub(crate) primary: Option<String>,
    pub(crate) secondary: Option<String>,
    pub(crate) accent: Option<String>,
    pub(crate) header_font: Option<String>,
    pub(crate) body_font: Option<String>,
    /// Path of a file of the session, or a public address.
    pub(crate) logo: Option<String>,
}

/// The file that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputFormat {
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
pub(crate) struct DeckVersion {
    /// The deck in SlideDSL.
    pub(crate) dsl_text: String,
    pub(crate) slide_count: usize,
    /// 0 to 1: how much of what a good deck has this deck has.
    pub(crate) confidence: f64,
    /// What was said about the choices that were made.
    pub(crate) reasoning: String,
    /// The parts of the answer that could not be kept, and what was wrong with them.
    pub(crate) parse_errors: Vec<String>,
    /// What was read in another way than the model wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<String>,
    /// Slides of the design index that the writer named as used, and all those that it was shown.
    pub(crate) design_references: Vec<String>,
    pub(crate) injected_references: Vec<String>,
    /// Who wrote it.
    pub(crate) written_by: String,
}

/// The pages of a version of the deck, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DeckLayout {
    pub(crate) report: LayoutReport,
    /// The slide of each page, counted from 0.
    pub(crate) slide_of: Vec<usize>,
    pub(crate) remarks: Vec<Remark>,
    /// Slide and part of each page that no contact sheet has, from 1, where a model looks at contact sheets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unseen: Vec<[usize; 2]>,
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
        (stage::LAYOUT, schema_for!(DeckLayout).to_value()),
        (stage::PAGE, file(PNG_TYPE)),
        (stage::INSPECTION, schema_for!(InspectionReport).to_value()),
        (stage::SDSL, file(SDSL_TYPE)),
        (stage::PPTX, file(PPTX_TYPE)),
        (stage::PDF, file(PDF_TYPE)),
        (stage::HANDOUT, file(PDF_TYPE)),
        (stage::HTML, file("text/html")),
        (stage::THUMBNAIL, file(PNG_TYPE)),
        (stage::QA_REPORT, object()),
        (stage::INDEXED, schema_for!(IndexedVersion).to_value()),
    ]
}

/// Media types of the files.
pub(crate) const SDSL_TYPE: &str = "text/x-slidedsl";
pub(crate) const PPTX_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
pub(crate) const PDF_TYPE: &str = "application/pdf";
pub(crate) const PNG_TYPE: &str = "image/png";

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
