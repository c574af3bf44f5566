//! What the stages that ask a model share.

use palimpsest::prelude::pipeline::understanding::asked;
use palimpsest::prelude::pipeline::{Carry, Reserve, Run, Work, asking};

use super::order;
use super::render;
use super::shape::{DeckVersion, Input};
use super::stage::{DECK, Stage};
pub(super) use palimpsest::prelude::pipeline::asking::json_of;
pub(super) use palimpsest::prelude::pipeline::{fail, vars};

/// Who finds out what is wanted, who writes, who looks at the text, and who sees the pages.
pub(super) const PLANNER: &str = "planner";
pub(super) const WRITER: &str = "writer";
pub(super) const REVIEWER: &str = "reviewer";
pub(super) const VISION: &str = "vision";

/// Who wrote a version in which a person put a slide as it stands.
pub(super) const PERSON: &str = "person";

/// Tokens of source documents in a prompt, and characters that have as many at 0.7 tokens each.
pub(super) const SOURCE_TOKENS: u64 = 50_000;
pub(super) const SOURCE_CHARS: usize = 71_000;
/// Tokens of the grammar, the rules and everything else of a prompt.
const FRAME_TOKENS: u64 = 12_000;
/// Tokens of the designs that were found, cut as `retrieve` cuts them.
const REFERENCE_TOKENS: u64 = 8_000;
/// Tokens of a deck.
pub(super) const DECK_TOKENS: u32 = 8_192;
/// Tokens of a contact sheet: of the models that are known, the one that takes most has 2,800 for such a picture.
const SHEET_TOKENS: u64 = 3_000;
/// Tokens of the answers that are lists of a few sentences.
pub(super) const LIST_TOKENS: u32 = 3_000;

/// The most that one turn of this stage may use.
pub(super) fn reserve(run: &Run, stage: &str) -> Reserve {
    let of = |role, input, output| asking::reserve(&run.settings, role, input, output);
    let offline = run.settings.ports.is_offline();
    let stage = Stage::named(stage);
    if stage.is_some_and(|stage| order::asks_nobody(run, stage)) {
        return Reserve::default();
    }
    match stage {
        Some(Stage::Requirements) if !offline => of(PLANNER, FRAME_TOKENS, LIST_TOKENS),
        Some(Stage::Generate) => of(
            WRITER,
            // A deck that is sent back is in the question.
            FRAME_TOKENS + REFERENCE_TOKENS + SOURCE_TOKENS + u64::from(DECK_TOKENS),
            DECK_TOKENS,
        ),
        Some(Stage::Fix(_)) if !offline => of(WRITER, FRAME_TOKENS + SOURCE_TOKENS, DECK_TOKENS),
        Some(Stage::Inspect(_)) if !offline => match run.settings.model_of(VISION) {
            Some(_) => of(
                VISION,
                FRAME_TOKENS * 2 + SHEET_TOKENS * u64::from(render::SHEETS_MAX),
                LIST_TOKENS,
            ),
            None => of(REVIEWER, FRAME_TOKENS * 2, LIST_TOKENS),
        },
        None => asked::reserve_after_the_first(run),
        Some(
            Stage::Requirements
            | Stage::Retrieve
            | Stage::Fix(_)
            | Stage::Inspect(_)
            | Stage::Render(_)
            | Stage::Accept
            | Stage::Ingest,
        ) => Reserve::default(),
    }
}

/// The structured input that was given with the message.
pub(super) fn input(work: &Work) -> Result<Input, Box<Carry>> {
    Input::read(&work.input).map_err(|error| Box::new(fail("bad_input", error)))
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
