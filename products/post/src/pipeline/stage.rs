//! The stages in their order, and everything that tells one of them from the others.

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
        SUPERVISOR.name,
        "post/supervise",
        INPUT_TOKENS,
        supervise::DECISION_TOKENS,
    )
    .without_model(|_| Some(vec![]))
    .optional();

/// A node of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PostAgent {
    /// The contract's name of it.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) chinese: &'static str,
    pub(crate) english: &'static str,
}

/// The node that decides what is next.
pub(crate) const SUPERVISOR: PostAgent = agent("supervisor", "主管", "The supervisor");

const fn agent(name: &'static str, chinese: &'static str, english: &'static str) -> PostAgent {
    PostAgent {
        name,
        chinese,
        english,
    }
}

/// A gate at which a person approves what a stage made.
pub(crate) struct Approval {
    /// Its name, which is the contract's `kind`.
    pub(crate) gate: &'static str,
    /// The question.
    pub(crate) chinese: &'static str,
    pub(crate) english: &'static str,
}

impl Stage {
    /// The stages about which a decision says that they are next: all but the first and the last, which every run has.
    pub(crate) fn decided() -> impl Iterator<Item = Self> {
        let [_, decided @ .., _] = Self::ALL;
        decided.into_iter()
    }

    /// The stage of this node, which models may also call by the name of the stage.
    pub(crate) fn of_agent(named: &str) -> Option<Self> {
        Self::decided().find(|stage| stage.agent().name == named || stage.name == named)
    }

    /// The stage whose outcome this gate is about.
    pub(crate) fn of_gate(name: &str) -> Option<Self> {
        let asks = |stage: &Self| stage.approval().is_some_and(|of| of.gate == name);
        Self::ALL.into_iter().find(asks)
    }

    /// The share of the stages of a run for which this holds, rounded to the hundredth.
    pub(crate) fn share(fast: bool, holds: impl Fn(Self) -> bool) -> f64 {
        let all = || {
            Self::ALL
                .into_iter()
                .filter(move |stage| stage.is_in_run(fast))
        };
        let some = all().filter(|stage| holds(*stage)).count();
        (some as f64 / all().count() as f64 * 100.0).round() / 100.0
    }

    /// Whether a run has it, which may be in fast mode.
    pub(crate) fn is_in_run(self, fast: bool) -> bool {
        match self {
            Self::Brief | Self::Layout | Self::Review => !fast,
            Self::Requirement | Self::Research | Self::Reference | Self::Writer => true,
            Self::ImagePlan | Self::Images | Self::Post => true,
        }
    }

    /// Whether it plans or makes the pictures.
    pub(crate) fn is_of_pictures(self) -> bool {
        match self {
            Self::Layout | Self::ImagePlan | Self::Images => true,
            Self::Requirement | Self::Brief | Self::Research | Self::Reference => false,
            Self::Writer | Self::Review | Self::Post => false,
        }
    }

    /// The node of the contract that carries it out.
    pub(crate) fn agent(self) -> PostAgent {
        match self {
            Self::Requirement | Self::Post => SUPERVISOR,
            Self::Brief => agent("brief_compiler_agent", "需求梳理专家", "The brief compiler"),
            Self::Research => agent("research_evidence_agent", "证据研究专家", "The researcher"),
            Self::Reference => agent(
                "reference_intelligence_agent",
                "参考图分析专家",
                "The reference analyst",
            ),
            Self::Writer => agent("writer_agent", "创作专家", "The writer"),
            Self::Layout => agent("layout_planner_agent", "版式规划专家", "The layout planner"),
            Self::ImagePlan => agent("image_planner_agent", "图片规划专家", "The image planner"),
            Self::Images => agent("image_agent", "图片生成专家", "The image maker"),
            Self::Review => agent("review_agent", "审核专家", "The reviewer"),
        }
    }

    /// Where a person approves what it made; `None` where nobody is asked.
    pub(crate) fn approval(self) -> Option<Approval> {
        let (gate, chinese, english) = match self {
            Self::Writer => (
                "content",
                "文案已生成，是否继续？",
                "The text is written. Go on with it?",
            ),
            Self::ImagePlan => (
                "image_plans",
                "图片规划已生成，是否继续？",
                "The pictures are planned. Go on with the plan?",
            ),
            Self::Requirement | Self::Brief | Self::Research | Self::Reference => return None,
            Self::Layout | Self::Images | Self::Review | Self::Post => return None,
        };
        Some(Approval {
            gate,
            chinese,
            english,
        })
    }
}
