//! Which slide of the deck each slide of a file shows, and which piece of it each shape.
//!
//! The names of shapes say so. LibreOffice gives shapes in placeholders other names, and some pages have no other shapes: a shape that has
//! lost its name is recognised by its words.

use std::collections::{BTreeMap, BTreeSet};

use sdsl::Presentation;
use spec::drawn::{DrawnKind, DrawnPresentation, DrawnShape};
use spec::source::{BlockContent, SourceBlock};
use spec::text::plain;
use spec::{CONTINUED_MARKS, OriginPlace, OriginText};

use super::edited::{SlideShapes, words_of};
use super::element::{Element, ShapeName};
use super::shown;
use super::words::{collapsed, likeness, share};

/// A page without names counts as the slide with which it shares at least this much.
const SLIDE_ALIKE: f64 = 0.5;
/// A smaller share is enough where the place of the page fits as well.
const SLIDE_A_LITTLE_ALIKE: f64 = 0.2;
/// A shape without a name counts as the piece with which it shares at least this much.
pub(super) const SHAPE_ALIKE: f64 = 0.6;

/// The slides of a file in their order.
pub(super) struct Sorted<'a> {
    pub(super) slides: Vec<SortedSlide<'a>>,
}

/// A slide of the file: one of the deck with all of its pages, or another one.
pub(super) struct SortedSlide<'a> {
    /// The slide of the deck, from 0.
    pub(super) base: Option<usize>,
    /// Whether an earlier slide of the file already shows this slide of the deck.
    pub(super) is_copy: bool,
    pub(super) shapes: SlideShapes<'a>,
    /// Shapes that this program did not make.
    pub(super) foreign: Vec<&'a DrawnShape>,
    /// All numbers of its pages, from 1.
    pub(super) pages: Vec<usize>,
}

/// A page with the names of its shapes.
struct Page<'a> {
    number: usize,
    named: Vec<(ShapeName<'a>, &'a DrawnShape)>,
    /// Shapes without a name that this program gives.
    others: Vec<&'a DrawnShape>,
    notes: Vec<&'a DrawnShape>,
    /// The slide of the deck, from 0, and the part of it, from 1.
    place: Option<(usize, usize)>,
}

/// Sorts the shapes. `hash` is that of the deck.
pub(super) fn sorted<'a>(
    drawn: &'a DrawnPresentation,
    base: &Presentation,
    hash: &str,
    language: &str,
) -> Sorted<'a> {
    let mut pages: Vec<Page<'a>> = (1..=drawn.slides)
        .map(|number| page(drawn, number, hash, base.slides.len()))
        .collect();
    let texts: Vec<Vec<OriginText>> = base
        .slides
        .iter()
        .map(|slide| shown::texts(base, slide, language))
        .collect();
    by_words(&mut pages, drawn, base, &texts);
    let mut slides: Vec<SortedSlide<'a>> = Vec::new();
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    for page in pages {
        let is_new = page.place.is_none_or(|place| seen.insert(place));
        let number = page.number;
        let at = page.place.and_then(|(slide, part)| {
            // A copy of a slide has all its pages again, one after another.
            if is_new {
                let first = slides
                    .iter()
                    .position(|known| known.base == Some(slide) && !known.is_copy);
                return first;
            }
            let last = slides.len().checked_sub(1)?;
            let known = &slides[last];
            let goes_on = known.is_copy && known.base == Some(slide) && part > known.pages.len();
            goes_on.then_some(last)
        });
        let at = at.unwrap_or_else(|| {
            slides.push(SortedSlide {
                base: page.place.map(|(slide, _)| slide),
                is_copy: !is_new,
                shapes: SlideShapes {
                    page: number,
                    ..SlideShapes::default()
                },
                foreign: Vec::new(),
                pages: Vec::new(),
            });
            slides.len() - 1
        });
        add(&mut slides[at], page, &texts);
    }
    Sorted { slides }
}

fn page<'a>(drawn: &'a DrawnPresentation, number: usize, hash: &str, count: usize) -> Page<'a> {
    let mut page = Page {
        number,
        named: Vec::new(),
        others: Vec::new(),
        notes: Vec::new(),
        place: None,
    };
    let mut votes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for shape in drawn.shapes.iter().filter(|shape| shape.slide == number) {
        if shape.kind == DrawnKind::Notes {
            page.notes.push(shape);
            continue;
        }
        match ShapeName::parse(&shape.name) {
            Some(name) if name.deck == hash && name.slide <= count => {
                *votes.entry((name.slide - 1, name.part)).or_default() += 1;
                page.named.push((name, shape));
            }
            // What another deck of this program draws around its content is not read.
            Some(name) if name.element.is_none() => {}
            Some(_) | None => page.others.push(shape),
        }
    }
    // A shape may have been copied from another page.
    page.place = votes
        .into_iter()
        .max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)))
        .map(|(place, _)| place);
    page
}

/// The most comparisons of pages without a name with slides without a page; beyond them, pages are recognised by their places alone.
const COMPARISONS_MAX: usize = 40_000;

/// Finds the slides of pages that have no names.
fn by_words(
    pages: &mut [Page<'_>],
    drawn: &DrawnPresentation,
    base: &Presentation,
    texts: &[Vec<OriginText>],
) {
    let taken: BTreeSet<usize> = pages
        .iter()
        .filter_map(|page| page.place)
        .map(|(slide, _)| slide)
        .collect();
    let said: Vec<String> = pages.iter().map(|page| said(page, drawn)).collect();
    let of_slide = |slide: usize| {
        let texts = texts[slide]
            .iter()
            .filter(|text| text.stands != OriginPlace::EachPage);
        let mut all: Vec<String> = texts.map(|text| plain(&text.text)).collect();
        // A text that layouts show in several ways is counted once.
        all.sort();
        all.dedup();
        let notes = base.slides[slide].speaker_notes.as_ref();
        all.extend(notes.map(ToString::to_string));
        all.join("\n")
    };
    let free: Vec<(usize, String)> = (0..base.slides.len())
        .filter(|slide| !taken.contains(slide))
        .map(|slide| (slide, of_slide(slide)))
        .collect();
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    let unknown = pages.iter().filter(|page| page.place.is_none()).count();
    let few = unknown.saturating_mul(free.len()) <= COMPARISONS_MAX;
    for (at, page) in pages.iter().enumerate() {
        if page.place.is_some() || !few {
            continue;
        }
        for (slide, text) in &free {
            let alike = likeness(&said[at], text).max(0.9 * share(&said[at], text));
            if alike >= SLIDE_ALIKE {
                found.push((alike, *slide, at));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut used: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, slide, at) in found {
        if pages[at].place.is_some() {
            continue;
        }
        let goes_on = title(&pages[at]).is_some_and(|title| {
            let title = title.trim_end();
            CONTINUED_MARKS
                .iter()
                .any(|mark| title.ends_with(mark.trim()))
        });
        let part = used.entry(slide).or_default();
        if *part == 0 || goes_on {
            *part += 1;
            pages[at].place = Some((slide, *part));
        }
    }
    let free: Vec<(usize, String)> = free
        .into_iter()
        .filter(|(slide, _)| !used.contains_key(slide))
        .collect();
    by_place(pages, &said, &free);
}

/// Where there are as many pages as slides between two pages whose slides are known, the pages count as these slides, if their texts are
/// similar enough.
fn by_place(pages: &mut [Page<'_>], said: &[String], free: &[(usize, String)]) {
    let mut from = 0;
    while from < pages.len() {
        let unknown = pages[from..].iter().take_while(|page| page.place.is_none());
        let to = from + unknown.count();
        if to == from {
            from += 1;
            continue;
        }
        let slide = |at: Option<usize>| at.and_then(|at| pages.get(at)?.place).map(|place| place.0);
        let (before, after) = (slide(from.checked_sub(1)), slide(Some(to)));
        let between: Vec<&(usize, String)> = free
            .iter()
            .filter(|(slide, _)| before.is_none_or(|before| *slide > before))
            .filter(|(slide, _)| after.is_none_or(|after| *slide < after))
            .collect();
        if between.len() == to - from {
            for ((slide, text), at) in between.into_iter().zip(from..to) {
                let empty = |text: &str| text.trim().is_empty();
                let alike = likeness(&said[at], text) >= SLIDE_A_LITTLE_ALIKE;
                if alike || (empty(&said[at]) && empty(text)) {
                    pages[at].place = Some((*slide, 1));
                }
            }
        }
        from = to;
    }
}

fn title(page: &Page<'_>) -> Option<String> {
    let title = page.others.iter().find(|shape| is_title(shape))?;
    Some(words_of(title))
}

fn is_title(shape: &DrawnShape) -> bool {
    matches!(shape.holder.as_deref(), Some("title" | "ctrTitle"))
}

/// Everything that the page says.
fn said(page: &Page<'_>, drawn: &DrawnPresentation) -> String {
    let named = page.named.iter().map(|(_, shape)| *shape);
    let shapes = named
        .chain(page.others.iter().copied())
        .chain(page.notes.iter().copied());
    let said = shapes
        .filter(|shape| !is_around(shape))
        .map(|shape| match shape.kind {
            DrawnKind::Text | DrawnKind::Notes => words_of(shape),
            DrawnKind::Frame | DrawnKind::Picture => rows_of(shape, &drawn.document.blocks),
        });
    said.collect::<Vec<_>>().join("\n")
}

/// The words of a table.
pub(super) fn rows_of(shape: &DrawnShape, blocks: &[SourceBlock]) -> String {
    let blocks = blocks.get(shape.blocks.clone()).unwrap_or_default();
    let mut cells = Vec::new();
    for block in blocks {
        if let BlockContent::Table(table) = &block.content {
            cells.extend(
                table
                    .rows
                    .iter()
                    .flatten()
                    .map(|cell| collapsed(&cell.words())),
            );
        }
    }
    cells.join(" ")
}

/// Whether the shape is one of those that a program fills on each page.
fn is_around(shape: &DrawnShape) -> bool {
    matches!(
        shape.holder.as_deref(),
        Some("ftr" | "sldNum" | "dt" | "hdr")
    )
}

/// Adds a page to its slide.
fn add<'a>(slide: &mut SortedSlide<'a>, page: Page<'a>, texts: &[Vec<OriginText>]) {
    slide.pages.push(page.number);
    slide.shapes.notes.extend(page.notes);
    let Some((base, part)) = page.place else {
        let others = page.others.into_iter().filter(|shape| !is_around(shape));
        slide.foreign.extend(others);
        return;
    };
    let mut here: Vec<(Element, &DrawnShape)> = Vec::new();
    let mut foreign: Vec<&DrawnShape> = Vec::new();
    for (name, shape) in page.named {
        let Some(element) = name.element else {
            // This program writes no text into decoration, so a decoration with text counts as a foreign shape.
            if name.is_decoration && !words_of(shape).is_empty() {
                foreign.push(shape);
            }
            continue;
        };
        // A copy of a shape counts as a foreign shape, and so does a shape of another page.
        let elsewhere = (name.slide - 1, name.part) != (base, part);
        if elsewhere || here.iter().any(|(known, _)| *known == element) {
            foreign.push(shape);
        } else {
            here.push((element, shape));
        }
    }
    let unnamed: Vec<&DrawnShape> = page
        .others
        .into_iter()
        .filter(|shape| !is_around(shape))
        .collect();
    let known: Vec<Element> = here.iter().map(|(element, _)| *element).collect();
    for shape in unnamed {
        match piece_of(shape, &texts[base], &here, &known) {
            Some(element) => here.push((element, shape)),
            None => foreign.push(shape),
        }
    }
    // In the order of the deck, not in the order on the page.
    here.sort_by_key(|(element, _)| *element);
    let here = here
        .into_iter()
        .map(|(element, shape)| (part, element, shape));
    slide.shapes.shapes.extend(here);
    slide.foreign.extend(foreign);
}

/// The piece of the slide that a shape without a name shows.
fn piece_of(
    shape: &DrawnShape,
    texts: &[OriginText],
    here: &[(Element, &DrawnShape)],
    named: &[Element],
) -> Option<Element> {
    let free = |element: Element| !here.iter().any(|(known, _)| *known == element);
    if is_title(shape) && free(Element::Heading) {
        return texts
            .iter()
            .any(|text| text.element == Element::Heading.to_string())
            .then_some(Element::Heading);
    }
    if shape.kind != DrawnKind::Text || shape.holder.is_none() {
        return None;
    }
    let said = words_of(shape);
    if said.is_empty() {
        return None;
    }
    // Only pieces that can be in a placeholder lose their names.
    let mut best: Option<(f64, Element)> = None;
    let mut whole: BTreeMap<Element, String> = BTreeMap::new();
    for text in texts {
        let Some(element) = Element::parse(&text.element) else {
            continue;
        };
        let first = match (element, text.stands) {
            (Element::Subheading, _) => element,
            (Element::Body(_), OriginPlace::Flow) => Element::Body(1),
            (Element::Points(_), OriginPlace::Flow) => Element::Points(1),
            (Element::ColumnText(column, _), OriginPlace::Flow) => Element::ColumnText(column, 1),
            (Element::ChartTitle | Element::Byline, OriginPlace::Flow)
            | (Element::Code(_), OriginPlace::Code) => element,
            _ => continue,
        };
        let words = whole.entry(first).or_default();
        words.push('\n');
        words.push_str(&plain(&text.text));
    }
    for (element, words) in &whole {
        let alike = likeness(&said, words).max(share(&said, words));
        let better = best.is_none_or(|(most, _)| alike > most);
        if alike >= SHAPE_ALIKE && better && free(*element) {
            best = Some((alike, *element));
        }
    }
    let best = best.map(|(_, element)| element);
    best.or_else(|| {
        // If exactly one piece has no shape, the shape without a name is that piece with a new text.
        let missing = whole.keys().filter(|element| {
            let same = |known: &Element| match (*element, known) {
                (Element::Body(_), Element::Body(_)) => true,
                (
                    Element::Points(_),
                    Element::Points(_) | Element::Point(_) | Element::PointLead(_),
                ) => true,
                (Element::ColumnText(one, _), Element::ColumnText(known, _)) => one == known,
                (one, known) => *one == *known,
            };
            !named.iter().any(same) && !here.iter().any(|(known, _)| same(known))
        });
        let missing: Vec<&Element> = missing.collect();
        match missing.as_slice() {
            [one] => Some(**one),
            _ => None,
        }
    })
}
