//! The offline author of every pipeline: it writes where no model is configured. It arranges what a person and their sources
//! say, adds nothing to it, and signs what it makes. No pipeline names it; a program registers it with its engine.

mod course;
mod post;
mod report;
#[cfg(test)]
mod testing;

use runner::authors::Author::{Calls, Structure};
use runner::authors::Authors;

/// The offline author of each prompt that it answers. Of the other prompts none is asked offline.
pub fn authors() -> Authors {
    Authors::default()
        .with("course/analyze_topic", Structure(course::analysis))
        .with("course/generate_course_config", Structure(course::config))
        .with("course/generate_video_outline", Structure(course::outline))
        .with("course/generate_slide_scripts", Structure(course::scripts))
        .with(
            "course/generate_presentation_theme",
            Structure(course::theme),
        )
        .with("course/generate_slides", Structure(course::page))
        .with("report/plan", Calls(report::plan))
        .with("report/section", Calls(report::section))
        .with("post/brief", Structure(post::brief))
        .with("post/research", Calls(post::research))
        .with("post/writer", Structure(post::writer))
        .with("post/layout", Structure(post::layout))
        .with("post/image_plan", Structure(post::image_plan))
}

#[cfg(test)]
mod tests {
    use runner::prompts::{PromptError, Prompts};
    use serde_json::json;

    #[test]
    fn every_author_answers_a_prompt_that_there_is() {
        let prompts = Prompts::embedded().expect("the prompts of this program");
        for prompt in super::authors().prompts() {
            let rendered = prompts.render(prompt, &json!({}), &[]);
            assert!(
                !matches!(rendered, Err(PromptError::Unknown { .. })),
                "there is no prompt `{prompt}`"
            );
        }
    }
}
