//! What the offline author understands of a change, and what it says about it.

use super::super::tone::stands_in;
use super::prose::clean;
use super::words::say;
use crate::carry::Work;

/// Whether anything that was asked for after the brief says this.
pub(super) fn ever(work: &Work, says: fn(&str) -> bool) -> bool {
    work.changes.iter().any(|change| says(&change.text))
}

/// Whether what the step is told says this.
pub(super) fn now(work: &Work, says: fn(&str) -> bool) -> bool {
    work.guidance.feedback.as_deref().is_some_and(says)
}

fn names(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| stands_in(&text, word))
}

/// Whether less is wanted.
pub(super) fn shorter(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "简化",
        "精简",
        "缩减",
        "缩短",
        "简短",
        "太多",
        "太长",
        "太复杂",
        "复杂",
        "少一点",
        "少一些",
        "删",
        "shorten",
        "shorter",
        "simplify",
        "simpler",
        "condense",
        "less",
        "too long",
        "too much",
        "too complex",
        "complex",
        "fewer",
        "concise",
    ];
    names(text, WORDS)
}

/// Whether more pictures are wanted.
pub(super) fn pictures(text: &str) -> bool {
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
    names(text, WORDS)
}

/// What was done with the feedback at a stage, in the person's language: nothing to say without feedback.
pub(super) fn notes(work: &Work, done: Option<String>) -> Vec<String> {
    let words = super::words(work);
    let Some(feedback) = work.guidance.feedback.as_deref() else {
        return vec![];
    };
    let feedback = clean(feedback);
    let outcome = done.unwrap_or_else(|| {
        words.pick(
            "离线作者只会按规则处理页数、受众、时长、配色、精简和配图；这一步没有能照做的部分，意见原样记在这里。",
            "The offline author follows rules for page count, audience, duration, colours, shortening and pictures only; it could do \
             nothing with this here, and records it as it was said.",
        )
        .to_owned()
    });
    vec![say!(
        words,
        "收到的意见：“{feedback}”。{outcome}",
        "Feedback received: \"{feedback}\". {outcome}"
    )]
}
