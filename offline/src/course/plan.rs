//! What is taught on which page: a source's sections become points, points become exactly as many pages as are wanted.

use domain::pipelines::course::rules::{SINGLE_UNIT_PAGES, points_max};

use super::markdown::{Block, Doc, Section};
use super::prose::{bare, is_latin, must_fit, sentences};
use super::titles::{JOINED_EM, TITLE_EM, joined_title, name_apart, own_title};

/// Below this many characters a paragraph is no page of its own and joins its neighbour.
const POINT_CHARS_MIN: usize = 60;
/// A page with less than this on each half is not split.
const HALF_CHARS_MIN: usize = 40;
/// Content pages from which on one shows the way and one asks back.
const PAGES_WITH_OVERVIEW: usize = 6;
const PAGES_WITH_PRACTICE: usize = 10;

/// Stands for the name of what comes before the first part, until it has one.
const LEAD: &str = "";
const INTRODUCTION: (&str, &str) = ("导入", "Introduction");

/// Whether a point only leads into the course.
pub(super) fn leads_in(point: &Point) -> bool {
    [INTRODUCTION.0, INTRODUCTION.1]
        .iter()
        .any(|name| point.title.starts_with(name))
}

/// One thing to understand, with what the source says of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) unit: String,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

impl Point {
    fn weight(&self) -> usize {
        self.blocks.iter().map(Block::weight).sum()
    }
}

/// What a content page is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Page {
    /// It says what the source says of one or more points.
    Say { title: String, parts: Vec<Point> },
    /// The way through the course: the units.
    Overview,
    /// What a unit said, once more.
    Recap { unit: String },
    /// A sentence of the source and what to do with it; the round decides what.
    Practise { point: usize, round: usize },
}

/// The points of a source for a deck of so many pages: few enough, in the order of the source.
pub(super) fn points(doc: &Doc, pages: u32, topic: &str, shorter: bool) -> Vec<Point> {
    let mut points = raw_points(doc);
    // Text before the first part leads into the course, and is all of it where there are no parts.
    let only = points.iter().all(|point| point.unit == LEAD);
    let lead = if only {
        topic
    } else if is_latin(topic) {
        INTRODUCTION.1
    } else {
        INTRODUCTION.0
    };
    for point in &mut points {
        for name in [&mut point.unit, &mut point.title] {
            if *name == LEAD {
                lead.clone_into(name);
            }
        }
    }
    let max = points_max(pages).max(1);
    let max = if shorter { (max * 3 / 5).max(1) } else { max };
    merge_down(&mut points, max);
    if pages <= SINGLE_UNIT_PAGES {
        for point in &mut points {
            topic.clone_into(&mut point.unit);
        }
    }
    name_apart(&mut points);
    points
}

/// The smallest parts that have something to say.
fn raw_points(doc: &Doc) -> Vec<Point> {
    let unit_level = unit_level(&doc.sections);
    let mut unit = String::new();
    let mut points: Vec<Point> = vec![];
    for section in &doc.sections {
        let leads = section.level < unit_level || section.title.is_empty();
        let title = if leads {
            LEAD.to_owned()
        } else {
            must_fit(&section.title, TITLE_EM, LEAD)
        };
        if section.level <= unit_level || unit.is_empty() {
            unit.clone_from(&title);
        }
        points.extend(section_points(section, &unit, &title));
    }
    points
}

/// The level of the headings that begin units: the highest that is there more than once, below a single title.
fn unit_level(sections: &[Section]) -> u32 {
    let count = |level: u32| {
        sections
            .iter()
            .filter(|section| section.level == level)
            .count()
    };
    let levels = (1..=6).filter(|level| count(*level) > 0);
    let mut levels = levels.peekable();
    while let Some(level) = levels.next() {
        if count(level) > 1 || levels.peek().is_none() {
            return level;
        }
    }
    1
}

fn section_points(section: &Section, unit: &str, title: &str) -> Vec<Point> {
    let mut points: Vec<Point> = vec![];
    for block in &section.blocks {
        let joins = points.last().is_some_and(|last| {
            let introduces = matches!(last.blocks.last(), Some(Block::Para(text)) if text.ends_with(['：', ':']));
            introduces || (last.weight() < POINT_CHARS_MIN && !last.blocks.iter().any(|b| matches!(b, Block::Table { .. })))
        });
        match points.last_mut() {
            Some(last) if joins => last.blocks.push(block.clone()),
            Some(_) | None => points.push(Point {
                unit: unit.to_owned(),
                title: title.to_owned(),
                blocks: vec![block.clone()],
            }),
        }
    }
    // A short last paragraph belongs to what came before it.
    if points.len() > 1
        && points
            .last()
            .is_some_and(|last| last.weight() < POINT_CHARS_MIN)
    {
        let last = points.pop().expect("there is more than one");
        points
            .last_mut()
            .expect("one is left")
            .blocks
            .extend(last.blocks);
    }
    points
}

/// Joins neighbours until there are at most `max`: within a section first, then within a unit, the lightest first.
fn merge_down(points: &mut Vec<Point>, max: usize) {
    while points.len() > max {
        let cost = |at: usize| {
            let (a, b) = (&points[at], &points[at + 1]);
            let apart = if a.unit != b.unit {
                2
            } else {
                usize::from(a.title != b.title)
            };
            (apart, a.weight() + b.weight())
        };
        let Some(at) = (0..points.len() - 1).min_by_key(|&at| cost(at)) else {
            return;
        };
        let next = points.remove(at + 1);
        let point = &mut points[at];
        if leads_in(point) {
            point.title.clone_from(&next.title);
            point.unit.clone_from(&next.unit);
        } else if point.title != next.title {
            point.title = joined_title(&point.title, &next.title, &point.unit);
        }
        point.blocks.extend(next.blocks);
    }
}

/// Exactly `count` pages that say what the points say, each with a title of its own, which is not the deck's.
pub(super) fn pages(points: Vec<Point>, count: usize, deck: &str) -> Vec<Page> {
    let all: Vec<Point> = points.clone();
    let several_units = units(&all).len() > 2;
    let overview = usize::from(count > PAGES_WITH_OVERVIEW && several_units);
    let practice = usize::from(count >= PAGES_WITH_PRACTICE);
    let room = count.saturating_sub(overview + practice).max(1);
    let mut groups: Vec<Vec<Point>> = points.into_iter().map(|point| vec![point]).collect();
    group_down(&mut groups, room);
    while groups.len() < room && split_heaviest(&mut groups) {}
    let mut pages: Vec<Page> = groups
        .into_iter()
        .map(|parts| Page::Say {
            title: page_title(&parts),
            parts,
        })
        .collect();
    tell_apart(&mut pages);
    name_pages_apart(&mut pages, deck);
    let mut missing = count.saturating_sub(pages.len());
    if missing > 0 && overview > 0 {
        pages.insert(0, Page::Overview);
        missing -= 1;
    }
    missing =
        add_recaps(&mut pages, &all, missing.saturating_sub(practice)) + practice.min(missing);
    let spread = all.len().max(1);
    for extra in 0..missing {
        pages.push(Page::Practise {
            point: extra % spread,
            round: extra,
        });
    }
    pages
}

/// Pages of one unit that would have its name are called after their first and last point.
fn tell_apart(pages: &mut [Page]) {
    let titles: Vec<String> = pages
        .iter()
        .filter_map(|page| match page {
            Page::Say { title, .. } => Some(title.clone()),
            Page::Overview | Page::Recap { .. } | Page::Practise { .. } => None,
        })
        .collect();
    for page in pages {
        if let Page::Say { title, parts } = page
            && parts.len() > 1
            && titles.iter().filter(|other| *other == title).count() > 1
        {
            let named: Vec<&Point> = parts.iter().filter(|part| !leads_in(part)).collect();
            if let [first, .., last] = &named[..] {
                *title = joined_title(&first.title, &last.title, title);
            } else if let [one] = &named[..] {
                title.clone_from(&one.title);
            }
        }
    }
}

/// A page whose title an earlier one has, such as the second half of what was too much for one, is called after what it
/// says.
fn name_pages_apart(pages: &mut [Page], deck: &str) {
    let mut titles = vec![deck.to_owned()];
    for page in pages {
        let Page::Say { title, parts } = page else {
            continue;
        };
        let blocks: Vec<&Block> = parts.iter().flat_map(|part| &part.blocks).collect();
        *title = own_title(title, &blocks, JOINED_EM, |title| {
            titles.iter().any(|taken| taken == title)
        });
        titles.push(title.clone());
    }
}

/// The units in their order.
pub(super) fn units(points: &[Point]) -> Vec<&str> {
    let mut units: Vec<&str> = vec![];
    for point in points {
        if units.last() != Some(&point.unit.as_str()) {
            units.push(&point.unit);
        }
    }
    units
}

/// Puts neighbours on one page until there are at most `room` pages.
fn group_down(groups: &mut Vec<Vec<Point>>, room: usize) {
    let weight = |group: &[Point]| group.iter().map(Point::weight).sum::<usize>();
    let has_table = |group: &[Point]| {
        group
            .iter()
            .flat_map(|p| &p.blocks)
            .any(|b| matches!(b, Block::Table { .. }))
    };
    while groups.len() > room {
        let cost = |at: usize| {
            let (a, b) = (&groups[at], &groups[at + 1]);
            let apart = a.last().map(|p| &p.unit) != b.first().map(|p| &p.unit);
            // A table fills a page: what is joined with it is only spoken.
            let tables = usize::from(has_table(a)) + usize::from(has_table(b));
            weight(a)
                + weight(b)
                + 150 * (a.len() + b.len() - 2)
                + if apart { 400 } else { 0 }
                + tables * 250
        };
        let Some(at) = (0..groups.len() - 1).min_by_key(|&at| cost(at)) else {
            return;
        };
        let next = groups.remove(at + 1);
        groups[at].extend(next);
    }
}

/// Makes two pages of the one with the most to say; false when none has enough for two.
fn split_heaviest(groups: &mut Vec<Vec<Point>>) -> bool {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(groups[at].iter().map(Point::weight).sum::<usize>()));
    for at in order {
        let halves = match &groups[at][..] {
            [point] => halves(point).map(|(a, b)| (vec![a], vec![b])),
            parts => Some((
                parts[..parts.len() / 2].to_vec(),
                parts[parts.len() / 2..].to_vec(),
            )),
        };
        if let Some((first, second)) = halves {
            groups[at] = first;
            groups.insert(at + 1, second);
            return true;
        }
    }
    false
}

/// A point as two: between two blocks, else between two sentences or items.
fn halves(point: &Point) -> Option<(Point, Point)> {
    let half = |blocks: Vec<Block>| Point {
        blocks,
        ..point.clone()
    };
    if point.blocks.len() > 1 {
        let total = point.weight();
        let mut seen = 0;
        let mut cut = 1;
        for (at, block) in point.blocks.iter().enumerate().take(point.blocks.len() - 1) {
            seen += block.weight();
            cut = at + 1;
            if seen * 2 >= total {
                break;
            }
        }
        let (first, second) = point.blocks.split_at(cut);
        return Some((half(first.to_vec()), half(second.to_vec())));
    }
    match point.blocks.first()? {
        Block::Para(text) => {
            let said = sentences(text);
            let (first, second) = balanced(&said)?;
            let glue = if is_latin(text) { " " } else { "" };
            Some((
                half(vec![Block::Para(first.join(glue))]),
                half(vec![Block::Para(second.join(glue))]),
            ))
        }
        Block::List {
            ordered: false,
            items,
        } if items.len() >= 4 => {
            let (first, second) = balanced(items)?;
            let list = |items: &[String]| {
                half(vec![Block::List {
                    ordered: false,
                    items: items.to_vec(),
                }])
            };
            Some((list(first), list(second)))
        }
        Block::List { .. } | Block::Table { .. } => None,
    }
}

/// Two runs of about the same length, each with enough for a page.
fn balanced(texts: &[String]) -> Option<(&[String], &[String])> {
    let chars = |texts: &[String]| texts.iter().map(|text| text.chars().count()).sum::<usize>();
    let cut =
        (1..texts.len()).min_by_key(|&cut| chars(&texts[..cut]).abs_diff(chars(&texts[cut..])))?;
    let (first, second) = texts.split_at(cut);
    (chars(first) >= HALF_CHARS_MIN && chars(second) >= HALF_CHARS_MIN).then_some((first, second))
}

fn page_title(parts: &[Point]) -> String {
    // What leads in gives no page its name when there is something else on it.
    let named: Vec<Point> = parts
        .iter()
        .filter(|part| !leads_in(part))
        .cloned()
        .collect();
    if !named.is_empty() && named.len() < parts.len() {
        return page_title(&named);
    }
    let Some(first) = parts.first() else {
        return String::new();
    };
    let joined = |texts: &[&str]| match texts {
        [one] => Some((*one).to_owned()),
        [one, two] => Some(joined_title(one, two, "")).filter(|title| !title.is_empty()),
        _ => None,
    };
    let units = units(parts);
    let titles: Vec<&str> = parts.iter().map(|part| part.title.as_str()).collect();
    if parts.len() > 1 && units.len() == 1 {
        return first.unit.clone();
    }
    let fallback = || {
        units
            .iter()
            .map(|unit| bare(unit))
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    joined(&titles)
        .or_else(|| joined(&units))
        .unwrap_or_else(fallback)
}

/// Adds pages that repeat a unit, behind its last page; gives how many are still missing.
fn add_recaps(pages: &mut Vec<Page>, points: &[Point], mut missing: usize) -> usize {
    for unit in units(points) {
        let of_unit = |page: &Page| matches!(page, Page::Say { parts, .. } if parts.iter().any(|part| part.unit == unit));
        let said = pages.iter().filter(|page| of_unit(page)).count();
        if missing > 0
            && said >= 2
            && let Some(last) = pages.iter().rposition(of_unit)
        {
            pages.insert(
                last + 1,
                Page::Recap {
                    unit: unit.to_owned(),
                },
            );
            missing -= 1;
        }
    }
    missing
}
