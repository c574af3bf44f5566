//! Pages out of a source, as one who designs them plans: a section stands on a page or more, each part of it in the form that its content
//! has, and the sentences that carry it large. All other sentences are in the notes of the page, so that a speaker has them.
//!
//! Rejected: pages that are filled one after the other. They break where a page is full and not where a thought ends, and show paragraphs
//! that nobody reads.

mod form;
mod key;
mod sections;

use std::collections::BTreeSet;

use super::source::{Material, Unit};
pub use form::{Chart, Form, Line, Side, Station, Term, Text, is_time};
pub use key::{Sentence, reading_words};
use sections::{Section, sections};

/// A page of content.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// Its heading as it is written; `None` where the source has none for it.
    pub title: Option<Text>,
    /// The sentence under the heading that holds together what is shown.
    pub lead: Option<Text>,
    pub form: Form<'a>,
    /// What a speaker says to it, in the order of the source.
    pub notes: Vec<String>,
    /// The units that stand on it or in its notes.
    pub units: Vec<usize>,
    /// The sentences of which the page shows the ones that carry them; empty for forms of other content.
    talk: Vec<Sentence<'a>>,
    /// The section, by its place, and whether this is its first page.
    section: usize,
    begins: bool,
}

/// What stands on the opening page besides the title.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    pub subtitle: Option<Text>,
    pub notes: Vec<String>,
    pub units: Vec<usize>,
}

/// The pages of a source.
#[derive(Clone, Debug, Default)]
pub struct Design<'a> {
    pub opening: Opening,
    pub pages: Vec<Page<'a>>,
    /// Pages that were asked for beyond what the source fills.
    pub empty: usize,
    /// Headings of sections that have no page and stand in the notes of their neighbour.
    pub in_notes: Vec<usize>,
    /// Units that stand nowhere.
    pub left: Vec<usize>,
}

/// How many words of running text a page is made of, where no number of pages is asked for: what is said in a minute.
const TALK_WORDS: f32 = 140.0;
/// The same from the finest to the coarsest, where a number is.
const TALKS: [f32; 9] = [
    20.0,
    40.0,
    60.0,
    90.0,
    TALK_WORDS,
    200.0,
    320.0,
    500.0,
    f32::INFINITY,
];

/// The pages for these units, in their order. `title` is the unit that is the title of the whole, if there is one. With `most`, there are
/// exactly so many, of which some may be empty.
pub fn pages<'a>(
    material: &'a Material,
    units: &[usize],
    title: Option<usize>,
    most: Option<usize>,
) -> Design<'a> {
    let mut sections = sections(material, units, title);
    let opening = opening(&mut sections);
    let drafted = |(talk, is_short): (f32, bool)| -> Vec<Page<'a>> {
        let sections = sections.iter().enumerate();
        sections
            .flat_map(|(at, section)| section.pages(at, talk, is_short))
            .collect()
    };
    let mut design = Design {
        opening,
        ..Design::default()
    };
    let Some(most) = most else {
        design.pages = drafted((TALK_WORDS, false));
        return design;
    };
    // Before a page goes, lists of terms are shown by their terms alone.
    let mut talks = TALKS.iter().map(|talk| drafted((*talk, false)));
    let fitting = talks.find(|pages| pages.len() <= most);
    design.pages = fitting.unwrap_or_else(|| drafted((f32::INFINITY, true)));
    design.merge_lightest(material, most.max(1));
    while design.pages.len() < most && split_longest(&mut design.pages) {}
    design.empty = most.saturating_sub(design.pages.len());
    design.left.sort_unstable();
    design
}

/// What stands before the first heading below the title: its sentences are said to the opening page, where they are short.
fn opening(sections: &mut Vec<Section<'_>>) -> Opening {
    let is_opening = sections.len() > 1 && sections[0].is_opening();
    if !is_opening {
        return Opening::default();
    }
    let first = sections.remove(0);
    let talk = first.talk();
    let notes = talk.iter().map(|said| said.plain().to_owned()).collect();
    Opening {
        subtitle: key::subtitle(&talk),
        notes,
        units: first.units(),
    }
}

impl Design<'_> {
    /// Leaves so many pages: those that say least go into the notes of their neighbours. What notes cannot hold stands nowhere.
    fn merge_lightest(&mut self, material: &Material, most: usize) {
        let pages = std::mem::take(&mut self.pages);
        let mut order: Vec<usize> = (0..pages.len()).rev().collect();
        let weights: Vec<f32> = pages.iter().map(Page::weight).collect();
        order.sort_by(|one, other| weights[*one].total_cmp(&weights[*other]));
        order.truncate(pages.len().saturating_sub(most));
        let going: BTreeSet<usize> = order.into_iter().collect();
        let sections: Vec<usize> = pages.iter().map(|page| page.section).collect();
        let is_held = |unit: &usize| match &material.units[*unit] {
            Unit::Heading(..) | Unit::Para(_) | Unit::List(_) => true,
            Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => false,
        };
        let (mut above, mut lost): (Vec<Page<'_>>, Vec<usize>) = (vec![], vec![]);
        let mut charted: BTreeSet<usize> = BTreeSet::new();
        for (at, mut page) in pages.into_iter().enumerate() {
            if !going.contains(&at) {
                for above in above.drain(..).rev() {
                    page.begins |= above.begins && above.section == page.section;
                    page.take_above(above);
                }
                if matches!(page.form, Form::Chart(..)) {
                    charted.extend(page.units.iter().copied());
                }
                self.pages.push(page);
                continue;
            }
            // A table of which there is a chart is not lost with its page.
            let is_drawn =
                |unit: &usize| matches!(page.form, Form::Table(..)) && charted.contains(unit);
            lost.extend(
                page.units
                    .iter()
                    .filter(|unit| !is_held(unit) && !is_drawn(unit)),
            );
            page.units.retain(is_held);
            let goes_on = sections.get(at + 1) == Some(&page.section);
            if page.begins && !goes_on {
                let headings = page
                    .units
                    .iter()
                    .filter(|unit| material.units[**unit].level().is_some());
                self.in_notes.extend(headings);
            }
            // The heading of a section goes to the next page of it, or above what follows it.
            let is_above = matches!(page.form, Form::Section) || (page.begins && goes_on);
            match self.pages.last_mut().filter(|_| !is_above) {
                Some(before) => before.take_below(page),
                None => above.push(page),
            }
        }
        if let Some(last) = self.pages.last_mut() {
            above.into_iter().for_each(|page| last.take_below(page));
        }
        lost.dedup();
        self.left.append(&mut lost);
    }
}

impl Page<'_> {
    /// What is said to it, below its heading.
    fn spoken(self) -> impl DoubleEndedIterator<Item = String> {
        let heading = self.title.filter(|_| self.begins).map(|title| title.plain);
        heading.into_iter().chain(self.notes)
    }

    fn take_below(&mut self, mut page: Self) {
        self.units.append(&mut page.units);
        self.notes.extend(page.spoken());
    }

    fn take_above(&mut self, mut page: Self) {
        self.units.splice(0..0, std::mem::take(&mut page.units));
        self.notes.splice(0..0, page.spoken());
    }

    /// How much is lost without it: its words, more for what is shown and cannot be said, twice as much for the first page of a section.
    fn weight(&self) -> f32 {
        let said: f32 = self.notes.iter().map(|said| reading_words(said)).sum();
        let own = said + self.form.weight();
        if self.begins { own * 2.0 } else { own }
    }

    /// The lines that stand on it, as they are read.
    pub fn lines(&self) -> Vec<String> {
        let lead = self.lead.iter().map(|lead| lead.plain.clone());
        lead.chain(self.form.lines()).collect()
    }
}

/// Divides the page with the longest text between two sentences, or two lines of a list; false if none can be divided.
fn split_longest(pages: &mut Vec<Page<'_>>) -> bool {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    let size = |page: &Page<'_>| {
        page.notes
            .iter()
            .map(|said| reading_words(said))
            .sum::<f32>()
    };
    order.sort_by(|one, other| size(&pages[*other]).total_cmp(&size(&pages[*one])));
    for at in order {
        if let Some(halves) = sections::halves(&pages[at]) {
            pages.splice(at..=at, halves);
            return true;
        }
    }
    false
}

/// The units among these that stand neither on a page nor in notes.
pub fn without(units: &[usize], others: &[usize]) -> Vec<usize> {
    let others: BTreeSet<&usize> = others.iter().collect();
    let left = units.iter().filter(|unit| !others.contains(unit));
    left.copied().collect()
}
