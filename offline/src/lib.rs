//! The offline author of every pipeline: it writes where no model is configured. It selects whole blocks and whole sentences of
//! what it is given and places them as they stand, under their own headings, and signs what it makes. No pipeline names it; a
//! program registers it with its engine.

mod course;
mod deck;
mod post;
mod report;
pub mod source;
mod story;
#[cfg(test)]
mod testing;
pub mod wishes;
pub mod words;

use runner::authors::Author::{Calls, Structure};
use runner::authors::Authors;

/// The offline author of each prompt that it answers, if it has what it needs. All other prompts are never asked offline.
pub fn authors() -> Authors {
    let mut authors = Authors::default();
    macro_rules! answer {
        ($kind:ident$given:tt: $($prompt:literal $author:path;)*) => {
            $(authors = authors.with($prompt, answer!($kind$given $author));)*
        };
        (Structure(work) $author:path) => { Structure(|work| $author(work).unwrap_or_default()) };
        (Calls(turns) $author:path) => { Calls(|work, turns| $author(work, turns).unwrap_or_default()) };
    }
    answer! { Structure(work):
        "course/analyze_topic" course::analysis;
        "course/generate_course_config" course::config;
        "course/generate_video_outline" course::outline;
        "course/generate_slide_scripts" course::scripts;
        "course/generate_presentation_theme" course::theme;
        "course/generate_slides" course::page;
        "deck/generate" deck::generate;
        "story/writer" story::writer;
        "story/passage" story::passage;
        "story/world" story::world;
        "story/character" story::character;
        "story/planner" story::planner;
        "story/brainstorm" story::brainstorm;
        "story/chat" story::chat;
        "story/names" story::names;
        "story/summary" story::summary;
        "story/extraction" story::extraction;
        "post/brief" post::brief;
        "post/writer" post::writer;
        "post/layout" post::layout;
        "post/image_plan" post::image_plan;
    }
    answer! { Calls(turns):
        "report/plan" report::plan;
        "report/section" report::section;
        "post/research" post::research;
    }
    authors
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
