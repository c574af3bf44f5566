//! What the stages that ask a model share: what a turn may use, what its prompt is filled with, and what a person has said to the stage.

use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::carry::Tool;
use palimpsest::prelude::pipeline::schema::Correction;
use palimpsest::prelude::pipeline::{
    Answer, Asked, Carry, Content, NewArtifact, Output, RULES, Reserve, Run, Settings, TurnResult,
    Violation, Work, asking,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(super) use super::heard::{PERSON, evidence, heard, layout_preference, wishes};
use super::shape::{CreativeBrief, PostContent, References, Requirement};
use super::stage::{BRIEF, CONTENT, REFERENCES, REQUIREMENT, Stage};
use super::supervise;
pub(super) use palimpsest::prelude::pipeline::asking::{json_of, json_text};
pub(super) use palimpsest::prelude::pipeline::fail_step;

/// The role of the model that looks at pictures.
pub(super) const VISION: &str = "vision";

/// Characters of the texts of files that a prompt shows: a post of 350 characters cannot use much more.
pub(super) const SOURCE_CHARS_MAX: usize = 12_000;
/// Tokens of a prompt: eight results of research at 1,500 characters and 0.7 tokens a character, the same amount of text from files, a post
/// of 1,000 characters with its plan, the last four pictures, as models that accept pictures count them, and the instructions.
pub(super) const INPUT_TOKENS: u64 = 24_000;

// The limits that follow are the most that the schemas of the answers allow, at 0.7 tokens a character and with the names of their fields.
// The code that asks a model which reasons allows more.

/// Tokens of a brief: some 1,500 characters.
pub(super) const BRIEF_TOKENS: u32 = 1_500;
/// Tokens of a call with evidence: eight facts with their quotes, 600 characters each; most have a fourth of that.
pub(super) const EVIDENCE_TOKENS: u32 = 3_000;
/// Tokens of what a picture shows: some 900 characters.
pub(super) const REFERENCE_TOKENS: u32 = 1_200;
/// Tokens of a text: 500 characters, a title and six tags.
pub(super) const WRITER_TOKENS: u32 = 600;
/// Tokens of a layout: four pictures of six blocks, some 1,700 characters.
pub(super) const LAYOUT_TOKENS: u32 = 1_800;
/// Tokens of a plan: four pictures with their prompts, paragraphs and words, some 1,700 characters.
pub(super) const PLAN_TOKENS: u32 = 2_000;
/// Tokens of a review: sixteen lines and four prompts, some 1,900 characters.
pub(super) const REVIEW_TOKENS: u32 = 1_800;

/// The most that a look at pictures may use.
pub(super) fn reserve_look(run: &Run, tokens: u32) -> Reserve {
    let model = run.settings.model_of(VISION);
    asking::reserve_for(&run.settings, model, INPUT_TOKENS, tokens)
}

/// The most that making a picture may use, where a provider makes it.
pub(super) fn reserve_image(settings: &Settings) -> Reserve {
    if settings.ports.images {
        asking::reserve_picture(settings)
    } else {
        Reserve::default()
    }
}

/// The most that a turn of a review may use: it is about the text, or a look at the pictures.
pub(super) fn reserve_review(run: &Run) -> Reserve {
    let text = asking::reserve_question(&run.settings, "reviewer", INPUT_TOKENS, REVIEW_TOKENS);
    let look = reserve_look(run, REVIEW_TOKENS);
    if text.cost_micros > look.cost_micros {
        text
    } else {
        look
    }
}

/// What is wanted, as the first stage understood it.
pub(super) fn requirement(work: &Work) -> Option<Requirement> {
    part(work, REQUIREMENT)
}

/// An earlier artifact that a stage can do without.
pub(super) fn part<T: DeserializeOwned>(work: &Work, kind: &str) -> Option<T> {
    T::deserialize(work.body(kind)?).ok()
}

/// What the post is to achieve; nothing in fast mode.
pub(super) fn creative_brief(work: &Work) -> Option<CreativeBrief> {
    part(work, BRIEF)
}

pub(super) fn references(work: &Work) -> Option<References> {
    part(work, REFERENCES)
}

/// In a prompt: exactly this number of pictures, or at most so many.
pub(super) fn so_many(usually: &str, most: usize, count: Option<usize>) -> String {
    count.map_or_else(
        || format!("{usually} {most}"),
        |count| format!("exactly {count}"),
    )
}

/// What is wrong with a list that has not as many entries as pictures are wanted.
pub(super) fn other_count(path: &str, entries: usize, count: Option<usize>) -> Option<Violation> {
    let count = count.filter(|count| *count != entries)?;
    let says =
        format!("has {entries} entries: the person wants {count} pictures, no more and no fewer");
    Some(Violation::new(path, says))
}

/// What every prompt is filled with; a stage adds its own.
pub(super) fn vars(work: &Work, more: Value) -> Value {
    let answers = heard(work).into_iter();
    let answers = answers.map(|heard| json!({ "selected": heard.selected, "said": heard.said }));
    let asked = work.asked.iter().map(|asked| {
        let Asked { question, answer } = asked;
        json!({ "question": question, "selected": answer["selected"], "said": answer["customInput"] })
    });
    let mut vars = Map::from_iter([
        ("answers".to_owned(), answers.collect()),
        ("asked".to_owned(), asked.collect()),
        ("supervisor".to_owned(), json!(supervise::told(work))),
    ]);
    if let Value::Object(more) = more {
        vars.extend(more);
    }
    asking::prompt_vars(work, Value::Object(vars))
}

/// What the step made before the change that it is told, as a prompt shows it.
pub(super) fn previous(work: &Work, kind: &str) -> Value {
    work.previous(kind)
        .map_or(Value::Null, |input| json_text(input.body.as_ref()))
}

/// The schema of what a model is asked for: the schema of the artifact without the fields that the program fills in.
pub(super) fn wanted<T: JsonSchema>(without: &[&str]) -> Value {
    let mut schema = palimpsest::prelude::pipeline::schema::of::<T>();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !without.contains(&name.as_str()));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !without.contains(&name)));
    }
    schema
}

/// The model's answer among the turns of a stage that asks once.
pub(super) fn answer(turns: &[TurnResult]) -> Option<(&str, &Answer)> {
    turns.iter().find_map(TurnResult::answer)
}

/// What a tool gave; null where the turn was not a call of a tool.
pub(super) fn output(turn: &TurnResult) -> &Value {
    turn.output().unwrap_or(&Value::Null)
}

/// A structured answer as its type with the corrections that were made in it, or what is wrong with its form. `wanted` is the schema that
/// was sent, `without` the fields that the program fills in; `put_in` adds what was not asked for.
pub(super) fn read_wanted<T: DeserializeOwned + JsonSchema>(
    answer: &Answer,
    sent: &Value,
    without: &[&str],
    put_in: impl FnOnce(&mut Value),
) -> Result<(T, Vec<Correction>), Vec<Violation>> {
    asking::read_wanted(answer, sent, put_in, |_| wanted::<T>(without))
}

/// The beginning of the names of decisions that say what was corrected in an answer; the stage follows.
pub(super) const PUT_RIGHT: &str = "put_right:";

/// The step leaves this, with a decision that says what was corrected in the answer.
pub(super) fn corrected(work: &Work, made: Output, corrections: &[Correction]) -> Carry {
    Carry::Done([vec![made], put_right(work, corrections)].concat())
}

/// The decision that says what was corrected in an answer, if anything was.
pub(super) fn put_right(work: &Work, corrections: &[Correction]) -> Vec<Output> {
    if corrections.is_empty() {
        return vec![];
    }
    let said = corrections
        .iter()
        .map(|made| made.in_words(work.is_chinese()));
    vec![Output::Decision {
        what: format!("{PUT_RIGHT}{}", work.step.stage),
        choice: said.collect::<Vec<_>>().join("\n"),
        reason: String::new(),
        by: RULES.to_owned(),
    }]
}

pub(super) fn left(
    work: &Work,
    stage: Stage,
    title: impl Into<String>,
    body: &impl Serialize,
    facts: Value,
) -> Output {
    Output::Artifact(NewArtifact {
        facts,
        ..stage.made(title, Content::Json(json_of(body)), work.lineage())
    })
}

/// The content, which no later stage can do without.
pub(super) fn content(work: &Work) -> Result<PostContent, Box<Carry>> {
    work.read(CONTENT)
}

/// Whether a model may ask the person something while its step works.
pub(super) fn may_ask(work: &Work) -> bool {
    let unwanted = requirement(work).is_some_and(|wanted| wanted.just_generate || wanted.fast_mode);
    work.settings.attended && !unwanted
}

/// What a model is told that calls a tool that does not exist.
pub(super) fn no_tool(name: &str, tools: &[Tool]) -> String {
    let known = tools.iter().map(|tool| format!("`{}`", tool.name));
    let known: Vec<_> = known.collect();
    format!(
        "there is no tool `{name}` here; there are {}",
        known.join(", ")
    )
}

/// A line for people, in the language of the run.
pub(super) fn title(work: &Work, zh: &str, en: &str) -> String {
    if work.is_chinese() { zh } else { en }.to_owned()
}

/// The turns in the log are not the turns that this step makes.
pub(super) fn out_of_order() -> Carry {
    Carry::Fail {
        code: "turns_out_of_order".to_owned(),
        message: "the recorded turns are not those of this step: it was written by another version of the program; restart the step".to_owned(),
        retryable: false,
    }
}

/// What a stage that can do without its model leaves where no further attempt is made: a model whose answers cannot be used counts as no
/// model.
pub(super) fn or_without(work: &Work, carry: Carry, without: fn(&Work) -> Vec<Output>) -> Carry {
    if matches!(carry, Carry::Reject(_)) && is_last(work) {
        Carry::Done(without(work))
    } else {
        carry
    }
}
