//! Units are placed on pages: as many pages as are needed, each unit whole if it fits, in the order of the units.

use std::ops::Range;

use palimpsest::prelude::author::source::{Grid, Item, Unit, Words};
use spec::text::em_width;
use words::sentences::sentences;

/// Lines of a page of text, and em of a line: 1136 x 450 pixels at 22 pixels of type.
const LINES: f32 = 13.0;
const LINE_EM: f32 = 46.0;
/// Space between two paragraphs, and a heading inside a page, in lines.
const GAP: f32 = 0.4;
const HEADING: f32 = 1.6;
/// Lines of code on a page: beyond, they are too small to read from the back of a room.
const CODE_LINES: usize = 16;

/// A piece of content on a page.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'a> {
    Heading(u8, &'a Words),
    /// Sentences of a paragraph, or of a line of a list, with the lines that they take.
    Text(&'a Words, Range<usize>, Option<&'a Item>, f32),
    Rows(&'a Grid, Range<usize>),
    Code(Option<&'a str>, &'a [String]),
    /// The words for what it shows, and the hash of the file.
    Picture(&'a str, &'a str),
}

/// The pieces on one page, each with the number of its unit in the source.
pub(crate) type Leaf<'a> = Vec<(usize, Piece<'a>)>;

/// Down to which level headings begin a page, the most generous first.
pub(crate) const BREAKS: [u8; 3] = [3, 2, 0];

/// A unit of the source by its number, with the pieces that it is divided into.
pub(crate) struct Measured<'a> {
    number: usize,
    unit: &'a Unit,
    pieces: Vec<Piece<'a>>,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(number: usize, unit: &'a Unit) -> Self {
        let pieces = pieces(unit);
        Self {
            number,
            unit,
            pieces,
        }
    }
}

impl Piece<'_> {
    pub(crate) fn is_heading(&self) -> bool {
        matches!(self, Self::Heading(..))
    }

    /// Whether it has a page for itself.
    fn fills(&self) -> bool {
        matches!(self, Self::Rows(..) | Self::Code(..) | Self::Picture(..))
    }

    fn lines(&self) -> f32 {
        match self {
            Self::Heading(..) => HEADING,
            Self::Text(.., lines) => *lines,
            Self::Rows(..) | Self::Code(..) | Self::Picture(..) => LINES,
        }
    }
}

fn high(leaf: &[(usize, Piece<'_>)]) -> f32 {
    leaf.iter().map(|(_, piece)| piece.lines()).sum()
}

/// A unit as pieces, none of which is higher than a page.
fn pieces<'a>(unit: &'a Unit) -> Vec<Piece<'a>> {
    match unit {
        Unit::Heading(level, words) => vec![Piece::Heading(*level, words)],
        Unit::Para(words) => texts(words, None),
        Unit::List(items) => {
            let line = |item: &'a Item| texts(&item.2, Some(item));
            items.iter().flat_map(line).collect()
        }
        Unit::Grid(grid) => {
            let rows = grid.pages().into_iter();
            rows.map(|rows| Piece::Rows(grid, rows)).collect()
        }
        Unit::Code(language, lines) => {
            let part = |lines| Piece::Code(language.as_deref(), lines);
            lines.chunks(CODE_LINES).map(part).collect()
        }
        Unit::Picture(alt, hash) => vec![Piece::Picture(alt, hash)],
    }
}

/// The lines of a text; a line that is higher than a page is divided into runs of sentences.
fn texts<'a>(words: &'a Words, item: Option<&'a Item>) -> Vec<Piece<'a>> {
    let most = (LINES - 4.0) * LINE_EM;
    let mut parts: Vec<Range<usize>> = vec![];
    for at in sentences(&words.text) {
        let follows = |last: &&mut Range<usize>| {
            let (gap, whole) = (
                &words.text[last.end..at.start],
                &words.text[last.start..at.end],
            );
            !gap.contains('\n') && em_width(whole) <= most
        };
        match parts.last_mut().filter(follows) {
            Some(last) => last.end = at.end,
            None => parts.push(at),
        }
    }
    let piece = |at| Piece::text(words, at, item);
    parts.into_iter().map(piece).collect()
}

/// The units on pages, in the order in which they are given.
pub(crate) fn packed<'a: 'b, 'b>(
    units: impl IntoIterator<Item = &'b Measured<'a>>,
    breaks: u8,
) -> Vec<Leaf<'a>> {
    let mut pages: Vec<Leaf<'a>> = vec![];
    let mut open: Leaf<'a> = vec![];
    for measured in units {
        let whole: f32 = measured.pieces.iter().map(Piece::lines).sum();
        let turns = match measured.unit {
            Unit::Heading(level, _) if is_begun(&open) => {
                *level <= breaks || high(&open) + HEADING * 2.0 > LINES
            }
            // If there may be many pages, a heading that has only headings below it gets a page of its own.
            Unit::Heading(level, _) => match open.last() {
                Some((_, Piece::Heading(above, _))) => breaks > 2 && *above <= 2 && above < level,
                _ => false,
            },
            // A list stays together where a page holds it.
            Unit::Para(_) | Unit::List(_) => {
                high(&open) + whole > LINES && whole + HEADING <= LINES
            }
            Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => false,
        };
        if turns {
            turn(&mut pages, &mut open);
        }
        for part in &measured.pieces {
            if is_begun(&open) && (part.fills() || high(&open) + part.lines() > LINES) {
                turn(&mut pages, &mut open);
            }
            if part.fills() && open.len() > 1 {
                // There is room for one heading above a piece that fills a page.
                let last = open.split_off(open.len() - 1);
                pages.push(std::mem::replace(&mut open, last));
            }
            let fills = part.fills();
            open.push((measured.number, part.clone()));
            if fills {
                pages.push(std::mem::take(&mut open));
            }
        }
    }
    pages.extend((!open.is_empty()).then_some(open));
    pages
}

fn is_begun(leaf: &[(usize, Piece<'_>)]) -> bool {
    leaf.iter().any(|(_, piece)| !piece.is_heading())
}

/// Ends a page; headings at its end go over to the next, unless there is nothing else on it.
fn turn<'a>(pages: &mut Vec<Leaf<'a>>, open: &mut Leaf<'a>) {
    let kept = open.iter().rposition(|(_, piece)| !piece.is_heading());
    let next = kept.map_or_else(Vec::new, |kept| open.split_off(kept + 1));
    let page = std::mem::replace(open, next);
    pages.extend((!page.is_empty()).then_some(page));
}

/// Divides the fullest page that can be divided between lines or sentences into two; false if there is no such page.
pub(crate) fn split(pages: &mut Vec<Leaf<'_>>) -> bool {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by(|a, b| high(&pages[*b]).total_cmp(&high(&pages[*a])));
    for at in order {
        if let Some(halves) = halves(&pages[at]) {
            pages.splice(at..=at, halves);
            return true;
        }
    }
    false
}

fn halves<'a>(leaf: &Leaf<'a>) -> Option<[Leaf<'a>; 2]> {
    let leads = leaf.iter().position(|(_, piece)| !piece.is_heading())?;
    let (number, only) = &leaf[leads];
    if leaf.len() == leads + 1 {
        let (one, two) = only.halves()?;
        let first = [&leaf[..leads], &[(*number, one)]].concat();
        return Some([first, vec![(*number, two)]]);
    }
    let off = |at: &usize| (high(&leaf[..*at]) - high(leaf) / 2.0).abs();
    let cuts = (leads + 1..leaf.len()).filter(|at| !leaf[at - 1].1.is_heading());
    let cut = cuts.min_by(|a, b| off(a).total_cmp(&off(b)))?;
    Some([leaf[..cut].to_vec(), leaf[cut..].to_vec()])
}

impl<'a> Piece<'a> {
    fn text(words: &'a Words, at: Range<usize>, item: Option<&'a Item>) -> Self {
        let indent = item.map_or(0, |item| item.0.min(6) + 1);
        let em = LINE_EM - 2.0 * f32::from(indent);
        let lines = (em_width(&words.text[at.clone()]) / em).ceil().max(1.0) + GAP;
        Self::Text(words, at, item, lines)
    }

    fn halves(&self) -> Option<(Self, Self)> {
        match self {
            Self::Text(words, at, item, _) => {
                let said = sentences(&words.text[at.clone()]);
                let half = said.len() / 2;
                let (end, start) = (said[..half].last()?.end, said.get(half)?.start);
                let (end, start) = (at.start + end, at.start + start);
                let part = |at| Self::text(words, at, *item);
                Some((part(at.start..end), part(start..at.end)))
            }
            Self::Heading(..) | Self::Rows(..) | Self::Code(..) | Self::Picture(..) => None,
        }
    }
}
