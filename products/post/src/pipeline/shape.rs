//! What the artifacts of a post hold, in the words of its contract.

use palimpsest::prelude::pipeline::{ArtifactId, Picture, Violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use palimpsest::prelude::pipeline::typeset::Placement;

/// How much of a picture is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LayoutPreference {
    Dense,
    #[default]
    Balanced,
    VisualFirst,
}

/// A picture that a person likes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReferenceInput {
    /// An address, or the path of a file of the session.
    pub(crate) url: String,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<ReferenceKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReferenceKind {
    Style,
    Layout,
    Content,
}

/// What a message probably wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetectedIntent {
    pub(crate) intent: String,
    pub(crate) confidence: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) suggested_category: Option<String>,
    pub(crate) keywords: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetectedContentType {
    pub(crate) content_type: String,
    pub(crate) confidence: f64,
    pub(crate) reasoning: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClarityLevel {
    High,
    Medium,
    Low,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Clarity {
    /// 0 to 1.
    pub(crate) score: f64,
    pub(crate) level: ClarityLevel,
    /// Names of what is not said.
    pub(crate) missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Requirement {
    pub(crate) requirement: String,
    pub(crate) intent: DetectedIntent,
    pub(crate) content_type: DetectedContentType,
    pub(crate) clarity: Clarity,
    /// Whether the person wants no questions.
    pub(crate) just_generate: bool,
    pub(crate) layout_preference: LayoutPreference,
    pub(crate) fast_mode: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) theme_id: Option<i64>,
    pub(crate) reference_inputs: Vec<ReferenceInput>,
    /// Saved templates that fit, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) templates: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreativeBrief {
    pub(crate) topic: String,
    pub(crate) audience: String,
    pub(crate) goal: String,
    /// At most 3.
    pub(crate) constraints: Vec<String>,
    /// At most 5.
    pub(crate) keywords: Vec<String>,
    pub(crate) key_points: Vec<String>,
    pub(crate) call_to_action: String,
    pub(crate) banned_expressions: Vec<String>,
    pub(crate) tone: String,
    #[serde(default)]
    pub(crate) offline: bool,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct EvidenceItem {
    pub(crate) fact: String,
    pub(crate) source: Option<String>,
    pub(crate) quote: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EvidenceStatus {
    Found,
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct EvidencePack {
    /// At most 8.
    pub(crate) items: Vec<EvidenceItem>,
    pub(crate) summary: String,
    pub(crate) status: EvidenceStatus,
    #[serde(default)]
    pub(crate) offline: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StyleTokens {
    pub(crate) color_palette: Vec<String>,
    pub(crate) mood: String,
    pub(crate) lighting: String,
    pub(crate) style_keywords: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LayoutTokens {
    pub(crate) layout: String,
    pub(crate) text_density: String,
    pub(crate) composition: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ContentTokens {
    pub(crate) elements: Vec<String>,
    pub(crate) scene: String,
}

/// How certain the type of a reference picture is that was not looked at, as the contract gives it in "reference analysis".
pub(crate) const UNSEEN: f64 = 0.5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceAnalysis {
    /// From 0.
    pub(crate) index: u32,
    pub(crate) url: String,
    /// `style_ref`, `layout_ref`, `content_ref`, `mixed_ref`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// 0.95 where the type was declared, 0.78 where it was inferred, 0.65 mixed, 0.5 where nothing was found out.
    pub(crate) confidence: f64,
    pub(crate) style_tokens: StyleTokens,
    pub(crate) layout_tokens: LayoutTokens,
    pub(crate) content_tokens: ContentTokens,
    /// What was seen, or why nothing was.
    pub(crate) raw_analysis: String,
    /// The picture as it was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<Picture>,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StyleAnalysis {
    pub(crate) style: String,
    pub(crate) color_palette: Vec<String>,
    pub(crate) mood: String,
    pub(crate) composition: String,
    pub(crate) lighting: String,
    pub(crate) texture: String,
    pub(crate) layout: Option<String>,
    pub(crate) text_density: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) elementary_components: Vec<String>,
    pub(crate) description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReferenceStatus {
    None,
    Analysed,
    NotChecked,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct References {
    pub(crate) analyses: Vec<ReferenceAnalysis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) style: Option<StyleAnalysis>,
    pub(crate) status: ReferenceStatus,
}

/// A paragraph of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BodyBlock {
    /// `p1`, `p2`, …
    pub(crate) id: String,
    pub(crate) text: String,
    /// `opening`, `development`, `wrap-up`.
    pub(crate) intent: String,
    pub(crate) keywords: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostContent {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) tags: Vec<String>,
    /// At most 8.
    pub(crate) body_blocks: Vec<BodyBlock>,
    #[serde(default)]
    pub(crate) offline: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LayoutRole {
    Cover,
    Detail,
    Result,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum TextDensity {
    #[serde(rename = "低")]
    Low,
    #[serde(rename = "中")]
    Medium,
    #[serde(rename = "高")]
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Area {
    Title,
    Body,
    VisualFocus,
    Footer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LayoutBlock {
    pub(crate) area: Area,
    pub(crate) instruction: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LayoutSpec {
    /// From 0.
    pub(crate) image_seq: u32,
    pub(crate) role: LayoutRole,
    pub(crate) visual_focus: String,
    pub(crate) text_density: TextDensity,
    /// At most 6.
    pub(crate) blocks: Vec<LayoutBlock>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostLayout {
    /// At most 4.
    pub(crate) layout_spec: Vec<LayoutSpec>,
    pub(crate) layout_preference: LayoutPreference,
    #[serde(default)]
    pub(crate) offline: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ImagePlan {
    /// From 0.
    pub(crate) sequence: u32,
    /// `cover`, `step`, `detail`, `result`, `comparison`.
    pub(crate) role: spec::CardRole,
    pub(crate) description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
    /// Whether a person said what it shows: a card that consists only of words then shows that text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub(crate) described: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ParagraphImageBinding {
    pub(crate) image_seq: u32,
    pub(crate) paragraph_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rationale: Option<String>,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextOverlayPlan {
    pub(crate) image_seq: u32,
    pub(crate) title_text: Option<String>,
    pub(crate) body_text: Option<String>,
    pub(crate) placement: Placement,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostImagePlan {
    /// At most 4.
    pub(crate) plans: Vec<ImagePlan>,
    pub(crate) paragraph_image_bindings: Vec<ParagraphImageBinding>,
    pub(crate) text_overlay_plan: Vec<TextOverlayPlan>,
    #[serde(default)]
    pub(crate) offline: bool,
}

/// Whether something passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Passed,
    Failed,
    #[default]
    NotChecked,
}

/// 0 to 1 each; absent where nobody checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scores {
    pub(crate) info_density: Option<f64>,
    pub(crate) text_image_alignment: Option<f64>,
    pub(crate) style_consistency: Option<f64>,
    pub(crate) readability: Option<f64>,
    pub(crate) platform_fit: Option<f64>,
}

/// Who scored: `rules`, `model`, `vision`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckedBy {
    pub(crate) info_density: Option<String>,
    pub(crate) text_image_alignment: Option<String>,
    pub(crate) style_consistency: Option<String>,
    pub(crate) readability: Option<String>,
    pub(crate) platform_fit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Review {
    pub(crate) approved: bool,
    pub(crate) status: Verdict,
    pub(crate) scores: Scores,
    pub(crate) overall: Option<f64>,
    pub(crate) checked_by: CheckedBy,
    /// At most 8.
    pub(crate) fail_reasons: Vec<String>,
    /// At most 8.
    pub(crate) suggestions: Vec<String>,
    /// The stage that the reviewer would go back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target_agent: Option<String>,
    /// The stage that the scores go back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reroute_target: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) optimized_prompts: Vec<String>,
}

/// A picture of the post.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostImage {
    /// From 0.
    pub(crate) sequence: u32,
    /// From 1.
    pub(crate) task_id: u32,
    pub(crate) artifact: ArtifactId,
    /// See [`palimpsest::prelude::pipeline::numbers::asset_number`].
    pub(crate) asset_id: u64,
    pub(crate) role: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// `provider` or `local`.
    pub(crate) drawn: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PostReview {
    pub(crate) status: Verdict,
    pub(crate) overall: Option<f64>,
    pub(crate) scores: Scores,
    /// The round of reviews that the post is from, from 1; 0 where there was none.
    pub(crate) round: u32,
}

/// What a platform would say about the post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PlatformCheck {
    pub(crate) name: String,
    pub(crate) ok: bool,
    pub(crate) findings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Post {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) tags: Vec<String>,
    pub(crate) images: Vec<PostImage>,
    /// The task ids of pictures that could not be made.
    pub(crate) missing: Vec<u32>,
    pub(crate) review: PostReview,
    pub(crate) platform: PlatformCheck,
    #[serde(default)]
    pub(crate) offline: bool,
}

/// The structured input that is given with the message of a run.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Input {
    /// Which notes are meant.
    pub(crate) theme_id: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reference_inputs: Vec<ReferenceInput>,
    pub(crate) layout_preference: Option<LayoutPreference>,
    /// Accepted for compatibility and not used: the provider comes from the configuration.
    pub(crate) image_gen_provider: Option<String>,
    pub(crate) fast_mode: bool,
    pub(crate) creative_id: Option<u64>,
}

/// Pictures that a run may refer to: what a person looks through.
pub(crate) const REFERENCES_MAX: usize = 6;

impl Input {
    pub(super) fn read(input: &Value) -> Result<Self, String> {
        if input.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(input.clone()).map_err(|error| error.to_string())
    }
}

/// What is wrong with an input; empty when it will do.
pub(crate) fn check_input(input: &Value) -> Vec<Violation> {
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
pub(crate) fn kinds() -> Vec<(&'static str, Value)> {
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
        palimpsest::prelude::pipeline::material::kind(),
    ]
}

pub(crate) fn schema<T: JsonSchema>() -> Value {
    schemars::schema_for!(T).to_value()
}
