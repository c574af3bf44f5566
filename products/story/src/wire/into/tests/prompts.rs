//! What stands in the prompts of stories.

use palimpsest::prelude::trial::prompts::{Ours, PromptTrial, hostile};
use proptest::prelude::*;

use super::program;

/// What stories give to their prompts themselves.
const OURS: Ours = &[
    ("intents", "WRITE_CONTENT"),
    ("skills", "Show what somebody feels by what they do."),
];
const NUMBERS: &[&str] = &["first_chapter", "last_chapter"];

#[test]
fn each_kind_of_foreign_text_stays_inside_its_fence() {
    let prompts = program().prompts().clone();
    let trial = PromptTrial::new(&prompts, OURS, NUMBERS);
    trial.hold_safe(&[
        ("s", &["understanding/message"]),
        // A skill among `skills`, whose words are written in the program.
        (
            "skill",
            &["story/writer", "story/passage", "story/variants"],
        ),
    ]);
    trial.hold_inside(&[
        ("story/writer", "conversation", "what was said before"),
        ("story/passage", "passage", "a part of a chapter"),
        ("story/variants", "before", "what stands before it"),
    ]);
}

proptest! {
    #[test]
    fn no_prompt_says_outside_of_fences_what_a_value_says(drawn in prop::collection::vec(any::<(u8, String)>(), 0..8)) {
        let prompts = program().prompts().clone();
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&hostile(&drawn));
    }
}
