//! Asking a model and reading its answer: what all stages share.

use palimpsest::prelude::pipeline::judging::texts_of;
use palimpsest::prelude::pipeline::schema::Correction;
use palimpsest::prelude::pipeline::text::beyond_rules;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Judge, NewArtifact, OFFLINE, Reserve, Settings, TurnResult, Violation,
    Work, asking,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::shape::{Remarks, schema};
use super::stage::{PPT_HTML, REQUIREMENT_ANALYSIS, SLIDE_SCRIPTS, Stage, VIDEO_OUTLINE};
pub(super) use palimpsest::prelude::pipeline::asking::{json_of as json, json_text};

/// Characters of source texts that a prompt shows, over all sources: about 17,000 tokens of Chinese, which leaves room for
/// an answer in a context of 32,000.
pub(super) const SOURCE_CHARS_MAX: usize = 24_000;

/// The most characters that a prompt shows of the version before a change: the scripts of twenty pages. The rest is left out, and the
/// prompt says so.
const PREVIOUS_CHARS_MAX: usize = 12_000;

/// Tokens of a prompt: the source texts and the version before at 0.7 tokens a character, the earlier artifacts and the
/// instructions.
pub(super) const INPUT_TOKENS: u64 = 36_000;

// The limits that follow are the most that the schemas of the answers allow, at 0.7 tokens a character and with the names of their fields.
// The code that asks a model which reasons allows more.

/// Tokens of an analysis: some 1,600 characters.
pub(super) const ANALYSIS_TOKENS: u32 = 1_500;
/// Tokens of a configuration: some 550 characters.
pub(super) const CONFIG_TOKENS: u32 = 800;
/// Tokens of an outline without its points: a title, and seven units with a sentence each.
const OUTLINE_FRAME_TOKENS: u32 = 900;
/// Tokens of a knowledge point: some 200 characters.
const POINT_TOKENS: u32 = 180;
/// Tokens of the script of a page: some 850 characters.
const SCRIPT_TOKENS: u32 = 750;
/// Tokens of a theme: some 400 characters and five colours.
pub(super) const THEME_TOKENS: u32 = 700;
/// Tokens of a page: the fullest layout is a table of five rows and four columns, some 450 characters in 25 cells.
pub(super) const PAGE_TOKENS: u32 = 900;

/// Tokens of the outline of a deck of this number of pages, with one and a half points for each page.
pub(super) const fn outline_tokens(pages: u32) -> u32 {
    OUTLINE_FRAME_TOKENS + pages * 3 / 2 * POINT_TOKENS
}

/// Tokens of the scripts of so many pages.
pub(super) const fn scripts_tokens(pages: u32) -> u32 {
    pages * SCRIPT_TOKENS
}

/// The most corrections that an artifact notes: with more, nobody would see the first ones.
const CORRECTIONS_NOTED_MAX: usize = 10;

/// The most that a turn of a page may use: it asks a model or has a picture made.
pub(super) fn reserve_page(settings: &Settings) -> Reserve {
    let asked = asking::reserve_question(settings, "designer", INPUT_TOKENS, PAGE_TOKENS);
    if !settings.ports.images {
        return asked;
    }
    let picture = asking::reserve_picture(settings).cost_micros;
    Reserve {
        cost_micros: asked.cost_micros.max(picture),
        ..asked
    }
}

/// Where no model is configured, a change that needs one fails before anything is made.
pub(super) fn beyond_the_author(work: &Work) -> Option<Carry> {
    let feedback = work.guidance.feedback.as_deref()?;
    if !work.settings.ports.is_offline() {
        return None;
    }
    let can = super::understand::UNDERSTANDING.can_with(work);
    let message = beyond_rules(&can, feedback, true, work.is_chinese())?;
    Some(Carry::Fail {
        code: "takes_a_model".to_owned(),
        message,
        retryable: false,
    })
}

/// What every prompt is filled with; a stage adds its own.
pub(super) fn vars(work: &Work, more: Value) -> Value {
    let earlier = work.earlier_changes().iter();
    let earlier: Vec<_> = earlier
        .map(|change| json!({ "text": change.text, "input": json_text(&change.input) }))
        .collect();
    let mut vars = Map::from_iter([
        ("input".to_owned(), json_text(&work.input)),
        ("refines".to_owned(), json!(work.refines)),
        ("previous".to_owned(), previous(work)),
        ("earlier".to_owned(), json!(earlier)),
    ]);
    if let Value::Object(more) = more {
        vars.extend(more);
    }
    asking::prompt_vars(work, Value::Object(vars))
}

/// What the step made before the change that it is told, as a prompt shows it; null where there is nothing to keep.
fn previous(work: &Work) -> Value {
    let shown = match Stage::named(&work.step.stage) {
        None => None,
        Some(Stage::Slides) => work
            .previous(PPT_HTML)
            // If the scripts are different ones now, the page of this number was about something else.
            .filter(|page| {
                let scripts = work.inputs.get(SLIDE_SCRIPTS).into_iter().flatten();
                let mut ids = scripts.map(|scripts| &scripts.artifact.artifact);
                ids.any(|id| page.artifact.from.contains(id))
            })
            .and_then(|page| page.body.get("spec")),
        Some(stage) => work.previous(stage.kind()).map(|input| input.body.as_ref()),
    };
    let Some(shown) = shown else {
        return Value::Null;
    };
    let whole = format!("{shown:#}");
    let text: String = whole.chars().take(PREVIOUS_CHARS_MAX).collect();
    json!({ "text": text, "cut": text.len() < whole.len() })
}

/// The source texts as a prompt shows them.
pub(super) fn sources(work: &Work) -> Value {
    asking::shown_sources(work, SOURCE_CHARS_MAX)
}

/// A structured answer as its type with the corrections that were made in it, or what is wrong with its form. `wanted` is the schema that
/// was sent; `put_in` adds the fields that were not asked for. The offline author was sent no schema, since it applies the rules itself.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(
    model: &str,
    answer: &Answer,
    wanted: &Value,
    put_in: impl FnOnce(&mut Value),
) -> Result<(T, Vec<Correction>), Vec<Violation>> {
    let shape = schema::<T>();
    let wanted = if model == OFFLINE {
        &Value::Null
    } else {
        wanted
    };
    asking::read_wanted(answer, wanted, put_in, |value| narrowed(&shape, value))
}

/// Who holds texts against the brief, and against what was understood of it in the stages before.
pub(super) fn judge(work: &Work) -> Judge<'_> {
    let before = [REQUIREMENT_ANALYSIS, VIDEO_OUTLINE].map(|kind| work.body(kind));
    let before = before.into_iter().flatten();
    before.fold(Judge::of_text(work), |judge, body| {
        let texts = texts_of(body).into_iter().map(|part| part.text);
        judge.through(texts.collect::<Vec<_>>().join("\n"))
    })
}

/// What is wrong with the texts of a structure.
pub(super) fn faults(judge: Judge<'_>, made: &impl Serialize) -> Vec<Violation> {
    judge.find_violations(&[texts_of(&json(made))])
}

/// The schema with every choice among variants replaced by the variant that the value names, so that the violations are those of that
/// variant, and not only that no variant fits.
fn narrowed(schema: &Value, value: &Value) -> Value {
    let variants = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    for variant in variants {
        let tags = variant
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let mut tags = tags.filter_map(|(name, tag)| tag.get("const").map(|tag| (name, tag)));
        if tags.any(|(name, tag)| value.get(name) == Some(tag)) {
            return variant.clone();
        }
    }
    let mut narrow = schema.clone();
    for (name, property) in narrow
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        if let Some(value) = value.get(name) {
            *property = narrowed(property, value);
        }
    }
    narrow
}

/// The remarks of an artifact, by who answered: the offline author is named in what it makes, and a model is not. Corrections in a model's
/// answer are noted.
pub(super) fn signed(
    work: &Work,
    model: &str,
    remarks: Remarks,
    corrections: &[Correction],
) -> Remarks {
    if model == OFFLINE {
        return Remarks {
            author: Some(OFFLINE.to_owned()),
            ..remarks
        };
    }
    let notes = corrections.iter().take(CORRECTIONS_NOTED_MAX);
    Remarks {
        author: None,
        notes: notes.map(|made| made.in_words(work.is_chinese())).collect(),
    }
}

/// The model's answer among the turns of a stage whose only turn asks a model.
pub(super) fn answer(turns: &[TurnResult]) -> Option<(&str, &Answer)> {
    turns.iter().find_map(TurnResult::answer)
}

/// The shown artifact of a stage.
pub(super) fn artifact(work: &Work, stage: Stage, body: Value) -> NewArtifact {
    let chinese = work.is_chinese();
    let title = if work.refines {
        stage.title_anew(chinese)
    } else {
        stage.title(chinese)
    };
    stage.made(title, Content::Json(body), work.lineage())
}
