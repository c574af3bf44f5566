//! How a message is meant, by rules: go on with what stopped, change what there is from some stage on, else a new post.

use super::stage::Stage;
use crate::carry::{Carry, IntentOutput, Output, Work};
use crate::event::Intent;
use crate::text::{ByRules, beyond_rules, says_go_on};

/// What rules can do about a wish.
const CAN: ByRules = ByRules {
    zh: "选用与主题有关的原句、限制字数、换标题、调整图片数量",
    en: "choose whole sentences about the subject, keep to a length, take a title, and change the number of pictures",
    draws: true,
};

/// What a change is about, the earliest stage first. A message about several is about the earliest.
const ABOUT: [(Stage, &[&str]); 6] = [
    (Stage::Brief, &["受众", "目标人群", "人群", "audience"]),
    (
        Stage::Research,
        &["证据", "数据", "趋势", "热门", "evidence", "data", "trend"],
    ),
    (
        Stage::Reference,
        &["参考图", "reference picture", "reference image"],
    ),
    (
        Stage::Writer,
        &[
            "标题", "正文", "文案", "文字", "标签", "语气", "口吻", "结尾", "开头", "title",
            "text", "body", "tags", "wording", "tone",
        ],
    ),
    (Stage::Layout, &["版式", "排版", "布局", "layout"]),
    (
        Stage::ImagePlan,
        &[
            "图片", "配图", "封面", "图", "照片", "颜色", "配色", "picture", "image", "cover",
            "photo", "colour", "color",
        ],
    ),
];

/// Words of somebody who wants something that is there to be different.
const CHANGES: &[&str] = &[
    "改", "换", "修改", "调整", "优化", "重写", "重新", "重做", "再", "更", "缩短", "精简", "去掉",
    "删", "加上", "增加", "不要", "别", "太", "change", "shorter", "longer", "rewrite", "again",
    "more", "less", "remove", "add", "replace", "instead", "make it", "redo", "improve", "without",
];

/// Characters of a message that is short enough to be about what there is.
const CHANGE_CHARS_MAX: usize = 200;

pub(super) fn carry(work: &Work) -> Carry {
    if work.settings.ports.is_offline()
        && let Some(reply) = beyond_rules(
            &CAN,
            &work.brief,
            work.refinable.is_some(),
            work.is_chinese(),
        )
    {
        return Carry::Done(vec![Output::Intent(IntentOutput::refused(reply))]);
    }
    let output = classify(&work.brief, work.refinable.is_some(), work.resumable);
    Carry::Done(vec![Output::Intent(output)])
}

fn classify(message: &str, refinable: bool, resumable: bool) -> IntentOutput {
    let (intent, target, reason) = if resumable && says_go_on(message) {
        (Intent::Resumption, None, "the message only says to go on")
    } else {
        match change(message).filter(|_| refinable) {
            Some(stage) => (
                Intent::Refinement,
                Some(stage.name().into()),
                "the message wants something that is there to be different",
            ),
            None => (Intent::Initial, None, "every other message asks for a post"),
        }
    };
    IntentOutput {
        target,
        ..IntentOutput::by_rules(intent, reason)
    }
}

/// The stage from which on what there is has to be made again.
fn change(message: &str) -> Option<Stage> {
    let text = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if text.chars().count() > CHANGE_CHARS_MAX || !says(CHANGES) {
        return None;
    }
    let about = ABOUT.iter().find(|(_, words)| says(words));
    about.map(|(stage, _)| *stage)
}

#[cfg(test)]
mod tests {
    use smol_str::SmolStr;

    use super::*;

    fn target(message: &str) -> Option<SmolStr> {
        classify(message, true, false).target
    }

    #[test]
    fn a_change_is_about_the_earliest_stage_that_it_names() {
        assert_eq!(target("标题改短一点").as_deref(), Some("writer"));
        assert_eq!(target("封面换成暖色").as_deref(), Some("image_plan"));
        assert_eq!(target("标题和封面都换一下").as_deref(), Some("writer"));
        assert_eq!(target("Make the title shorter").as_deref(), Some("writer"));
        assert_eq!(target("秋天露营攻略"), None);
        assert_eq!(
            classify("标题改短一点", false, false).intent,
            Intent::Initial
        );
        assert_eq!(classify("继续", true, true).intent, Intent::Resumption);
    }
}
