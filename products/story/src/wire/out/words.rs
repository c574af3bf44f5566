//! What the wire says to people, in Chinese and in English; and the names that it reads in events.

use palimpsest::prelude::pipeline::event::StageOutcome;

use crate::readings::routing::Agent;
use palimpsest::prelude::wire::Language;
pub(super) use palimpsest::prelude::wire::clip_text;

/// The pipeline whose runs this wire sends.
pub(super) const PIPELINE: &str = "story";

/// The task of the preprocessing that looks for problems with a scene, and the one that searches.
pub(super) const PREFLIGHT: &str = "preflight";
pub(super) const SEARCH: &str = "search";

/// What this wire says, in the language of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StoryWords(Language);

impl StoryWords {
    /// From a BCP 47 tag.
    pub(super) fn of(tag: &str) -> Self {
        Self(Language::of(tag))
    }

    pub(super) fn is_chinese(self) -> bool {
        self.0 == Language::Chinese
    }

    /// What people call an agent.
    pub(super) fn story_agent(self, agent: Agent) -> &'static str {
        let (chinese, english) = match agent {
            Agent::Writer => ("写作助手", "The writer"),
            Agent::WorldBuilder => ("世界观助手", "The world builder"),
            Agent::Character => ("人物助手", "The character designer"),
            Agent::Planner => ("规划助手", "The planner"),
            Agent::Consistency => ("一致性检查", "The consistency checker"),
            Agent::Brainstorm => ("灵感助手", "The brainstormer"),
            Agent::Chat => ("对话助手", "The assistant"),
            Agent::NameGenerator => ("起名助手", "The finder of names"),
            Agent::Summary => ("摘要助手", "The summariser"),
            Agent::Extraction => ("抽取助手", "The extractor"),
        };
        self.0.pick(chinese, english)
    }

    pub(super) fn routed(self, intent: &str, percent: i64) -> String {
        match self.0 {
            Language::Chinese => format!("识别意图：{intent}（{percent}%）"),
            Language::English => format!("Intent: {intent} ({percent} %)"),
        }
    }

    pub(super) fn prepares(self, tasks: u32) -> String {
        match self.0 {
            Language::Chinese => format!("正在准备上下文：{tasks} 项任务"),
            Language::English => format!("The context is prepared: {tasks} tasks"),
        }
    }

    pub(super) fn prepared(self, task: &str, latency_ms: i64) -> String {
        match self.0 {
            Language::Chinese => format!("{task} 完成（{latency_ms} 毫秒）"),
            Language::English => format!("{task} is done ({latency_ms} ms)"),
        }
    }

    pub(super) fn not_prepared(self, task: &str, why: &str) -> String {
        let why = clip_text(why);
        match self.0 {
            Language::Chinese => format!("{task} 未能完成，其余内容照常使用：{why}"),
            Language::English => format!("{task} failed, and the rest is used: {why}"),
        }
    }

    pub(super) fn skills(self, names: &[&str]) -> String {
        match self.0 {
            Language::Chinese => format!("启用技能：{}", names.join("、")),
            Language::English => format!("Skills: {}", names.join(", ")),
        }
    }

    pub(super) fn unknown_skill(self, name: &str) -> String {
        let name = clip_text(name);
        match self.0 {
            Language::Chinese => format!("没有名为「{name}」的技能，已忽略"),
            Language::English => format!("there is no skill `{name}`; it was left out"),
        }
    }

    pub(super) fn missing_chapter(self, number: u64) -> String {
        match self.0 {
            Language::Chinese => format!("第 {number} 章不存在"),
            Language::English => format!("there is no chapter {number}"),
        }
    }

    pub(super) fn agent_starts(self, agent: Agent) -> String {
        let agent = self.story_agent(agent);
        match self.0 {
            Language::Chinese => format!("{agent}开始工作"),
            Language::English => format!("{agent} begins"),
        }
    }

    pub(super) fn agent_tries_again(self, agent: Agent, attempt: u32, why: &str) -> String {
        let (agent, why) = (self.story_agent(agent), clip_text(why));
        match self.0 {
            Language::Chinese => format!("{agent}第 {attempt} 次尝试（上次：{why}）"),
            Language::English => format!("{agent}: attempt {attempt} (the last one: {why})"),
        }
    }

    pub(super) fn agent_ends(self, agent: Agent, outcome: Option<StageOutcome>) -> String {
        let agent = self.story_agent(agent);
        let text = match outcome {
            Some(StageOutcome::Completed) => self.0.pick("完成工作", " is done"),
            Some(StageOutcome::Failed) => self.0.pick("未能完成", " could not finish"),
            Some(StageOutcome::Reopened) => self.0.pick("将重新进行", " will begin anew"),
            Some(StageOutcome::Cancelled) | None => self.0.pick("已停止", " was stopped"),
        };
        format!("{agent}{text}")
    }

    pub(super) fn range_planned(self, first: u64, last: u64) -> String {
        match self.0 {
            Language::Chinese => format!("第 {first} 至 {last} 章已规划"),
            Language::English => format!("Chapters {first} to {last} are planned"),
        }
    }

    pub(super) fn checking(self) -> String {
        self.0
            .pick("正在检查一致性", "The text is checked against the story")
            .to_owned()
    }

    pub(super) fn check_failed(self, why: &str) -> String {
        let why = clip_text(why);
        match self.0 {
            Language::Chinese => format!("一致性检查未能进行：{why}"),
            Language::English => format!("The check could not be carried out: {why}"),
        }
    }

    pub(super) fn proposed(self, kind: &str, count: usize) -> String {
        match (self.0, kind) {
            (Language::Chinese, "relationship_update") => {
                format!("建议 {count} 项人物与关系，待采纳")
            }
            (Language::Chinese, "structure_update") => format!("建议 {count} 项结构，待采纳"),
            (Language::Chinese, _) => format!("建议 {count} 项设定，待采纳"),
            (Language::English, "relationship_update") => {
                format!("{count} characters and relationships are proposed")
            }
            (Language::English, "structure_update") => {
                format!("{count} parts of the structure are proposed")
            }
            (Language::English, _) => format!("{count} entries of the world are proposed"),
        }
    }

    pub(super) fn not_proposed(self, why: &str) -> String {
        let why = clip_text(why);
        match self.0 {
            Language::Chinese => format!("规划的内容未能记入设定：{why}"),
            Language::English => format!("what was planned could not enter the bible: {why}"),
        }
    }

    pub(super) fn selected(self, selection: &str) -> String {
        let selection = clip_text(selection);
        match self.0 {
            Language::Chinese => format!("已选择：{selection}"),
            Language::English => format!("Chosen: {selection}"),
        }
    }

    pub(super) fn own_words(self) -> &'static str {
        self.0
            .pick("或者写下自己的想法", "or say it in your own words")
    }

    pub(super) fn chain(self, made: usize, failed: usize) -> String {
        match (self.0, failed) {
            (Language::Chinese, 0) => format!("{made} 个步骤全部完成"),
            (Language::Chinese, _) => format!("完成 {made} 个步骤，失败 {failed} 个"),
            (Language::English, 0) => format!("All {made} steps are done"),
            (Language::English, _) => format!("{made} steps are done, {failed} failed"),
        }
    }

    pub(super) fn no_reason(self) -> &'static str {
        self.0.pick("没有得到结果", "it gave no result")
    }
}

/// How a stage ended, in the frames' words.
pub(super) fn status_of(outcome: Option<StageOutcome>) -> &'static str {
    match outcome {
        Some(StageOutcome::Completed) => "completed",
        Some(StageOutcome::Failed) => "failed",
        Some(StageOutcome::Reopened) => "reopened",
        Some(StageOutcome::Cancelled) | None => "cancelled",
    }
}
