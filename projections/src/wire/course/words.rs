//! What the wire says to people, in Chinese and in English, and the table of stages with their percents.

use domain::event::Intent;

pub(super) use crate::wire::language::{Language, clip};

pub(super) const ANALYSIS: &str = "analyze_topic";
pub(super) const SCRIPTS: &str = "generate_slide_scripts";
pub(super) const THEME: &str = "generate_presentation_theme";
pub(super) const EXPORT: &str = "export_deck";
pub(super) const SLIDES: &str = "generate_slides";

/// The words for a stage: a noun phrase and, where the stage is a generation, a text that says so.
struct StageWords {
    stage: &'static str,
    /// The word and the percent of the stage in `progress`; `None` where none is sent.
    progress: Option<(&'static str, u32)>,
    /// The title in a first run, the title in a refinement, and the text for the work in progress in each of the two.
    chinese: [&'static str; 4],
    english: [&'static str; 4],
}

/// In the order of the pipeline. The percents are the contract's, which has none for the export.
static STAGES: [StageWords; 7] = [
    StageWords {
        stage: ANALYSIS,
        progress: Some(("analyzing", 5)),
        chinese: [
            "需求分析",
            "需求分析",
            "正在进行需求分析...",
            "正在重新分析需求...",
        ],
        english: [
            "Requirement analysis",
            "Requirement analysis",
            "Analysing the request...",
            "Analysing the request again...",
        ],
    },
    StageWords {
        stage: "generate_course_config",
        progress: Some(("course_config", 10)),
        chinese: [
            "课程配置生成",
            "课程配置优化",
            "正在生成课程配置...",
            "正在优化课程配置...",
        ],
        english: [
            "Course configuration",
            "Improved course configuration",
            "Writing the course configuration...",
            "Improving the course configuration...",
        ],
    },
    StageWords {
        stage: "generate_video_outline",
        progress: Some(("video_outline", 25)),
        chinese: [
            "视频大纲生成",
            "视频大纲优化",
            "正在生成视频大纲...",
            "正在优化视频大纲...",
        ],
        english: [
            "Video outline",
            "Improved video outline",
            "Writing the video outline...",
            "Improving the video outline...",
        ],
    },
    StageWords {
        stage: SCRIPTS,
        progress: Some(("slide_script", 40)),
        chinese: [
            "PPT 脚本生成",
            "PPT 脚本优化",
            "正在生成 PPT 脚本...",
            "正在优化 PPT 脚本...",
        ],
        english: [
            "Slide scripts",
            "Improved slide scripts",
            "Writing the slide scripts...",
            "Improving the slide scripts...",
        ],
    },
    StageWords {
        stage: THEME,
        progress: Some(("theme_generation", 55)),
        chinese: [
            "主题风格生成",
            "主题风格优化",
            "正在生成主题风格...",
            "正在优化主题风格...",
        ],
        english: [
            "Presentation theme",
            "Improved presentation theme",
            "Designing the theme...",
            "Improving the theme...",
        ],
    },
    StageWords {
        stage: SLIDES,
        progress: Some(("generating_slide", SLIDES_FROM)),
        chinese: [
            "逐页生成 PPT HTML",
            "逐页优化 PPT HTML",
            "正在逐页生成 PPT HTML...",
            "正在逐页优化 PPT HTML...",
        ],
        english: [
            "Slides, page by page",
            "Improved slides, page by page",
            "Making the slides page by page...",
            "Improving the slides page by page...",
        ],
    },
    StageWords {
        stage: EXPORT,
        progress: None,
        chinese: [
            "导出 PPTX",
            "导出优化",
            "正在导出 PPTX...",
            "正在重新导出 PPTX...",
        ],
        english: [
            "PowerPoint file",
            "Improved PowerPoint file",
            "Exporting the deck...",
            "Exporting the deck again...",
        ],
    },
];

/// Where the slides begin and how much they add, in percent.
const SLIDES_FROM: u32 = 60;
const SLIDES_SPAN: u32 = 35;

fn words(stage: &str) -> Option<&'static StageWords> {
    STAGES.iter().find(|words| words.stage == stage)
}

/// Whether a stage of this pipeline comes after another one.
pub(super) fn comes_after(stage: &str, other: &str) -> bool {
    let place = |name: &str| STAGES.iter().position(|words| words.stage == name);
    matches!((place(stage), place(other)), (Some(stage), Some(other)) if stage > other)
}

/// The title of a stage; its name where this wire has no words for it.
pub(super) fn title(stage: &str, language: Language, refines: bool) -> String {
    let of = |words: &'static StageWords| match language {
        Language::Chinese => words.chinese[usize::from(refines)],
        Language::English => words.english[usize::from(refines)],
    };
    words(stage).map_or(stage, of).to_owned()
}

/// The title of a stage, in progress.
pub(super) fn progress_text(stage: &str, language: Language, refines: bool) -> String {
    let of = |words: &'static StageWords| match language {
        Language::Chinese => words.chinese[2 + usize::from(refines)],
        Language::English => words.english[2 + usize::from(refines)],
    };
    words(stage).map_or_else(|| format!("{stage}..."), |words| of(words).to_owned())
}

/// The word and the percent of a stage in `progress`; `None` where this wire has no words for it.
pub(super) fn progress(stage: &str) -> Option<(&'static str, u32)> {
    words(stage)?.progress
}

/// The percent at which page `current` (from 1) of `total` begins, rounded.
pub(super) fn slide_percent(current: u32, total: u32) -> u32 {
    let total = u64::from(total.max(1));
    let before = u64::from(current.saturating_sub(1)).min(total);
    let added = (2 * before * u64::from(SLIDES_SPAN) + total) / (2 * total);
    SLIDES_FROM + u32::try_from(added).unwrap_or(SLIDES_SPAN)
}

pub(super) fn slide_text(current: u32, total: u32, language: Language) -> String {
    match language {
        Language::Chinese => format!("正在生成第 {current}/{total} 页..."),
        Language::English => format!("Making page {current}/{total}..."),
    }
}

/// What the assistant says when a run begins.
pub(super) struct Greeting<'a> {
    pub(super) intent: Intent,
    pub(super) topic: &'a str,
    pub(super) feedback: Option<&'a str>,
    pub(super) target: Option<&'a str>,
    pub(super) offline: bool,
    pub(super) model: &'a str,
}

impl Greeting<'_> {
    pub(super) fn text(&self, language: Language) -> String {
        let mode = match (language, self.offline) {
            (Language::Chinese, true) => "离线模式：不调用模型，只使用您给出的内容".to_owned(),
            (Language::Chinese, false) => format!("模型模式：{}", self.model),
            (Language::English, true) => {
                "offline mode: no model is called, only what you gave is used".to_owned()
            }
            (Language::English, false) => format!("model mode: {}", self.model),
        };
        let topic = clip(self.topic);
        let feedback = clip(self.feedback.unwrap_or(self.topic));
        let target = self.target.map(|stage| title(stage, language, true));
        match (language, self.intent) {
            (Language::Chinese, Intent::Initial | Intent::Irrelevant) => {
                format!("收到！我将为「{topic}」制作教学课件（{mode}）。")
            }
            (Language::English, Intent::Initial | Intent::Irrelevant) => {
                format!("Got it! I will make a teaching deck about “{topic}” ({mode}).")
            }
            (Language::Chinese, Intent::Refinement) => {
                let from =
                    target.map_or_else(String::new, |target| format!("从「{target}」阶段开始，"));
                format!(
                    "收到您的修改意见：「{feedback}」。{from}重新生成该阶段及其后的内容（{mode}）。"
                )
            }
            (Language::English, Intent::Refinement) => {
                let from = target.map_or_else(String::new, |target| format!(" from “{target}” on"));
                format!("Got your feedback: “{feedback}”. The deck is made anew{from} ({mode}).")
            }
            (Language::Chinese, Intent::Resumption) => {
                format!("继续制作「{topic}」，已完成的部分将保留（{mode}）。")
            }
            (Language::English, Intent::Resumption) => {
                format!("Taking up “{topic}” where it stopped; what is done is kept ({mode}).")
            }
            (Language::Chinese, Intent::Edit) => {
                format!("已采用您亲自改写的「{feedback}」，其余部分将保留（{mode}）。")
            }
            (Language::English, Intent::Edit) => {
                format!("Taking what you wrote in “{feedback}”; the rest is kept ({mode}).")
            }
            (Language::Chinese, Intent::Restart) => match self.feedback {
                Some(_) => {
                    format!("重新制作指定的部分：「{feedback}」，其余部分将保留（{mode}）。")
                }
                None => format!("重新制作「{topic}」中指定的部分，其余部分将保留（{mode}）。"),
            },
            (Language::English, Intent::Restart) => match self.feedback {
                Some(_) => {
                    format!("Redoing the named part: “{feedback}”; the rest is kept ({mode}).")
                }
                None => format!("Redoing the named part of “{topic}”; the rest is kept ({mode})."),
            },
        }
    }
}

/// Which page and which attempt a line is about.
pub(super) fn attempt(page: Option<u32>, attempt: u32, language: Language) -> String {
    match (language, page) {
        (Language::Chinese, Some(page)) => format!("第 {page} 页，第 {attempt} 次尝试："),
        (Language::Chinese, None) => format!("第 {attempt} 次尝试："),
        (Language::English, Some(page)) => format!("page {page}, attempt {attempt}: "),
        (Language::English, None) => format!("attempt {attempt}: "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_share_the_percents_from_sixty_to_ninety_five() {
        let percents: Vec<_> = (1..=4).map(|page| slide_percent(page, 4)).collect();
        assert_eq!(percents, [60, 69, 78, 86]);
        assert_eq!(
            (
                slide_percent(1, 0),
                slide_percent(9, 3),
                slide_percent(0, 3)
            ),
            (60, 95, 60)
        );
    }

    #[test]
    fn order_is_known_for_stages_of_this_pipeline_only() {
        assert!(comes_after(SLIDES, SCRIPTS));
        assert!(!comes_after(SCRIPTS, SCRIPTS));
        assert!(!comes_after("elsewhere", SCRIPTS));
    }
}
