//! Decides which units a deck is made of, and of how many pages.

use palimpsest::prelude::author::design::{self, Design};
use palimpsest::prelude::author::source::{Material, Unit, Words};
use palimpsest::prelude::author::wishes;
use palimpsest::prelude::author::wishes::said;
use palimpsest::prelude::pipeline::Work;
use spec::limits::OPENING_TITLE_EM;
use spec::text::em_width;
use words::sentences::ends_with_pause;

use crate::pipeline::shape::{PAGES_MAX, PAGES_MIN};
use crate::pipeline::wish;
use crate::pipeline::wish::PageWish;

/// The opening page.
const OPENING: u32 = 1;
/// Headings that are worth a page that calls them to mind.
const RECALLED: usize = 3;
/// Pages of a skeleton whose brief names no number.
const SKELETON_PAGES: u32 = 8;

/// Most lines of a title.
const TITLE_LINES: usize = 3;

/// The heading of the first level that the source begins with, where the opening page has room for it; of a text without headings, the first
/// of few lines that end no sentence.
pub(crate) fn title(material: &Material) -> Option<String> {
    let first = material.units.first()?;
    // Of several chapters, the first is no title, unless nothing stands between it and the next heading.
    let others = &material.units[1..];
    let mut chapters = others.iter().filter(|unit| unit.level() == Some(1));
    let has_text = others.first().is_some_and(|unit| unit.level().is_none());
    if first.level() == Some(1) && has_text && chapters.next().is_some() {
        return None;
    }
    let is_line = |words: &Words| {
        let lines = words.lines();
        let mut lines_end = lines
            .iter()
            .map(|at| ends_with_pause(&words.text[at.clone()]));
        lines.len() <= TITLE_LINES && !lines_end.any(|ends| ends)
    };
    let first_line = |words: &Words| words.text[words.lines()[0].clone()].to_owned();
    let title = match first {
        Unit::Heading(1, words) => words.line(),
        Unit::Para(words) if material.units.len() > 1 && is_line(words) => first_line(words),
        Unit::Heading(..)
        | Unit::Para(_)
        | Unit::List(_)
        | Unit::Grid(_)
        | Unit::Code(..)
        | Unit::Picture(..) => return None,
    };
    Some(title).filter(|title| em_width(title) <= OPENING_TITLE_EM as f32)
}

/// The pages of a deck.
pub(crate) struct Plan<'a> {
    pub(crate) design: Design<'a>,
    /// Whether a page after them calls to mind what there was, or says what is missing.
    pub(crate) has_ending: bool,
}

/// The deck that a run wants: with `pages` pages where that was decided, otherwise with as many as are needed.
pub(crate) fn plan<'a>(work: &Work, material: &'a Material, pages: Option<u32>) -> Plan<'a> {
    let all: Vec<usize> = (usize::from(title(material).is_some())..material.units.len()).collect();
    let (mut units, mut count) = (all.clone(), None);
    let changes = work.changes.iter().map(|change| &change.input);
    let inputs = [&work.input].into_iter().chain(changes);
    for (text, input) in said(work).into_iter().zip(inputs) {
        // The first page of content is the second of the deck.
        let earlier = units.clone();
        let gone = wish::removed_page(text).and_then(|page| page.checked_sub(2));
        if let Some(at) = gone {
            let before = laid_out(work, material, &earlier, count);
            let gone = before
                .design
                .pages
                .get(at as usize)
                .map(|page| page.units.as_slice());
            units = design::without(&units, gone.unwrap_or_default());
        }
        units = wishes::wanted(text, material, units);
        let named = input["pageCount"].as_u64();
        let named = named.and_then(|pages| u32::try_from(pages).ok());
        let before = || total(&laid_out(work, material, &earlier, count));
        count = match named.map(PageWish::Exactly).or_else(|| wish::pages(text)) {
            Some(PageWish::Exactly(pages)) => Some(pages),
            Some(PageWish::Between(low, high)) => Some(before().clamp(low, high.max(low))),
            Some(PageWish::Change(by)) => Some(before().saturating_add_signed(by)),
            None => count,
        };
    }
    let mut plan = laid_out(work, material, &units, pages.or(count));
    let left = &mut plan.design.left;
    left.extend(design::without(&all, &units));
    left.sort_unstable();
    plan
}

/// Pages of the whole deck.
pub(crate) fn total(plan: &Plan<'_>) -> u32 {
    let pages = plan.design.pages.len() + plan.design.empty + usize::from(plan.has_ending);
    let pages = u32::try_from(pages).unwrap_or(PAGES_MAX);
    (pages + OPENING).clamp(PAGES_MIN, PAGES_MAX)
}

/// Whether enough pages have headings of their own.
fn is_recalled(design: &Design<'_>) -> bool {
    let titles = design.pages.iter().filter(|page| page.has_heading);
    let titles = titles.filter_map(|page| page.title.as_ref());
    let mut titles: Vec<&str> = titles.map(|title| title.plain.as_str()).collect();
    titles.dedup();
    titles.len() >= RECALLED
}

fn laid_out<'a>(
    work: &Work,
    material: &'a Material,
    units: &[usize],
    pages: Option<u32>,
) -> Plan<'a> {
    // A source of which nothing fits is no reason for a skeleton.
    let skeleton = if material.aside.is_empty() {
        SKELETON_PAGES
    } else {
        PAGES_MIN
    };
    let wanted = pages.or(units.is_empty().then_some(skeleton));
    let title = title(material).map(|_| 0);
    let brief = said(work).join("\n");
    let of = |pages| design::pages(material, units, title, pages, &brief);
    let is_whole = material.aside.is_empty() && work.unread.is_empty();
    let with = |pages: u32| {
        let content = |ending: u32| pages.saturating_sub(OPENING + ending).max(1) as usize;
        let with_ending = || Plan {
            design: of(Some(content(1))),
            has_ending: true,
        };
        // An outline ends with what is to be remembered.
        if units.is_empty() && is_whole {
            return Plan {
                design: of(Some(content(0))),
                has_ending: false,
            };
        }
        // Content comes before a page that repeats its headings.
        if !is_whole || design::count(material, units, title) <= content(1) {
            let plan = with_ending();
            if !is_whole || is_recalled(&plan.design) {
                return plan;
            }
        }
        let design = of(Some(content(0)));
        match design.empty > 0 || !design.left.is_empty() {
            true => with_ending(),
            false => Plan {
                design,
                has_ending: false,
            },
        }
    };
    if let Some(pages) = wanted {
        return with(pages);
    }
    let free = of(None);
    let has_ending = !is_whole || is_recalled(&free);
    match free.pages.len() as u32 + OPENING + u32::from(has_ending) > PAGES_MAX {
        true => with(PAGES_MAX),
        false => Plan {
            design: free,
            has_ending,
        },
    }
}
