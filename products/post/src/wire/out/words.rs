//! What the wire says to people, in Chinese and in English; and the names that it reads in events.

use palimpsest::prelude::pipeline::event::StageOutcome;
use palimpsest::prelude::pipeline::text::in_title_marks;
use palimpsest::prelude::wire::Language;

use crate::pipeline::flow::REJECTED;
use crate::pipeline::shape::Verdict;
use crate::pipeline::stage::{PostAgent, Stage};
pub(super) use palimpsest::prelude::wire::{clip_text, cut_text};

/// The pipeline whose runs this wire sends.
pub(super) const PIPELINE: &str = "post";

/// The gate at which the planned pictures are approved; the gate for the text has the name of its artifact.
pub(super) const IMAGE_PLANS_GATE: &str = "image_plans";

/// The prefix of decisions about what is next.
pub(super) const ROUTE: &str = "route:";

/// The prefixes of decisions of a supervisor: its wish, and what it tells the node that it chose.
pub(super) const WISHES: [&str; 3] = ["supervisor:", "context:", "focus:"];

/// The decision for the round that is delivered.
pub(super) const BEST: &str = "best";

/// Tools that make pictures: they are given the prompt.
pub(super) const IMAGE_TOOLS: [&str; 2] = ["generateImage", "generate_with_reference"];

/// The tool that makes all pictures of a plan, as the contract names it.
pub(super) const BATCH: &str = "generate_images_batch";

/// The prefix of tools with which a model hands over its answer.
pub(super) const SUBMIT: &str = "submit_";

/// Characters of the requirement that a question repeats; the contract's number.
pub(super) const REQUIREMENT_CHARS: usize = 400;

/// Characters of a prompt that are shown; what the artifacts keep of it, too.
pub(super) const PROMPT_CHARS: usize = 120;

/// What the wire says, in the language of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PostWords(pub(super) Language);

impl PostWords {
    /// What people call a node.
    fn agent(self, agent: PostAgent) -> &'static str {
        self.0.pick(agent.chinese, agent.english)
    }

    pub(super) fn starts(self, agent: PostAgent) -> String {
        let agent = self.agent(agent);
        match self.0 {
            Language::Chinese => format!("{agent} 开始工作..."),
            Language::English => format!("{agent} begins..."),
        }
    }

    /// How a node ended; `outcome` is `None` where its run was cut off in the middle.
    pub(super) fn ends(self, agent: PostAgent, outcome: Option<StageOutcome>) -> String {
        let agent = self.agent(agent);
        let text = match outcome {
            Some(StageOutcome::Completed) => self.0.pick("完成工作", "is done"),
            Some(StageOutcome::Failed) => self.0.pick("未能完成", "could not finish"),
            Some(StageOutcome::Reopened) => self.0.pick("将重新进行", "will begin anew"),
            Some(StageOutcome::Cancelled) | None => self.0.pick("已停止", "was stopped"),
        };
        format!("{agent} {text}")
    }

    pub(super) fn stage(self, stage: Stage) -> String {
        let agent = self.agent(stage.agent());
        match (self.0, stage) {
            (Language::Chinese, Stage::Post) => "正在汇总成稿".to_owned(),
            (Language::English, Stage::Post) => "The post is put together".to_owned(),
            (Language::Chinese, _) => format!("进入阶段：{agent}"),
            (Language::English, _) => format!("Next: {agent}"),
        }
    }

    pub(super) fn tries_again(self, agent: PostAgent, attempt: u32, error: &str) -> String {
        let (agent, error) = (self.agent(agent), clip_text(error));
        match self.0 {
            Language::Chinese => format!("{agent} 第 {attempt} 次尝试（上次失败：{error}）"),
            Language::English => {
                format!("{agent}: attempt {attempt} (the last one failed: {error})")
            }
        }
    }

    pub(super) fn goes_back(self, agents: &[PostAgent], reason: &str) -> String {
        let names: Vec<_> = agents.iter().map(|agent| self.agent(*agent)).collect();
        let (listed, reason) = (names.join("、"), clip_text(&self.why(reason)));
        match self.0 {
            Language::Chinese => format!("重新进行：{listed}（{reason}）"),
            Language::English => format!("Done anew: {} ({reason})", names.join(", ")),
        }
    }

    /// The reason for doing stages anew that events give, in the run's language.
    fn why(self, reason: &str) -> String {
        if let Some(dimension) = reason.strip_prefix("review: ") {
            return match self.0 {
                Language::Chinese => format!("审核：{dimension} 未达标"),
                Language::English => format!("review: {dimension} is not good enough"),
            };
        }
        let (chinese, english) = match reason {
            REJECTED => ("用户要求重新生成", "the user rejected it"),
            "supervisor" => ("主管决定返回", "the supervisor goes back"),
            "edited by a person" => ("用户修改了内容", "the user changed what it is made from"),
            "a person asked for it" => ("用户要求重做", "the user asked for it"),
            _ => return reason.to_owned(),
        };
        self.0.pick(chinese, english).to_owned()
    }

    pub(super) fn best(self, round: &str) -> String {
        match self.0 {
            Language::Chinese => format!("已达到修改次数上限，采用第 {round} 轮的结果"),
            Language::English => {
                format!("No more rounds are left; the result of round {round} is taken")
            }
        }
    }

    pub(super) fn paused(self) -> String {
        self.0
            .pick(
                "工作流已暂停，等待用户确认",
                "The workflow is paused until somebody answers",
            )
            .to_owned()
    }

    pub(super) fn call_cut_off(self) -> &'static str {
        match self.0 {
            Language::Chinese => "调用被中止",
            Language::English => "the call was cut off",
        }
    }

    pub(super) fn left_out(self) -> String {
        self.0.pick("未生成", "it was not made").to_owned()
    }

    pub(super) fn work_done(self, title: &str, review: Verdict, missing: usize) -> String {
        let title = clip_text(title);
        let mut text = match (self.0, title.is_empty()) {
            (Language::Chinese, true) => "创作已结束".to_owned(),
            (Language::Chinese, false) => format!("{}创作完成", in_title_marks(&title)),
            (Language::English, true) => "The work has ended".to_owned(),
            (Language::English, false) => format!("“{title}” is done"),
        };
        let about_review = match review {
            Verdict::Passed => "",
            Verdict::Failed => self
                .0
                .pick("（未通过质量审核）", " (it did not pass the review)"),
            Verdict::NotChecked => self
                .0
                .pick("（未经完整审核）", " (not everything was reviewed)"),
        };
        if !title.is_empty() {
            text += about_review;
        }
        if missing > 0 {
            text += &match self.0 {
                Language::Chinese => format!("，缺少 {missing} 张图片"),
                Language::English => format!("; pictures missing: {missing}"),
            };
        }
        text
    }

    /// The end of a run that has no post.
    pub(super) fn no_post(self) -> String {
        self.0
            .pick(
                "运行已结束，没有生成内容。",
                "The run has ended without a post.",
            )
            .to_owned()
    }

    pub(super) fn work_failed(self, message: &str) -> String {
        let message = clip_text(message);
        match self.0 {
            Language::Chinese => format!("创作失败：{message}"),
            Language::English => format!("The work failed: {message}"),
        }
    }

    pub(super) fn work_cancelled(self) -> String {
        self.0
            .pick("创作已取消", "The work was cancelled")
            .to_owned()
    }
}
