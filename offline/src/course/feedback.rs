//! What the offline author understands of a change.

use domain::carry::Work;
use domain::pipelines::course::tone::stands_in;

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
