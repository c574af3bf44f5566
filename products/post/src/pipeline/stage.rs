//! The stages in their order, and the agent that carries each of them out for clients.

use palimpsest::prelude::pipeline::StageSpec;

use super::ask::{
    self, BRIEF_TOKENS, EVIDENCE_TOKENS, INPUT_TOKENS, LAYOUT_TOKENS, PLAN_TOKENS,
    REFERENCE_TOKENS, REVIEW_TOKENS, VISION, WRITER_TOKENS,
};
use super::{
    brief, image_plan, images, layout, reference, requirement, research, review, supervise, whole,
    writer,
};

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

palimpsest::prelude::pipeline::stages! {
    pub(crate) enum Stage {
        Requirement = StageSpec::new("requirement", ["理解需求", "Requirement"], requirement::carry)
            .makes(&[REQUIREMENT])
            .id_prefix("art_req_"),
        Brief = StageSpec::new("brief", ["整理创作简报", "Brief"], brief::carry)
            .makes(&[BRIEF])
            .id_prefix("art_brief_")
            .sees(&[REQUIREMENT])
            .revises(&[BRIEF])
            .asks("brief", "post/brief", INPUT_TOKENS, BRIEF_TOKENS),
        // A post can be written without evidence and references.
        Research = StageSpec::new("research", ["收集证据", "Evidence"], research::carry)
            .makes(&[EVIDENCE])
            .id_prefix("art_evid_")
            .sees(&[REQUIREMENT, BRIEF])
            .asks("researcher", "post/research", INPUT_TOKENS, EVIDENCE_TOKENS)
            .without_model(|work| Some(research::without_model(work)))
            .optional(),
        Reference = StageSpec::new("reference", ["分析参考图", "Reference pictures"], reference::carry)
            .makes(&[REFERENCES])
            .id_prefix("art_refs_")
            .sees(&[REQUIREMENT])
            .asks(VISION, "post/reference", INPUT_TOKENS, REFERENCE_TOKENS)
            .reserve(|run, _| ask::reserve_look(run, REFERENCE_TOKENS))
            .without_model(|work| Some(reference::without_model(work)))
            .optional(),
        Writer = StageSpec::new("writer", ["撰写文案", "Text"], writer::carry)
            .makes(&[CONTENT])
            .id_prefix("art_text_")
            .sees(&[REQUIREMENT, BRIEF, EVIDENCE, REFERENCES])
            .revises(&[CONTENT])
            .asks("writer", "post/writer", INPUT_TOKENS, WRITER_TOKENS),
        Layout = StageSpec::new("layout", ["规划版式", "Layout"], layout::carry)
            .makes(&[LAYOUT])
            .id_prefix("art_layout_")
            .sees(&[REQUIREMENT, CONTENT, REFERENCES])
            .revises(&[LAYOUT, IMAGE_PLAN])
            .asks("layout", "post/layout", INPUT_TOKENS, LAYOUT_TOKENS),
        ImagePlan = StageSpec::new("image_plan", ["规划图片", "Plan of pictures"], image_plan::carry)
            .makes(&[IMAGE_PLAN])
            .id_prefix("art_plan_")
            .sees(&[REQUIREMENT, CONTENT, LAYOUT, REFERENCES])
            .revises(&[IMAGE_PLAN])
            .asks("image_planner", "post/image_plan", INPUT_TOKENS, PLAN_TOKENS),
        Images = StageSpec::new("images", ["生成图片", "Pictures"], images::carry)
            .makes(&[IMAGE])
            .id_prefix(IMAGE_ID_PREFIX)
            .sees(&[REQUIREMENT, CONTENT, LAYOUT, IMAGE_PLAN, REFERENCES])
            .revises(&[IMAGE, IMAGE_PLAN])
            .reserve(|run, _| ask::reserve_image(&run.settings))
            .optional()
            .skippable(),
        // A post is not thrown away because it could not be reviewed.
        Review = StageSpec::new("review", ["质量审核", "Review"], review::carry)
            .makes(&[REVIEW])
            .id_prefix("art_review_")
            .sees(&[REQUIREMENT, BRIEF, EVIDENCE, REFERENCES, CONTENT, LAYOUT, IMAGE_PLAN, IMAGE])
            .asks("reviewer", "post/review", INPUT_TOKENS, REVIEW_TOKENS)
            .reserve(|run, _| ask::reserve_review(run))
            .without_model(|work| Some(review::without_model(work)))
            .optional(),
        Post = StageSpec::new("post", ["汇总成稿", "Post"], |work, _| whole::carry(work))
            .makes(&[POST])
            .id_prefix("art_post_")
            .sees(&[REQUIREMENT, CONTENT, IMAGE_PLAN, IMAGE, REVIEW]),
    }
}

/// The stages in which a model decides what is next; their names begin with that of this row.
pub(super) static SUPERVISION: StageSpec = StageSpec::new(SUPERVISE, [""; 2], supervise::carry)
    .sees(&[REQUIREMENT, BRIEF, EVIDENCE, CONTENT, IMAGE_PLAN, REVIEW])
    .asks(
        SUPERVISOR,
        "post/supervise",
        INPUT_TOKENS,
        supervise::DECISION_TOKENS,
    )
    .without_model(|_| Some(vec![]))
    .optional();

impl Stage {
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
}

/// The node of the contract that decides what is next.
pub(crate) const SUPERVISOR: &str = "supervisor";
