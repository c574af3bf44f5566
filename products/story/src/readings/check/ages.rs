//! Compares how old people are with their birth, the dates of chapters, and the years that the text says have passed.

use std::collections::BTreeMap;

use crate::readings::slice;
use palimpsest::prelude::pipeline::EntryId;

use super::days::When;
use super::finding::{Finding, Passage, Rule, Severity};
use super::time::is_past;
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::told::Told;
use crate::readings::told::cues::Cues;
use crate::readings::told::numbers::span;
use crate::readings::told::persons::{Aged, ages};

/// How old somebody is, and when.
#[derive(Clone, Debug)]
struct Known {
    years: u32,
    /// The number of the chapter, 0 for the beginning of the story.
    chapter: usize,
    date: Option<When>,
    /// The years that, according to the text, had passed until then; `None` before that chapter is read.
    elapsed: Option<Elapsed>,
    /// The sentence that says so; `None` where the bible says so.
    passage: Option<Passage>,
}

/// Years that have passed, at least and at most.
#[derive(Clone, Copy, Debug, Default)]
struct Elapsed {
    least: f64,
    most: f64,
}

impl Elapsed {
    fn add(&mut self, years: f64) {
        self.least += years;
        self.most += years;
    }
}

#[derive(Debug)]
pub(super) struct Ages {
    born: BTreeMap<usize, (When, String)>,
    known: BTreeMap<usize, Known>,
    /// The years that the text says have passed since the story began.
    elapsed: Elapsed,
}

const HOURS_OF_A_YEAR: f64 = 365.0 * 24.0;

impl Ages {
    pub(super) fn new(desk: &Desk<'_>) -> Self {
        let people: BTreeMap<&EntryId, _> = desk
            .book
            .characters()
            .map(|(entry, it)| (&entry.id, it))
            .collect();
        let (mut born, mut known) = (BTreeMap::new(), BTreeMap::new());
        for (index, named) in desk.names.iter().enumerate() {
            let Some(character) = people.get(&named.id) else {
                continue;
            };
            let birth = character.born.as_deref();
            if let Some((when, text)) = birth.and_then(|text| Some((desk.days.parse(text)?, text)))
            {
                born.insert(index, (when, text.to_owned()));
            }
            if let Some(age) = &character.age {
                let chapter = age
                    .chapter
                    .as_ref()
                    .and_then(|id| desk.number(id))
                    .unwrap_or(0);
                let dated = desk.chapters.get(chapter.saturating_sub(1));
                let date = dated.and_then(|it| it.chapter.date.as_deref());
                let date = date.and_then(|date| desk.days.parse(date));
                let known_age = Known {
                    years: age.years,
                    chapter,
                    date,
                    elapsed: None,
                    passage: None,
                };
                known.insert(index, known_age);
            }
        }
        Self {
            born,
            known,
            elapsed: Elapsed::default(),
        }
    }

    pub(super) fn read(&mut self, desk: &mut Desk<'_>, chapter: &Placed<'_>, told: &Told<'_>) {
        if is_past(chapter, told) {
            return;
        }
        for known in self.known.values_mut() {
            if known.elapsed.is_none() && known.chapter <= chapter.number {
                let is_beginning = known.chapter == 0;
                known.elapsed = Some(if is_beginning {
                    Elapsed::default()
                } else {
                    self.elapsed
                });
            }
        }
        let date = chapter
            .chapter
            .date
            .as_deref()
            .and_then(|date| desk.days.parse(date));
        for sentence in told.sentences.iter().filter(|it| it.is_outright()) {
            for hit in told.told_hits(sentence, Cues::LATER) {
                let ahead = slice(told.text, sentence.at.start..hit.at.start);
                let passed = span(ahead, slice(told.text, hit.at.clone()));
                let is_years = slice(told.text, hit.at.clone()).contains(['年', 'y']);
                match passed {
                    Some(passed) => self.elapsed.add(passed.hours / HOURS_OF_A_YEAR),
                    // Where the text does not say how many years, it may be any number.
                    None if is_years => self.elapsed.most = f64::INFINITY,
                    None => {}
                }
            }
            for aged in ages(told, sentence) {
                self.compare(desk, chapter, date, aged, passage(chapter, told, sentence));
            }
        }
    }

    fn compare(
        &mut self,
        desk: &mut Desk<'_>,
        chapter: &Placed<'_>,
        date: Option<When>,
        aged: Aged,
        here: Passage,
    ) {
        let id = desk.names.get(aged.who).id.clone();
        if let (Some((born, text)), Some(date)) = (self.born.get(&aged.who), date) {
            let (least, most) = between(desk, *born, date);
            // By the old Chinese count everybody is a year or two older.
            let most = most + if desk.chinese { 1 } else { 0 };
            if !(least..=most).contains(&i64::from(aged.years)) {
                let finding = tell(desk, &aged, here, &expected(least, most));
                let finding = finding.against_field(&id, "born", text);
                desk.put(finding.values(expected(least, most), aged.years.to_string()));
            }
            return;
        }
        let Some(known) = self.known.get(&aged.who).cloned() else {
            let known = Known {
                years: aged.years,
                chapter: chapter.number,
                date,
                elapsed: Some(self.elapsed),
                passage: Some(here),
            };
            self.known.insert(aged.who, known);
            return;
        };
        let (least, most) = self.since(&known, chapter, date);
        if (least..=most).contains(&f64::from(aged.years)) {
            return;
        }
        let expected = if most.is_finite() {
            expected(least as i64, most as i64)
        } else {
            format!(">= {least}")
        };
        let finding = tell(desk, &aged, here, &expected);
        let finding = match known.passage {
            Some(passage) => finding.against(passage).field("age.years"),
            None => finding.against_field(&id, "age.years", &known.years.to_string()),
        };
        desk.put(finding.values(expected, aged.years.to_string()));
    }

    /// The lowest and the highest age that somebody can have now, given a known earlier age.
    fn since(&self, known: &Known, chapter: &Placed<'_>, date: Option<When>) -> (f64, f64) {
        let years = f64::from(known.years);
        if let (Some(then), Some(now)) = (known.date, date) {
            let passed = (now.year - then.year) as f64;
            return ((years + passed - 1.0).max(0.0), years + passed + 1.0);
        }
        if known.chapter > chapter.number {
            return (0.0, years);
        }
        let Some(then) = known.elapsed else {
            return (years, f64::INFINITY);
        };
        let least = (self.elapsed.least - then.least - 1.0).max(0.0).floor();
        let most = if self.elapsed.most.is_finite() {
            (self.elapsed.most - then.most).ceil() + 1.0
        } else {
            f64::INFINITY
        };
        (years + least, years + most)
    }
}

fn expected(least: i64, most: i64) -> String {
    if least == most {
        least.to_string()
    } else {
        format!("{least}-{most}")
    }
}

/// The lowest and the highest age that somebody can have on a day, given their birth.
fn between(desk: &Desk<'_>, born: When, now: When) -> (i64, i64) {
    let years = now.year - born.year;
    let (first, last) = (desk.days.range(born), desk.days.range(now));
    let birthday = |when: (i64, i64), year: i64| {
        when.0
            - desk
                .days
                .range(When {
                    year,
                    month: None,
                    day: None,
                })
                .0
    };
    let is_exact = first.0 == first.1 && last.0 == last.1;
    if is_exact {
        let had = birthday(last, now.year) >= birthday(first, born.year);
        // Leap years move the days after February by one.
        let near = (birthday(last, now.year) - birthday(first, born.year)).abs() <= 1;
        let age = years - i64::from(!had);
        return (age - i64::from(near), age + i64::from(near));
    }
    (years - 1, years)
}

fn tell(desk: &Desk<'_>, aged: &Aged, here: Passage, expected: &str) -> Finding {
    let name = &desk.names.get(aged.who).name;
    let years = aged.years;
    let wrong = [
        format!("正文说{name} {years} 岁，按设定应为 {expected} 岁。"),
        format!("The text has {name} at {years}, and it should be {expected}."),
    ];
    let todo = [
        "改正年龄、生日或章节的日期。",
        "Correct the age, the birth or the date of the chapter.",
    ];
    let finding = desk.finding(Rule::Age, Severity::Warning, wrong, todo);
    desk.named(finding, aged.who).said(here)
}
