//! What the post is to achieve, out of the message and what was answered about it.

use serde_json::{Value, json};

use super::ask::{self, ANSWER_TOKENS, BRIEFER, OFFLINE};
use super::offline;
use super::shape::CreativeBrief;
use super::stage::{BRIEF, Stage};
use crate::carry::{Carry, ModelTurn, Offline, TurnResult, Work};
use crate::event::Violation;

/// What the contract allows.
pub(super) const CONSTRAINTS_MAX: usize = 3;
pub(super) const KEYWORDS_MAX: usize = 5;
/// Key points and expressions to avoid: more are no brief.
pub(super) const POINTS_MAX: usize = 8;
/// Characters of one entry: a sentence.
const ENTRY_CHARS_MAX: usize = 200;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let schema = ask::wanted::<CreativeBrief>(&["offline"]);
    let Some((model, answer)) = ask::answer(turns) else {
        return Carry::Model(Box::new(question(work, schema)));
    };
    let brief: CreativeBrief = match ask::read(answer, &schema) {
        Ok(brief) => brief,
        Err(found) => return Carry::Reject(found),
    };
    let found = check(&brief);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    let brief = CreativeBrief {
        offline: model == OFFLINE,
        ..filled(work, brief)
    };
    let facts = json!({ "keywords": brief.keywords.len(), "key_points": brief.key_points.len() });
    ask::done(work, Stage::Brief, brief.topic.clone(), &brief, facts)
}

fn check(brief: &CreativeBrief) -> Vec<Violation> {
    let lists = [
        ("constraints", &brief.constraints, CONSTRAINTS_MAX),
        ("keywords", &brief.keywords, KEYWORDS_MAX),
        ("keyPoints", &brief.key_points, POINTS_MAX),
        ("bannedExpressions", &brief.banned_expressions, POINTS_MAX),
    ];
    let mut found = vec![];
    for (name, entries, most) in lists {
        if entries.len() > most {
            let says = format!(
                "{name} has {} entries, at most {most} are used: merge or drop some",
                entries.len()
            );
            found.push(Violation::new(format!("/{name}"), says));
        }
        for (place, entry) in entries.iter().enumerate() {
            let path = format!("/{name}/{place}");
            if entry.trim().is_empty() {
                found.push(Violation::new(path, "is empty: write it or leave it out"));
            } else if entry.chars().count() > ENTRY_CHARS_MAX {
                let says = format!("is longer than {ENTRY_CHARS_MAX} characters: say it shorter");
                found.push(Violation::new(path, says));
            }
        }
    }
    found
}

/// The contract's words where the model left something open.
fn filled(work: &Work, brief: CreativeBrief) -> CreativeBrief {
    let zh = work.is_chinese();
    let or = |said: String, zh_words: &str, en_words: &str| {
        let words = if zh { zh_words } else { en_words };
        if said.trim().is_empty() {
            words.to_owned()
        } else {
            said.trim().to_owned()
        }
    };
    CreativeBrief {
        topic: or(brief.topic, "未指定", "not said"),
        audience: or(brief.audience, offline::AUDIENCE.zh, offline::AUDIENCE.en),
        goal: or(brief.goal, offline::GOAL.zh, offline::GOAL.en),
        ..brief
    }
}

fn question(work: &Work, schema: Value) -> ModelTurn {
    let requirement = ask::requirement(work);
    let vars = json!({
        "requirement": ask::text(&requirement),
        "previous": ask::previous(work, BRIEF),
    });
    ModelTurn {
        role: BRIEFER,
        prompt: "post/brief",
        vars: ask::vars(work, vars),
        schema: Some(("creative_brief", schema)),
        max_output_tokens: ANSWER_TOKENS,
        tools: vec![],
        talk: vec![],
        pictures: vec![],
        offline: Offline::Answers(offline::brief),
    }
}
