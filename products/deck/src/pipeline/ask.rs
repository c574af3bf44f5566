//! What the stages that ask a model share.

use palimpsest::prelude::pipeline::{Carry, Reserve, Run, Work, asking};

use super::render;
use super::shape::{DeckVersion, Input};
use super::stage::DECK;
pub(super) use palimpsest::prelude::pipeline::asking::json_of;
pub(super) use palimpsest::prelude::pipeline::{fail_step, prompt_vars};

/// Who looks at the text, and who sees the pages.
pub(super) const REVIEWER: &str = "reviewer";
pub(super) const VISION: &str = "vision";

/// Who wrote a version in which a person put a slide as it stands.
pub(super) const PERSON: &str = "person";

/// Tokens of source documents in a prompt, and characters that have as many at 0.7 tokens each.
pub(super) const SOURCE_TOKENS: u64 = 50_000;
pub(super) const SOURCE_CHARS: usize = 71_000;
/// Tokens of the grammar, the rules and everything else of a prompt.
pub(super) const FRAME_TOKENS: u64 = 12_000;
/// Tokens of the designs that were found, cut as `retrieve` cuts them.
const REFERENCE_TOKENS: u64 = 8_000;
/// Tokens of a deck.
pub(super) const DECK_TOKENS: u32 = 8_192;
/// Tokens of the question for a deck. A deck that is sent back is in the question.
pub(super) const GENERATE_TOKENS: u64 =
    FRAME_TOKENS + REFERENCE_TOKENS + SOURCE_TOKENS + DECK_TOKENS as u64;
/// Tokens of a contact sheet: of the models that are known, the one that takes most has 2,800 for such a picture.
const SHEET_TOKENS: u64 = 3_000;
/// Tokens of the answers that are lists of a few sentences.
pub(super) const LIST_TOKENS: u32 = 3_000;

/// The most that an inspection may use.
pub(super) fn reserve_inspection(run: &Run) -> Reserve {
    let (role, sheets) = match run.settings.model_of(VISION) {
        Some(_) => (VISION, SHEET_TOKENS * u64::from(render::SHEETS_MAX)),
        None => (REVIEWER, 0),
    };
    asking::reserve_question(&run.settings, role, FRAME_TOKENS * 2 + sheets, LIST_TOKENS)
}

/// The structured input that was given with the message.
pub(super) fn input(work: &Work) -> Result<Input, Box<Carry>> {
    Input::read(&work.input).map_err(|error| Box::new(fail_step("bad_input", error)))
}

/// The deck as it is now.
pub(super) fn deck(work: &Work) -> Result<DeckVersion, Box<Carry>> {
    work.read(DECK)
}

/// The text of the comment of the first slide that begins with this word. The comment is removed from the slide.
pub(super) fn comment(deck: &mut sdsl::Presentation, word: &str) -> Option<String> {
    let slide = deck.slides.first_mut()?;
    let mut comments = slide.comments.iter();
    let at = comments.position(|comment| comment.as_str().to_lowercase().starts_with(word))?;
    let comment = slide.comments.remove(at);
    let (_, said) = comment.as_str().split_once(':').unwrap_or_default();
    Some(said.trim().to_owned())
}
