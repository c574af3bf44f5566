//! What the stages that ask a model share.

use super::shape::{DeckVersion, Input};
use super::stage::{DECK, Stage};
use crate::asking;
pub(super) use crate::asking::{json_of, vars};
use crate::carry::{Carry, Work};
use crate::event::Reserve;
use crate::session::Run;

/// Who finds out what is wanted, who writes, who looks at the text, and who sees the pages.
pub(super) const PLANNER: &str = "planner";
pub(super) const WRITER: &str = "writer";
pub(super) const REVIEWER: &str = "reviewer";
pub(super) const VISION: &str = "vision";

/// Tokens of source documents in a prompt, and characters that have as many at 0.7 tokens each.
pub(super) const SOURCE_TOKENS: u64 = 50_000;
pub(super) const SOURCE_CHARS: usize = 71_000;
/// Tokens of the grammar, the rules and everything else of a prompt.
const FRAME_TOKENS: u64 = 12_000;
/// Tokens of a deck.
pub(super) const DECK_TOKENS: u32 = 8_192;
/// Tokens of the answers that are lists of a few sentences.
pub(super) const LIST_TOKENS: u32 = 3_000;

/// The worst that one turn of this stage may use.
pub(super) fn reserve(run: &Run, stage: &str) -> Reserve {
    let of = |role, input, output| asking::reserve(&run.settings, role, input, output);
    let offline = run.settings.ports.is_offline();
    match Stage::named(stage) {
        Some(Stage::Requirements) if !offline => of(PLANNER, FRAME_TOKENS, LIST_TOKENS),
        Some(Stage::Generate) => of(WRITER, FRAME_TOKENS + SOURCE_TOKENS, DECK_TOKENS),
        Some(Stage::Fix(_)) if !offline => of(WRITER, FRAME_TOKENS + SOURCE_TOKENS, DECK_TOKENS),
        Some(Stage::Inspect(_)) if !offline => of(
            run.settings.model_of(VISION).map_or(REVIEWER, |_| VISION),
            FRAME_TOKENS * 2,
            LIST_TOKENS,
        ),
        None
        | Some(
            Stage::Requirements
            | Stage::Fix(_)
            | Stage::Inspect(_)
            | Stage::Render(_)
            | Stage::Accept,
        ) => Reserve::default(),
    }
}

/// What was given beside the message.
pub(super) fn input(work: &Work) -> Result<Input, Box<Carry>> {
    Input::read(&work.input).map_err(|error| Box::new(fail("bad_input", error)))
}

/// The deck as it is now.
pub(super) fn deck(work: &Work) -> Result<DeckVersion, Box<Carry>> {
    work.read(DECK)
}

/// A step that fails for good.
pub(super) fn fail(code: &str, message: impl Into<String>) -> Carry {
    Carry::Fail {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
    }
}
