//! What the wire says to people, in Chinese and in English, and the table of stages with their percents.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::event::Intent;
use words::rows;

pub(super) use palimpsest::prelude::wire::{Language, clip_text};

pub(super) const ANALYSIS: &str = "analyze_topic";
pub(super) const SCRIPTS: &str = "generate_slide_scripts";
pub(super) const THEME: &str = "generate_presentation_theme";
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

static STAGES: LazyLock<Vec<StageWords>> = LazyLock::new(|| {
    let rows = rows(include_str!("stages.tsv"));
    let words = rows.map(
        |[
            stage,
            word,
            percent,
            zh,
            zh_anew,
            zh_now,
            zh_again,
            en,
            en_anew,
            en_now,
            en_again,
        ]| StageWords {
            stage,
            progress: percent.parse().ok().map(|percent| (word, percent)),
            chinese: [zh, zh_anew, zh_now, zh_again],
            english: [en, en_anew, en_now, en_again],
        },
    );
    words.collect()
});

/// Where the slides begin and how much they add, in percent.
const SLIDES_FROM: u32 = 60;
const SLIDES_SPAN: u32 = 35;

fn words_of(stage: &str) -> Option<&'static StageWords> {
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
    words_of(stage).map_or(stage, of).to_owned()
}

/// The title of a stage, in progress.
pub(super) fn progress_text(stage: &str, language: Language, refines: bool) -> String {
    let of = |words: &'static StageWords| match language {
        Language::Chinese => words.chinese[2 + usize::from(refines)],
        Language::English => words.english[2 + usize::from(refines)],
    };
    words_of(stage).map_or_else(|| format!("{stage}..."), |words| of(words).to_owned())
}

/// The word and the percent of a stage in `progress`; `None` where this wire has no words for it.
pub(super) fn progress(stage: &str) -> Option<(&'static str, u32)> {
    words_of(stage)?.progress
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
        let topic = clip_text(self.topic);
        let feedback = clip_text(self.feedback.unwrap_or(self.topic));
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
