//! What stands in the prompts of reports.

use palimpsest::Server;
use palimpsest::prelude::trial::Prompts;
use palimpsest::prelude::trial::prompts::{HOSTILE, Ours, PromptTrial, SHARED_PARTS};
use proptest::prelude::*;

fn prompts() -> Prompts {
    let server = Server::builder().add(crate::add).build();
    server.expect("it goes together").prompts().clone()
}

/// Texts that try to leave their fence.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
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
    fn no_prompt_says_outside_of_fences_what_a_value_says(text in hostile()) {
        let prompts = prompts();
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&text);
    }
}
