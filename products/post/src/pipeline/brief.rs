//! What the post is to achieve, out of the message and what was answered about it.

use palimpsest::prelude::pipeline::{
    Carry, ModelTurn, OFFLINE, TurnResult, Violation, Work, asking,
};
use serde_json::{Value, json};

use super::shape::CreativeBrief;
use super::stage::{BRIEF, Stage};
use super::{ask, wanted};

/// A phrase in both languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phrase {
    pub(crate) zh: &'static str,
    pub(crate) en: &'static str,
}

impl Phrase {
    /// The phrase in the language of the run.
    pub(crate) fn of(self, work: &Work) -> &'static str {
        if work.is_chinese() { self.zh } else { self.en }
    }
}

/// The subject of a post whose message names none.
pub(crate) const NOT_SAID: Phrase = Phrase {
    zh: "未指定",
    en: "not said",
};
/// The readers of a post whose message names none, as the contract has them.
pub(crate) const AUDIENCE: Phrase = Phrase {
    zh: "小红书用户",
    en: "readers of this network",
};
/// The goal of a post whose message names none, as the contract has it.
pub(crate) const GOAL: Phrase = Phrase {
    zh: "提升互动",
    en: "more interaction",
};

/// Constraints of a brief, and keywords: what the contract allows.
pub(crate) const CONSTRAINTS_MAX: usize = 3;
pub(crate) const KEYWORDS_MAX: usize = 5;
/// The most key points, and the most expressions to avoid: with more, it would not be a brief.
pub(crate) const POINTS_MAX: usize = 8;
/// Characters of one entry: a sentence.
pub(super) const ENTRY_CHARS_MAX: usize = 200;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let schema = wanted::brief(work);
    let Some((model, answer)) = ask::answer(turns) else {
        return Carry::from(question(work, schema));
    };
    let read = ask::read_wanted(answer, &schema, &["offline"], |_| ());
    let (brief, corrections): (CreativeBrief, _) = match read {
        Ok(read) => read,
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
    let made = ask::left(work, Stage::Brief, brief.topic.clone(), &brief, facts);
    ask::corrected(work, made, &corrections)
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

/// A brief in which the contract's words fill what the model left open.
fn filled(work: &Work, brief: CreativeBrief) -> CreativeBrief {
    let or = |said: String, phrase: Phrase| match said.trim() {
        "" => phrase.of(work).to_owned(),
        said => said.to_owned(),
    };
    CreativeBrief {
        topic: or(brief.topic, NOT_SAID),
        audience: or(brief.audience, AUDIENCE),
        goal: or(brief.goal, GOAL),
        ..brief
    }
}

fn question(work: &Work, schema: Value) -> ModelTurn {
    let requirement = ask::requirement(work);
    let vars = json!({
        "requirement": ask::json_text(&requirement),
        "previous": ask::previous(work, BRIEF),
        "sources": asking::shown_sources(work, ask::SOURCE_CHARS_MAX),
    });
    let turn = Stage::Brief.turn(ask::vars(work, vars));
    turn.structured("creative_brief", schema)
}
