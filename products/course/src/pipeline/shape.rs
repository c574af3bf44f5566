//! The shapes of the artifacts: field names and types of the contract. Models read these descriptions.

use palimpsest::prelude::pipeline::material;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spec::{AnyGenDocument, LayoutReport, PptHtmlDocument, SlideSpec, Theme};

use super::export::{PDF_TYPE, PNG_TYPE, PPTX_TYPE};
use super::given::ThemeInput;
use super::stage;
pub(crate) use palimpsest::prelude::pipeline::schema::of as schema;

/// Fewest pages of a deck: a title, a page of content and a closing.
pub(crate) const PAGES_MIN: u32 = 3;
/// Most pages of a deck: 30 pages at a minute and a half each fill a lesson of 45 minutes.
pub(crate) const PAGES_MAX: u32 = 30;
/// Pages of a deck whose brief names no number, at least and at most.
pub(crate) const PAGES_USUAL: (u32, u32) = (8, 12);

/// Who wrote an artifact, where that is not a model, and what it could not do. Never asked of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remarks {
    /// `offline` where no model wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
    /// Which wishes were not fulfilled, and what was done with the feedback.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// What is wanted, decided without asking back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequirementAnalysis {
    /// The subject of the deck in a few words, without the words of the request around it.
    pub(crate) topic: String,
    /// Who is taught, as concretely as the brief allows.
    pub(crate) audience: String,
    /// What the audience can do afterwards that it could not do before.
    pub(crate) purpose: String,
    /// Pages of the whole deck, title and closing included.
    pub(crate) page_count: u32,
    /// Whether the user named the number of pages; then it is binding.
    pub(crate) page_count_is_given: bool,
    /// Minutes of narration if the user named them, else 0.
    pub(crate) duration_minutes: u32,
    /// Wishes about colours, tone and style in the user's words; empty if there are none.
    pub(crate) style: String,
    /// Everything else that the user demands explicitly; each is binding.
    pub(crate) constraints: Vec<String>,
    /// Two to six questions that the deck answers.
    pub(crate) key_questions: Vec<String>,
    /// What the given sources and search results cover, in one or two sentences; say so if there are none.
    pub(crate) sources: String,
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) remarks: Remarks,
}

/// How the course is told, to whom, and how long it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CourseConfig {
    /// How it is told, in a sentence: tone and method.
    pub(crate) narrative_style: String,
    /// Who is taught.
    pub(crate) target_audience: String,
    /// Length of the narration with its unit, for example `12 分钟` or `12 minutes`.
    pub(crate) duration: String,
    /// Three to five things the audience can do afterwards, each beginning with a verb.
    pub(crate) objectives: Vec<String>,
    /// Pages of the whole deck, title and closing included.
    pub(crate) expected_page_count: u32,
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) remarks: Remarks,
}

/// One thing to understand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct KnowledgePoint {
    /// In a few words.
    pub(crate) title: String,
    /// What is to be understood, in one or two sentences with the facts themselves.
    pub(crate) description: String,
}

/// A part of the course.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnowledgeUnit {
    pub(crate) title: String,
    /// What this part answers.
    pub(crate) description: String,
    pub(crate) knowledge_points: Vec<KnowledgePoint>,
}

/// The course as theme, units and points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VideoOutline {
    /// The title of the course.
    pub(crate) theme: String,
    pub(crate) knowledge_units: Vec<KnowledgeUnit>,
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) remarks: Remarks,
}

impl VideoOutline {
    pub(crate) fn points(&self) -> impl Iterator<Item = &KnowledgePoint> {
        self.knowledge_units
            .iter()
            .flat_map(|unit| &unit.knowledge_points)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptKind {
    Title,
    Content,
    Closing,
}

/// What stands on the page: a text, or lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Lines(Vec<String>),
}

impl Content {
    pub(crate) fn lines(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect(),
            Self::Lines(lines) => lines
                .iter()
                .map(String::as_str)
                .filter(|line| !line.trim().is_empty())
                .collect(),
        }
    }
}

/// The script of one page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SlideScript {
    /// From 0, without gaps.
    pub(crate) slide_index: u32,
    /// The first page is `title`, the last is `closing`, all others are `content`.
    #[serde(rename = "type")]
    pub(crate) kind: ScriptKind,
    /// The page's heading.
    pub(crate) title: String,
    /// What stands on the page: facts, numbers, steps, rows; not a description of them.
    pub(crate) content: Content,
    /// What the page shows and in which form, in one sentence; of the first page, the deck's title.
    pub(crate) content_design: String,
    /// How it should look: which picture, diagram or arrangement.
    pub(crate) visual_suggestions: String,
    /// What the speaker says, in full sentences.
    pub(crate) narration_script: String,
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) remarks: Remarks,
}

impl SlideScript {
    /// All text of the script that a page may use.
    pub(crate) fn text(&self) -> String {
        let lines = self.content.lines().join("\n");
        let Self {
            title,
            content_design,
            visual_suggestions,
            narration_script,
            ..
        } = self;
        format!("{title}\n{lines}\n{content_design}\n{visual_suggestions}\n{narration_script}")
    }
}

/// All scripts, as a model is asked for them: providers want an object at the root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Scripts {
    /// One for each page, in order.
    pub(crate) scripts: Vec<SlideScript>,
}

/// The theme as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PresentationTheme {
    #[serde(flatten)]
    pub(crate) theme: Theme,
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) remarks: Remarks,
}

/// One page, as a model is asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PageAnswer {
    pub(crate) slide: SlideSpec,
}

/// One page as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    /// Counted from 0.
    pub(crate) slide_index: u32,
    pub(crate) spec: SlideSpec,
    /// One `div` of 1280 x 720 pixels.
    pub(crate) html: String,
    /// The narration.
    pub(crate) speak_notes: String,
    /// Name of the layout in `spec`.
    pub(crate) layout: spec::Layout,
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) remarks: Remarks,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SearchHit {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) snippet: String,
}

/// What a search really gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SearchResult {
    pub(crate) query: String,
    pub(crate) results: Vec<SearchHit>,
}

/// The schema of a stored artifact: the schema of what a model is asked for, with the remarks added.
fn kept<T: JsonSchema>() -> Value {
    let mut schema = schema::<T>();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let author =
            json!({ "type": "string", "description": "`offline` where no model wrote it." });
        let notes = json!({
            "type": "array", "items": { "type": "string" },
            "description": "What of the wishes was not done, and what was done with the feedback."
        });
        properties.insert("author".to_owned(), author);
        properties.insert("notes".to_owned(), notes);
    }
    schema
}

/// The schema of a content that is not JSON.
fn file(media_type: &str) -> Value {
    json!({ "contentMediaType": media_type })
}

/// Every kind of artifact with the schema of its content.
pub(crate) fn kinds() -> Vec<(&'static str, Value)> {
    vec![
        (stage::REQUIREMENT_ANALYSIS, kept::<RequirementAnalysis>()),
        (stage::SEARCH_RESULT, schema::<SearchResult>()),
        (stage::COURSE_CONFIG, kept::<CourseConfig>()),
        (stage::VIDEO_OUTLINE, kept::<VideoOutline>()),
        (
            stage::SLIDE_SCRIPTS,
            json!({ "type": "array", "items": kept::<SlideScript>() }),
        ),
        (stage::PRESENTATION_THEME, kept::<PresentationTheme>()),
        (stage::PPT_HTML, kept::<Page>()),
        (stage::PPT_HTML_DOC, schema::<PptHtmlDocument>()),
        (stage::DSL, schema::<AnyGenDocument>()),
        (stage::PPTX, file(PPTX_TYPE)),
        (stage::LAYOUT_REPORT, schema::<LayoutReport>()),
        (stage::PDF, file(PDF_TYPE)),
        (stage::HANDOUT, file(PDF_TYPE)),
        (stage::THUMBNAIL, file(PNG_TYPE)),
        material::kind(),
    ]
}

/// What may be given with the message; it takes precedence over the text of the message.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CourseInput {
    /// Pages of the whole deck, title and closing included.
    #[schemars(range(min = PAGES_MIN, max = PAGES_MAX))]
    pub(crate) page_count: Option<u32>,
    /// Who is taught.
    pub(crate) audience: Option<String>,
    /// Minutes of narration.
    #[schemars(range(min = 1, max = 180))]
    pub(crate) duration_minutes: Option<u32>,
    /// Wishes about colours, tone and style.
    pub(crate) style: Option<String>,
    /// More about what is wanted.
    pub(crate) description: Option<String>,
    /// Whether the outline is shown to the person before anything is made from it: to be confirmed, changed, or sent back with a word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) confirm_outline: bool,
    /// The look: the name of a built-in style, or a whole `presentation_theme`, which is used as it is.
    pub(crate) theme: Option<ThemeInput>,
}

/// The schema of the input.
pub(crate) fn input_schema() -> Value {
    schema::<CourseInput>()
}
