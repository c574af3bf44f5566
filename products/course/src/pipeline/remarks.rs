//! What is remarked on an artifact that no model wrote: the feedback that it was made with, and what was done about it.

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{Violation, Work, figures};
use spec::SlideSpec;
use spec::text::clean;

use super::shape::{ScriptKind, SlideScript};

/// What an artifact says about the feedback that its step was told, in the person's language; nothing where there was none. `done` says
/// what was done about it; `None` means that nothing could be done.
pub(crate) fn on_feedback(work: &Work, done: Option<String>) -> Vec<String> {
    let Some(feedback) = work.guidance.feedback.as_deref() else {
        return vec![];
    };
    let feedback = clean(feedback);
    let outcome = done.unwrap_or_else(|| {
        let nothing = if work.is_chinese() {
            "离线作者只会处理页数、受众、时长、配色、删页、精简和章节的取舍与顺序；这一步没有能照做的部分，意见原样记在这里。"
        } else {
            "The offline author can change the page count, audience, duration, colours, and which pages and sections there are; it \
             could do nothing with this here, and records it as it was said."
        };
        nothing.to_owned()
    });
    vec![if work.is_chinese() {
        format!("收到的意见：“{feedback}”。{outcome}")
    } else {
        format!("Feedback received: \"{feedback}\". {outcome}")
    }]
}

/// What a page says that has the words of its script, because no answer of the model could be shown.
pub(super) fn on_refusal(work: &Work, found: &[Violation]) -> String {
    let why: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
    if work.is_chinese() {
        let why = why.join("；");
        format!("模型给出的页面都不能用，所以这一页直接采用脚本里的文字。最后一次的原因：{why}")
    } else {
        let why = why.join("; ");
        format!(
            "None of the model's answers could be shown as this page, so it has the words of its script. The last one: {why}"
        )
    }
}

/// The lines of a cover or a closing page that have no place on it, where it has the words of its script.
pub(super) fn on_left_out(work: &Work, script: &SlideScript, slide: &SlideSpec) -> Option<String> {
    if script.kind == ScriptKind::Content {
        return None;
    }
    let shown = slide.plain_text();
    let lines = script.content.lines().into_iter();
    let lines = lines.map(|line| spec::text::plain(&clean(line)));
    let left: Vec<String> = lines
        .filter(|line| shown.lines().all(|it| it != line))
        .collect();
    if left.is_empty() {
        return None;
    }
    Some(if work.is_chinese() {
        format!("脚本里的这些内容没有放在页面上：{}。", left.join("；"))
    } else {
        format!(
            "These lines of the script are not on the page: {}.",
            left.join("; ")
        )
    })
}

/// Numbers below this mostly count steps, and are often written as words.
const COUNTED_FROM: f64 = 10.0;
/// Numbers that are named one by one.
const NAMED_MAX: usize = 8;

/// The numbers of a script's content that nobody gets to see or hear: those that are neither on the page nor in what is said to it.
pub(super) fn on_numbers(work: &Work, script: &SlideScript, slide: &SlideSpec) -> Option<String> {
    if script.kind != ScriptKind::Content {
        return None;
    }
    let mut shown = json_of(slide);
    if let Some(fields) = shown.as_object_mut() {
        // The digits of the picture's hash are not a number of the page.
        fields.shift_remove("picture");
    }
    let mut known = figures::of(&shown.to_string());
    known.extend(figures::of(&script.narration_script));
    let mut missing: Vec<String> = vec![];
    for run in figures::digit_runs(&script.content.lines().join("\n")) {
        for number in figures::missing(std::slice::from_ref(&run), &known) {
            let counts = number.parse().is_ok_and(|it: f64| it >= COUNTED_FROM);
            if counts && !missing.contains(&number) {
                missing.push(number);
            }
        }
    }
    if missing.is_empty() {
        return None;
    }
    let more = missing.len() > NAMED_MAX;
    missing.truncate(NAMED_MAX);
    let end = if more { " …" } else { "" };
    Some(if work.is_chinese() {
        let missing = missing.join("、");
        format!("脚本内容里的这些数字既不在页面上，也不在讲稿里：{missing}{end}。")
    } else {
        let missing = missing.join(", ");
        format!(
            "These numbers of the script stand neither on the page nor in what is said to it: {missing}{end}."
        )
    })
}

#[cfg(test)]
mod tests {
    use palimpsest::prelude::pipeline::{RunId, StepId};
    use serde::Deserialize as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_that_nobody_sees_or_hears_are_named() {
        let work = Work::blank(StepId::new(RunId(1), "generate_slides", "2"));
        let script = json!({
            "slideIndex": 1, "type": "content", "title": "Tides", "contentDesign": "d", "visualSuggestions": "v",
            "content": ["12.4 hours pass", "1,200 km away", "46 percent of it", "2 kinds"],
            "narrationScript": "It is 46 percent.",
        });
        let script = SlideScript::deserialize(script).expect("a script");
        let slide = json!({
            "layout": "bullets", "title": "Tides",
            "items": [{ "text": "12.4 hours pass" }, { "text": "The moon is far" }, { "text": "It is small" }],
        });
        let slide = SlideSpec::deserialize(slide).expect("a slide");
        let said = on_numbers(&work, &script, &slide);
        let missing = "脚本内容里的这些数字既不在页面上，也不在讲稿里：1200。";
        assert_eq!(said.as_deref(), Some(missing));
    }
}
