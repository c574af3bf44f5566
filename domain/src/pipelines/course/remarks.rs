//! What is remarked on an artifact that no model wrote: the feedback that it was made with, and what was done about it.

use spec::text::clean;

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
