//! Days as numbers, in our calendar or in one of the story's own.

use std::sync::LazyLock;

use crate::readings::slice;
use palimpsest::prelude::resource::project::Calendar;
use regex::Regex;

use crate::readings::told::numbers::value;

/// A day, a month or a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct When {
    pub year: i64,
    pub month: Option<u32>,
    pub day: Option<u32>,
}

/// The largest year that is accepted; with larger ones sums would overflow.
const YEARS_MAX: i64 = 1_000_000;

/// A calendar: the Gregorian one where it has no months of its own.
#[derive(Debug, Default)]
pub(super) struct Days {
    months: Vec<(String, u32)>,
    weekdays: Vec<String>,
}

impl Days {
    pub(super) fn of(calendar: Option<&Calendar>) -> Self {
        let Some(calendar) = calendar.filter(|it| !it.months.is_empty()) else {
            return Self::default();
        };
        Self {
            months: calendar
                .months
                .iter()
                .map(|it| (it.name.clone(), it.days))
                .collect(),
            weekdays: calendar.weekdays.clone(),
        }
    }

    /// Whether the story has a calendar of its own.
    pub(super) fn is_own(&self) -> bool {
        !self.months.is_empty()
    }

    /// The names of its days of the week, in their order; empty where the calendar is our own.
    pub(super) fn weekdays(&self) -> &[String] {
        &self.weekdays
    }

    /// A date as the bible writes it: `1923-03-12`, `1923-03` or `1923`. `None` where there is no such day.
    pub(super) fn parse(&self, text: &str) -> Option<When> {
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let mut parts = digits.split('-');
        let year: i64 = parts.next()?.parse().ok()?;
        let month = parts
            .next()
            .map(|part| self.month(part))
            .map_or(Some(None), |it| it.map(Some))?;
        let day: Option<u32> = parts
            .next()
            .map_or(Some(None), |part| part.parse().ok().map(Some))?;
        if parts.next().is_some() || year > YEARS_MAX {
            return None;
        }
        let when = When {
            year: sign * year,
            month,
            day,
        };
        self.exists(when).then_some(when)
    }

    fn month(&self, text: &str) -> Option<u32> {
        let named = self.months.iter().position(|(name, _)| name == text);
        named
            .and_then(|at| u32::try_from(at + 1).ok())
            .or_else(|| text.parse().ok())
    }

    /// Whether there is such a day.
    pub(super) fn exists(&self, when: When) -> bool {
        let Some(month) = when.month else {
            return true;
        };
        let days = self.days_of(when.year, month);
        days.is_some_and(|days| when.day.is_none_or(|day| (1..=days).contains(&day)))
    }

    fn days_of(&self, year: i64, month: u32) -> Option<u32> {
        if self.is_own() {
            let index = usize::try_from(month).ok()?.checked_sub(1)?;
            return self.months.get(index).map(|(_, days)| *days);
        }
        let is_leap =
            year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
        match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
            4 | 6 | 9 | 11 => Some(30),
            2 => Some(28 + u32::from(is_leap)),
            _ => None,
        }
    }

    /// The first and the last day that a date can mean, counted from a day that is the same for all dates.
    pub(super) fn range(&self, when: When) -> (i64, i64) {
        let last_month = if self.is_own() {
            self.months.len() as u32
        } else {
            12
        };
        let first = self.number(when.year, when.month.unwrap_or(1), when.day.unwrap_or(1));
        let month = when.month.unwrap_or(last_month);
        let day = when
            .day
            .or_else(|| self.days_of(when.year, month))
            .unwrap_or(1);
        (first, self.number(when.year, month, day))
    }

    fn number(&self, year: i64, month: u32, day: u32) -> i64 {
        if self.is_own() {
            let length: i64 = self.months.iter().map(|(_, days)| i64::from(*days)).sum();
            let before = self.months.iter().take(month.saturating_sub(1) as usize);
            let before: i64 = before.map(|(_, days)| i64::from(*days)).sum();
            return (year - 1) * length + before + i64::from(day) - 1;
        }
        // Days since the first of March of the year 0, so that the leap day is the last day of a year.
        let (year, month) = if month <= 2 {
            (year - 1, month + 9)
        } else {
            (year, month - 3)
        };
        let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        year * 365 + leaps + (153 * i64::from(month) + 2) / 5 + i64::from(day) - 1
    }

    /// The day of the week of a day, as its place in [`Self::weekdays`]; in our own calendar counted from Monday. `None` in a world without
    /// weeks.
    pub(super) fn weekday(&self, number: i64) -> Option<usize> {
        if !self.is_own() {
            // The first of March of the year 0 was a Wednesday.
            return usize::try_from((number + 2).rem_euclid(7)).ok();
        }
        let length = i64::try_from(self.weekdays.len())
            .ok()
            .filter(|it| *it > 0)?;
        usize::try_from(number.rem_euclid(length)).ok()
    }

    /// The dates of days in a sentence, with the bytes that each takes. `year` is used for dates without a year.
    pub(super) fn dates(&self, text: &str, year: Option<i64>) -> Vec<(When, usize, usize)> {
        let found = if self.is_own() {
            self.own_dates(text, year)
        } else {
            our_dates(text, year)
        };
        found
            .into_iter()
            .filter(|(when, _, _)| self.exists(*when))
            .collect()
    }

    fn own_dates(&self, text: &str, year: Option<i64>) -> Vec<(When, usize, usize)> {
        let mut found = vec![];
        for ((name, _), month) in self
            .months
            .iter()
            .zip(1..)
            .filter(|((name, _), _)| !name.is_empty())
        {
            for (at, _) in text.match_indices(name.as_str()) {
                let behind = slice(text, at + name.len()..);
                let digits = behind.trim_start_matches([' ', '的']);
                let end = digits
                    .find(|c: char| !c.is_ascii_digit() && !"一二三四五六七八九十".contains(c));
                let number = slice(digits, ..end.unwrap_or(digits.len()));
                let ahead = day_ahead(slice(text, ..at));
                let day = if number.is_empty() {
                    ahead.map(|(day, _)| day)
                } else {
                    value(number)
                };
                let end = at
                    + name.len()
                    + if number.is_empty() {
                        0
                    } else {
                        behind.len() - digits.len() + number.len()
                    };
                let start = if number.is_empty() {
                    ahead.map_or(at, |(_, from)| from)
                } else {
                    at
                };
                let (Some(day), Some(year)) = (day, year) else {
                    continue;
                };
                let when = When {
                    year,
                    month: Some(month),
                    day: Some(day),
                };
                found.push((when, start, end));
            }
        }
        found.sort_by_key(|(_, start, _)| *start);
        found
    }
}

/// `the 12th of`, `12`: the day before the name of a month.
fn day_ahead(ahead: &str) -> Option<(u32, usize)> {
    let bare = ahead.trim_end_matches(' ').trim_end_matches(" of");
    let bare = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| bare.strip_suffix(end))
        .unwrap_or(bare);
    let start = bare.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    slice(bare, start..).parse().ok().map(|day| (day, start))
}

const MONTHS: &str =
    "January|February|March|April|May|June|July|August|September|October|November|December";

static CHINESE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?:([0-9]{3,4}|[〇零一二三四五六七八九]{3,4})年)?([0-9]{1,2}|[一二三四五六七八九十]{1,3})月([0-9]{1,2}|[一二三四五六七八九十]{1,3})[日号]")
        .expect("it is a pattern")
});

static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"\b(?:([0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?({MONTHS})|({MONTHS}) ([0-9]{{1,2}})(?:st|nd|rd|th)?\b)(?:,? ([0-9]{{3,4}})\b)?"
    );
    Regex::new(&pattern).expect("it is a pattern")
});

fn our_dates(text: &str, year: Option<i64>) -> Vec<(When, usize, usize)> {
    let mut found = vec![];
    for it in CHINESE.captures_iter(text) {
        let number = |index| it.get(index).and_then(|part| value(part.as_str()));
        let year = it
            .get(1)
            .map_or(year, |part| value(part.as_str()).map(i64::from));
        if let (Some(whole), Some(year), Some(month), Some(day)) =
            (it.get(0), year, number(2), number(3))
        {
            let when = When {
                year,
                month: Some(month),
                day: Some(day),
            };
            found.push((when, whole.start(), whole.end()));
        }
    }
    for it in ENGLISH.captures_iter(text) {
        let part = |index| it.get(index).map(|part| part.as_str());
        let name = part(2).or(part(3));
        let month = name.and_then(|name| MONTHS.split('|').position(|month| month == name));
        let day = part(1).or(part(4)).and_then(value);
        let year = part(5).map_or(year, |part| value(part).map(i64::from));
        if let (Some(whole), Some(year), Some(month), Some(day)) = (it.get(0), year, month, day) {
            let when = When {
                year,
                month: u32::try_from(month + 1).ok(),
                day: Some(day),
            };
            found.push((when, whole.start(), whole.end()));
        }
    }
    found
}
