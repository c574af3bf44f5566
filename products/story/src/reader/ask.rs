//! A model reads a chapter, range by range, and says what facts it contains. Here only the form of an answer is checked; the tool that
//! turns answers into facts compares them with the text. An answer that cannot be read is asked for once more, and after that its range is
//! left to the rules.

use palimpsest::prelude::pipeline::asking::{json_of, read_wanted};
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, NewArtifact, Output, RULES, Reserve, Run, StageSpec, StepState,
    TurnResult, Violation, Work, fail_step, prompt_vars,
};
use serde_json::{Value, json};

use super::{BYTES, SAID, UNREAD, VERSIONS};
use crate::readings::extract::{OVERLAP_CHARS, RANGE_CHARS, SaidFacts};

/// The stage in which a model reads.
pub(super) const ASK: &str = "ask_model";

/// The tool that gives a chapter in ranges, with the names of the bible.
const RANGES: &str = "storyChapter";

/// Tokens of one question: a range of ten thousand characters and the names at a token a character, and what stands around them.
const INPUT_TOKENS: u64 = 22_000;

/// Tokens of one answer: some hundred and twenty facts with their sentences.
const OUTPUT_TOKENS: u32 = 8_192;

/// The most answers about one chapter that are asked for once more. A model that gives more unreadable answers gives no readable ones.
const REPEATS_MAX: usize = 4;

/// How often a model is tried for a chapter: after that, rules read what is missing.
const ATTEMPTS: u32 = 2;

pub(super) const ASKING: StageSpec = StageSpec::new(ASK, ["模型阅读", "Reading by a model"], carry)
    .makes(&[SAID])
    .sees(&[UNREAD])
    .asks("reader", "reader/chapter", INPUT_TOKENS, OUTPUT_TOKENS)
    .attempts(ATTEMPTS)
    .optional();

/// How many ranges a chapter of this number of bytes can have: each range begins at least half a range, less the overlap, after the one
/// before it.
fn ranges_max(bytes: u64) -> u64 {
    bytes.div_ceil((RANGE_CHARS / 2 - OVERLAP_CHARS) as u64)
}

/// Whether a model reads this chapter: the model has already begun to, or the rest of the budget is enough for all questions about this
/// chapter and about the chapters that are read at the same time. A run whose budget is used up would end before rules have read anything.
pub(super) fn is_asked(run: &Run, chapter: &str) -> bool {
    let step = run.step(ASK, chapter);
    if step.is_some_and(|step| matches!(step.state, StepState::Open | StepState::Succeeded)) {
        return true;
    }
    let facts = run.facts(UNREAD);
    let bytes = facts.and_then(|facts| facts[BYTES][chapter].as_u64());
    let questions = ranges_max(bytes.unwrap_or(0)) + REPEATS_MAX as u64;
    let times = questions * u64::from(run.settings.width.max(1));
    let one = ASKING
        .asks
        .map_or_else(Reserve::default, |asks| asks.reserve(&run.settings));
    run.can_afford(Reserve {
        calls: one.calls * times,
        tokens: one.tokens * times,
        cost_micros: one.cost_micros * times,
    })
}

/// The version of a chapter that the run has found unread.
pub(super) fn version(work: &Work) -> Value {
    let unread = work.body(UNREAD).cloned().unwrap_or_default();
    unread[VERSIONS][work.step.item.as_str()].clone()
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let chapter = work.step.item.as_str();
    let Some(found) = turns.iter().find_map(TurnResult::output) else {
        let stream = &work.input["stream"];
        let asked = json!({ "stream": stream, "chapter": chapter, "version": version(work) });
        return Carry::tool(RANGES, asked);
    };
    if let Some(error) = found["error"].as_str() {
        return fail_step("not_read", error);
    }
    let Some(ranges) = found["ranges"].as_array() else {
        return put_off(chapter);
    };
    let schema = schemars::schema_for!(SaidFacts).to_value();
    let mut answers = turns.iter().filter_map(TurnResult::answer);
    let (mut by, mut said, mut unread, mut repeats) = (None, vec![], 0, 0);
    for (range, part) in ranges.iter().zip(1..) {
        let mut wrong = vec![];
        loop {
            let question = question(work, found, range, (part, ranges.len()), &wrong);
            let Some((model, answer)) = answers.next() else {
                return ASKING.turn(question).structured("facts", schema).into();
            };
            match of_answer(answer, &schema) {
                Ok(facts) => {
                    by = Some(model);
                    said.push(facts);
                    break;
                }
                Err(violations) if wrong.is_empty() && repeats < REPEATS_MAX => {
                    repeats += 1;
                    wrong = violations;
                }
                Err(_) => {
                    unread += 1;
                    break;
                }
            }
        }
    }
    let body = json!({
        "chapter": chapter, "version": found["version"], "by": by,
        "parts": ranges.len(), "unread": unread, "said": json_of(&said),
    });
    Carry::from(NewArtifact {
        shown: false,
        part: chapter.to_owned(),
        ..NewArtifact::new(SAID, "art_said_", chapter, Content::Json(body), vec![])
    })
}

fn of_answer(answer: &Answer, schema: &Value) -> Result<SaidFacts, Vec<Violation>> {
    let read = read_wanted(answer, schema, |_| {}, |_| schema.clone());
    read.map(|(said, _)| said)
}

/// What the prompt about a range is filled with.
fn question(
    work: &Work,
    found: &Value,
    range: &Value,
    (part, parts): (usize, usize),
    wrong: &[Violation],
) -> Value {
    let more = json!({
        "language": found["language"],
        "bible": found["bible"],
        "bible_left_out": found["bibleLeftOut"],
        "title": found["title"],
        "passage": range,
        "part": part,
        "parts": parts,
        "violations": wrong,
    });
    prompt_vars(work, more)
}

/// A newer version of the chapter was accepted, or the chapter was removed; the run that this change started reads it.
fn put_off(chapter: &str) -> Carry {
    Carry::Done(vec![Output::Decision {
        what: format!("read:{chapter}"),
        choice: "put_off".to_owned(),
        reason: "another version was accepted meanwhile, which the next run reads".to_owned(),
        by: RULES.to_owned(),
    }])
}
