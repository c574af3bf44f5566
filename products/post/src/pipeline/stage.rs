//! The stages in their order: what each makes, what it works from, and the agent that carries it out for clients.

/// What is wanted, as far as rules can tell.
pub(crate) const REQUIREMENT: &str = "requirement";
/// What the post is to achieve.
pub(crate) const BRIEF: &str = "brief";
/// What is known about the subject, with where it comes from.
pub(crate) const EVIDENCE: &str = "evidence";
/// What the reference pictures show.
pub(crate) const REFERENCES: &str = "references";
/// Title, text and tags.
pub(crate) const CONTENT: &str = "content";
/// What stands where on each picture.
pub(crate) const LAYOUT: &str = "layout";
/// Which pictures there are, and which paragraphs each belongs to.
pub(crate) const IMAGE_PLAN: &str = "image_plan";
/// A picture.
pub(crate) const IMAGE: &str = "image";
/// What a reviewer and rules say of the post.
pub(crate) const REVIEW: &str = "review";
/// The post with its pictures.
pub(crate) const POST: &str = "post";

/// The first part of a picture's id; its number for clients is made from the rest of the id.
pub(crate) const IMAGE_ID_PREFIX: &str = "art_img_";

/// The beginning of the names of stages in which a model decides what is next; the number of the decision follows.
pub(crate) const SUPERVISE: &str = "supervise:";

// What the macro derives with.
use strum as _;

palimpsest::prelude::pipeline::stages! {
    pub(crate) enum Stage {
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
}

impl Stage {
    pub(crate) fn title(self, chinese: bool) -> &'static str {
        let words = |zh, en| if chinese { zh } else { en };
        match self {
            Self::Requirement => words("理解需求", "Requirement"),
            Self::Brief => words("整理创作简报", "Brief"),
            Self::Research => words("收集证据", "Evidence"),
            Self::Reference => words("分析参考图", "Reference pictures"),
            Self::Writer => words("撰写文案", "Text"),
            Self::Layout => words("规划版式", "Layout"),
            Self::ImagePlan => words("规划图片", "Plan of pictures"),
            Self::Images => words("生成图片", "Pictures"),
            Self::Review => words("质量审核", "Review"),
            Self::Post => words("汇总成稿", "Post"),
        }
    }

    /// Whether it plans or makes the pictures.
    pub(crate) fn is_of_pictures(self) -> bool {
        matches!(self, Self::Layout | Self::ImagePlan | Self::Images)
    }

    /// The node of the contract that carries it out.
    pub(crate) fn agent(self) -> &'static str {
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
    pub(crate) fn kind(self) -> &'static str {
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
    pub(crate) fn id_prefix(self) -> &'static str {
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
pub(crate) const SUPERVISOR: &str = "supervisor";

/// What a supervisor looks at.
pub(super) const SUPERVISOR_SEES: &[&str] =
    &[REQUIREMENT, BRIEF, EVIDENCE, CONTENT, IMAGE_PLAN, REVIEW];
