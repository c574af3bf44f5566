//! The pieces of a slide that shapes of a file are named after.

use std::fmt;

use spec::SlideOrigin;

/// A piece of a slide. Lists are counted from 1; the rows of a table too, where 0 is its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Element {
    Heading,
    Subheading,
    /// Paragraphs of the text from this block on.
    Body(usize),
    /// The block of the text that is code.
    Code(usize),
    /// Points of the list from this one on, in one box.
    Points(usize),
    /// A point in a box of its own.
    Point(usize),
    /// The bold text at the beginning of a point, and the rest of the point.
    PointLead(usize),
    PointRest(usize),
    ColumnHeading(usize),
    /// The paragraphs and points of a column from this one on.
    ColumnText(usize, usize),
    Figure(usize, Field),
    Step(usize, Field),
    /// Rows of the table from this one on.
    Table(usize),
    Actions(usize),
    ChartTitle,
    Chart,
    /// Rows of a chart that is drawn as a table.
    ChartTable(usize),
    Picture(u32),
    Exhibit,
    Footnote(usize),
    Source,
    Byline,
    Footer,
    Confidentiality,
}

/// A field of a key figure or of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    First,
    Second,
    Third,
}

impl Field {
    pub(super) const ALL: [Self; 3] = [Self::First, Self::Second, Self::Third];

    fn of(words: [&'static str; 3], word: &str) -> Option<Self> {
        let at = words.iter().position(|known| *known == word)?;
        Self::ALL.get(at).copied()
    }

    fn word(self, words: [&'static str; 3]) -> &'static str {
        match self {
            Self::First => words[0],
            Self::Second => words[1],
            Self::Third => words[2],
        }
    }
}

const FIGURE: [&str; 3] = ["value", "label", "description"];
const STEP: [&str; 3] = ["time", "title", "description"];

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heading => f.write_str(SlideOrigin::HEADING),
            Self::Subheading => f.write_str("subheading"),
            Self::Body(at) => write!(f, "body {at}"),
            Self::Code(at) => write!(f, "code {at}"),
            Self::Points(at) => write!(f, "points {at}"),
            Self::Point(at) => write!(f, "point {at}"),
            Self::PointLead(at) => write!(f, "point {at} lead"),
            Self::PointRest(at) => write!(f, "point {at} rest"),
            Self::ColumnHeading(at) => write!(f, "column {at} heading"),
            Self::ColumnText(column, at) => write!(f, "column {column} text {at}"),
            Self::Figure(at, field) => write!(f, "figure {at} {}", field.word(FIGURE)),
            Self::Step(at, field) => write!(f, "step {at} {}", field.word(STEP)),
            Self::Table(row) => write!(f, "table {row}"),
            Self::Actions(row) => write!(f, "actions {row}"),
            Self::ChartTitle => f.write_str("chart title"),
            Self::Chart => f.write_str(SlideOrigin::CHART),
            Self::ChartTable(row) => write!(f, "chart table {row}"),
            Self::Picture(hash) => write!(f, "{} {hash:08x}", SlideOrigin::PICTURE),
            Self::Exhibit => f.write_str("exhibit"),
            Self::Footnote(at) => write!(f, "footnote {at}"),
            Self::Source => f.write_str("source"),
            Self::Byline => f.write_str("byline"),
            Self::Footer => f.write_str("footer"),
            Self::Confidentiality => f.write_str("confidentiality"),
        }
    }
}

impl Element {
    /// Reads what [`fmt::Display`] writes; `None` for every other name.
    pub(super) fn parse(label: &str) -> Option<Self> {
        let words: Vec<&str> = label.split(' ').collect();
        let number = |word: &str| word.parse::<usize>().ok();
        Some(match words.as_slice() {
            [one] if *one == SlideOrigin::HEADING => Self::Heading,
            ["subheading"] => Self::Subheading,
            ["body", at] => Self::Body(number(at)?),
            ["code", at] => Self::Code(number(at)?),
            ["points", at] => Self::Points(number(at)?),
            ["point", at] => Self::Point(number(at)?),
            ["point", at, "lead"] => Self::PointLead(number(at)?),
            ["point", at, "rest"] => Self::PointRest(number(at)?),
            ["column", at, "heading"] => Self::ColumnHeading(number(at)?),
            ["column", column, "text", at] => Self::ColumnText(number(column)?, number(at)?),
            ["figure", at, field] => Self::Figure(number(at)?, Field::of(FIGURE, field)?),
            ["step", at, field] => Self::Step(number(at)?, Field::of(STEP, field)?),
            ["table", row] => Self::Table(number(row)?),
            ["actions", row] => Self::Actions(number(row)?),
            ["chart", "title"] => Self::ChartTitle,
            [one] if *one == SlideOrigin::CHART => Self::Chart,
            ["chart", "table", row] => Self::ChartTable(number(row)?),
            [one, hash] if *one == SlideOrigin::PICTURE => {
                Self::Picture(u32::from_str_radix(hash, 16).ok()?)
            }
            ["exhibit"] => Self::Exhibit,
            ["footnote", at] => Self::Footnote(number(at)?),
            ["source"] => Self::Source,
            ["byline"] => Self::Byline,
            ["footer"] => Self::Footer,
            ["confidentiality"] => Self::Confidentiality,
            _ => return None,
        })
    }
}

/// What the name of a shape says: which page of which slide of which deck it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShapeName<'a> {
    /// `None` for decoration, and for numbers that the program computes.
    pub(super) element: Option<Element>,
    /// A shape that is drawn without a text.
    pub(super) is_decoration: bool,
    /// Counted from 1.
    pub(super) slide: usize,
    /// The number of the page among those that the slide takes, counted from 1.
    pub(super) part: usize,
    pub(super) deck: &'a str,
}

impl<'a> ShapeName<'a> {
    /// `None` for a shape that this program did not make.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let (label, place) = name.rsplit_once(" @")?;
        let mut steps = place.split('.');
        let slide = steps.next()?.parse().ok().filter(|slide| *slide > 0)?;
        let part = steps.next()?.parse().ok()?;
        let deck = steps.next()?;
        let is_hash =
            deck.len() == super::DECK_DIGITS && deck.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && steps.next().is_none()).then_some(Self {
            element: Element::parse(label),
            is_decoration: ["Shape ", "Freeform "]
                .iter()
                .any(|word| label.starts_with(word)),
            slide,
            part,
            deck,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_read_as_it_is_written() {
        let elements = [
            Element::Heading,
            Element::Subheading,
            Element::Body(2),
            Element::Code(1),
            Element::Points(4),
            Element::Point(1),
            Element::PointLead(2),
            Element::PointRest(2),
            Element::ColumnHeading(3),
            Element::ColumnText(3, 1),
            Element::Figure(4, Field::Third),
            Element::Step(6, Field::First),
            Element::Table(0),
            Element::Actions(2),
            Element::ChartTitle,
            Element::Chart,
            Element::ChartTable(1),
            Element::Picture(0x00ab_cdef),
            Element::Exhibit,
            Element::Footnote(1),
            Element::Source,
            Element::Byline,
            Element::Footer,
            Element::Confidentiality,
        ];
        for element in elements {
            assert_eq!(
                Element::parse(&element.to_string()),
                Some(element),
                "{element}"
            );
        }
    }

    #[test]
    fn names_of_others_are_not_ours() {
        let ours = ShapeName::parse("figure 2 label @4.1.3f9a2c1b").expect("a name of ours");
        assert_eq!(
            (ours.slide, ours.part, ours.deck, ours.element),
            (4, 1, "3f9a2c1b", Some(Element::Figure(2, Field::Second)))
        );
        let decoration = ShapeName::parse("Shape 7 @4.2.3f9a2c1b").expect("a name of ours");
        assert_eq!((decoration.element, decoration.part), (None, 2));
        for name in [
            "TextBox 3",
            "me @home",
            "a @1.1.zzzzzzzz",
            "a @0.1.3f9a2c1b",
            "",
        ] {
            assert_eq!(ShapeName::parse(name), None, "{name}");
        }
    }
}
