//! A source as sections, and the pages of each.

use std::collections::BTreeSet;

use spec::limits as l;
use spec::text::em_width;
use words::reading_words;
use words::sentences::{ends_with_pause, sentences as sentences_of};

use super::Draft;
use super::form::{self, Form, Line, Side, Text};
use super::key::{self, Sentence};
use crate::authors::source::{Item, Material, Unit, Words};

/// Widest heading of a page; a wider one is said like a sentence.
const TITLE_EM: f32 = 72.0;
/// Widest quotation that has a page.
const QUOTED_EM: f32 = 240.0;
/// Most lines of a verse.
const VERSES: usize = 8;
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
    /// The sentences of each of its units that is running text.
    said: Vec<Vec<Sentence<'a>>>,
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
        said: vec![],
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
                    last.said.push(said(material, unit));
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
    let is_open = form::asks(&words.text) || !ends_with_pause(&words.text);
    (is_short && is_open && !words.is_quoted && form::split(words).is_none()).then_some(words)
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
        let is_facing = one.level == other.level && one.is_side() && other.is_side();
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
        self.heading.is_none() && self.is_talk() && key::words_of(&self.talk()) <= super::TALK_WORDS
    }

    /// Its first unit as a section, if that is a short line that ends no sentence and can be said.
    pub(super) fn take_first_line(&mut self) -> Option<Self> {
        let ([first, _, ..], [said, ..]) = (self.units.as_slice(), self.said.as_slice()) else {
            return None;
        };
        let is_short = !said.is_empty() && short_line(self.unit(*first)).is_some();
        let is_line = self.heading.is_none() && is_short;
        is_line.then(|| Section {
            units: vec![self.units.remove(0)],
            said: vec![self.said.remove(0)],
            sides: vec![],
            ..*self
        })
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
        self.said.iter().flatten().cloned().collect()
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
            let talk = self.talk();
            let shown = key::shown(&talk, Some(&self.name()), 0.0);
            lines = shown.iter().map(Sentence::line).collect();
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
        let words = form::words_in(&self.side_lines());
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
        // They are all set alike.
        let is_bold = |unit: Option<&usize>| match unit.map(|unit| self.unit(*unit)) {
            Some(Unit::Para(words)) => words.bold_lead().is_some(),
            Some(_) | None => false,
        };
        let is_first_bold = is_bold(units.first());
        let item = |unit: &usize| match self.unit(*unit) {
            Unit::Para(words) if is_bold(Some(unit)) == is_first_bold => form::as_item(words),
            Unit::Para(_)
            | Unit::Heading(..)
            | Unit::List(_)
            | Unit::Grid(_)
            | Unit::Code(..)
            | Unit::Picture(..) => None,
        };
        units.iter().map_while(item).collect()
    }

    /// What it is made of, in the order of the source. With `is_short`, a list stands on one page where that can be.
    pub(super) fn pieces(&self, is_short: bool) -> Vec<Piece<'a>> {
        let mut pieces = Pieces {
            section: self,
            made: vec![],
            is_short,
        };
        let mut at = 0;
        while at < self.units.len() {
            let items = self.items(&self.units[at..]);
            if items.len() > 1 {
                pieces.list(&items, &self.units[at..at + items.len()]);
                at += items.len();
            } else {
                pieces.take(at);
                at += 1;
            }
        }
        if let [one, other] = self.sides.as_slice() {
            let side = |section: &Section<'a>| Side {
                head: section.title().unwrap_or_default(),
                lines: section.side_lines(),
            };
            let units = [one.units(), other.units()].concat();
            let said = units
                .iter()
                .flat_map(|unit| self.material.units[*unit].said());
            let said = said.map(str::to_owned).collect();
            pieces.put(Form::Sides([side(one), side(other)]), &units, said);
        }
        pieces.made
    }

    /// The pages of its pieces, the `at`th section of the source, each with at most so many words of running text in its notes, where that
    /// can be.
    pub(super) fn pages(&self, pieces: &[Piece<'a>], at: usize, talk_words: f32) -> Vec<Draft<'a>> {
        let mut made = Pages {
            title: self.title(),
            heading: self.heading,
            at,
            pages: vec![],
            said: vec![],
            talk_words,
        };
        for piece in pieces {
            match piece {
                Piece::Said(said) => made.said.extend_from_slice(said),
                Piece::Shown(form, units, said) => made.put(form, units, said),
            }
        }
        made.finish()
    }
}

/// Sentences, or what has a form of its own with the units that it is and what is said to it.
#[derive(Clone, Debug)]
pub(super) enum Piece<'a> {
    Said(Vec<Sentence<'a>>),
    Shown(Form<'a>, Vec<usize>, Vec<String>),
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
            all.map(|at| Sentence::new(unit, words, at)).collect()
        }
        Unit::List(_) | Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => vec![],
    }
}

impl Sentence<'_> {
    pub(super) fn line(&self) -> Line {
        Line {
            level: 0,
            marker: None,
            text: self.text(),
        }
    }
}

/// The pieces of a section while they are made.
struct Pieces<'a, 's> {
    section: &'s Section<'a>,
    made: Vec<Piece<'a>>,
    is_short: bool,
}

impl<'a> Pieces<'a, '_> {
    /// The unit at this place of the section.
    fn take(&mut self, at: usize) {
        let unit = self.section.units[at];
        match self.section.unit(unit) {
            Unit::Para(words) if words.is_quoted => self.quotation(at, words),
            Unit::Para(words) => match form::as_items(words) {
                Some(items) => self.list(&items, &[unit]),
                None => self.say(at),
            },
            Unit::Heading(..) => self.say(at),
            Unit::List(items) => self.list(items, &[unit]),
            Unit::Grid(grid) => {
                for form in form::of_grid(grid, self.is_short) {
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

    fn put(&mut self, form: Form<'a>, units: &[usize], said: Vec<String>) {
        self.made.push(Piece::Shown(form, units.to_vec(), said));
    }

    fn say(&mut self, at: usize) {
        self.made.push(Piece::Said(self.section.said[at].clone()));
    }

    /// The pages of a list, which is these units.
    fn list(&mut self, items: &[Item], units: &[usize]) {
        for (form, items) in form::of_list(items, self.is_short) {
            let said = items.iter().flat_map(|item| item.2.said());
            self.put(form, units, said.map(str::to_owned).collect());
        }
    }

    /// A quotation that a page holds, with who said it where that stands on a line of its own; verses line by line.
    fn quotation(&mut self, at: usize, words: &'a Words) {
        let unit = self.section.units[at];
        let lines = words.lines();
        let is_name =
            |at: &&std::ops::Range<usize>| words.text[(**at).clone()].starts_with(NAME_SIGNS);
        let by = lines
            .last()
            .filter(|_| lines.len() > 1)
            .filter(is_name)
            .cloned();
        let verses = &lines[..lines.len() - usize::from(by.is_some())];
        let (Some(first), Some(last)) = (verses.first(), verses.last()) else {
            return;
        };
        // The name may stand on the line of the last words.
        let behind = sentences_of(&words.text).into_iter().skip(1).next_back();
        let behind = behind.filter(|at| by.is_none() && is_name(&at));
        let end = behind.as_ref().map_or(last.end, |at| at.start);
        let whole = first.start..first.start + words.text[first.start..end].trim_end().len();
        let by = by.or(behind);
        let said: Vec<String> = words.said().into_iter().map(str::to_owned).collect();
        // Who said it may stand in a paragraph of its own, also without a dash.
        let said_before = matches!(
            self.made.last(),
            Some(Piece::Shown(Form::Quotation { by: None, .. }, ..))
        );
        let is_line = verses.len() == 1 && !ends_with_pause(&words.text[whole.clone()]);
        let is_by = by.is_none() && (is_name(&&whole) || (said_before && is_line));
        if let Some(Piece::Shown(Form::Quotation { by: by @ None, .. }, units, notes)) =
            self.made.last_mut()
            && is_by
        {
            *by = Some(named(words, whole));
            units.push(unit);
            notes.extend(said);
            return;
        }
        let is_wide = em_width(&words.text[whole.clone()]) > QUOTED_EM;
        if is_by || is_wide || verses.len() > VERSES {
            return self.say(at);
        }
        let form = match verses.len() {
            1 => Form::Quotation {
                text: Text::of(words, &whole),
                by: by.map(|at| named(words, at)),
            },
            _ => Form::Lines(
                lines
                    .iter()
                    .map(|at| Line {
                        level: 0,
                        marker: None,
                        text: Text::of(words, at),
                    })
                    .collect(),
            ),
        };
        self.put(form, &[unit], said);
    }
}

/// The pages of a section while they are made.
struct Pages<'a> {
    title: Option<Text>,
    heading: Option<usize>,
    at: usize,
    pages: Vec<Draft<'a>>,
    /// Sentences that are on no page yet.
    said: Vec<Sentence<'a>>,
    talk_words: f32,
}

impl<'a> Pages<'a> {
    /// A page of a form with what is said to it, and the sentences before it in its notes.
    fn put(&mut self, form: &Form<'a>, units: &[usize], said: &[String]) {
        if key::words_of(&self.said) > self.talk_words || self.has_formula() {
            self.talk_pages();
        }
        let talk = std::mem::take(&mut self.said);
        let notes = [key::spoken(&talk), said.to_vec()].concat();
        let units = units_of(&talk).into_iter().chain(units.iter().copied());
        self.page(Some(form.clone()), notes, units.collect(), talk);
    }

    fn page(
        &mut self,
        form: Option<Form<'a>>,
        notes: Vec<String>,
        units: Vec<usize>,
        talk: Vec<Sentence<'a>>,
    ) {
        let begins = self.pages.is_empty();
        let heading = self.heading.filter(|_| begins);
        self.pages.push(Draft {
            title: self.title.clone(),
            form,
            notes,
            units: heading.into_iter().chain(units).collect(),
            talk,
            after: vec![],
            section: self.at,
            begins,
        });
    }

    /// Pages of the sentences that are on none yet.
    fn talk_pages(&mut self) {
        let talk = std::mem::take(&mut self.said);
        let all = key::words_of(&talk);
        let share = all / (all / self.talk_words).ceil().max(1.0);
        let (mut open, mut words): (Vec<Sentence<'a>>, f32) = (vec![], 0.0);
        for sentence in talk {
            let is_new = open.last().is_some_and(|last| last.unit != sentence.unit);
            let is_full = words + sentence.words > share * 1.1 && (is_new || words > share * 0.8);
            if !open.is_empty() && is_full {
                self.talk_page(std::mem::take(&mut open));
                words = 0.0;
            }
            words += sentence.words;
            open.push(sentence);
        }
        if !open.is_empty() {
            self.talk_page(open);
        }
    }

    /// Whether there is a formula that nobody would see in notes.
    fn has_formula(&self) -> bool {
        self.said.iter().any(Sentence::is_formula)
    }

    fn talk_page(&mut self, talk: Vec<Sentence<'a>>) {
        self.page(None, key::spoken(&talk), units_of(&talk), talk);
    }

    fn finish(mut self) -> Vec<Draft<'a>> {
        let is_short = key::words_of(&self.said) <= self.talk_words && !self.has_formula();
        match self.pages.last_mut() {
            Some(last) if is_short && last.form.is_some() => {
                let said = std::mem::take(&mut self.said);
                last.notes.extend(key::spoken(&said));
                last.units.extend(units_of(&said));
                last.after = said;
            }
            None if self.said.is_empty() => self.page(Some(Form::Section), vec![], vec![], vec![]),
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

/// A page divided into two: its sentences, or its lines.
pub(super) fn halves<'a>(page: &Draft<'a>) -> Option<[Draft<'a>; 2]> {
    let (one, two) = match &page.form {
        None if page.talk.len() > 1 => {
            let (one, two) = page.talk.split_at(page.talk.len() / 2);
            let (all, kept) = (units_of(&page.talk), units_of(one));
            let is_kept = |unit: &usize| !all.contains(unit) || kept.contains(unit);
            let units = page.units.iter().copied().filter(is_kept).collect();
            (
                (None, key::spoken(one), one.to_vec(), units),
                (None, key::spoken(two), two.to_vec(), units_of(two)),
            )
        }
        Some(Form::Lines(lines)) if lines.len() > 1 => {
            let (one, two) = lines.split_at(lines.len().div_ceil(2));
            let form = |lines: &[Line]| Some(Form::Lines(lines.to_vec()));
            let said = two.iter().map(|line| line.text.plain.clone()).collect();
            let last = page.units.last().copied().into_iter().collect();
            (
                (
                    form(one),
                    page.notes.clone(),
                    page.talk.clone(),
                    page.units.clone(),
                ),
                (form(two), said, vec![], last),
            )
        }
        Some(_) | None => return None,
    };
    let half = |(form, notes, talk, units), is_first: bool| Draft {
        title: page.title.clone(),
        form,
        notes,
        units,
        talk,
        after: vec![],
        section: page.section,
        begins: is_first && page.begins,
    };
    Some([half(one, true), half(two, false)])
}
