//! What is taught on which page: a source's sections become points, points become exactly as many pages as are wanted.

use super::super::rules::{SINGLE_UNIT_PAGES, points_max};
use super::layout::heading_and_unit;
use super::markdown::{Block, Doc, Section};
use super::prose::{bare, fit, fits, is_latin, must_fit, sentences, term};

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

/// Titles of units and points: a page's heading holds them.
const TITLE_EM: u32 = 24;
/// Two of them together.
const JOINED_EM: u32 = 32;

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

fn joined_title(first: &str, second: &str, otherwise: &str) -> String {
    if first.contains(second) {
        return first.to_owned();
    }
    let latin = is_latin(first) && is_latin(second);
    let plain =
        |title: &str| !title.contains(['，', ',', '与', '：', ':']) && !title.contains(" and ");
    let and = if !plain(first) || !plain(second) {
        " · "
    } else if latin {
        " and "
    } else {
        "与"
    };
    let short = |title: &str| {
        title
            .split(['：', ':'])
            .next()
            .unwrap_or(title)
            .trim()
            .to_owned()
    };
    let both = [
        format!("{first}{and}{second}"),
        format!("{}{and}{}", short(first), short(second)),
    ];
    both.into_iter()
        .find(|both| fits(both, JOINED_EM))
        .unwrap_or_else(|| otherwise.to_owned())
}

/// Gives every point a title of its own: by what it speaks of, else by what it says, else by a number.
fn name_apart(points: &mut [Point]) {
    for at in 0..points.len() {
        let title = points[at].title.clone();
        let same = points.iter().filter(|point| point.title == title).count();
        if same > 1
            && let Some(key) = key_phrase(&points[at].blocks)
        {
            let named = format!("{title}：{key}");
            let named = if is_latin(&title) {
                format!("{title}: {key}")
            } else {
                named
            };
            if !title.contains(&key)
                && fits(&named, TITLE_EM)
                && points.iter().all(|point| point.title != named)
            {
                points[at].title = named;
            }
        }
    }
    for at in 1..points.len() {
        let (before, rest) = points.split_at_mut(at);
        let taken = |title: &str| before.iter().any(|point| point.title == title);
        let point = &mut rest[0];
        point.title = own_title(
            &point.title,
            &point.blocks.iter().collect::<Vec<_>>(),
            TITLE_EM,
            taken,
        );
    }
}

/// The title if it is free, else what the blocks say first, as far as a title holds it; at last a number.
fn own_title(title: &str, blocks: &[&Block], em: u32, taken: impl Fn(&str) -> bool) -> String {
    if !taken(title) {
        return title.to_owned();
    }
    let said = blocks.iter().flat_map(|block| match block {
        Block::Para(text) => sentences(text),
        Block::List { items, .. } => items.clone(),
        Block::Table { head, .. } => vec![head.join(if is_latin(&head.concat()) {
            ", "
        } else {
            "、"
        })],
    });
    let mut said = said.filter_map(|text| fit(&text, em));
    said.find(|text| text.chars().count() > 1 && !taken(text))
        .unwrap_or_else(|| numbered_apart(title, taken))
}

/// The title with the first number that makes it another one.
pub(super) fn numbered_apart(title: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut number = 1;
    let mut own = title.to_owned();
    while taken(&own) {
        number += 1;
        own = numbered(title, number);
    }
    own
}

/// The title with a number behind it, instead of the one that it may have.
pub(super) fn numbered(title: &str, number: usize) -> String {
    let unnumbered = |open: char, close: char| {
        let (bare, last) = title.strip_suffix(close)?.rsplit_once(open)?;
        let is_number = !last.is_empty() && last.chars().all(|c| c.is_ascii_digit());
        is_number.then(|| bare.trim_end())
    };
    let title = unnumbered('（', '）')
        .or_else(|| unnumbered('(', ')'))
        .unwrap_or(title);
    if is_latin(title) {
        format!("{title} ({number})")
    } else {
        format!("{title}（{number}）")
    }
}

/// A few words for what some blocks speak of.
fn key_phrase(blocks: &[Block]) -> Option<String> {
    const KEY_EM: u32 = 9;
    blocks.iter().find_map(|block| match block {
        Block::Para(text) => {
            let first = sentences(text).into_iter().next()?;
            let subject = ["是", "指", "叫做", " is ", " are ", " means "]
                .iter()
                .filter_map(|verb| first.split_once(verb));
            let subject = subject
                .map(|(subject, _)| subject)
                .min_by_key(|subject| subject.len());
            let subject = subject.filter(|s| {
                !s.contains(['，', ',', '（'])
                    && s.chars().count() > 1
                    && !s.starts_with(['这', '它', '其'])
            });
            term(&first, KEY_EM)
                .map(|(term, _)| term)
                .or(subject)
                .and_then(|text| fit(text, KEY_EM))
        }
        Block::List { .. } => None,
        Block::Table { head, .. } => head
            .get(1)
            .and_then(|cell| fit(&heading_and_unit(cell).0, KEY_EM)),
    })
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
