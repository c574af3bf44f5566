//! Checks where people are: nobody can be at two places at once, or travel faster than the world allows.

use std::collections::{BTreeMap, BTreeSet};

use crate::readings::slice;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Place;

use super::finding::{Passage, Rule, Severity};
use super::time::is_past;
use super::{Desk, passage};
use crate::readings::book::{Book, Placed};
use crate::readings::told::cues::Cues;
use crate::readings::told::numbers::span;
use crate::readings::told::{Sentence, Told, whereabouts};

/// Which places lie within others, and how far apart they are.
#[derive(Debug)]
pub(super) struct Map<'a> {
    places: BTreeMap<&'a EntryId, &'a Place>,
    ways: BTreeMap<&'a EntryId, Vec<(&'a EntryId, f64)>>,
}

impl<'a> Map<'a> {
    pub(super) fn of(book: &'a Book) -> Self {
        let places: BTreeMap<_, _> = book.places().map(|(entry, it)| (&entry.id, it)).collect();
        let mut ways: BTreeMap<&EntryId, Vec<(&EntryId, f64)>> = BTreeMap::new();
        for (id, place) in &places {
            let travel = place.travel.iter().map(|it| (&it.to, it.hours));
            let inside = place.within.iter().map(|to| (to, 0.0));
            for (to, hours) in travel.chain(inside).filter(|(_, hours)| *hours >= 0.0) {
                ways.entry(id).or_default().push((to, hours));
                ways.entry(to).or_default().push((id, hours));
            }
        }
        Self { places, ways }
    }

    /// Whether the two are the same place or one lies in the other.
    pub(super) fn is_same(&self, one: &EntryId, other: &EntryId) -> bool {
        self.lies_in(one, other) || self.lies_in(other, one)
    }

    fn lies_in(&self, inner: &EntryId, outer: &EntryId) -> bool {
        let mut seen = BTreeSet::new();
        let mut at = Some(inner);
        while let Some(id) = at.filter(|id| seen.insert(*id)) {
            if id == outer {
                return true;
            }
            at = self.places.get(id).and_then(|place| place.within.as_ref());
        }
        false
    }

    /// How many hours the fastest way takes; `None` where no way is known.
    pub(super) fn hours(&self, from: &EntryId, to: &EntryId) -> Option<f64> {
        let mut open: BTreeMap<&EntryId, f64> = BTreeMap::from([(from, 0.0)]);
        let mut done: BTreeSet<&EntryId> = BTreeSet::new();
        loop {
            let nearest = open.iter().min_by(|a, b| a.1.total_cmp(b.1));
            let (at, hours) = nearest.map(|(at, hours)| (*at, *hours))?;
            if at == to {
                return Some(hours);
            }
            open.remove(at);
            done.insert(at);
            let next = self.ways.get(at).map(Vec::as_slice).unwrap_or_default();
            for (place, more) in next.iter().filter(|(place, _)| !done.contains(place)) {
                let known = open.entry(place).or_insert(f64::INFINITY);
                *known = known.min(hours + more);
            }
        }
    }
}

/// Where somebody was last.
#[derive(Clone, Debug)]
struct Last<'a> {
    place: &'a EntryId,
    passage: Passage,
    /// Hours that the chapter says have passed until then.
    elapsed: f64,
    /// How often, until then, time has passed without the text saying how much.
    unclear: usize,
    /// The first and the last day on which this can have been.
    days: Option<(i64, i64)>,
}

#[derive(Debug)]
pub(super) struct Ways<'a> {
    map: Map<'a>,
    last: BTreeMap<usize, Last<'a>>,
    /// Distances that were asked for before.
    known: BTreeMap<(&'a EntryId, &'a EntryId), Option<f64>>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(desk: &Desk<'a>) -> Self {
        Self {
            map: Map::of(desk.book),
            last: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    pub(super) fn read(&mut self, desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        if self.map.places.is_empty() || is_past(chapter, told) {
            return;
        }
        let date = chapter
            .chapter
            .date
            .as_deref()
            .and_then(|date| desk.days.parse(date));
        let days = date.map(|when| desk.days.range(when));
        let (mut elapsed, mut unclear) = (0.0, 0);
        for sentence in &told.sentences {
            if !sentence.is_outright() {
                continue;
            }
            for hit in told.told_hits(sentence, Cues::LATER) {
                let ahead = slice(told.text, sentence.at.start..hit.at.start);
                match span(ahead, slice(told.text, hit.at.clone())) {
                    Some(span) => elapsed += span.hours,
                    None => unclear += 1,
                }
            }
            self.by_the_clock(desk, chapter, told, sentence);
            for it in whereabouts::people(told, sentence) {
                let names = desk.names;
                let here = Last {
                    place: &names.get(it.place).id,
                    passage: passage(chapter, told, sentence),
                    elapsed,
                    unclear,
                    days,
                };
                let is_meanwhile = sentence.cues.any(Cues::MEANWHILE);
                if let Some(last) = self.last.get(&it.who).cloned() {
                    self.compare(desk, it.who, &last, &here, is_meanwhile);
                }
                self.last.insert(it.who, here);
            }
        }
    }

    /// How many hours the fastest way takes.
    fn hours(&mut self, from: &'a EntryId, to: &'a EntryId) -> Option<f64> {
        let map = &self.map;
        *self
            .known
            .entry((from, to))
            .or_insert_with(|| map.hours(from, to))
    }

    /// "She left Dunmore at noon, and at one she was in Marrow".
    fn by_the_clock(
        &mut self,
        desk: &mut Desk<'a>,
        chapter: &Placed<'a>,
        told: &Told<'a>,
        sentence: &Sentence,
    ) {
        let Some(journey) = whereabouts::journey(told, sentence) else {
            return;
        };
        let names = desk.names;
        let (from, to) = (&names.get(journey.from).id, &names.get(journey.to).id);
        if self.map.is_same(from, to) {
            return;
        }
        // An hour in a story may be a little longer.
        let Some(hours) = self.hours(from, to).filter(|it| *it > journey.hours * 1.1) else {
            return;
        };
        let (from, to, available) = (
            &names.get(journey.from).name,
            &names.get(journey.to).name,
            journey.hours,
        );
        let wrong = [
            format!("从{from}到{to}至少要 {hours} 小时，文中只有 {available:.1} 小时。"),
            format!(
                "The way from {from} to {to} takes at least {hours} hours, and the text leaves {available:.1}."
            ),
        ];
        let finding = desk.finding(Rule::TravelTime, Severity::Warning, wrong, TODO);
        let finding = match journey.who {
            Some(who) => desk.named(finding, who),
            None => finding.about(chapter.id, "chapter", &chapter.chapter.title),
        };
        let (from, to) = (&names.get(journey.from).id, &names.get(journey.to).id);
        let finding = finding
            .with(from)
            .with(to)
            .said(passage(chapter, told, sentence));
        let finding = finding.against_field(from, "travel", &hours.to_string());
        desk.put(finding.values(hours.to_string(), format!("{available:.1}")));
    }

    fn compare(
        &mut self,
        desk: &mut Desk<'a>,
        who: usize,
        last: &Last<'a>,
        here: &Last<'a>,
        is_meanwhile: bool,
    ) {
        if self.map.is_same(last.place, here.place) {
            return;
        }
        let is_one_chapter = last.passage.chapter == here.passage.chapter;
        if is_one_chapter && is_meanwhile {
            two_places(desk, who, last, here);
            return;
        }
        let Some(hours) = self.hours(last.place, here.place) else {
            return;
        };
        let available = if is_one_chapter {
            let passed = here.elapsed - last.elapsed;
            (here.unclear == last.unclear && passed > 0.0).then_some(passed)
        } else {
            let days = last.days.zip(here.days);
            let days = days.map(|(before, now)| now.1 - before.0 + 1);
            days.filter(|days| *days > 0).map(|days| days as f64 * 24.0)
        };
        // Three hours in a story may be a little longer.
        let Some(available) = available.filter(|available| hours > available * 1.1) else {
            return;
        };
        let (name, from, to) = names(desk, who, last, here);
        let wrong = [
            format!("{name}从{from}到{to}至少要 {hours} 小时，文中只有 {available:.1} 小时。"),
            format!(
                "The way from {from} to {to} takes {name} at least {hours} hours, and the text leaves {available:.1}."
            ),
        ];
        let finding = desk.finding(Rule::TravelTime, Severity::Warning, wrong, TODO);
        let finding = desk.named(finding, who).with(last.place).with(here.place);
        let finding = finding
            .said(here.passage.clone())
            .against(last.passage.clone());
        let finding = finding.against_field(last.place, "travel", &hours.to_string());
        desk.put(finding.values(hours.to_string(), format!("{available:.1}")));
    }
}

const TODO: [&str; 2] = [
    "留出路上的时间，或改地点。",
    "Leave time for the way, or move one of the two.",
];

fn names(
    desk: &Desk<'_>,
    who: usize,
    last: &Last<'_>,
    here: &Last<'_>,
) -> (String, String, String) {
    let place = |id: &EntryId| {
        desk.book
            .project()
            .entry(id)
            .map_or_else(String::new, |it| it.what.name().to_owned())
    };
    (
        desk.names.get(who).name.clone(),
        place(last.place),
        place(here.place),
    )
}

fn two_places(desk: &mut Desk<'_>, who: usize, last: &Last<'_>, here: &Last<'_>) {
    let (name, from, to) = names(desk, who, last, here);
    let wrong = [
        format!("同一时刻{name}既在{from}又在{to}。"),
        format!("{name} is in {from} and in {to} at the same time."),
    ];
    let todo = [
        "改正其中一处的人或地点。",
        "Correct who is there, or where.",
    ];
    let finding = desk.finding(Rule::TwoPlaces, Severity::Error, wrong, todo);
    let finding = desk.named(finding, who).with(last.place).with(here.place);
    let finding = finding
        .said(here.passage.clone())
        .against(last.passage.clone());
    desk.put(finding.values(from, to));
}
