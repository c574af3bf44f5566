//! Random programs: what a run of the pipeline `program` is to do, and what it has to come to.
//!
//! A program is the input of its run, so that one pipeline carries out all of them. Its result is a digest of everything that
//! was asked, answered and seen on the way: a run that skips a step, takes an answer of another turn, or works from something
//! that is no longer so ends with another result.

use std::collections::BTreeMap;

use domain::StepId;
use domain::hash::Sha256;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rng::Rng;

/// The stages that a program may have, by their place; the name of a stage is also the kind of what it makes.
pub const STAGES: [&str; STAGES_MAX] = ["s0", "s1", "s2", "s3", "s4"];

/// The names of the gates that may stand in the place of a stage.
pub const GATES: [&str; STAGES_MAX] = ["g0", "g1", "g2", "g3", "g4"];

/// The stage that puts everything together, without a turn.
pub const SUM: &str = "sum";

/// The most stages of a program: enough for work before, between and after two gates.
pub const STAGES_MAX: usize = 5;

/// The choice of a gate that nobody answers.
pub const DEFAULT_CHOICE: &str = "default";

/// Digits of a digest: enough that two of a run are never the same by chance, and short to read.
const DIGEST_DIGITS: usize = 12;

/// What a run is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Two runs with the same stages ask different questions.
    pub name: String,
    pub stages: Vec<Stage>,
}

/// One stage, or a gate in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Stage {
    Work {
        items: u32,
        width: u32,
        turns: Vec<Turn>,
        /// How many attempts of each item are rejected before one counts.
        rejected: u32,
    },
    Gate {
        /// How long it stays open; for ever where absent.
        seconds: Option<u32>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    Model,
    Tool,
}

impl Program {
    /// Any program.
    pub fn random(name: String, rng: &mut Rng) -> Self {
        let mut stages: Vec<Stage> = vec![];
        for _ in 0..rng.between(1, STAGES_MAX as u64) {
            let gates = stages.iter().filter(|it| matches!(it, Stage::Gate { .. }));
            let stage = if gates.count() < 2 && rng.chance(250) {
                let seconds = rng.chance(700).then(|| small(rng.between(1, 5)));
                Stage::Gate { seconds }
            } else {
                Stage::Work {
                    items: small(rng.between(1, 4)),
                    width: small(rng.between(1, 3)),
                    turns: (0..rng.between(1, 3))
                        .map(|_| {
                            if rng.chance(750) {
                                Turn::Model
                            } else {
                                Turn::Tool
                            }
                        })
                        .collect(),
                    rejected: small(rng.below(6).saturating_sub(4)),
                }
            };
            stages.push(stage);
        }
        Self { name, stages }
    }

    /// Any program that asks no person: answers of a session hold for its later runs as well.
    pub fn without_gates(name: String, rng: &mut Rng) -> Self {
        let mut program = Self::random(name, rng);
        program.stages.retain(|it| matches!(it, Stage::Work { .. }));
        program
    }

    /// A program with so many calls of a model, at least four: two at the beginning, two at the end, and the others side by side.
    pub fn of_calls(name: String, calls: u32) -> Self {
        let work = |items, turns| Stage::Work {
            items,
            width: items,
            turns: vec![Turn::Model; turns],
            rejected: 0,
        };
        let between = calls.saturating_sub(4);
        let mut stages = vec![work(1, 2)];
        if between > 1 {
            stages.push(work(between / 2, 2));
        }
        if between % 2 == 1 {
            stages.push(work(1, 1));
        }
        stages.push(work(1, 2));
        Self { name, stages }
    }

    /// From the input of a run.
    pub fn read(input: &Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(input)
    }

    pub fn input(&self) -> Value {
        json!(self)
    }

    /// How many turns of models a run pays for when everything goes well.
    pub fn paid_turns(&self) -> usize {
        let of_stage = |stage: &Stage| match stage {
            Stage::Gate { .. } => 0,
            Stage::Work {
                items,
                turns,
                rejected,
                ..
            } => {
                let asked = turns.iter().filter(|turn| **turn == Turn::Model).count();
                asked * *items as usize * (1 + *rejected as usize)
            }
        };
        self.stages.iter().map(of_stage).sum()
    }

    /// What the run has to come to, given what was chosen at its gates.
    pub fn result(&self, choices: &BTreeMap<String, String>) -> String {
        let mut seen: Vec<String> = vec![];
        for (place, stage) in self.stages.iter().enumerate() {
            match stage {
                Stage::Gate { .. } => {
                    let chosen = choices.get(GATES[place]).map_or("", String::as_str);
                    seen.push(chosen.to_owned());
                }
                Stage::Work { items, turns, .. } => {
                    let known = self.seen(&seen);
                    let made = (1..=*items).map(|item| {
                        let item = item.to_string();
                        let mut said = vec![];
                        for turn in turns {
                            let asked = question(STAGES[place], &item, &known, &said);
                            said.push(match turn {
                                Turn::Model => asked,
                                Turn::Tool => weighed(&asked),
                            });
                        }
                        made(STAGES[place], &item, &said)
                    });
                    let made: Vec<String> = made.collect();
                    seen.extend(made);
                }
            }
        }
        made(SUM, "", &[self.seen(&seen)])
    }

    /// What a step is told of everything that was made and chosen before.
    pub fn seen(&self, before: &[String]) -> String {
        let name = std::iter::once(self.name.as_str());
        digest(name.chain(before.iter().map(String::as_str)))
    }
}

/// What is asked in a turn, after what was said in the turns before. A model says it back.
pub fn question(stage: &str, item: &str, seen: &str, said: &[String]) -> String {
    let before = digest(said.iter().map(String::as_str));
    format!("{stage}/{item}/{}/{seen}/{before}", said.len())
}

/// What the tool gives.
pub fn weighed(asked: &str) -> String {
    digest(["weighed", asked])
}

/// What a step makes of what was said in it.
pub fn made(stage: &str, item: &str, said: &[String]) -> String {
    digest(
        [stage, item]
            .into_iter()
            .chain(said.iter().map(String::as_str)),
    )
}

/// The key under which a turn is paid. It is part of what providers are sent, so it belongs to the interface.
pub fn key(owner: &str, session: &str, step: &StepId, attempt: u32, turn: u32) -> String {
    let (step, attempt, turn) = (step.text(), attempt.to_string(), turn.to_string());
    let parts = [owner, session, &step, &attempt, &turn];
    Sha256::of_parts(parts.map(str::as_bytes)).to_string()
}

fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::of_parts(parts.into_iter().map(str::as_bytes)).to_string();
    hash.truncate(DIGEST_DIGITS);
    hash
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_calls_that_it_is_to_have_and_is_read_again() {
        for calls in 4..15 {
            let program = Program::of_calls("p".to_owned(), calls);
            assert_eq!(program.paid_turns(), calls as usize);
            assert_eq!(Program::read(&program.input()).unwrap(), program);
        }
    }

    #[test]
    fn the_result_depends_on_the_stages_the_choices_and_the_name() {
        let mut rng = Rng::new(7);
        let stages = vec![Stage::Gate { seconds: None }];
        let gate = Program {
            name: "a".to_owned(),
            stages,
        };
        let chosen = |choice: &str| [(GATES[0].to_owned(), choice.to_owned())].into();
        assert_ne!(gate.result(&chosen("left")), gate.result(&chosen("right")));
        let mut results: Vec<String> = (0..100)
            .map(|number| Program::random(number.to_string(), &mut rng).result(&BTreeMap::new()))
            .collect();
        results.sort();
        results.dedup();
        assert_eq!(results.len(), 100);
    }
}
