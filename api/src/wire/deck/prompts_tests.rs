//! What stands in the prompts of decks.

use proptest::prelude::*;
use runner::prompts::trial::{Ours, PromptTrial, hostile};

use super::product;
use crate::testing;

/// What decks give to their prompts themselves.
const OURS: Ours = &[
    ("gone", "3, 4"),
    ("grammar", "A point is a line."),
    ("place", "3"),
];
const NUMBERS: &[&str] = &["pictures", "slide_count", "target_slide_count"];

#[test]
fn only_words_of_the_program_are_called_safe() {
    let prompts = testing::prompts(product::add);
    PromptTrial::new(&prompts, OURS, NUMBERS).hold_safe(testing::SHARED_PARTS);
}

proptest! {
    #[test]
    fn no_prompt_says_outside_of_fences_what_a_value_says(drawn in prop::collection::vec(any::<(u8, String)>(), 0..8)) {
        let prompts = testing::prompts(product::add);
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&hostile(&drawn));
    }
}
