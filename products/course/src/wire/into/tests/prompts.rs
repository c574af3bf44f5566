//! What stands in the prompts of courses.

use palimpsest::prelude::trial::prompts::{Ours, PromptTrial, SHARED_PARTS, hostile};
use proptest::prelude::*;

use super::program;

/// What courses give to their prompts themselves.
const OURS: Ours = &[
    ("fixed_layout", "title"),
    ("slot_rules", "A title takes 12 em."),
    ("tones", "dark"),
];
const NUMBERS: &[&str] = &["page", "pages", "pages_max", "pages_min", "points_max"];

#[test]
fn each_kind_of_foreign_text_stays_inside_its_fence() {
    let prompts = program().prompts().clone();
    let trial = PromptTrial::new(&prompts, OURS, NUMBERS);
    trial.hold_safe(SHARED_PARTS);
    trial.hold_inside(&[
        ("course/analyze_topic", "brief", "what a person wants"),
        ("course/analyze_topic", "input", "what came beside it"),
        ("course/analyze_topic", "source", "a file and its path"),
        (
            "course/analyze_topic",
            "search",
            "results of a search with their titles and addresses",
        ),
        (
            "course/generate_slides",
            "deck",
            "a title that a model wrote",
        ),
        (
            "course/generate_slides",
            "look",
            "a theme that a person gave",
        ),
        (
            "course/generate_slides",
            "neighbours",
            "titles of other pages",
        ),
        (
            "course/generate_slides",
            "script",
            "what a model wrote before",
        ),
        (
            "course/generate_slides",
            "previous",
            "what there was before a change",
        ),
        ("course/generate_slides", "earlier", "earlier wishes"),
        ("course/generate_slides", "feedback", "feedback"),
        (
            "course/generate_slides",
            "violations",
            "what a check quotes of an answer",
        ),
    ]);
}

proptest! {
    #[test]
    fn no_prompt_says_outside_of_fences_what_a_value_says(drawn in prop::collection::vec(any::<(u8, String)>(), 0..8)) {
        let prompts = program().prompts().clone();
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&hostile(&drawn));
    }
}
