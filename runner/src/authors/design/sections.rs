//! A source as sections, and the pages of each.

use std::collections::BTreeSet;

use spec::limits as l;
use spec::text::em_width;
use words::sentences::{ends_with_pause, sentences as sentences_of};

use super::Page;
use super::form::{self, Form, Line, Side, Text};
use super::key::{self, Sentence, reading_words};
use crate::authors::source::{Item, Material, Unit, Words};

/// Widest heading of a page; a wider one is said like a sentence.
const TITLE_EM: f32 = 72.0;
/// Widest quotation that has a page.
const QUOTED_EM: f32 = 240.0;
/// What stands before the name of whoever said something.
const NAME_SIGNS: [char; 4] = ['—', '–', '-', '―'];
/// Longest heading that the source does not mark.
const HEADING_WORDS: f32 = 8.0;
/// Words on one of two sides.
const SIDE_WORDS: f32 = 48.0;

/// A heading with what stands below it.
#[derive(Debug)]
pub(super) struct Section<'a> {
    material: &'a Material,
    heading: Option<usize>,
    level: u8,
    units: Vec<usize>,
    /// Two sections below it that answer each other and stand on its page.
    sides: Vec<Section<'a>>,
}

/// The sections of these units. What stands before the first heading below the title is a section without a heading.
pub(super) fn sections<'a>(
    material: &'a Material,
    units: &[usize],
    title: Option<usize>,
) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = vec![];
    let section = |heading, level| Section {
        material,
        heading,
        level,
        units: vec![],
        sides: vec![],
    };
    let headings = unmarked(material, title);
    for unit in units.iter().copied().filter(|unit| Some(*unit) != title) {
        let found = &material.units[unit];
        let fits = em_width(&found.name()) <= TITLE_EM;
        let unmarked = headings.contains(&unit).then_some(UNMARKED_LEVEL);
        match found.level().filter(|_| fits).or(unmarked) {
            Some(level) => sections.push(section(Some(unit), level)),
            None => {
                if sections.is_empty() {
                    sections.push(section(None, 1));
                }
                if let Some(last) = sections.last_mut() {
                    last.units.push(unit);
                }
            }
        }
    }
    facing(sections)
}

/// Where a heading stands that the source does not mark: below all that it marks.
const UNMARKED_LEVEL: u8 = 9;

/// The words of a heading that is not marked as one: a short line that ends no sentence, in a list of one number or in a paragraph of its own.
fn short_line(unit: &Unit) -> Option<&Words> {
    let words = match unit {
        Unit::Para(words) => words,
        Unit::List(items) => match items.as_slice() {
            [Item(0, Some(sign), words)] if sign.starts_with(|c: char| c.is_numeric()) => words,
            _ => return None,
        },
        Unit::Heading(..) | Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => return None,
    };
    let is_short = reading_words(&words.text) <= HEADING_WORDS && words.lines().len() == 1;
    let is_open = !ends_with_pause(&words.text) && !words.is_quoted;
    (is_short && is_open && form::split(words).is_none()).then_some(words)
}

/// The headings of a source that marks none: at least two short lines of the same kind, each with other units below it.
fn unmarked(material: &Material, title: Option<usize>) -> BTreeSet<usize> {
    let units = &material.units;
    let is_marked = |(at, unit): (usize, &Unit)| unit.level().is_some() && Some(at) != title;
    if units.iter().enumerate().any(is_marked) {
        return BTreeSet::new();
    }
    let is_above = |at: &usize| {
        Some(*at) != title
            && short_line(&units[*at]).is_some()
            && units
                .get(at + 1)
                .is_some_and(|next| short_line(next).is_none())
    };
    let lines: Vec<usize> = (0..units.len()).filter(is_above).collect();
    let (listed, bare): (BTreeSet<usize>, BTreeSet<usize>) = lines
        .into_iter()
        .partition(|at| matches!(units[*at], Unit::List(_)));
    [listed, bare]
        .into_iter()
        .find(|all| all.len() > 1)
        .unwrap_or_default()
}

/// Takes two sections below another onto its page, where they are its only ones and short.
fn facing(sections: Vec<Section<'_>>) -> Vec<Section<'_>> {
    let mut kept: Vec<Section<'_>> = vec![];
    let mut sections = sections.into_iter().peekable();
    while let Some(mut section) = sections.next() {
        let mut below = vec![];
        while let Some(next) =
            sections.next_if(|next| next.level > section.level && section.heading.is_some())
        {
            below.push(next);
        }
        let [one, other] = below.as_slice() else {
            kept.push(section);
            kept.extend(facing(below));
            continue;
        };
        let is_facing =
            one.level == other.level && one.is_side() && other.is_side() && section.is_talk();
        match is_facing {
            true => {
                section.sides = below;
                kept.push(section);
            }
            false => {
                kept.push(section);
                kept.extend(facing(below));
            }
        }
    }
    kept
}

impl<'a> Section<'a> {
    fn unit(&self, unit: usize) -> &'a Unit {
        &self.material.units[unit]
    }

    /// Whether it has running text alone.
    fn is_talk(&self) -> bool {
        self.units
            .iter()
            .all(|unit| matches!(self.unit(*unit), Unit::Para(_) | Unit::Heading(..)))
    }

    pub(super) fn is_opening(&self) -> bool {
        let words: f32 = self.talk().iter().map(Sentence::words).sum();
        self.heading.is_none() && self.is_talk() && words <= super::TALK_WORDS
    }

    /// All units of it, with its heading.
    pub(super) fn units(&self) -> Vec<usize> {
        self.heading
            .into_iter()
            .chain(self.units.iter().copied())
            .collect()
    }

    /// The sentences of its paragraphs.
    pub(super) fn talk(&self) -> Vec<Sentence<'a>> {
        self.units
            .iter()
            .flat_map(|unit| said(self.material, *unit))
            .collect()
    }

    fn name(&self) -> String {
        self.heading
            .map(|unit| self.unit(unit).name())
            .unwrap_or_default()
    }

    fn title(&self) -> Option<Text> {
        let unit = self.heading?;
        let unit = self.unit(unit);
        if let Unit::Heading(_, words) = unit {
            return Some(heading(words));
        }
        short_line(unit).map(heading)
    }

    /// The lines that it has as one of two sides.
    fn side_lines(&self) -> Vec<Line> {
        let mut lines = vec![];
        for unit in &self.units {
            if let Unit::List(items) = self.unit(*unit) {
                for (form, _) in form::of_list(items, false) {
                    if let Form::Lines(own) = form {
                        lines.extend(own);
                    }
                }
            }
        }
        if lines.is_empty() {
            lines = key::shown(&self.talk(), &self.name())
                .iter()
                .map(sentence_line)
                .collect();
        }
        lines
    }

    fn is_side(&self) -> bool {
        let has_text = self.units.iter().all(|unit| match self.unit(*unit) {
            Unit::Para(words) => !words.is_quoted,
            Unit::List(items) => matches!(
                form::of_list(items, false).as_slice(),
                [(Form::Lines(_), _)]
            ),
            Unit::Heading(..) | Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => false,
        });
        let lists = self
            .units
            .iter()
            .filter(|unit| matches!(self.unit(**unit), Unit::List(_)));
        let words: f32 = self
            .side_lines()
            .iter()
            .map(|line| reading_words(&line.text.plain))
            .sum();
        has_text
            && lists.count() < 2
            && words > 0.0
            && words <= SIDE_WORDS
            && self
                .title()
                .is_some_and(|title| em_width(&title.plain) <= l::HEADING_EM as f32)
    }

    /// The paragraphs with which these units begin that are lines of a list, as such.
    fn items(&self, units: &[usize]) -> Vec<Item> {
        let item = |unit: &usize| match self.unit(*unit) {
            Unit::Para(words) => form::as_item(words),
            Unit::Heading(..)
            | Unit::List(_)
            | Unit::Grid(_)
            | Unit::Code(..)
            | Unit::Picture(..) => None,
        };
        units.iter().map_while(item).collect()
    }

    /// Its pages, the `at`th of the source, each with at most so many words of running text in its notes, where that can be.
    pub(super) fn pages(&self, at: usize, talk_words: f32, is_short: bool) -> Vec<Page<'a>> {
        let mut made = Pages {
            section: self,
            at,
            pages: vec![],
            said: vec![],
            talk_words,
            is_short,
        };
        let mut units = self.units.as_slice();
        while let Some((unit, rest)) = units.split_first() {
            let items = self.items(units);
            if items.len() > 1 {
                let (run, rest) = units.split_at(items.len());
                made.list(&items, run);
                units = rest;
            } else {
                made.take(*unit);
                units = rest;
            }
        }
        if let [one, other] = self.sides.as_slice() {
            let side = |section: &Section<'a>| {
                let head = section.title().unwrap_or_default();
                Side {
                    head,
                    lines: section.side_lines(),
                }
            };
            let units = [one.units(), other.units()].concat();
            let said = units
                .iter()
                .flat_map(|unit| self.material.units[*unit].said());
            made.put(
                Form::Sides([side(one), side(other)]),
                &units,
                said.map(str::to_owned).collect(),
            );
        }
        made.finish()
    }
}

/// A heading as it stands on a page.
fn heading(words: &Words) -> Text {
    let plain = words.line();
    let slot = crate::authors::source::with_formulas(spec::text::literal(&plain), &words.formulas);
    Text { slot, plain }
}

/// The sentences of a unit that is running text, or of a heading that is too wide for a title.
fn said(material: &Material, unit: usize) -> Vec<Sentence<'_>> {
    match &material.units[unit] {
        Unit::Para(words) | Unit::Heading(_, words) => {
            let all = sentences_of(&words.text).into_iter();
            all.map(|at| Sentence { unit, words, at }).collect()
        }
        Unit::List(_) | Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => vec![],
    }
}

fn sentence_line(sentence: &Sentence<'_>) -> Line {
    Line {
        level: 0,
        marker: None,
        text: sentence.text(),
    }
}

/// The pages of a section while they are made.
struct Pages<'a, 's> {
    section: &'s Section<'a>,
    at: usize,
    pages: Vec<Page<'a>>,
    /// Sentences that are on no page yet.
    said: Vec<Sentence<'a>>,
    talk_words: f32,
    is_short: bool,
}

impl<'a> Pages<'a, '_> {
    fn take(&mut self, unit: usize) {
        match self.section.unit(unit) {
            Unit::Para(words) if words.is_quoted => self.quotation(unit, words),
            Unit::Para(_) | Unit::Heading(..) => {
                self.said.extend(said(self.section.material, unit))
            }
            Unit::List(items) => self.list(items, &[unit]),
            Unit::Grid(grid) => {
                for form in form::of_grid(grid) {
                    self.put(form, &[unit], vec![]);
                }
            }
            Unit::Code(language, lines) => {
                for lines in lines.chunks(form::CODE_LINES) {
                    self.put(Form::Code(language.as_deref(), lines), &[unit], vec![]);
                }
            }
            Unit::Picture(alt, hash) => self.put(Form::Picture(alt, hash), &[unit], vec![]),
        }
    }

    /// The pages of a list, which is these units.
    fn list(&mut self, items: &[Item], units: &[usize]) {
        for (form, items) in form::of_list(items, self.is_short) {
            let said = items.iter().flat_map(|item| item.2.said());
            self.put(form, units, said.map(str::to_owned).collect());
        }
    }

    /// A quotation that a page holds, with who said it where that stands on a line of its own.
    fn quotation(&mut self, unit: usize, words: &'a Words) {
        let lines = words.lines();
        let is_name =
            |at: &&std::ops::Range<usize>| words.text[(**at).clone()].starts_with(NAME_SIGNS);
        let by = lines
            .last()
            .filter(|_| lines.len() > 1)
            .filter(is_name)
            .cloned();
        let said = &lines[..lines.len() - usize::from(by.is_some())];
        let (Some(first), Some(last)) = (said.first(), said.last()) else {
            return;
        };
        let at = first.start..last.end;
        // Who said it may stand in a paragraph of its own.
        let is_by = by.is_none() && is_name(&&at);
        if let Some(Page {
            form: Form::Quotation { by: by @ None, .. },
            units,
            notes,
            ..
        }) = self.pages.last_mut()
            && is_by
            && self.said.is_empty()
        {
            *by = Some(named(words, at));
            units.push(unit);
            notes.extend(words.said().into_iter().map(str::to_owned));
            return;
        }
        if em_width(&words.text[at.clone()]) > QUOTED_EM || said.len() > 1 || is_by {
            self.said.extend(self::said(self.section.material, unit));
            return;
        }
        let by = by.map(|at| named(words, at));
        let text = Text::of(words, &at);
        let said = words.said().into_iter().map(str::to_owned).collect();
        self.put(Form::Quotation { text, by }, &[unit], said);
    }

    /// A page of a form with what is said to it, the sentences before it in its notes, and the one that carries them under its heading.
    fn put(&mut self, form: Form<'a>, units: &[usize], said: Vec<String>) {
        let words: f32 = self.said.iter().map(Sentence::words).sum();
        if words > self.talk_words {
            self.talk_pages();
        }
        let talk = std::mem::take(&mut self.said);
        let takes_lead = form.takes_lead();
        let lead = takes_lead.then(|| key::lead(&talk, &self.section.name()));
        let before = talk.iter().map(|said| said.plain().to_owned());
        let notes = before.chain(said).collect();
        let units = units_of(&talk).into_iter().chain(units.iter().copied());
        self.page(form, lead.flatten(), notes, units.collect(), vec![]);
    }

    fn page(
        &mut self,
        form: Form<'a>,
        lead: Option<Text>,
        notes: Vec<String>,
        units: Vec<usize>,
        talk: Vec<Sentence<'a>>,
    ) {
        let begins = self.pages.is_empty();
        let heading = self.section.heading.filter(|_| begins);
        self.pages.push(Page {
            title: self.section.title(),
            lead,
            form,
            notes,
            units: heading.into_iter().chain(units).collect(),
            talk,
            section: self.at,
            begins,
        });
    }

    /// Pages of the sentences that are on none yet.
    fn talk_pages(&mut self) {
        let talk = std::mem::take(&mut self.said);
        let all: f32 = talk.iter().map(Sentence::words).sum();
        let count = (all / self.talk_words).ceil().max(1.0);
        let (mut open, mut words): (Vec<Sentence<'a>>, f32) = (vec![], 0.0);
        for sentence in talk {
            let is_new = open.last().is_some_and(|last| last.unit != sentence.unit);
            let share = all / count;
            let is_full = words + sentence.words() > share * 1.1 && (is_new || words > share * 0.8);
            if !open.is_empty() && is_full {
                self.talk_page(std::mem::take(&mut open));
                words = 0.0;
            }
            words += sentence.words();
            open.push(sentence);
        }
        if !open.is_empty() {
            self.talk_page(open);
        }
    }

    fn talk_page(&mut self, talk: Vec<Sentence<'a>>) {
        let page = talked(talk, self.section.title(), &self.section.name());
        self.page(page.form, None, page.notes, page.units, page.talk);
        if let Some(last) = self.pages.last_mut() {
            last.title = page.title;
        }
    }

    fn finish(mut self) -> Vec<Page<'a>> {
        let words: f32 = self.said.iter().map(Sentence::words).sum();
        match self.pages.last_mut() {
            Some(last)
                if !self.said.is_empty() && words <= self.talk_words && last.talk.is_empty() =>
            {
                let said = std::mem::take(&mut self.said);
                last.notes
                    .extend(said.iter().map(|said| said.plain().to_owned()));
                last.units.extend(units_of(&said));
            }
            Some(_) if self.said.is_empty() => {}
            None if self.said.is_empty() => self.page(Form::Section, None, vec![], vec![], vec![]),
            Some(_) | None => self.talk_pages(),
        }
        self.pages
    }
}

/// Who said it, without the dash before the name.
fn named(words: &Words, at: std::ops::Range<usize>) -> Text {
    let text = &words.text[at.clone()];
    let name = text.trim_start_matches(|c: char| c.is_whitespace() || NAME_SIGNS.contains(&c));
    Text::of(words, &(at.end - name.len()..at.end))
}

fn units_of(talk: &[Sentence<'_>]) -> Vec<usize> {
    let mut units: Vec<usize> = talk.iter().map(|said| said.unit).collect();
    units.dedup();
    units
}

/// A page of running text. Where the source has no heading for it, a short sentence that carries it is one.
fn talked<'a>(talk: Vec<Sentence<'a>>, title: Option<Text>, heading: &str) -> Page<'a> {
    let own = match title {
        None if talk.len() > 1 => key::title(&talk, l::HEADING_EM as f32),
        Some(_) | None => None,
    };
    let rest: Vec<Sentence<'a>> = talk
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != own)
        .map(|(_, said)| said.clone())
        .collect();
    let title = title.or_else(|| own.map(|at| talk[at].text()));
    let lines = key::shown(&rest, heading)
        .iter()
        .map(sentence_line)
        .collect();
    Page {
        title,
        lead: None,
        form: Form::Lines(lines),
        notes: talk.iter().map(|said| said.plain().to_owned()).collect(),
        units: units_of(&talk),
        talk,
        section: 0,
        begins: false,
    }
}

/// A page divided into two: its sentences, or its lines.
pub(super) fn halves<'a>(page: &Page<'a>) -> Option<[Page<'a>; 2]> {
    let part = |part: Page<'a>, begins: bool, units: Vec<usize>| Page {
        title: part.title,
        units,
        section: page.section,
        begins: begins && page.begins,
        ..part
    };
    if page.talk.len() > 1 {
        let (one, two) = page.talk.split_at(page.talk.len() / 2);
        // A title that was a sentence of the page is not the title of the other half.
        let has_heading = page
            .title
            .as_ref()
            .is_some_and(|title| page.talk.iter().all(|said| said.plain() != title.plain));
        let title = page.title.clone().filter(|_| has_heading);
        let heading = title
            .as_ref()
            .map(|title| title.plain.clone())
            .unwrap_or_default();
        let (one, two) = (
            talked(one.to_vec(), title.clone(), &heading),
            talked(two.to_vec(), title, &heading),
        );
        let above = page
            .units
            .iter()
            .copied()
            .filter(|unit| !units_of(&page.talk).contains(unit));
        let first = above.chain(one.units.clone()).collect();
        let second = two.units.clone();
        return Some([part(one, true, first), part(two, false, second)]);
    }
    let Form::Lines(lines) = &page.form else {
        return None;
    };
    if lines.len() < 2 || !page.talk.is_empty() {
        return None;
    }
    let (one, two) = lines.split_at(lines.len().div_ceil(2));
    let with = |lines: &[Line], notes: Vec<String>| Page {
        form: Form::Lines(lines.to_vec()),
        notes,
        ..page.clone()
    };
    let second = two.iter().map(|line| line.text.plain.clone()).collect();
    let (one, mut two) = (with(one, page.notes.clone()), with(two, second));
    two.lead = None;
    let units = page.units.clone();
    Some([
        part(one, true, units.clone()),
        part(two, false, units[units.len() - 1..].to_vec()),
    ])
}
