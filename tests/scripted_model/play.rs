//! Chooses answers: a script together with what was counted so far.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::modes::Modes;
use crate::script::{Asked, Pace, Rule, Script};

/// A script with what was counted so far.
#[derive(Debug, Default)]
pub(crate) struct Play {
    script: Script,
    /// For each rule: how many turns fitted its `when`, the number aside.
    fitted: Vec<u64>,
    /// For each rule: how many requests fitted its `when`, the number aside, repeated ones included.
    every: Vec<u64>,
    /// For each rule: how many requests it was applied to.
    applied: Vec<u64>,
    by_schema: BTreeMap<String, u64>,
    /// For each idempotency key: the numbers its first request had.
    known: BTreeMap<String, Numbers>,
}

/// The number of a request, counted from 1: for each rule that it fits, and among the requests with its schema.
#[derive(Debug, Clone, Default)]
struct Numbers {
    rules: BTreeMap<usize, u64>,
    schema: u64,
}

/// What was chosen for a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// The rule that applies; an empty one if none does.
    pub(crate) rule: Rule,
    /// The answer that the script gives, of a sequence the one whose turn it is.
    pub(crate) answer: Option<Value>,
    pub(crate) pace: Pace,
    /// The habits of the provider.
    pub(crate) modes: Modes,
}

impl Play {
    /// Begins a script.
    pub(crate) fn of(script: Script) -> Play {
        Play {
            fitted: vec![0; script.rules.len()],
            every: vec![0; script.rules.len()],
            applied: vec![0; script.rules.len()],
            script,
            ..Play::default()
        }
    }

    /// The habits of the provider.
    pub(crate) fn modes(&self) -> &Modes {
        &self.script.modes
    }

    /// Counts the request and chooses its answer.
    pub(crate) fn choose(&mut self, asked: &Asked, key: Option<&str>) -> Choice {
        let numbers = match key.and_then(|key| self.known.get(key)) {
            Some(numbers) => numbers.clone(),
            None => {
                let numbers = self.count(asked);
                if let Some(key) = key {
                    self.known.insert(key.to_owned(), numbers.clone());
                }
                numbers
            }
        };
        for (position, rule) in self.script.rules.iter().enumerate() {
            self.every[position] += u64::from(rule.when.fits(asked));
        }
        let applies = |(position, rule): &(usize, &Rule)| {
            let number = if rule.is_fault() {
                Some(&self.every[*position])
            } else {
                numbers.rules.get(position)
            };
            rule.when.fits(asked)
                && rule.when.occurrence.is_none_or(|n| number == Some(&n))
                && rule
                    .times
                    .is_none_or(|times| self.applied[*position] < times)
        };
        let found = self.script.rules.iter().enumerate().find(applies);
        let (rule, number) = match found {
            Some((position, rule)) => {
                let rule = rule.clone();
                self.applied[position] += 1;
                (rule, numbers.rules.get(&position).copied().unwrap_or(1))
            }
            None => (Rule::default(), 1),
        };
        let of_schema = || {
            let name = asked.schema_name.as_ref()?;
            let answer = self.script.by_schema.get(name)?;
            Some(match answer {
                Value::Array(sequence) => turn(sequence, numbers.schema),
                Value::Object(_)
                | Value::String(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Number(_) => answer.clone(),
            })
        };
        let answer = rule
            .answer
            .as_ref()
            .map(|answer| in_turn(answer, number))
            .or_else(of_schema);
        let defaults = self.script.defaults;
        Choice {
            answer,
            pace: Pace {
                chunk_chars: rule.chunk_chars.or(defaults.chunk_chars),
                latency_ms: rule.latency_ms.or(defaults.latency_ms),
                chunk_delay_ms: rule.chunk_delay_ms.or(defaults.chunk_delay_ms),
            },
            modes: self.script.modes.clone(),
            rule,
        }
    }

    fn count(&mut self, asked: &Asked) -> Numbers {
        let mut numbers = Numbers::default();
        for (position, rule) in self.script.rules.iter().enumerate() {
            if rule.when.fits(asked) {
                self.fitted[position] += 1;
                numbers.rules.insert(position, self.fitted[position]);
            }
        }
        if let Some(name) = &asked.schema_name {
            let number = self.by_schema.entry(name.clone()).or_default();
            *number += 1;
            numbers.schema = *number;
        }
        numbers
    }
}

fn in_turn(answer: &Value, number: u64) -> Value {
    match answer.get("$sequence").and_then(Value::as_array) {
        Some(sequence) => turn(sequence, number),
        None => answer.clone(),
    }
}

/// The nth answer of a sequence, counted from 1; the last one for all higher numbers.
fn turn(sequence: &[Value], number: u64) -> Value {
    let position = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let last = sequence.len().saturating_sub(1);
    sequence
        .get(position.min(last))
        .cloned()
        .unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(schema: &str, user: &str) -> Asked {
        let body = json!({
            "model": "m", "messages": [{"role": "system", "content": "you write"}, {"role": "user", "content": user}],
            "response_format": {"type": "json_schema", "json_schema": {"name": schema, "schema": {}}}
        });
        Asked::of(&body, format!("hash of {user}"))
    }

    fn play(script: Value) -> Play {
        Play::of(serde_json::from_value(script).unwrap())
    }

    #[test]
    fn the_first_rule_that_fits_applies() {
        let mut play = play(json!({"rules": [
            {"when": {"system_contains": "write", "user_contains": ["a", "b"]}, "answer": 1},
            {"when": {"schema": "s"}, "answer": 2},
            {"when": {"hash": "hash of z"}, "answer": 3}
        ]}));
        assert_eq!(play.choose(&asked("t", "ab"), None).answer, Some(json!(1)));
        assert_eq!(play.choose(&asked("s", "a"), None).answer, Some(json!(2)));
        assert_eq!(play.choose(&asked("t", "z"), None).answer, Some(json!(3)));
        assert_eq!(play.choose(&asked("t", "a"), None).answer, None);
    }

    #[test]
    fn occurrences_and_times_bound_a_rule() {
        let mut play = play(json!({"rules": [
            {"when": {"schema": "s", "occurrence": 2}, "status": 500},
            {"when": {"schema": "s"}, "times": 1, "status": 429}
        ]}));
        let statuses: Vec<_> = (0..3)
            .map(|_| play.choose(&asked("s", "x"), None).rule.status)
            .collect();
        assert_eq!(statuses, [Some(429), Some(500), None]);
    }

    #[test]
    fn sequences_end_in_their_last_and_a_known_key_keeps_its_turn() {
        let mut play = play(
            json!({"rules": [{"when": {"schema": "s"}, "answer": {"$sequence": ["a", "b"]}}],
            "by_schema": {"t": ["c", "d"]}}),
        );
        let mut answer =
            |schema: &str, key: &str| play.choose(&asked(schema, "x"), Some(key)).answer.unwrap();
        assert_eq!(
            [
                answer("s", "1"),
                answer("s", "1"),
                answer("s", "2"),
                answer("s", "3")
            ],
            ["a", "a", "b", "b"]
        );
        assert_eq!(
            [
                answer("t", "4"),
                answer("t", "5"),
                answer("t", "4"),
                answer("t", "6")
            ],
            ["c", "d", "c", "d"]
        );
        assert_eq!(answer("s", "1"), "a");
    }

    #[test]
    fn a_fault_is_over_when_its_request_is_repeated() {
        let mut play =
            play(json!({"rules": [{"when": {"schema": "s", "occurrence": 1}, "status": 500}]}));
        let statuses: Vec<_> = (0..2)
            .map(|_| play.choose(&asked("s", "x"), Some("k")).rule.status)
            .collect();
        assert_eq!(statuses, [Some(500), None]);
    }

    #[test]
    fn a_misspelt_script_is_refused() {
        assert!(
            serde_json::from_value::<Script>(json!({"rules": [{"when": {"scheme": "s"}}]}))
                .is_err()
        );
    }
}
