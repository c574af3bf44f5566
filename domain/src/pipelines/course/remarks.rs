//! What is remarked on an artifact that no model wrote: the feedback that it was made with, and what was done about it.

use spec::text::clean;

use super::stage::Stage;
use super::tone::stands_in;
use crate::carry::Work;

/// What an artifact says about the feedback that its step was told, in the person's language; nothing where there was none.
/// `done` says what was done about it; without that, nothing could be.
pub fn on_feedback(work: &Work, done: Option<String>) -> Vec<String> {
    let Some(feedback) = work.guidance.feedback.as_deref() else {
        return vec![];
    };
    let feedback = clean(feedback);
    let outcome = done.unwrap_or_else(|| {
        let nothing = if work.is_chinese() {
            "离线作者只会按规则处理页数、受众、时长、配色、精简和配图；这一步没有能照做的部分，意见原样记在这里。"
        } else {
            "The offline author follows rules for page count, audience, duration, colours, shortening and pictures only; it could do \
             nothing with this here, and records it as it was said."
        };
        nothing.to_owned()
    });
    vec![if work.is_chinese() {
        format!("收到的意见：“{feedback}”。{outcome}")
    } else {
        format!("Feedback received: \"{feedback}\". {outcome}")
    }]
}

/// What a page says about it. Feedback that asks for pictures is followed there.
pub(super) fn on_page(work: &Work) -> Vec<String> {
    let is_page = Stage::named(&work.step.stage) == Some(Stage::Slides);
    let feedback = work.guidance.feedback.as_deref();
    let done = (is_page && feedback.is_some_and(asks_for_pictures)).then(|| {
        let pictured = if work.is_chinese() {
            "能配图的页已改用图文或图标版式。"
        } else {
            "Pages that can hold one now have a drawing or icons."
        };
        pictured.to_owned()
    });
    on_feedback(work, done)
}

/// Whether a text asks for more pictures.
pub fn asks_for_pictures(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "配图",
        "图片",
        "插图",
        "图标",
        "视觉",
        "image",
        "images",
        "picture",
        "pictures",
        "visual",
        "visuals",
        "illustration",
        "illustrations",
        "icon",
        "icons",
    ];
    let text = text.to_lowercase();
    WORDS.iter().any(|word| stands_in(&text, word))
}
