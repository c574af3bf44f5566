//! What each stage asks a model for: the shape of its artifact without what the program knows, and with every bound that a schema can say.
//! The bounds of texts also limit how much a talkative model can write, so that each answer fits its limit of tokens. All bounds are in
//! Chinese characters; in other languages twice as many letters say the same.

use palimpsest::prelude::pipeline::Work;
use palimpsest::prelude::pipeline::asking::chars;
use palimpsest::prelude::pipeline::schema::Wanted;
use serde_json::{Value, json};

use super::ask;
use super::brief::{CONSTRAINTS_MAX, ENTRY_CHARS_MAX, KEYWORDS_MAX, POINTS_MAX};
use super::image_plan::PLANS_MAX;
use super::layout::{BLOCKS_MAX, ENTRIES_MAX};
use super::platform::{TAG_CHARS, XIAOHONGSHU};
use super::reference::{MERGED_MAX, Seen};
use super::review::{Looked, PROMPT_CHARS_MAX, PROMPTS_MAX, REASONS_MAX, ReviewAnswer};
use super::shape::{BodyBlock, CreativeBrief, LayoutPreference, PostImagePlan, PostLayout};
use super::writer::Draft;

/// A name, a mood, a few words.
const WORDS_CHARS: usize = 30;
/// One line: a point, an instruction, a reason.
const LINE_CHARS: usize = 60;
/// Two or three sentences.
const PARAGRAPH_CHARS: usize = 160;
/// A prompt for a picture: subject, setting, light, colours, composition.
const PROMPT_CHARS: usize = 240;
/// A text in Chinese: the contract's 200 to 350 characters, and room for a text that is somewhat longer.
const BODY_CHARS: usize = 500;
/// Tags that the contract wants of a writer.
const TAGS: (usize, usize) = (4, 6);

pub(super) fn brief(work: &Work) -> Value {
    let entry = chars(work, LINE_CHARS).min(ENTRY_CHARS_MAX);
    let mut wanted = Wanted::of(ask::wanted::<CreativeBrief>(&["offline"]));
    for name in ["topic", "audience", "goal", "tone", "callToAction"] {
        wanted = wanted.text(name, 0, chars(work, LINE_CHARS));
    }
    wanted
        .texts("constraints", 0, CONSTRAINTS_MAX, entry)
        .texts("keywords", 0, KEYWORDS_MAX, chars(work, WORDS_CHARS))
        .texts("keyPoints", 0, POINTS_MAX, entry)
        .texts("bannedExpressions", 0, POINTS_MAX, chars(work, WORDS_CHARS))
        .into_value()
}

/// The schema of a text, with a title that is at most as wide as the platform accepts.
pub(super) fn draft(work: &Work) -> Value {
    let body = chars(work, BODY_CHARS).min(XIAOHONGSHU.body_chars);
    Wanted::of(ask::wanted::<Draft>(&[]))
        .text("title", 1, chars(work, XIAOHONGSHU.title_units / 2))
        .text("body", 1, body)
        .texts("tags", TAGS.0, TAGS.1, TAG_CHARS)
        .into_value()
}

/// The schema of a layout. The pictures are numbered by their places, so the numbers are not asked for.
pub(super) fn layout(work: &Work, preference: LayoutPreference, count: Option<usize>) -> Value {
    let entry = |name: &str| format!("layoutSpec/*/{name}");
    let wanted = Wanted::of(ask::wanted::<PostLayout>(&["layoutPreference", "offline"]))
        .list(
            "layoutSpec",
            count.unwrap_or(1),
            count.unwrap_or(ENTRIES_MAX),
        )
        .without(&entry("imageSeq"))
        .text(&entry("visualFocus"), 1, chars(work, LINE_CHARS))
        .list(&entry("blocks"), 1, BLOCKS_MAX)
        .text(&entry("blocks/*/instruction"), 1, chars(work, LINE_CHARS));
    let wanted = match preference {
        LayoutPreference::VisualFirst => {
            wanted.one_of(&entry("textDensity"), [json!("低"), json!("中")])
        }
        LayoutPreference::Dense | LayoutPreference::Balanced => wanted,
    };
    wanted.into_value()
}

/// The schema of a plan. The pictures are numbered by their places; paragraphs can only be those of the text.
pub(super) fn image_plan(work: &Work, blocks: &[BodyBlock], count: Option<usize>) -> Value {
    use spec::limits::{CARD_POINT_EM, CARD_TITLE_EM};
    let numbers = || (0..PLANS_MAX).map(|number| json!(number));
    let ids: Vec<&str> = blocks.iter().map(|block| block.id.as_str()).collect();
    let paragraphs = json!({ "type": "array", "items": { "enum": ids }, "maxItems": ids.len() });
    Wanted::of(ask::wanted::<PostImagePlan>(&["offline"]))
        .list("plans", count.unwrap_or(1), count.unwrap_or(PLANS_MAX))
        .without("plans/*/sequence")
        .text("plans/*/description", 1, chars(work, LINE_CHARS))
        .text("plans/*/prompt", 0, chars(work, PROMPT_CHARS))
        .list("paragraphImageBindings", 0, PLANS_MAX)
        .one_of("paragraphImageBindings/*/imageSeq", numbers())
        .instead("paragraphImageBindings/*/paragraphIds", paragraphs)
        .text(
            "paragraphImageBindings/*/rationale",
            0,
            chars(work, LINE_CHARS),
        )
        .list("textOverlayPlan", 0, PLANS_MAX)
        .one_of("textOverlayPlan/*/imageSeq", numbers())
        .text(
            "textOverlayPlan/*/titleText",
            1,
            chars(work, CARD_TITLE_EM as usize),
        )
        .text(
            "textOverlayPlan/*/bodyText",
            0,
            chars(work, CARD_POINT_EM as usize),
        )
        .into_value()
}

/// Numbers the entries of this list by their places.
pub(super) fn number(answer: &mut Value, list: &str, name: &str) -> bool {
    let entries = answer.get_mut(list).and_then(Value::as_array_mut);
    let Some(entries) = entries else {
        return false;
    };
    if entries.iter().any(|entry| entry.get(name).is_some()) {
        return false;
    }
    for (place, entry) in entries.iter_mut().enumerate() {
        if let Some(fields) = entry.as_object_mut() {
            fields.insert(name.to_owned(), json!(place));
        }
    }
    true
}

/// A score in steps that a reviewer can tell apart.
fn score() -> Value {
    let steps = (0..=20).map(|twentieths| json!(f64::from(twentieths) / 20.0));
    json!({ "enum": steps.chain([Value::Null]).collect::<Vec<_>>() })
}

/// Reasons, suggestions and prompts.
fn remarks(work: &Work, wanted: Wanted) -> Wanted {
    let prompt = chars(work, PROMPT_CHARS).min(PROMPT_CHARS_MAX);
    wanted
        .texts("failReasons", 0, REASONS_MAX, chars(work, LINE_CHARS))
        .texts("suggestions", 0, REASONS_MAX, chars(work, LINE_CHARS))
        .list("optimizedPrompts", 0, PROMPTS_MAX)
        .text("optimizedPrompts/*", 0, prompt)
}

pub(super) fn review(work: &Work, agents: &[&str]) -> Value {
    let agents = agents.iter().map(|agent| json!(agent));
    remarks(work, Wanted::of(ask::wanted::<ReviewAnswer>(&[])))
        .instead("scores/infoDensity", score())
        .instead("scores/readability", score())
        .instead("scores/platformFit", score())
        .instead("overall", score())
        .one_of("targetAgent", agents.chain([Value::Null]))
        .into_value()
}

pub(super) fn looked(work: &Work) -> Value {
    remarks(work, Wanted::of(ask::wanted::<Looked>(&[])))
        .instead("scores/textImageAlignment", score())
        .instead("scores/styleConsistency", score())
        .into_value()
}

pub(super) fn seen(work: &Work) -> Value {
    let mut wanted = Wanted::of(ask::wanted::<Seen>(&[]));
    for name in [
        "styleTokens/mood",
        "styleTokens/lighting",
        "layoutTokens/layout",
        "layoutTokens/textDensity",
        "layoutTokens/composition",
        "contentTokens/scene",
    ] {
        wanted = wanted.text(name, 0, chars(work, LINE_CHARS));
    }
    for name in [
        "styleTokens/colorPalette",
        "styleTokens/styleKeywords",
        "contentTokens/elements",
    ] {
        wanted = wanted.texts(name, 0, MERGED_MAX, chars(work, WORDS_CHARS));
    }
    wanted
        .text("rawAnalysis", 1, chars(work, PARAGRAPH_CHARS))
        .into_value()
}
