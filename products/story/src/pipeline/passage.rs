//! A passage that a person selected is rewritten, continued, or rewritten in several variants. The chapter is not changed here: a person
//! decides whether to use the result.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, NewArtifact, TurnResult, Violation, Work, fail_step, read_structured,
};
use serde_json::{Value, json};

use super::ask::{Asked, PROSE_TOKENS, WRITER};
use super::shape::{Input, Outcome};
use super::stage::PASSAGE;
use crate::readings::passage::{
    PassageResult, PassageSelection, PassageTask, SelectedPassage, VARIANTS, wish,
};
use crate::readings::routing::{Agent, Intent};

/// The tool that reads a passage.
const READ: &str = "storyPassage";

/// In the data of an outcome: what was made of a passage, with its place.
pub(crate) const DATA: &str = "passage";

/// The characters of a passage that are used to search the story and to recognise people.
const SEARCHED_CHARS: usize = 1_000;

/// The length in characters from which a passage that also begins its own continuation counts as repeated, and not as the same by chance.
const ECHO_CHARS_MIN: usize = 12;

/// The call that reads a passage.
pub(super) fn call(work: &Work, input: &Input, selection: &PassageSelection) -> Carry {
    let asked = json!({
        "project": input.project,
        "selection": selection,
        "chapter": input.chapter,
        "wish": wish(&work.brief, selection.task),
    });
    Carry::tool(READ, asked)
}

/// The passage that the tool gave, as it is left for the later stages; the step fails with what the tool says is wrong.
pub(super) fn taken(turn: &Value) -> Result<NewArtifact, Box<Carry>> {
    if let Some(error) = turn["error"].as_str() {
        let code = turn["code"].as_str().unwrap_or("bad_selection");
        return Err(Box::new(fail_step(code, error)));
    }
    let title = turn["chapterId"].as_str().unwrap_or_default();
    Ok(NewArtifact {
        shown: false,
        ..NewArtifact::new(
            PASSAGE,
            "art_passage_",
            title,
            Content::Json(turn.clone()),
            vec![],
        )
    })
}

/// What the tool gave: the second output of the step, after the one about the project.
pub(super) fn answer(turns: &[TurnResult]) -> Option<&Value> {
    turns.iter().filter_map(TurnResult::output).nth(1)
}

/// Why a message with a selection does not go where it says.
pub(super) fn not_prose(intent: Intent) -> Carry {
    let message = format!(
        "a selected passage is rewritten, gone on with or given in variants, and the message asks for {}; send it without a selection",
        intent.as_str()
    );
    fail_step("bad_input", message)
}

/// The passage of the run, where the message is about one.
pub(super) fn of(work: &Work) -> Option<SelectedPassage> {
    work.read(PASSAGE).ok()
}

/// The message with the passage that it is about, as the query with which the story is searched.
pub(super) fn searched(work: &Work) -> String {
    match of(work) {
        Some(passage) => {
            let text: String = passage.text.chars().take(SEARCHED_CHARS).collect();
            format!("{}\n\n{text}", work.brief)
        }
        None => work.brief.clone(),
    }
}

/// How the writer is asked. The offline author writes no prose, so it is not asked for variants.
pub(super) fn asked(task: PassageTask, is_offline: bool) -> Asked {
    let (prompt, schema) = match task {
        PassageTask::Variants if !is_offline => ("story/variants", Some(("variants", schema()))),
        PassageTask::Variants | PassageTask::Rewrite | PassageTask::Continue => {
            ("story/passage", None)
        }
    };
    Asked {
        role: WRITER,
        prompt,
        tokens: PROSE_TOKENS,
        schema,
    }
}

fn schema() -> Value {
    let text = json!({ "type": "string" });
    let variant = json!({ "type": "object", "properties": { "text": text }, "required": ["text"] });
    json!({
        "type": "object",
        "properties": {
            "variants": {
                "type": "array", "items": variant, "minItems": VARIANTS, "maxItems": VARIANTS,
            },
        },
        "required": ["variants"],
    })
}

/// What an agent made of a passage, if it worked on one.
pub(super) fn result(outcome: &Outcome) -> Option<PassageResult> {
    serde_json::from_value(outcome.data.get(DATA)?.clone()).ok()
}

/// What the prompt shows of the passage.
pub(super) fn shown(passage: &SelectedPassage) -> Value {
    json!({
        "text": passage.text,
        "before": passage.before,
        "after": passage.after,
        "continues": passage.wish.continues,
    })
}

/// The outcome that an answer gives, or what is wrong with it.
pub(super) fn outcome(
    work: &Work,
    passage: &SelectedPassage,
    answer: &Answer,
) -> Result<Outcome, Vec<Violation>> {
    let place = PassageResult::of(passage);
    if work.settings.ports.is_offline() {
        // What the offline author says is for the person, and is never put into the chapter.
        let text = super::act::prose(answer)?;
        return Ok(made(text, place));
    }
    if passage.wish.task == PassageTask::Variants {
        let texts = variants(passage, answer)?;
        let numbered = texts.iter().zip(1..);
        let page: Vec<String> = numbered
            .map(|(text, number)| format!("## {number}\n\n{text}\n"))
            .collect();
        return Ok(made(page.join("\n"), place.with_variants(passage, &texts)));
    }
    let text = super::act::prose(answer)?;
    let found = wrong(passage, &text);
    if let Some(message) = found {
        return Err(vec![Violation::new("", message)]);
    }
    let place = place.with_text(passage, &text);
    Ok(made(text, place))
}

fn made(text: String, place: PassageResult) -> Outcome {
    Outcome {
        agent: Agent::Writer,
        text,
        data: json!({ DATA: json_of(&place) }),
        remarks: vec![],
    }
}

/// The variants of an answer, all of them different.
fn variants(passage: &SelectedPassage, answer: &Answer) -> Result<Vec<String>, Vec<Violation>> {
    let said: Value = read_structured(answer, &schema())?;
    let said = said["variants"].as_array().into_iter().flatten();
    let texts: Vec<String> = said
        .filter_map(|variant| variant["text"].as_str())
        .map(|text| text.trim().to_owned())
        .collect();
    let mut known = BTreeSet::new();
    let mut found = vec![];
    for (text, place) in texts.iter().zip(0..) {
        let path = format!("/variants/{place}/text");
        if text.is_empty() {
            found.push(Violation::new(path, "is blank"));
        } else if let Some(message) = wrong(passage, text) {
            found.push(Violation::new(path, message));
        } else if !known.insert(bare(text)) {
            let message = "is the same as a variant before it: each is to be another text";
            found.push(Violation::new(path, message));
        }
    }
    if found.is_empty() {
        Ok(texts)
    } else {
        Err(found)
    }
}

/// What is wrong with a text, compared with the passage.
fn wrong(passage: &SelectedPassage, text: &str) -> Option<&'static str> {
    let (text, was) = (bare(text), bare(&passage.text));
    if passage.wish.continues {
        let is_echo = text.starts_with(&was) && was.chars().count() >= ECHO_CHARS_MIN;
        return is_echo.then_some(
            "begins with the passage itself: answer with what comes behind it, and with nothing else",
        );
    }
    (text == was).then_some("is the passage as it was: write another text in its place")
}

/// A text without white space, so that two texts are compared only by their words.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
