//! Pages out of a source, as one who designs them plans: a section stands on a page or more, each part of it in the form that its content
//! has, and the sentences that carry it large. All other sentences are in the notes of the page, so that a speaker has them.
//!
//! Rejected: pages that are filled one after the other. They break where a page is full and not where a thought ends, and show paragraphs
//! that nobody reads.

mod form;
mod key;
mod sections;

use std::collections::BTreeSet;

use spec::limits::{HEADING_EM, SUBTITLE_EM};
use spec::text::em_width;
use words::reading_words;

use super::source::{Material, Unit};
use super::wishes::terms;
pub use form::{Chart, Form, Line, Side, Station, Term, Text, card_rows, is_time};
use key::Sentence;
use sections::{Piece, Section, sections};

/// A page of content.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// Its heading as it is written; `None` where the source has none for it.
    pub title: Option<Text>,
    /// Whether that is a heading of the source and not a sentence.
    pub has_heading: bool,
    /// The sentence under the heading that introduces what is shown.
    pub lead: Option<Text>,
    pub form: Form<'a>,
    /// The sentence below what is shown.
    pub tail: Option<Text>,
    /// What a speaker says to it, in the order of the source.
    pub notes: Vec<String>,
    /// The units that stand on it or in its notes.
    pub units: Vec<usize>,
}

/// A page before its sentences are chosen.
#[derive(Clone, Debug)]
struct Draft<'a> {
    title: Option<Text>,
    /// `None` for running text.
    form: Option<Form<'a>>,
    notes: Vec<String>,
    units: Vec<usize>,
    /// The running text that stands on it or before it.
    talk: Vec<Sentence<'a>>,
    /// The running text after it.
    after: Vec<Sentence<'a>>,
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
const TALK_WORDS: f32 = 100.0;
/// The same from the finest to the coarsest, where a number is.
const TALKS: [f32; 9] = [
    40.0,
    60.0,
    80.0,
    TALK_WORDS,
    140.0,
    200.0,
    320.0,
    500.0,
    f32::INFINITY,
];
/// Widest sentence that is a heading: one line.
const TITLE_EM: f32 = HEADING_EM as f32;
/// What a formula is worth, in words.
const FORMULA_WEIGHT: f32 = 120.0;
/// How much a word of the brief in a text is worth, of one in a heading.
const NAMED_IN_TEXT: f32 = 0.25;
/// A word of the brief that stands on more than one of so many pages names none of them.
const NAMED_SHARE: usize = 4;

/// The pages for these units, in their order. `title` is the unit that is the title of the whole, if there is one. With `most`, there are
/// exactly so many, of which some may be empty, and what the brief names is the last to go.
pub fn pages<'a>(
    material: &'a Material,
    units: &[usize],
    title: Option<usize>,
    most: Option<usize>,
    brief: &str,
) -> Design<'a> {
    let mut sections = sections(material, units, title);
    let mut design = Design {
        opening: opening(&mut sections),
        ..Design::default()
    };
    match title.and_then(|title| below_first_line(&material.units[title])) {
        Some(text) if em_width(&text.plain) <= SUBTITLE_EM as f32 => {
            design.opening.subtitle = Some(text);
        }
        Some(text) => design.opening.notes.insert(0, text.plain),
        None => {}
    }
    let drafted = |is_short: bool| {
        let pieces = sections.iter().map(|section| section.pieces(is_short));
        let pieces: Vec<Vec<Piece<'a>>> = pieces.collect();
        let sections = &sections;
        move |talk: f32| -> Vec<Draft<'a>> {
            let each = sections.iter().zip(&pieces).enumerate();
            each.flat_map(|(at, (section, pieces))| section.pages(pieces, at, talk))
                .collect()
        }
    };
    let long = drafted(false);
    let drafts = match most {
        None => long(TALK_WORDS),
        Some(most) => {
            // Before a page goes, lists stand on one page each.
            let mut talks = TALKS.iter().map(|talk| long(*talk));
            let fitting = talks.find(|pages| pages.len() <= most);
            let drafts = fitting.unwrap_or_else(|| drafted(true)(f32::INFINITY));
            let mut drafts = design.merge_lightest(drafts, material, most.max(1), brief);
            while drafts.len() < most && split_longest(&mut drafts) {}
            design.empty = most.saturating_sub(drafts.len());
            design.left.sort_unstable();
            drafts
        }
    };
    design.pages = drafts.into_iter().map(Draft::chosen).collect();
    design
}

/// How many pages there are where no number of them is asked for.
pub fn count(material: &Material, units: &[usize], title: Option<usize>) -> usize {
    let mut sections = sections(material, units, title);
    opening(&mut sections);
    let pages = sections.iter().enumerate().map(|(at, section)| {
        let pieces = section.pieces(false);
        section.pages(&pieces, at, TALK_WORDS).len()
    });
    pages.sum()
}

/// The lines of a title after its first one.
fn below_first_line(title: &Unit) -> Option<Text> {
    let Unit::Para(words) = title else {
        return None;
    };
    let lines = words.lines();
    let [first, .., last] = lines.as_slice() else {
        return None;
    };
    Some(Text::plain(words.part(&(first.end..last.end)).line()))
}

/// What stands before the first heading below the title: its sentences are said to the opening page, where they are short. Of a text
/// without headings, it is a first line that ends no sentence.
fn opening(sections: &mut Vec<Section<'_>>) -> Opening {
    let first = match sections.as_mut_slice() {
        [] => return Opening::default(),
        [only] => only.take_first_line(),
        [first, ..] => first.is_opening().then(|| sections.remove(0)),
    };
    let Some(first) = first else {
        return Opening::default();
    };
    let talk = first.talk();
    Opening {
        subtitle: key::subtitle(&talk),
        notes: key::spoken(&talk),
        units: first.units(),
    }
}

impl Design<'_> {
    /// Leaves so many pages: those that say least go into the notes of their neighbours. What notes cannot hold stands nowhere.
    fn merge_lightest<'a>(
        &mut self,
        pages: Vec<Draft<'a>>,
        material: &Material,
        most: usize,
        brief: &str,
    ) -> Vec<Draft<'a>> {
        let gone = pages.len().saturating_sub(most);
        if gone == 0 {
            return pages;
        }
        let weights = weights(&pages, brief);
        let mut order: Vec<usize> = (0..pages.len()).rev().collect();
        order.sort_by(|one, other| weights[*one].total_cmp(&weights[*other]));
        order.truncate(gone);
        let going: BTreeSet<usize> = order.into_iter().collect();
        let sections: Vec<usize> = pages.iter().map(|page| page.section).collect();
        let is_held = |unit: &usize| match &material.units[*unit] {
            Unit::Heading(..) | Unit::Para(_) | Unit::List(_) => true,
            Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => false,
        };
        let (mut above, mut lost): (Vec<Draft<'a>>, Vec<usize>) = (vec![], vec![]);
        let mut charted: BTreeSet<usize> = BTreeSet::new();
        let mut kept: Vec<Draft<'a>> = vec![];
        for (at, mut page) in pages.into_iter().enumerate() {
            if !going.contains(&at) {
                for above in above.drain(..).rev() {
                    page.begins |= above.begins && above.section == page.section;
                    page.take_above(above);
                }
                if matches!(page.form, Some(Form::Chart(..))) {
                    charted.extend(page.units.iter().copied());
                }
                kept.push(page);
                continue;
            }
            // A table of which there is a chart is not lost with its page.
            let is_drawn =
                |unit: &usize| matches!(page.form, Some(Form::Table(..))) && charted.contains(unit);
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
            let is_above = matches!(page.form, Some(Form::Section)) || (page.begins && goes_on);
            match kept.last_mut().filter(|_| !is_above) {
                Some(before) => before.take_below(page),
                None => above.push(page),
            }
        }
        if let Some(last) = kept.last_mut() {
            above.into_iter().for_each(|page| last.take_below(page));
        }
        lost.dedup();
        self.left.append(&mut lost);
        kept
    }
}

/// How much is lost without each page. A page that the brief names in words that few pages have is worth more.
fn weights(pages: &[Draft<'_>], brief: &str) -> Vec<f32> {
    let of = |texts: String| -> BTreeSet<String> { terms(&texts).into_iter().collect() };
    let titled = pages.iter().map(|page| {
        let title = page.title.as_ref();
        of(title.map(|title| title.plain.clone()).unwrap_or_default())
    });
    let titled: Vec<BTreeSet<String>> = titled.collect();
    let has = pages.iter().zip(&titled);
    let has = has.map(|(page, titled)| &of(page.notes.join(" ")) | titled);
    let has: Vec<BTreeSet<String>> = has.collect();
    let is_rare = |term: &String| {
        let count = has.iter().filter(|has| has.contains(term)).count();
        (1..=1 + pages.len() / NAMED_SHARE).contains(&count)
    };
    let named: BTreeSet<String> = terms(brief).into_iter().filter(is_rare).collect();
    let shared = |has: &BTreeSet<String>| named.intersection(has).count().min(2) as f32;
    let weight = |((page, has), titled): ((&Draft<'_>, &BTreeSet<String>), &BTreeSet<String>)| {
        page.weight() * (1.0 + shared(titled) + NAMED_IN_TEXT * shared(has))
    };
    pages.iter().zip(&has).zip(&titled).map(weight).collect()
}

impl<'a> Draft<'a> {
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
        let has_formula = self.form.is_none() && self.talk.iter().any(Sentence::has_formula);
        let shown = self.form.as_ref().map_or(1.0, Form::weight);
        let own = said + shown + if has_formula { FORMULA_WEIGHT } else { 0.0 };
        if self.begins { own * 2.0 } else { own }
    }

    /// The page with the sentences that it shows. Where the source has no heading for it, the first of them is one, if it is short.
    fn chosen(self) -> Page<'a> {
        let heading = self.title.as_ref().map(|title| title.plain.as_str());
        // A text that goes on begins with a sentence of its own rather than with the same heading.
        let goes_on = !self.begins && self.form.is_none();
        let (mut title, mut lead, mut tail) = (self.title.clone(), None, None);
        let form = match self.form {
            Some(form) => {
                let em = form.lead_em();
                let said = heading.unwrap_or_default();
                lead = em.and_then(|em| key::lead(&self.talk, said, em));
                let em = form.tail_em(lead.as_ref());
                tail = em.and_then(|em| key::lead(&self.after, said, em));
                form
            }
            None => {
                let is_open = title.is_none() || goes_on;
                let mut shown = key::shown(&self.talk, heading.filter(|_| !goes_on), TITLE_EM);
                if let [first, rest @ ..] = shown
                    && is_open
                    && !rest.is_empty()
                    && em_width(first.plain()) <= TITLE_EM
                {
                    (title, shown) = (Some(first.text()), rest);
                }
                Form::Lines(shown.iter().map(Sentence::line).collect())
            }
        };
        Page {
            has_heading: self.title.is_some(),
            title,
            lead,
            form,
            tail,
            notes: self.notes,
            units: self.units,
        }
    }
}

impl Page<'_> {
    /// The lines that stand on it, as they are read.
    pub fn lines(&self) -> Vec<String> {
        let lead = self.lead.iter().map(|lead| lead.plain.clone());
        let tail = self.tail.iter().map(|tail| tail.plain.clone());
        lead.chain(self.form.lines()).chain(tail).collect()
    }
}

/// Divides the page with the longest text between two sentences, or two lines of a list; false if none can be divided.
fn split_longest(pages: &mut Vec<Draft<'_>>) -> bool {
    let size = |page: &Draft<'_>| -> f32 {
        let said = page.notes.iter().map(|said| reading_words(said));
        said.sum()
    };
    let sizes: Vec<f32> = pages.iter().map(size).collect();
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by(|one, other| sizes[*other].total_cmp(&sizes[*one]));
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
