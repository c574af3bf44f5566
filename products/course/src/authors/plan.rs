//! Decides which units stand on which pages of a deck. If possible these are all units; otherwise whole units in the order of the source,
//! where the first units below each heading take precedence, then units that are not paragraphs.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::author::source::{Material, Unit};
use palimpsest::prelude::author::wishes;
use palimpsest::prelude::author::wishes::said;
use palimpsest::prelude::pipeline::Work;
use spec::limits::OPENING_TITLE_EM;
use spec::text::em_width;

use super::pages::{BREAKS, Leaf, Measured, packed, split};
use crate::pipeline::shape::{PAGES_MAX, PAGES_MIN};
use crate::pipeline::wish;
use crate::pipeline::wish::PageWish;

/// Pages without content of the source: the first and the last.
const FRAME: u32 = 2;
/// Pages of a skeleton whose brief names no number.
const SKELETON_PAGES: u32 = 8;
/// After this many units in a row that do not fit, no others are tried.
const TRIES: usize = 100;

/// The content pages of a deck.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) pages: Vec<Leaf<'a>>,
    /// Pages beyond what the source fills.
    pub(crate) empty: usize,
    /// Units that have no place.
    pub(crate) left: Vec<usize>,
}

/// The heading of the first level that the source begins with, where the opening page has room for it.
pub(crate) fn title(material: &Material) -> Option<String> {
    let Some(Unit::Heading(1, words)) = material.units.first() else {
        return None;
    };
    Some(words.line()).filter(|title| em_width(title) <= OPENING_TITLE_EM as f32)
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
            let before = laid_out(material, &earlier, count);
            let gone = before.pages.get(at as usize).into_iter().flatten();
            let gone: Vec<usize> = gone.map(|(unit, _)| *unit).collect();
            units = without(&units, &gone);
        }
        units = wishes::wanted(text, material, units);
        let named = input["pageCount"].as_u64();
        let named = named.and_then(|pages| u32::try_from(pages).ok());
        let before = || total(&laid_out(material, &earlier, count));
        count = match named.map(PageWish::Exactly).or_else(|| wish::pages(text)) {
            Some(PageWish::Exactly(pages)) => Some(pages),
            Some(PageWish::Between(low, high)) => Some(before().clamp(low, high.max(low))),
            Some(PageWish::Change(by)) => Some(before().saturating_add_signed(by)),
            None => count,
        };
    }
    let mut plan = laid_out(material, &units, pages.or(count));
    plan.left.extend(without(&all, &units));
    plan.left.sort_unstable();
    plan
}

/// Pages of the whole deck.
pub(crate) fn total(plan: &Plan<'_>) -> u32 {
    let pages = u32::try_from(plan.pages.len() + plan.empty).unwrap_or(PAGES_MAX);
    (pages + FRAME).clamp(PAGES_MIN, PAGES_MAX)
}

fn laid_out<'a>(material: &'a Material, units: &[usize], pages: Option<u32>) -> Plan<'a> {
    // A source of which nothing fits is no reason for a skeleton.
    let skeleton = if material.aside.is_empty() {
        SKELETON_PAGES
    } else {
        PAGES_MIN
    };
    let wanted = pages.or(units.is_empty().then_some(skeleton));
    let most = wanted.unwrap_or(PAGES_MAX).saturating_sub(FRAME).max(1) as usize;
    // Each is measured once, though it may be tried on pages as often as there are units.
    let measure = |&unit: &usize| (unit, Measured::new(unit, &material.units[unit]));
    let all: BTreeMap<usize, Measured<'_>> = units.iter().map(measure).collect();
    let packed = |units: &[usize], breaks: u8| packed(units.iter().map(|unit| &all[unit]), breaks);
    let mut fitting = BREAKS.iter().map(|breaks| packed(units, *breaks));
    let fitting = fitting.find(|pages| pages.len() <= most);
    let (mut pages, mut left, mut empty) = (fitting.unwrap_or_default(), vec![], 0);
    if pages.is_empty() {
        let kept = selected(material, units, |units| packed(units, 0).len() <= most);
        left = without(units, &kept);
        pages = packed(&kept, 0);
    }
    if wanted.is_some() || pages.is_empty() {
        while pages.len() < most && split(&mut pages) {}
        empty = most - pages.len();
    }
    Plan { pages, empty, left }
}

/// The units that are not among `others`.
fn without(units: &[usize], others: &[usize]) -> Vec<usize> {
    let others: BTreeSet<&usize> = others.iter().collect();
    let left = units.iter().filter(|unit| !others.contains(unit));
    left.copied().collect()
}

/// As many units as fit, with the headings above them.
fn selected(material: &Material, units: &[usize], fits: impl Fn(&[usize]) -> bool) -> Vec<usize> {
    let mut above: Vec<(u8, usize)> = vec![];
    let mut candidates: Vec<(usize, usize, Vec<usize>)> = vec![];
    let mut depth = 0;
    for (place, unit) in units.iter().enumerate() {
        if let Unit::Heading(level, _) = &material.units[*unit] {
            above.retain(|(higher, _)| higher < level);
            above.push((*level, place));
            depth = 0;
        } else {
            let headings = above.iter().map(|(_, place)| *place);
            // Apart from its first words, the most telling units of a section are those that are not paragraphs.
            let is_text = matches!(&material.units[*unit], Unit::Para(_));
            let rank = if is_text { depth } else { depth.min(1) };
            candidates.push((rank, place, headings.chain([place]).collect()));
            depth += 1;
        }
    }
    candidates.sort_unstable();
    let (mut kept, mut failures): (Vec<usize>, _) = (vec![], 0);
    for (_, _, with) in candidates {
        let mut places = [&kept[..], &with].concat();
        places.sort_unstable();
        places.dedup();
        let more: Vec<usize> = places.iter().map(|place| units[*place]).collect();
        failures += 1;
        if fits(&more) {
            (kept, failures) = (places, 0);
        } else if failures > TRIES {
            break;
        }
    }
    kept.into_iter().map(|place| units[place]).collect()
}
