//! The pictures: a cover, details, and a summary to take away. The sentences on each picture follow from the text.

use domain::carry::Work;
use domain::pipelines::post::heard::layout_preference;
use domain::pipelines::post::image_plan::PLANS_MAX;
use domain::pipelines::post::shape::{LayoutPreference, PostContent};
use domain::pipelines::post::stage::CONTENT;
use serde_json::{Value, json};

use crate::words::{POST_SIGNATURE, WORDS_SHOWN};
use domain::sentences::sentences;

/// The contract's number where nothing says another.
const PICTURES: usize = 3;
const NUMBERS: [&str; PLANS_MAX] = ["1一", "2两二", "3三", "4四"];

/// How many pictures feedback asks for: the number before the word for pictures, unless the number names one of them, such as the third.
fn wanted(feedback: &str) -> Option<usize> {
    let units = ["张", "幅", " picture", " image"].iter();
    let at = units.filter_map(|unit| feedback.find(unit)).min()?;
    let mut before = feedback[..at].trim_end().chars().rev();
    let number = before.next()?;
    let is_one = |c: char| "第每这那后前上下换另某".contains(c) || c.is_ascii_digit();
    let place = NUMBERS.iter().position(|all| all.contains(number))?;
    (!before.next().is_some_and(is_one)).then_some(place + 1)
}

/// What each picture is about, with its place and role: the title, then the first sentence of a paragraph.
fn shown(work: &Work) -> Option<Vec<(usize, &'static str, String)>> {
    let content: PostContent = work.read(CONTENT).ok()?;
    let feedback = work.guidance.feedback.as_deref();
    let count = feedback.and_then(wanted).unwrap_or(PICTURES);
    let mut shown = vec![(0, "cover", content.title)];
    let blocks = content.body_blocks.iter().map(|block| block.text.as_str());
    for text in blocks.filter(|text| *text != POST_SIGNATURE.of(work)) {
        let first = sentences(text).into_iter().next();
        shown.extend(first.map(|at| (shown.len(), "detail", text[at].to_owned())));
    }
    shown.truncate(count);
    Some(shown)
}

pub(crate) fn layout(work: &Work) -> Option<Value> {
    let density = match layout_preference(work) {
        LayoutPreference::Dense => "高",
        LayoutPreference::Balanced => "中",
        LayoutPreference::VisualFirst => "低",
    };
    let blocks = json!([
        { "area": "title", "instruction": WORDS_SHOWN.of(work) },
        { "area": "body", "instruction": WORDS_SHOWN.of(work) },
    ]);
    let mut entries = vec![];
    for (place, role, about) in shown(work)? {
        entries.push(json!({
            "imageSeq": place, "role": role, "visualFocus": about, "textDensity": density, "blocks": blocks,
        }));
    }
    Some(json!({ "layoutSpec": entries }))
}

/// The paragraphs that a picture stands for, and so its words, follow from the text.
pub(crate) fn image_plan(work: &Work) -> Option<Value> {
    let mut plans = vec![];
    for (place, role, about) in shown(work)? {
        plans.push(json!({ "sequence": place, "role": role, "description": about }));
    }
    Some(json!({ "plans": plans, "paragraphImageBindings": [], "textOverlayPlan": [] }))
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
