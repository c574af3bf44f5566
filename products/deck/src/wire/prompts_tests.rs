//! What stands in the prompts of decks.

use palimpsest::Server;
use palimpsest::prelude::trial::Prompts;
use palimpsest::prelude::trial::prompts::{Ours, PromptTrial, SHARED_PARTS, hostile};
use proptest::prelude::*;

/// What decks give to their prompts themselves.
const OURS: Ours = &[
    ("gone", "3, 4"),
    ("grammar", "A point is a line."),
    ("pages", "slide 1; slide 2; slide 2, part 2"),
    ("place", "3"),
];
const NUMBERS: &[&str] = &["pictures", "slide_count", "target_slide_count"];

fn prompts() -> Prompts {
    let server = Server::builder().add(crate::add).build();
    server.expect("it goes together").prompts().clone()
}

#[test]
fn only_words_of_the_program_are_called_safe() {
    let prompts = prompts();
    PromptTrial::new(&prompts, OURS, NUMBERS).hold_safe(SHARED_PARTS);
}

proptest! {
    #[test]
    fn no_prompt_says_outside_of_fences_what_a_value_says(drawn in prop::collection::vec(any::<(u8, String)>(), 0..8)) {
        let prompts = prompts();
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&hostile(&drawn));
    }
}
