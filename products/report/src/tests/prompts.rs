//! What stands in the prompts of reports.

use palimpsest::Server;
use palimpsest::prelude::trial::Prompts;
use palimpsest::prelude::trial::prompts::{Ours, PromptTrial, SHARED_PARTS, hostile};
use proptest::prelude::*;

fn prompts() -> Prompts {
    let server = Server::builder().add(crate::add).build();
    server.expect("it goes together").prompts().clone()
}

/// What reports give to their prompts themselves.
const OURS: Ours = &[];
const NUMBERS: &[&str] = &["rounds", "sentences"];

#[test]
fn each_kind_of_foreign_text_stays_inside_its_fence() {
    let prompts = prompts();
    let trial = PromptTrial::new(&prompts, OURS, NUMBERS);
    trial.hold_safe(SHARED_PARTS);
    trial.hold_inside(&[
        ("report/plan", "template", "path and title of a template"),
        ("report/plan", "sections", "headings of a template"),
        ("report/plan", "files", "paths of files"),
        ("report/section", "report", "a summary that a model wrote"),
        ("report/section", "task", "hints and notes of a plan"),
        ("report/section", "template", "the text of a template"),
        ("report/summarize", "file", "a file and its path"),
        ("report/summarize", "style", "what a model asks a tool for"),
    ]);
}

proptest! {
    #[test]
    fn no_prompt_says_outside_of_fences_what_a_value_says(drawn in prop::collection::vec(any::<(u8, String)>(), 0..8)) {
        let prompts = prompts();
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&hostile(&drawn));
    }
}
