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

/// Pages without content of the source: the first and the last.
const FRAME: u32 = 2;
/// Pages of a skeleton whose brief names no number.
const SKELETON_PAGES: u32 = 8;

/// The heading of the first level that the source begins with, where the opening page has room for it; of a text without headings, a first
/// line that ends no sentence.
pub(crate) fn title(material: &Material) -> Option<String> {
    let first = material.units.first()?;
    let is_line = |words: &Words| words.lines().len() == 1 && !ends_with_pause(&words.text);
    let title = match first {
        Unit::Heading(1, words) => words.line(),
        Unit::Para(words) if material.units.len() > 1 && is_line(words) => words.line(),
        Unit::Heading(..)
        | Unit::Para(_)
        | Unit::List(_)
        | Unit::Grid(_)
        | Unit::Code(..)
        | Unit::Picture(..) => return None,
    };
    Some(title).filter(|title| em_width(title) <= OPENING_TITLE_EM as f32)
}

/// The deck that a run wants: with `pages` pages where that was decided, otherwise with as many as are needed.
pub(crate) fn plan<'a>(work: &Work, material: &'a Material, pages: Option<u32>) -> Design<'a> {
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
    plan.left.extend(design::without(&all, &units));
    plan.left.sort_unstable();
    plan
}

/// Pages of the whole deck.
pub(crate) fn total(plan: &Design<'_>) -> u32 {
    let pages = u32::try_from(plan.pages.len() + plan.empty).unwrap_or(PAGES_MAX);
    (pages + FRAME).clamp(PAGES_MIN, PAGES_MAX)
}

fn laid_out<'a>(
    work: &Work,
    material: &'a Material,
    units: &[usize],
    pages: Option<u32>,
) -> Design<'a> {
    // A source of which nothing fits is no reason for a skeleton.
    let skeleton = if material.aside.is_empty() {
        SKELETON_PAGES
    } else {
        PAGES_MIN
    };
    let wanted = pages.or(units.is_empty().then_some(skeleton));
    let most = |pages: u32| pages.saturating_sub(FRAME).max(1) as usize;
    let title = title(material).map(|_| 0);
    let brief = said(work).join("\n");
    let with = |pages| design::pages(material, units, title, Some(most(pages)), &brief);
    if let Some(pages) = wanted {
        return with(pages);
    }
    let free = design::pages(material, units, title, None, &brief);
    match free.pages.len() > most(PAGES_MAX) {
        true => with(PAGES_MAX),
        false => free,
    }
}
