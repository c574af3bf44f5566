//! What stands around digits: signs, brackets, scales, currencies, units, and the other end of a range.

use std::ops::Range;

use super::run::{DigitRun, Whole, all_runs};
use super::signs::{WORDS, Where, Word};
use super::{Candidate, Draft, Measure};
use crate::numerals::{Value, is_ending, numerals_of};
use crate::tokens::{Shape, Token, tokens};

/// A number before anything around it is looked at.
#[derive(Clone, Debug)]
struct Core {
    /// Tokens.
    first: usize,
    end: usize,
    candidates: Vec<Candidate>,
    is_padded: bool,
    is_in_word: bool,
}

/// A text with its numbers.
pub(super) struct Around<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    cores: Vec<Core>,
    is_cell: bool,
}

/// What stands on one side of a number.
#[derive(Default)]
struct Side {
    /// The token at which it ends, seen from the number.
    at: usize,
    has_minus: bool,
    has_bracket: bool,
    exponent: i32,
    unit: Option<(Measure, Range<usize>)>,
}

impl<'a> Around<'a> {
    /// The numbers of a text; of a cell also those in words, which in prose may be words of another language.
    pub(super) fn of(text: &'a str, is_cell: bool) -> Self {
        /// Marks of the direction of writing, which say nothing.
        const UNSEEN: [&str; 5] = ["\u{200e}", "\u{200f}", "\u{61c}", "\u{2066}", "\u{2069}"];
        let mut tokens = tokens(text);
        tokens.retain(|token| !UNSEEN.contains(&token.text.as_str()));
        let runs = all_runs(text).into_iter();
        let mut cores: Vec<Core> = runs
            .filter_map(|(run, is_in_word)| of_run(&tokens, &run, is_in_word))
            .collect();
        let digits = cores.len();
        let found = if is_cell {
            numerals_of(&tokens)
        } else {
            vec![]
        };
        for found in found {
            // 百 in 百分之三十 is no number.
            let is_inner = WORDS
                .longest(&tokens, found.first)
                .is_some_and(|(length, words)| {
                    words.contains(&Word::Percent) && found.first + length > found.end
                });
            let is_free = |core: &Core| core.end <= found.first || core.first >= found.end;
            // What follows digits is a scale or a unit of theirs.
            let is_behind = |core: &Core| {
                let scale = WORDS.longest(&tokens, core.end);
                let length = scale.map_or(1, |(length, _)| length);
                (core.end..core.end + length).contains(&found.first)
            };
            let is_own = cores[..digits]
                .iter()
                .all(|core| is_free(core) && !is_behind(core));
            if is_own && !is_inner && !found.is_digits() && found.value != Value::Vague {
                cores.push(Core {
                    first: found.first,
                    end: found.end,
                    candidates: vec![Candidate {
                        value: found.value,
                        digits: vec![],
                    }],
                    is_padded: false,
                    is_in_word: false,
                });
            }
        }
        cores.sort_by_key(|core| core.first);
        Self {
            text,
            tokens,
            cores,
            is_cell,
        }
    }

    /// All quantities.
    pub(super) fn drafts(&self) -> Vec<Draft> {
        let (mut drafts, mut next) = (vec![], 0);
        while next < self.cores.len() {
            let (draft, count) = self.draft(next);
            drafts.extend(draft);
            next += count;
        }
        drafts
    }

    /// The quantity of a cell that holds nothing else but its unit.
    pub(super) fn cell(&self) -> Option<Draft> {
        let (draft, count) = self.draft(0);
        let mut draft = draft.filter(|_| count == self.cores.len())?;
        let (before, behind) = (&self.text[..draft.span.start], &self.text[draft.span.end..]);
        let behind_end = behind
            .trim_end_matches(['*', '†', '+', '.', ' ', '\u{a0}'])
            .len();
        let rest = behind[..behind_end].trim();
        if before.contains(char::is_alphanumeric) || rest.contains(char::is_numeric) {
            return None;
        }
        if rest.is_empty() {
            return Some(draft);
        }
        /// Characters of the longest unit; more is a sentence.
        const UNIT_MAX: usize = 24;
        let is_unit = !rest.starts_with(['-', '(', '*', '^', ':', ',', ';', '=']);
        if !is_unit || rest.chars().count() > UNIT_MAX {
            return None;
        }
        // A unit of several words, or one such as `€/t`.
        let end = draft.span.end + behind_end;
        let is_behind = draft.unit.is_some() && draft.unit_span.end == draft.span.end;
        let begin = if is_behind {
            draft.unit_span.start
        } else {
            draft.span.end
        };
        if draft.unit.is_some() && !is_behind {
            return None;
        }
        draft.unit = Some(Measure::Other(self.text[begin..end].trim().to_owned()));
        draft.unit_span = begin..end;
        draft.span.end = end;
        Some(draft)
    }

    /// The quantity of a number, if it is one, with how many numbers belong to it.
    fn draft(&self, at: usize) -> (Option<Draft>, usize) {
        let Some(core) = self.cores.get(at) else {
            return (None, 1);
        };
        let (chain, can_be_range) = self.chain(at);
        let before = self.before(core.first);
        let behind = self.behind(core.end, before.unit.is_some());
        let is_name = core.is_in_word && before.at == core.first;
        if chain > 1 {
            let draft = (can_be_range && !is_name)
                .then(|| self.range(at, behind))
                .flatten();
            return (draft, chain);
        }
        if is_name || core.candidates.is_empty() || self.is_date(core) || self.is_ordinal(core) {
            return (None, 1);
        }
        if let Some(next) = self
            .cores
            .get(at + 1)
            .filter(|next| self.is_range(behind.at, next.first))
        {
            let is_near = !next.is_in_word && self.chain(at + 1).0 == 1;
            if let Some(draft) = is_near.then(|| self.range(at, behind)).flatten() {
                return (Some(draft), 2);
            }
            let behind = self.behind(core.end, before.unit.is_some());
            return (Some(self.joined(core, before, behind)), 1);
        }
        (Some(self.joined(core, before, behind)), 1)
    }

    fn joined(&self, core: &Core, before: Side, behind: Side) -> Draft {
        let is_negative =
            before.has_minus || behind.has_minus || before.has_bracket && behind.has_bracket;
        let candidates = core
            .candidates
            .iter()
            .map(|it| it.scaled(behind.exponent, is_negative));
        let unit = before.unit.or(behind.unit);
        // A bracket that is not closed belongs to the sentence.
        let is_open = before.has_bracket && !behind.has_bracket;
        let first = if is_open { core.first } else { before.at };
        let span = self.tokens[first].begin..self.tokens[behind.at - 1].end;
        let (unit, unit_span) = unit.map_or((None, span.end..span.end), |(unit, span)| {
            (Some(unit), span)
        });
        Draft {
            span,
            candidates: candidates.collect(),
            unit,
            unit_span,
        }
    }

    /// A range of this number and the next.
    fn range(&self, at: usize, low_behind: Side) -> Option<Draft> {
        let (low, high) = (self.cores.get(at)?, self.cores.get(at + 1)?);
        if low.is_padded || high.is_padded || self.is_date(high) || self.is_ordinal(high) {
            return None;
        }
        let before = self.before(low.first);
        let behind = self.behind(high.end, before.unit.is_some());
        let exponent = match low_behind.exponent {
            0 => behind.exponent,
            own => own,
        };
        let pairs = low.candidates.iter().flat_map(|low| {
            high.candidates.iter().filter_map(move |high| {
                Some((
                    low.number(exponent)?,
                    high.number(behind.exponent)?,
                    low,
                    high,
                ))
            })
        });
        let pairs = pairs.filter(|(low, high, ..)| low < high);
        let candidates = pairs.map(|(from, to, low, high)| Candidate {
            value: Value::Between(from, to),
            digits: low.digits.iter().chain(&high.digits).cloned().collect(),
        });
        let candidates: Vec<Candidate> = candidates.filter(|it| it.is_consistent()).collect();
        if candidates.is_empty() || before.has_minus {
            return None;
        }
        let whole = Core {
            first: low.first,
            end: high.end,
            candidates,
            is_padded: false,
            is_in_word: false,
        };
        let unit = behind.unit.clone().or(low_behind.unit);
        let behind = Side {
            unit,
            exponent: 0,
            ..behind
        };
        Some(self.joined(&whole, before, behind))
    }

    /// How many numbers follow each other with nothing but a mark between them, as in dates, times and ranges; and whether they can be a
    /// range.
    fn chain(&self, at: usize) -> (usize, bool) {
        let mark = |pair: &[Core]| {
            let (one, other) = (pair.first()?, pair.get(1)?);
            let mark = self.tokens.get(one.end).filter(|token| token.is_joined)?;
            let is_tight = one.end + 1 == other.first && self.tokens[other.first].is_joined;
            is_tight.then_some(mark.text.as_str())
        };
        let marks = self.cores[at..].windows(2).map_while(mark);
        let marks: Vec<&str> = marks
            .take_while(|mark| matches!(*mark, "-" | "–" | "/" | ":"))
            .collect();
        (marks.len() + 1, matches!(marks.as_slice(), ["-" | "–"]))
    }

    fn is_last(&self, at: usize) -> bool {
        at + 1 == self.tokens.len()
    }

    /// Whether a space stands before a token.
    fn is_loose(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| !token.is_joined)
    }

    fn is_range(&self, at: usize, next: usize) -> bool {
        let longest = WORDS.longest(&self.tokens, at);
        longest.is_some_and(|(length, words)| at + length == next && words.contains(&Word::Range))
    }

    /// Whether a number is the year, the month or the day of a date.
    fn is_date(&self, core: &Core) -> bool {
        let Some(next) = self.tokens.get(core.end) else {
            return false;
        };
        let is_year = core
            .candidates
            .iter()
            .any(|it| matches!(it.value, Value::Number(year) if (1000.0..3000.0).contains(&year)));
        let is_small = core
            .candidates
            .iter()
            .any(|it| matches!(it.value, Value::Number(day) if (1.0..32.0).contains(&day)));
        let is_day = WORDS.word(&next.text).contains(&Word::Date);
        is_day && is_small || is_year && matches!(next.text.as_str(), "年" | "년")
    }

    /// `3rd`, `第3`.
    fn is_ordinal(&self, core: &Core) -> bool {
        let next = self.tokens.get(core.end).filter(|token| token.is_joined);
        let before = core.first.checked_sub(1).map(|at| &self.tokens[at]);
        next.is_some_and(|next| is_ending(&next.text))
            || before.is_some_and(|token| token.text == "第")
    }

    /// What stands before a number.
    fn before(&self, first: usize) -> Side {
        let mut side = Side {
            at: first,
            ..Side::default()
        };
        while let Some(last) = side.at.checked_sub(1) {
            if self.is_cell && self.tokens[last].text == "(" && !side.has_bracket {
                side.has_bracket = true;
                side.at = last;
                continue;
            }
            let Some((length, words)) = WORDS.longest_before(&self.tokens, side.at) else {
                break;
            };
            let begin = side.at - length;
            let is_joined = self.is_cell || self.tokens[side.at].is_joined;
            let is_behind_word = begin > 0
                && self.tokens[begin].is_joined
                && self.tokens[begin - 1].shape != Shape::Mark;
            // CHF-1
            let is_behind_unit = || {
                let longest = WORDS.longest_before(&self.tokens, begin);
                longest.is_some_and(|(_, words)| words.iter().any(|word| word.unit().is_some()))
            };
            let is_sign = is_joined && (!is_behind_word || self.is_cell && is_behind_unit());
            let unit = words.iter().find_map(|word| word.unit());
            if let Some(unit) = unit.filter(|_| side.unit.is_none()) {
                side.unit = Some((unit, self.tokens[begin].begin..self.tokens[side.at - 1].end));
            } else if words.contains(&Word::Minus) && is_sign && !side.has_minus {
                side.has_minus = true;
            } else if !(words.contains(&Word::Plus) && is_sign
                || words.contains(&Word::About) && self.is_cell)
            {
                break;
            }
            side.at = begin;
        }
        side
    }

    /// What stands behind a number.
    fn behind(&self, end: usize, has_unit: bool) -> Side {
        let mut side = Side {
            at: end,
            ..Side::default()
        };
        let (mut has_scale, mut money) = (false, has_unit);
        let is_unit = |at: usize| {
            let longest = WORDS.longest(&self.tokens, at);
            longest.is_some_and(|(_, words)| words.iter().any(|word| word.unit().is_some()))
        };
        // A currency may stand behind the scale.
        money |= is_unit(end + 1);
        while let Some(token) = self.tokens.get(side.at) {
            if self.is_cell && token.text == ")" && !side.has_bracket {
                side.has_bracket = true;
                side.at += 1;
                continue;
            }
            let is_first = side.at == end;
            let Some((length, words)) = WORDS.longest(&self.tokens, side.at) else {
                break;
            };
            let scale = words.iter().find_map(|word| match word {
                Word::Scale(exponent, place) => {
                    let is_upper = self.text[token.begin..token.end]
                        .chars()
                        .all(char::is_uppercase);
                    let fits = match place {
                        Where::Anywhere => true,
                        Where::Joined => is_first && token.is_joined,
                        Where::Upper => is_first && token.is_joined && is_upper,
                        Where::Money => money,
                    };
                    fits.then_some(*exponent)
                }
                Word::Currency(_)
                | Word::Percent
                | Word::Minus
                | Word::Plus
                | Word::About
                | Word::Range
                | Word::Date
                | Word::Gap => None,
            });
            let unit = words.iter().find_map(|word| word.unit());
            if let Some(exponent) = scale.filter(|_| side.unit.is_none()) {
                side.exponent += exponent;
                has_scale = true;
            } else if let Some(unit) = unit.filter(|_| side.unit.is_none() && !has_unit) {
                side.unit = Some((unit, token.begin..self.tokens[side.at + length - 1].end));
            } else if self.is_cell
                && words.contains(&Word::Minus)
                && !side.has_minus
                && (self.is_last(side.at)
                    || is_first
                        && token.is_joined
                        && (self.is_loose(side.at + 1) || is_unit(side.at + 1)))
            {
                side.has_minus = true;
            } else {
                break;
            }
            side.at += length;
            // The point of an abbreviation: `3,2 Mio. €`.
            let is_short = has_scale
                && self
                    .tokens
                    .get(side.at)
                    .is_some_and(|it| it.text == "." && it.is_joined);
            side.at += usize::from(is_short && is_unit(side.at + 1) && side.unit.is_none());
        }
        side
    }
}

impl Candidate {
    /// Its number times a power of ten, without the errors of multiplying.
    fn number(&self, exponent: i32) -> Option<f64> {
        let Value::Number(value) = self.value else {
            return None;
        };
        match self.digits.as_slice() {
            [whole] => format!("{}e{exponent}", whole.digits).parse().ok(),
            _ => Some(value * libm::pow(10.0, f64::from(exponent))),
        }
    }

    fn scaled(&self, exponent: i32, is_negative: bool) -> Self {
        let sign = if is_negative { -1.0 } else { 1.0 };
        let value = match (self.value, self.number(exponent)) {
            (_, Some(value)) => Value::Number(sign * value),
            (Value::Between(low, high), None) => {
                let factor = libm::pow(10.0, f64::from(exponent));
                Value::Between(low * factor, high * factor)
            }
            (other, None) => other,
        };
        Self {
            value,
            digits: self.digits.clone(),
        }
    }

    /// Whether the numbers of a range are written with the same marks.
    fn is_consistent(&self) -> bool {
        let decimals: Vec<char> = self.digits.iter().filter_map(|it| it.decimal).collect();
        let groups: Vec<char> = self.digits.iter().filter_map(|it| it.group).collect();
        !decimals.iter().any(|mark| groups.contains(mark))
    }
}

/// The number of a run of digits, which must begin and end with tokens.
fn of_run(tokens: &[Token], run: &DigitRun, is_in_word: bool) -> Option<Core> {
    let span = run.span();
    let first = tokens.partition_point(|token| token.begin < span.start);
    let last = tokens.partition_point(|token| token.end < span.end);
    let is_whole = tokens.get(first)?.begin == span.start && tokens.get(last)?.end == span.end;
    if !is_whole {
        return None;
    }
    let candidates = run.readings().into_iter().filter_map(|whole: Whole| {
        let value: f64 = whole.digits.parse().ok()?;
        value.is_finite().then(|| Candidate {
            value: Value::Number(value),
            digits: vec![whole],
        })
    });
    let candidates: Vec<Candidate> = candidates.collect();
    // What can be read in no way, such as a version, is still there, so that a cell with it holds no other number.
    Some(Core {
        first,
        end: last + 1,
        candidates,
        is_padded: run.is_padded(),
        is_in_word,
    })
}
