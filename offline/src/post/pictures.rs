//! Layout and plan of the pictures: a cover, details, and what to take away.

use domain::carry::Work;
use domain::pipelines::post::card::{fitted, sentences};
use domain::pipelines::post::image_plan::PLANS_MAX;
use domain::pipelines::post::shape::{LayoutPreference, PostContent, PostLayout};
use domain::pipelines::post::stage::LAYOUT;
use serde_json::{Value, json};
use spec::limits::{CARD_POINT_EM, CARD_TITLE_EM};

use super::{feedback, names, part, said};

/// The contract's number where nothing says another.
const PICTURES: usize = 3;
/// Width of what a picture is said to show, in em: a line.
const SHOWN_EM: u32 = 30;

const ROLES: [[&str; PLANS_MAX]; PLANS_MAX] = [
    ["cover", "", "", ""],
    ["cover", "detail", "", ""],
    ["cover", "detail", "result", ""],
    ["cover", "detail", "detail", "result"],
];

const NO_WORDS: &[&str] = &["不要文字", "无文字", "去掉文字", "no text", "without text"];

/// What before a number says that one of the pictures is meant.
const ONE_OF_THEM: &str = "第每这那后前上下换另某";

/// The number of pictures that feedback asks for.
fn wanted(feedback: &str) -> Option<usize> {
    const NUMBERS: [(&str, usize); 10] = [
        ("1", 1),
        ("一", 1),
        ("2", 2),
        ("两", 2),
        ("二", 2),
        ("3", 3),
        ("三", 3),
        ("4", 4),
        ("四", 4),
        ("one", 1),
    ];
    let text = feedback.to_lowercase();
    let counted = |number: &str, unit: &str| {
        let said = format!("{number}{unit}");
        text.match_indices(&said).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            !before.is_some_and(|c| ONE_OF_THEM.contains(c) || c.is_ascii_digit())
        })
    };
    let units = ["张", "幅", " 张", " picture", " image"];
    let said = |number: &str| units.iter().any(|unit| counted(number, unit));
    let mut numbers = NUMBERS.iter();
    numbers
        .find(|(number, _)| said(number))
        .map(|(_, count)| *count)
}

fn count(work: &Work, usual: usize) -> usize {
    let feedback = work.guidance.feedback.as_deref();
    let wanted = feedback.and_then(wanted);
    wanted.unwrap_or(usual).clamp(1, PLANS_MAX)
}

pub(super) fn layout(work: &Work, content: &PostContent, preference: LayoutPreference) -> Value {
    let count = count(work, PICTURES);
    let entries = ROLES[count - 1].iter().take(count).enumerate();
    let entries: Vec<Value> = entries
        .map(|(place, role)| entry(work, content, preference, place, role))
        .collect();
    json!({ "layoutSpec": entries })
}

fn entry(
    work: &Work,
    content: &PostContent,
    preference: LayoutPreference,
    place: usize,
    role: &str,
) -> Value {
    let zh = work.is_chinese();
    let cover = role == "cover";
    let density = match (preference, cover) {
        (LayoutPreference::Dense, _) => "高",
        (LayoutPreference::Balanced, true) | (LayoutPreference::VisualFirst, _) => "低",
        (LayoutPreference::Balanced, false) => "中",
    };
    let say = |chinese: &'static str, english: &'static str| if zh { chinese } else { english };
    let mut blocks = vec![json!({
        "area": "title",
        "instruction": if cover {
            say("大字标题，一眼看清主题", "the title in large type")
        } else {
            say("小标题，点明这一张讲什么", "a heading that says what this one is about")
        },
    })];
    if preference != LayoutPreference::Dense || cover {
        let show = say(
            "画面主体留出视觉中心",
            "the subject in the middle of attention",
        );
        blocks.push(json!({ "area": "visual_focus", "instruction": show }));
    }
    if preference != LayoutPreference::VisualFirst
        && (!cover || preference == LayoutPreference::Dense)
    {
        let points = say("分点列出要点，每点一行", "the points, one line each");
        blocks.push(json!({ "area": "body", "instruction": points }));
    }
    if let (true, Some(feedback)) = (cover, feedback(work)) {
        let footer = if zh {
            format!("按意见调整：{feedback}")
        } else {
            format!("changed as asked: {feedback}")
        };
        blocks.push(json!({ "area": "footer", "instruction": footer }));
    }
    json!({
        "imageSeq": place,
        "role": role,
        "visualFocus": shown(content, place),
        "textDensity": density,
        "blocks": blocks,
    })
}

/// What the picture at a place is about: the title, else a sentence of the paragraph there.
fn shown(content: &PostContent, place: usize) -> String {
    let blocks = said(content);
    let sentence = blocks
        .get(place)
        .filter(|_| place > 0)
        .and_then(|block| sentences(&block.text).into_iter().next());
    let text = sentence
        .as_deref()
        .and_then(|text| fitted(text.trim_end_matches(['：', ':']), SHOWN_EM));
    let title = || fitted(&content.title, SHOWN_EM);
    text.or_else(title).unwrap_or_else(|| content.title.clone())
}

pub(super) fn plan(work: &Work, content: &PostContent) -> Value {
    let zh = work.is_chinese();
    let laid_out: Option<PostLayout> = part(work, LAYOUT);
    let usual = match &laid_out {
        Some(layout) => layout.layout_spec.len(),
        None => PICTURES.min(said(content).len().max(1)),
    };
    let count = count(work, usual);
    let blocks = said(content);
    let feedback = feedback(work);
    let no_words = feedback
        .as_deref()
        .is_some_and(|text| names(text, NO_WORDS));
    let (mut plans, mut bindings, mut overlays) = (vec![], vec![], vec![]);
    for (place, role) in ROLES[count - 1].iter().take(count).enumerate() {
        let about = shown(content, place);
        let mut description = match (*role, zh) {
            ("cover", true) => format!("封面：{about}"),
            ("cover", false) => format!("Cover: {about}"),
            ("result", true) => format!("收尾：{about}"),
            ("result", false) => format!("To take away: {about}"),
            (_, true) => format!("要点：{about}"),
            (_, false) => format!("Detail: {about}"),
        };
        if let Some(feedback) = &feedback {
            description.push_str(&if zh {
                format!("（按意见：{feedback}）")
            } else {
                format!(" (as asked: {feedback})")
            });
        }
        plans.push(json!({
            "sequence": place, "role": role, "description": description, "prompt": about,
        }));
        let (from, to) = (
            place * blocks.len() / count,
            (place + 1) * blocks.len() / count,
        );
        let ids = blocks.iter().take(to.max(from + 1)).skip(from);
        let ids: Vec<&str> = ids.map(|block| block.id.as_str()).collect();
        bindings.push(json!({ "imageSeq": place, "paragraphIds": ids }));
        // A card that is drawn here has room for whole paragraphs; a picture of somebody else's only for a line.
        let written = place == 0 || work.settings.ports.images;
        if written && !no_words {
            overlays.extend(overlay(content, place, &about));
        }
    }
    json!({
        "plans": plans,
        "paragraphImageBindings": bindings,
        "textOverlayPlan": overlays,
    })
}

fn overlay(content: &PostContent, place: usize, about: &str) -> Option<Value> {
    let title = if place == 0 { &content.title } else { about };
    let title = fitted(title, CARD_TITLE_EM)?;
    let blocks = said(content);
    let line = blocks.first().filter(|_| place == 0);
    let line = line.and_then(|block| fitted(sentences(&block.text).first()?, CARD_POINT_EM));
    let placement = if place == 0 { "bottom" } else { "top" };
    Some(json!({
        "imageSeq": place, "titleText": title, "bodyText": line, "placement": placement,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_pictures_is_told_from_one_of_them() {
        for (said, count) in [
            ("只要两张图", Some(2)),
            ("4 张就够", Some(4)),
            ("第一张太暗", None),
            ("换一张封面", None),
            ("11张", None),
            ("only 3 pictures please", Some(3)),
            ("more pictures", None),
        ] {
            assert_eq!(wanted(said), count, "{said}");
        }
    }
}
