//! What the artifacts of a post hold, in the words of its contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Violation;
use crate::hash::Picture;
use crate::ids::ArtifactId;
pub use crate::typeset::Placement;

/// How much of a picture is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutPreference {
    Dense,
    #[default]
    Balanced,
    VisualFirst,
}

/// A picture that a person likes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceInput {
    /// An address, or the path of a file of the session.
    pub url: String,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ReferenceKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    Style,
    Layout,
    Content,
}

/// What a message probably wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DetectedIntent {
    pub intent: String,
    pub confidence: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_category: Option<String>,
    pub keywords: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DetectedContentType {
    pub content_type: String,
    pub confidence: f64,
    pub reasoning: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClarityLevel {
    High,
    Medium,
    Low,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clarity {
    /// 0 to 1.
    pub score: f64,
    pub level: ClarityLevel,
    /// Names of what is not said.
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    pub requirement: String,
    pub intent: DetectedIntent,
    pub content_type: DetectedContentType,
    pub clarity: Clarity,
    /// Whether the person wants no questions.
    pub just_generate: bool,
    pub layout_preference: LayoutPreference,
    pub fast_mode: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme_id: Option<i64>,
    pub reference_inputs: Vec<ReferenceInput>,
    /// Saved templates that fit, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreativeBrief {
    pub topic: String,
    pub audience: String,
    pub goal: String,
    /// At most 3.
    pub constraints: Vec<String>,
    /// At most 5.
    pub keywords: Vec<String>,
    pub key_points: Vec<String>,
    pub call_to_action: String,
    pub banned_expressions: Vec<String>,
    pub tone: String,
    #[serde(default)]
    pub offline: bool,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceItem {
    pub fact: String,
    pub source: Option<String>,
    pub quote: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceStatus {
    Found,
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidencePack {
    /// At most 8.
    pub items: Vec<EvidenceItem>,
    pub summary: String,
    pub status: EvidenceStatus,
    #[serde(default)]
    pub offline: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StyleTokens {
    pub color_palette: Vec<String>,
    pub mood: String,
    pub lighting: String,
    pub style_keywords: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LayoutTokens {
    pub layout: String,
    pub text_density: String,
    pub composition: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ContentTokens {
    pub elements: Vec<String>,
    pub scene: String,
}

/// How certain the type of a reference picture is that was not looked at, as the contract gives it in "reference analysis".
pub const UNSEEN: f64 = 0.5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceAnalysis {
    /// From 0.
    pub index: u32,
    pub url: String,
    /// `style_ref`, `layout_ref`, `content_ref`, `mixed_ref`.
    #[serde(rename = "type")]
    pub kind: String,
    /// 0.95 where the type was declared, 0.78 where it was inferred, 0.65 mixed, 0.5 where nothing was found out.
    pub confidence: f64,
    pub style_tokens: StyleTokens,
    pub layout_tokens: LayoutTokens,
    pub content_tokens: ContentTokens,
    /// What was seen, or why nothing was.
    pub raw_analysis: String,
    /// The picture as it was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StyleAnalysis {
    pub style: String,
    pub color_palette: Vec<String>,
    pub mood: String,
    pub composition: String,
    pub lighting: String,
    pub texture: String,
    pub layout: Option<String>,
    pub text_density: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elementary_components: Vec<String>,
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceStatus {
    None,
    Analysed,
    NotChecked,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct References {
    pub analyses: Vec<ReferenceAnalysis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleAnalysis>,
    pub status: ReferenceStatus,
}

/// A paragraph of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BodyBlock {
    /// `p1`, `p2`, …
    pub id: String,
    pub text: String,
    /// `opening`, `development`, `wrap-up`.
    pub intent: String,
    pub keywords: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostContent {
    pub title: String,
    pub body: String,
    pub tags: Vec<String>,
    /// At most 8.
    pub body_blocks: Vec<BodyBlock>,
    #[serde(default)]
    pub offline: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayoutRole {
    Cover,
    Detail,
    Result,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TextDensity {
    #[serde(rename = "低")]
    Low,
    #[serde(rename = "中")]
    Medium,
    #[serde(rename = "高")]
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    Title,
    Body,
    VisualFocus,
    Footer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutBlock {
    pub area: Area,
    pub instruction: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutSpec {
    /// From 0.
    pub image_seq: u32,
    pub role: LayoutRole,
    pub visual_focus: String,
    pub text_density: TextDensity,
    /// At most 6.
    pub blocks: Vec<LayoutBlock>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostLayout {
    /// At most 4.
    pub layout_spec: Vec<LayoutSpec>,
    pub layout_preference: LayoutPreference,
    #[serde(default)]
    pub offline: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImagePlan {
    /// From 0.
    pub sequence: u32,
    /// `cover`, `step`, `detail`, `result`, `comparison`.
    pub role: spec::CardRole,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether a person said what it shows: a card that consists only of words then shows that text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub described: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParagraphImageBinding {
    pub image_seq: u32,
    pub paragraph_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextOverlayPlan {
    pub image_seq: u32,
    pub title_text: Option<String>,
    pub body_text: Option<String>,
    pub placement: Placement,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostImagePlan {
    /// At most 4.
    pub plans: Vec<ImagePlan>,
    pub paragraph_image_bindings: Vec<ParagraphImageBinding>,
    pub text_overlay_plan: Vec<TextOverlayPlan>,
    #[serde(default)]
    pub offline: bool,
}

/// Whether something passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    NotChecked,
}

/// 0 to 1 each; absent where nobody checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scores {
    pub info_density: Option<f64>,
    pub text_image_alignment: Option<f64>,
    pub style_consistency: Option<f64>,
    pub readability: Option<f64>,
    pub platform_fit: Option<f64>,
}

/// Who scored: `rules`, `model`, `vision`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckedBy {
    pub info_density: Option<String>,
    pub text_image_alignment: Option<String>,
    pub style_consistency: Option<String>,
    pub readability: Option<String>,
    pub platform_fit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub approved: bool,
    pub status: Verdict,
    pub scores: Scores,
    pub overall: Option<f64>,
    pub checked_by: CheckedBy,
    /// At most 8.
    pub fail_reasons: Vec<String>,
    /// At most 8.
    pub suggestions: Vec<String>,
    /// The stage that the reviewer would go back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_agent: Option<String>,
    /// The stage that the scores go back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reroute_target: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optimized_prompts: Vec<String>,
}

/// A picture of the post.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostImage {
    /// From 0.
    pub sequence: u32,
    /// From 1.
    pub task_id: u32,
    pub artifact: ArtifactId,
    /// See [`crate::numbers::asset_number`].
    pub asset_id: u64,
    pub role: String,
    pub width: u32,
    pub height: u32,
    /// `provider` or `local`.
    pub drawn: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostReview {
    pub status: Verdict,
    pub overall: Option<f64>,
    pub scores: Scores,
    /// The round of reviews that the post is from, from 1; 0 where there was none.
    pub round: u32,
}

/// What a platform would say about the post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformCheck {
    pub name: String,
    pub ok: bool,
    pub findings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Post {
    pub title: String,
    pub body: String,
    pub tags: Vec<String>,
    pub images: Vec<PostImage>,
    /// The task ids of pictures that could not be made.
    pub missing: Vec<u32>,
    pub review: PostReview,
    pub platform: PlatformCheck,
    #[serde(default)]
    pub offline: bool,
}

/// The structured input that is given with the message of a run.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Input {
    /// Which notes are meant.
    pub theme_id: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reference_inputs: Vec<ReferenceInput>,
    pub layout_preference: Option<LayoutPreference>,
    /// Accepted for compatibility and not used: the provider comes from the configuration.
    pub image_gen_provider: Option<String>,
    pub fast_mode: bool,
    pub creative_id: Option<u64>,
}

/// Pictures that a run may refer to: what a person looks through.
pub const REFERENCES_MAX: usize = 6;

impl Input {
    pub(super) fn read(input: &Value) -> Result<Self, String> {
        if input.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(input.clone()).map_err(|error| error.to_string())
    }
}

/// What is wrong with an input; empty when it will do.
pub fn check_input(input: &Value) -> Vec<Violation> {
    let given = match Input::read(input) {
        Ok(given) => given,
        Err(cause) => return vec![Violation::new("", cause)],
    };
    let mut found = vec![];
    let references = &given.reference_inputs;
    if references.len() > REFERENCES_MAX {
        found.push(Violation::new(
            "/referenceInputs",
            format!(
                "has {} pictures; at most {REFERENCES_MAX} are looked at",
                references.len()
            ),
        ));
    }
    for (place, reference) in references.iter().enumerate() {
        if reference.url.trim().is_empty() {
            found.push(Violation::new(
                format!("/referenceInputs/{place}/url"),
                "is empty",
            ));
        }
    }
    found
}

/// The artifact kinds with their schemas; pictures have none.
pub fn kinds() -> Vec<(&'static str, Value)> {
    use super::stage;
    vec![
        (stage::REQUIREMENT, schema::<Requirement>()),
        (stage::BRIEF, schema::<CreativeBrief>()),
        (stage::EVIDENCE, schema::<EvidencePack>()),
        (stage::REFERENCES, schema::<References>()),
        (stage::CONTENT, schema::<PostContent>()),
        (stage::LAYOUT, schema::<PostLayout>()),
        (stage::IMAGE_PLAN, schema::<PostImagePlan>()),
        (stage::REVIEW, schema::<Review>()),
        (stage::POST, schema::<Post>()),
        crate::material::kind(),
    ]
}

pub fn schema<T: JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}
