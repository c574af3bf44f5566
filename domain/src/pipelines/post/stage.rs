//! The stages in their order: what each makes, what it works from, and the agent that carries it out for clients.

use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// What is wanted, as far as rules can tell.
pub const REQUIREMENT: &str = "requirement";
/// What the post is to achieve.
pub const BRIEF: &str = "brief";
/// What is known about the subject, with where it comes from.
pub const EVIDENCE: &str = "evidence";
/// What the reference pictures show.
pub const REFERENCES: &str = "references";
/// Title, text and tags.
pub const CONTENT: &str = "content";
/// What stands where on each picture.
pub const LAYOUT: &str = "layout";
/// Which pictures there are, and which paragraphs each belongs to.
pub const IMAGE_PLAN: &str = "image_plan";
/// A picture.
pub const IMAGE: &str = "image";
/// What a reviewer and rules say of the post.
pub const REVIEW: &str = "review";
/// The post with its pictures.
pub const POST: &str = "post";

/// The first part of a picture's id; its number for clients is made from the rest of the id.
pub const IMAGE_ID_PREFIX: &str = "art_img_";

/// The beginning of the names of stages in which a model decides what is next; the number of the decision follows.
pub const SUPERVISE: &str = "supervise:";

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    EnumCount,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    Requirement,
    Brief,
    Research,
    Reference,
    Writer,
    Layout,
    ImagePlan,
    Images,
    Review,
    Post,
}

/// The names of all stages, in their order.
pub const NAMES: &[&str] = <Stage as VariantNames>::VARIANTS;

impl Stage {
    pub const ALL: [Self; Self::COUNT] = *<Self as VariantArray>::VARIANTS
        .first_chunk()
        .expect("all of them");

    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn title(self, chinese: bool) -> &'static str {
        match (self, chinese) {
            (Self::Requirement, true) => "理解需求",
            (Self::Requirement, false) => "Requirement",
            (Self::Brief, true) => "整理创作简报",
            (Self::Brief, false) => "Brief",
            (Self::Research, true) => "收集证据",
            (Self::Research, false) => "Evidence",
            (Self::Reference, true) => "分析参考图",
            (Self::Reference, false) => "Reference pictures",
            (Self::Writer, true) => "撰写文案",
            (Self::Writer, false) => "Text",
            (Self::Layout, true) => "规划版式",
            (Self::Layout, false) => "Layout",
            (Self::ImagePlan, true) => "规划图片",
            (Self::ImagePlan, false) => "Plan of pictures",
            (Self::Images, true) => "生成图片",
            (Self::Images, false) => "Pictures",
            (Self::Review, true) => "质量审核",
            (Self::Review, false) => "Review",
            (Self::Post, true) => "汇总成稿",
            (Self::Post, false) => "Post",
        }
    }

    /// The node of the contract that carries it out.
    pub fn agent(self) -> &'static str {
        match self {
            Self::Requirement | Self::Post => SUPERVISOR,
            Self::Brief => "brief_compiler_agent",
            Self::Research => "research_evidence_agent",
            Self::Reference => "reference_intelligence_agent",
            Self::Writer => "writer_agent",
            Self::Layout => "layout_planner_agent",
            Self::ImagePlan => "image_planner_agent",
            Self::Images => "image_agent",
            Self::Review => "review_agent",
        }
    }

    /// What it makes.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Requirement => REQUIREMENT,
            Self::Brief => BRIEF,
            Self::Research => EVIDENCE,
            Self::Reference => REFERENCES,
            Self::Writer => CONTENT,
            Self::Layout => LAYOUT,
            Self::ImagePlan => IMAGE_PLAN,
            Self::Images => IMAGE,
            Self::Review => REVIEW,
            Self::Post => POST,
        }
    }

    /// The first part of the ids of what it makes.
    pub fn id_prefix(self) -> &'static str {
        match self {
            Self::Requirement => "art_req_",
            Self::Brief => "art_brief_",
            Self::Research => "art_evid_",
            Self::Reference => "art_refs_",
            Self::Writer => "art_text_",
            Self::Layout => "art_layout_",
            Self::ImagePlan => "art_plan_",
            Self::Images => IMAGE_ID_PREFIX,
            Self::Review => "art_review_",
            Self::Post => "art_post_",
        }
    }
}

/// The node of the contract that decides what is next.
pub const SUPERVISOR: &str = "supervisor";

/// What a supervisor looks at.
pub(super) const SUPERVISOR_SEES: &[&str] =
    &[REQUIREMENT, BRIEF, EVIDENCE, CONTENT, IMAGE_PLAN, REVIEW];
