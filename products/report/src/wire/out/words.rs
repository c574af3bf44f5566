//! What the wire says to people, in Chinese and in English; and the names that it reads in events.

use palimpsest::prelude::pipeline::text::in_title_marks;
use palimpsest::prelude::wire::Language;

pub(crate) use palimpsest::prelude::wire::{clip_text, cut_text};

/// The pipeline whose runs this wire sends.
pub(crate) const PIPELINE: &str = "report";

pub(crate) const PLAN: &str = "plan";
pub(crate) const SECTIONS: &str = "sections";
/// The stage that puts the sections together, and the artifact that it leaves.
pub(crate) const REPORT: &str = "report";
pub(crate) const SECTION: &str = "section";

/// The gate at which a plan is confirmed.
pub(crate) const CONFIRM_PLAN: &str = "confirm_plan";

/// The path of the report among the files of the session; the report names it itself where it is available.
pub(crate) const VFS_PATH: &str = "reports/generated_report.md";

/// Texts that clients match on, in every language.
pub(crate) const DECLINED: &str = "Plan was declined by user.";
pub(crate) const CANCELLED_PLAN: &str = "Plan was cancelled.";
pub(crate) const INTERRUPTED: &str = "Execution cancelled";
pub(crate) const ERROR_PREFIX: &str = "Agent execution error: ";
pub(crate) const SESSION_CREATED: &str = "Session created";
pub(crate) const SESSION_END: &str = "Session ended";

/// Characters of an error that a notice repeats; the contract's number.
pub(crate) const ERROR_CHARS_MAX: usize = 500;

/// How many tasks a report has, and how many of them are missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub(crate) tasks: usize,
    pub(crate) missing: usize,
}

/// What the wire says, in the language of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportWords(Language);

impl ReportWords {
    /// From a BCP 47 tag.
    pub(crate) fn of(tag: &str) -> Self {
        Self(Language::of(tag))
    }

    pub(crate) fn pick<'a>(self, chinese: &'a str, english: &'a str) -> &'a str {
        self.0.pick(chinese, english)
    }

    pub(crate) fn plan_start(self, question: &str) -> String {
        let question = clip_text(question);
        match self.0 {
            Language::Chinese => format!("开始规划：{question}"),
            Language::English => format!("Planning: {question}"),
        }
    }

    pub(crate) fn plan_completed(self, tasks: usize) -> String {
        match self.0 {
            Language::Chinese => format!("规划完成，共 {tasks} 个章节任务"),
            Language::English => format!("The plan is made: {tasks} sections"),
        }
    }

    /// The message of a confirmation; seconds until it counts as declined.
    pub(crate) fn confirm_plan(self, tasks: usize, seconds: Option<i64>) -> String {
        match (self.0, seconds) {
            (Language::Chinese, None) => format!("请确认章节计划（共 {tasks} 个章节）"),
            (Language::Chinese, Some(seconds)) => {
                format!("请确认章节计划（共 {tasks} 个章节），{seconds} 秒内未答复视为拒绝")
            }
            (Language::English, None) => format!("Please confirm the plan ({tasks} sections)"),
            (Language::English, Some(seconds)) => format!(
                "Please confirm the plan ({tasks} sections); without an answer within {seconds} s it counts as declined"
            ),
        }
    }

    pub(crate) fn confirm_budget(self) -> String {
        let (chinese, english) = (
            "本次运行的预算已用完：确认则提高预算并继续，拒绝则结束运行",
            "The budget of this run is used up: confirm to raise it and go on, or decline to end the run",
        );
        self.0.pick(chinese, english).to_owned()
    }

    pub(crate) fn gate_over(self, timed_out: bool) -> String {
        let text = if timed_out {
            self.0.pick(
                "确认超时，按默认处理",
                "Nobody answered in time; the default stands",
            )
        } else {
            self.0.pick(
                "该确认请求已失效",
                "This question is not to be answered any more",
            )
        };
        text.to_owned()
    }

    pub(crate) fn budget_raised(self) -> String {
        self.0
            .pick(
                "预算已提高，继续执行",
                "The budget was raised; the work goes on",
            )
            .to_owned()
    }

    /// What a solver does or did; `what` is one of the events' last words.
    pub(crate) fn solver(self, what: &str, id: u32, title: &str) -> String {
        let title = clip_text(title);
        let (chinese, english) = match what {
            "start" => ("开始撰写", "is being written"),
            "completed" => ("已完成", "is written"),
            "failed" => ("未能完成", "could not be written"),
            "cancelled" => ("已取消", "was cancelled"),
            _ => ("将重新撰写", "is to be written again"),
        };
        match (self.0, title.is_empty()) {
            (Language::Chinese, true) => format!("第 {id} 节{chinese}"),
            (Language::Chinese, false) => format!("第 {id} 节{chinese}：{title}"),
            (Language::English, true) => format!("Section {id} {english}"),
            (Language::English, false) => format!("Section {id} {english}: {title}"),
        }
    }

    pub(crate) fn control(self, action: &str, id: Option<u32>) -> String {
        let section = match (self.0, id) {
            (_, None) => String::new(),
            (Language::Chinese, Some(id)) => format!("（第 {id} 节）"),
            (Language::English, Some(id)) => format!(" (section {id})"),
        };
        let text = match action {
            "cancel_task" => self.0.pick("已取消章节任务", "The task is cancelled"),
            "restart_task" => self
                .0
                .pick("正在重新执行章节任务", "The task is done again"),
            "cancel_plan" => self.0.pick("已取消规划", "The planning is cancelled"),
            "replan" => self.0.pick("正在重新规划", "A new plan is being made"),
            "solve_tasks" => self.0.pick("任务已执行完毕", "The tasks are done"),
            _ => self.0.pick(
                "继续执行，已完成的部分将保留",
                "The work goes on; what is done is kept",
            ),
        };
        format!("{text}{section}")
    }

    pub(crate) fn retry(self, what: &str, attempt: u32, total: u32, seconds: f64) -> String {
        match self.0 {
            Language::Chinese => {
                format!("{what}第 {attempt}/{total} 次尝试失败，{seconds} 秒后重试")
            }
            Language::English => {
                format!("{what}: attempt {attempt} of {total} failed; the next one in {seconds} s")
            }
        }
    }

    /// The piece that is tried again.
    pub(crate) fn piece(self, stage: &str, id: Option<u32>) -> String {
        match (self.0, id) {
            (Language::Chinese, Some(id)) => format!("第 {id} 节"),
            (Language::English, Some(id)) => format!("Section {id}"),
            (Language::Chinese, None) => format!("「{stage}」"),
            (Language::English, None) => stage.to_owned(),
        }
    }

    pub(crate) fn thinking(self, thought: &str) -> String {
        match self.0 {
            Language::Chinese => format!("思考：{thought}"),
            Language::English => format!("Thinking: {thought}"),
        }
    }

    pub(crate) fn tool_call(self, tool: &str) -> String {
        match self.0 {
            Language::Chinese => format!("正在调用工具 {tool}"),
            Language::English => format!("Calling {tool}"),
        }
    }

    pub(crate) fn tool_result(self, tool: &str, succeeded: bool) -> String {
        match (self.0, succeeded) {
            (Language::Chinese, true) => format!("工具 {tool} 已返回结果"),
            (Language::Chinese, false) => format!("工具 {tool} 调用失败"),
            (Language::English, true) => format!("{tool} answered"),
            (Language::English, false) => format!("{tool} failed"),
        }
    }

    pub(crate) fn cut_off(self) -> String {
        self.0
            .pick(
                "该步骤已结束，调用被中止",
                "The step has ended; the call was cut off",
            )
            .to_owned()
    }

    pub(crate) fn aggregating(self, tally: Tally) -> String {
        let Tally { tasks, missing } = tally;
        let solved = tasks.saturating_sub(missing);
        match self.0 {
            Language::Chinese => format!("正在汇总报告（{solved}/{tasks} 个章节）"),
            Language::English => {
                format!("Putting the report together ({solved} of {tasks} sections)")
            }
        }
    }

    pub(crate) fn aggregated(self) -> String {
        self.0
            .pick("报告已汇总", "The report is put together")
            .to_owned()
    }

    pub(crate) fn pipeline_completed(self) -> String {
        self.0.pick("流程已完成", "All stages are done").to_owned()
    }

    /// The readable summary of a run with a report.
    pub(crate) fn delivered(
        self,
        title: &str,
        path: &str,
        tally: Tally,
        names: &[String],
    ) -> String {
        let Tally { tasks, missing } = tally;
        let solved = tasks.saturating_sub(missing);
        let title = clip_text(title);
        let mut text = match (self.0, title.is_empty()) {
            (Language::Chinese, true) => "报告已生成".to_owned(),
            (Language::Chinese, false) => format!("{}已生成", in_title_marks(&title)),
            (Language::English, true) => "The report is written".to_owned(),
            (Language::English, false) => format!("“{title}” is written"),
        };
        text += &match self.0 {
            Language::Chinese => format!("：共 {tasks} 个章节，完成 {solved} 个，保存在 {path}。"),
            Language::English => format!(": {solved} of {tasks} sections, in {path}."),
        };
        if !names.is_empty() {
            text += &match self.0 {
                Language::Chinese => format!("未完成的章节：{}。", names.join("、")),
                Language::English => format!(" Missing: {}.", names.join(", ")),
            };
        }
        text
    }

    /// The end of a run that left no report.
    pub(crate) fn ended(self, own: bool) -> String {
        let text = if own {
            self.0.pick(
                "运行已结束，没有生成报告。",
                "The run has ended without a report.",
            )
        } else {
            self.0.pick("运行已完成。", "The run is done.")
        };
        text.to_owned()
    }

    pub(crate) fn failed(self, message: &str) -> String {
        let message = clip_text(message);
        match self.0 {
            Language::Chinese => format!("执行出错：{message}"),
            Language::English => format!("The run failed: {message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_names_what_is_missing() {
        let tally = Tally {
            tasks: 3,
            missing: 1,
        };
        let names = ["2 背景".to_owned()];
        assert_eq!(
            ReportWords(Language::Chinese).delivered("年报", VFS_PATH, tally, &names),
            "《年报》已生成：共 3 个章节，完成 2 个，保存在 reports/generated_report.md。未完成的章节：2 背景。"
        );
        assert_eq!(
            ReportWords(Language::English).delivered("", VFS_PATH, tally, &[]),
            "The report is written: 2 of 3 sections, in reports/generated_report.md."
        );
    }

    #[test]
    fn errors_are_cut_at_a_character() {
        assert_eq!(cut_text("课课课", 2), "课课");
    }
}
