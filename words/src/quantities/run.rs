//! Digits with the marks between them, with every way to read them: a comma between digits may separate thousands, decimals, or the fields
//! of a table, and the digits alone do not say which.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::numerals::digit;

/// The Arabic decimal mark, which separates nothing else.
const POINT: char = '٫';

/// Separators of thousands that separate nothing else: apostrophes, thin spaces, and the Arabic mark.
const TIGHT: [char; 5] = ['\'', '’', '\u{2009}', '\u{202f}', '٬'];

/// Separators of thousands that mostly separate numbers: spaces, and the comma of Chinese clauses.
const LOOSE: [char; 3] = [' ', '\u{a0}', '，'];

/// The most groups of digits of one number: more are fields of a table.
const GROUPS_MAX: usize = 7;

/// Digits of one script or several with the marks between them, which are one number or several.
#[derive(Clone, Debug, PartialEq)]
pub struct DigitRun {
    /// In the digits of ASCII.
    groups: Vec<String>,
    /// Where each group stands, in bytes of the text.
    spans: Vec<Range<usize>>,
    /// The marks between the groups.
    marks: Vec<char>,
}

/// One way to read digits as a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    /// With a decimal point, without marks between groups, and without zeros at its ends.
    pub digits: String,
    pub decimal: Option<char>,
    pub group: Option<char>,
}

/// The runs of digits of a text. Those inside words (`H2O`, `COVID-19` counts as a word) and in the addresses of files are left out.
pub fn digit_runs(text: &str) -> Vec<DigitRun> {
    let runs = all_runs(text).into_iter();
    runs.filter_map(|(run, is_in_word)| {
        if is_in_word {
            run.after_word()
        } else {
            Some(run)
        }
    })
    .collect()
}

/// All runs of digits, with whether each begins inside a word.
pub(super) fn all_runs(text: &str) -> Vec<(DigitRun, bool)> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let (mut found, mut at) = (vec![], 0);
    while at < chars.len() {
        if digit(chars[at].1).is_none() {
            at += 1;
            continue;
        }
        let is_in_word = is_in_word(&chars, at);
        let mut run = DigitRun {
            groups: vec![],
            spans: vec![],
            marks: vec![],
        };
        loop {
            let digits: String = chars[at..]
                .iter()
                .map_while(|(_, c)| char::from_digit(digit(*c)?, 10))
                .collect();
            let end = at + digits.len();
            let behind = chars.get(end).map_or(text.len(), |(at, _)| *at);
            run.spans.push(chars[at].0..behind);
            let mark = mark_behind(&chars[end..], digits.len(), run.marks.last());
            run.groups.push(digits);
            at = end;
            let Some(mark) = mark else { break };
            run.marks.push(mark);
            at += 1;
        }
        let is_name = chars.get(at).is_some_and(|(_, c)| *c == '_');
        let run = if is_name {
            run.before_word()
        } else {
            Some(run)
        };
        found.extend(run.map(|run| (run, is_in_word)));
    }
    found
}

/// Whether the digits at a place are the end of a word or of an address.
fn is_in_word(chars: &[(usize, char)], at: usize) -> bool {
    let before = |steps: usize| at.checked_sub(steps).map(|place| chars[place].1);
    let is_letter = |c: char| c.is_ascii_alphabetic();
    before(1).is_some_and(|c| is_letter(c) || c == '_' || c == '/')
        || (before(1) == Some('-') && before(2).is_some_and(is_letter))
}

/// The mark behind a group of digits, if it may stand inside a number: a point or a comma before a digit, another one between thousands.
fn mark_behind(behind: &[(usize, char)], length: usize, last: Option<&char>) -> Option<char> {
    let is_digit = |steps: usize| {
        let next = behind.get(steps);
        next.is_some_and(|(_, c)| digit(*c).is_some())
    };
    let mark = match behind.first()?.1 {
        '．' => '.',
        mark => mark,
    };
    let is_between_thousands = length <= 3
        && is_digit(2)
        && is_digit(3)
        && !is_digit(4)
        && (TIGHT.contains(&mark) || LOOSE.contains(&mark))
        && last.is_none_or(|last| !is_inner(*last));
    (is_digit(1) && (mark == ',' || is_inner(mark) || is_between_thousands)).then_some(mark)
}

/// Whether a mark never separates numbers.
fn is_inner(mark: char) -> bool {
    mark == '.' || mark == POINT
}

impl DigitRun {
    /// Where it stands, in bytes of the text.
    pub fn span(&self) -> Range<usize> {
        let (first, last) = (self.spans.first(), self.spans.last());
        first.map_or(0, |first| first.start)..last.map_or(0, |last| last.end)
    }

    /// Whether a group begins with a zero that is not its only digit, as in a date or a code.
    pub(super) fn is_padded(&self) -> bool {
        let first = self.groups.first();
        first.is_some_and(|group| group.len() > 1 && group.starts_with('0'))
    }

    /// The ways to read it as one number, the likeliest first. They are written with a decimal point and without separators of thousands
    /// and trailing zeros. A date or a version such as `1.2.3` is read as it stands.
    pub fn wholes(&self) -> Vec<String> {
        let wholes = self.readings().into_iter();
        wholes.map(|whole| whole.digits).collect()
    }

    pub(super) fn readings(&self) -> Vec<Whole> {
        wholes(&self.groups, &self.marks)
    }

    /// The numbers that it is if its marks separate numbers; there are none if they do not.
    pub fn parts(&self) -> Vec<String> {
        let is_tight = self.marks.iter().any(|mark| TIGHT.contains(mark));
        if self.marks.iter().all(|mark| is_inner(*mark)) || (is_tight && !self.wholes().is_empty())
        {
            return vec![];
        }
        let ends = self.ends(|mark| !is_inner(mark));
        let pieces = ends.windows(2).filter_map(|piece| {
            let [start, end] = *piece.first_chunk::<2>()?;
            wholes(&self.groups[start..end], &self.marks[start..end - 1])
                .into_iter()
                .next()
        });
        pieces.map(|whole| whole.digits).collect()
    }

    /// Whether its parts are rather separate numbers than the groups of one.
    pub fn is_apart(&self) -> bool {
        let mut marks = self.marks.iter().filter(|mark| !is_inner(**mark));
        marks.clone().next().is_some() && marks.all(|mark| LOOSE.contains(mark))
    }

    /// The numbers that it can contain, in all readings.
    pub fn numbers(&self) -> BTreeSet<String> {
        let ends = self.ends(|mark| !is_inner(mark) && !TIGHT.contains(&mark));
        let ranges = (0..ends.len()).flat_map(|first| {
            let last = ends.len().min(first + 1 + GROUPS_MAX);
            ends[(first + 1).min(last)..last]
                .iter()
                .map(move |end| (first, *end))
        });
        let within = ranges.flat_map(|(first, end)| {
            let start = ends[first];
            wholes(&self.groups[start..end], &self.marks[start..end - 1])
        });
        within
            .map(|whole| whole.digits)
            .chain(self.parts())
            .collect()
    }

    /// The places between groups with such a mark, with both ends.
    fn ends(&self, is_end: impl Fn(char) -> bool) -> Vec<usize> {
        let count = self.groups.len();
        let inner = (1..count).filter(|at| is_end(self.marks[at - 1]));
        [0].into_iter().chain(inner).chain([count]).collect()
    }

    /// What is left of it behind a word in which it begins.
    fn after_word(mut self) -> Option<Self> {
        let cut = self.marks.iter().position(|mark| !is_inner(*mark))?;
        self.groups.drain(..=cut);
        self.spans.drain(..=cut);
        self.marks.drain(..=cut);
        Some(self)
    }

    /// What is left of it before a word with which it ends.
    fn before_word(mut self) -> Option<Self> {
        let cut = self.marks.iter().rposition(|mark| !is_inner(*mark))?;
        self.groups.truncate(cut + 1);
        self.spans.truncate(cut + 1);
        self.marks.truncate(cut);
        Some(self)
    }
}

/// The ways to read groups of digits as one number, the likeliest first.
pub(crate) fn wholes(groups: &[String], marks: &[char]) -> Vec<Whole> {
    let Some((last, before)) = groups.split_last() else {
        return vec![];
    };
    let whole = |digits: &str, decimal, group| Whole {
        digits: plain(digits),
        decimal,
        group,
    };
    let Some((mark, others)) = marks.split_last() else {
        return vec![whole(last, None, None)];
    };
    let is_uniform = others.iter().all(|other| other == mark);
    let grouped = is_uniform && *mark != POINT && is_grouped(groups, *mark);
    let grouped = grouped.then(|| whole(&groups.concat(), None, Some(*mark)));
    let integer = (*mark == ',' || is_inner(*mark))
        .then(|| integer(before, others, *mark))
        .flatten();
    let decimal = integer.map(|integer| {
        let group = others.first().copied();
        whole(&format!("{integer}.{last}"), Some(*mark), group)
    });
    let found: Vec<Whole> = match mark {
        '.' => decimal.into_iter().chain(grouped).collect(),
        _ => grouped.into_iter().chain(decimal).collect(),
    };
    if found.is_empty() && marks.iter().all(|mark| *mark == '.') {
        // A date or a version is known only as it stands.
        return vec![Whole {
            digits: groups.join("."),
            decimal: None,
            group: None,
        }];
    }
    found
}

/// The digits of what stands before a decimal mark.
fn integer(groups: &[String], marks: &[char], decimal: char) -> Option<String> {
    let Some(mark) = marks.first() else {
        return groups.first().cloned();
    };
    let is_uniform = *mark != decimal && marks.iter().all(|other| other == mark);
    (is_uniform && *mark != POINT && is_grouped(groups, *mark)).then(|| groups.concat())
}

/// Whether these are the groups of one number: up to three digits, then always three; or, with commas, always two and at last three, as in
/// India.
fn is_grouped(groups: &[String], mark: char) -> bool {
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return false;
    };
    let is_begun = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let inner = &groups[1..groups.len().max(2) - 1];
    let is_indian = mark == ',' && !inner.is_empty() && first.len() < 3;
    let has = |length: usize| inner.iter().all(|group| group.len() == length);
    is_begun && groups.len() > 1 && last.len() == 3 && (has(3) || is_indian && has(2))
}

/// Digits without zeros at their ends.
fn plain(digits: &str) -> String {
    let digits = digits.trim_start_matches('0');
    let short = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    match short {
        "" => "0".to_owned(),
        short if short.starts_with('.') => format!("0{short}"),
        short => short.to_owned(),
    }
}
