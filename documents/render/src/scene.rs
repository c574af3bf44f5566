//! What stands where on a page, in CSS pixels (a slide is 1280 x 720), back to front, with every line of text broken.

mod flow;
mod mirror;

use std::ops::Range;
use std::sync::Arc;

use spec::{ChartSpec, Icon, LayoutChange, Rgb};

use crate::fonts::FontChoice;
use crate::formula::Formula;
use crate::picture::Picture;
pub use flow::{FlowKind, FlowNode, Paragraph};

/// Width of a page in CSS pixels.
pub const PAGE_W: f32 = 1280.0;
/// Height of a page in CSS pixels; 16:9.
pub const PAGE_H: f32 = 720.0;
/// Left and right margin: 5.6 % of the width, inside the area every projector shows.
pub const MARGIN: f32 = 72.0;
/// Gap between columns of the 12-column grid.
pub const GUTTER: f32 = 24.0;

/// A box from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
}

impl Rect {
    #[must_use]
    pub const fn new(x: f32, y: f32, w: f32, h: f32) -> Self {
        Self { x, y, w, h }
    }

    /// The whole page.
    pub const PAGE: Self = Self::new(0.0, 0.0, PAGE_W, PAGE_H);

    #[must_use]
    pub fn right(self) -> f32 {
        self.x + self.w
    }

    #[must_use]
    pub fn bottom(self) -> f32 {
        self.y + self.h
    }

    /// Smaller by `dx` left and right and `dy` at top and bottom.
    #[must_use]
    pub fn inset(self, dx: f32, dy: f32) -> Self {
        Self::new(
            self.x + dx,
            self.y + dy,
            self.w - 2.0 * dx,
            self.h - 2.0 * dy,
        )
    }

    /// Whether `other` lies inside, with a hundredth of a pixel for rounding.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        const E: f32 = 0.01;
        other.x >= self.x - E
            && other.y >= self.y - E
            && other.right() <= self.right() + E
            && other.bottom() <= self.bottom() + E
    }

    /// Whether the two share more than a hundredth of a pixel.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        const E: f32 = 0.01;
        self.x + E < other.right()
            && other.x + E < self.right()
            && self.y + E < other.bottom()
            && other.y + E < self.bottom()
    }

    /// The `index`th of `count` equal columns with a gap between them.
    #[must_use]
    pub fn column(self, index: usize, count: usize, gap: f32) -> Self {
        let (index, count) = (as_px(index), as_px(count));
        let w = (self.w - gap * (count - 1.0)) / count;
        Self::new(self.x + index * (w + gap), self.y, w, self.h)
    }
}

/// A small count as pixels.
pub(crate) fn as_px(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Width and height in CSS pixels.
    pub size: (f32, f32),
    pub background: Rgb,
    /// What the background turns into towards the lower right corner; it is further from the texts' colours.
    pub gradient: Option<Rgb>,
    pub nodes: Vec<Node>,
    /// What was made smaller than designed so that it fits, in the order of the page.
    pub adjustments: Vec<LayoutChange>,
    pub fonts: SceneFonts,
}

/// What became of the fonts that the theme names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneFonts {
    pub title: FontChoice,
    pub body: FontChoice,
}

/// One thing on the page.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Fill(Fill),
    Art(Art),
    Icon(IconNode),
    Text(Text),
    Chart(ChartNode),
    Table(TableNode),
    Flow(FlowNode),
    Picture(PictureNode),
}

/// Every text of these nodes, those of tables and paragraphs among them; what a chart draws is its own.
pub fn texts_of(nodes: &[Node]) -> impl Iterator<Item = &Text> {
    nodes.iter().flat_map(|node| match node {
        Node::Text(text) => vec![text],
        Node::Table(table) => {
            let cells = table.rows.iter().flat_map(|row| &row.cells);
            cells.map(|cell| &cell.text).collect()
        }
        Node::Flow(flow) => flow.texts().collect(),
        Node::Fill(_) | Node::Art(_) | Node::Icon(_) | Node::Chart(_) | Node::Picture(_) => vec![],
    })
}

/// The same, to be changed.
pub(crate) fn texts_mut(nodes: &mut [Node]) -> impl DoubleEndedIterator<Item = &mut Text> {
    nodes.iter_mut().flat_map(|node| match node {
        Node::Text(text) => vec![text],
        Node::Table(table) => {
            let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
            cells.map(|cell| &mut cell.text).collect()
        }
        Node::Flow(flow) => {
            let each = flow.paragraphs.iter_mut();
            each.flat_map(|paragraph| paragraph.mark.iter_mut().chain([&mut paragraph.text]))
                .collect()
        }
        Node::Fill(_) | Node::Art(_) | Node::Icon(_) | Node::Chart(_) | Node::Picture(_) => vec![],
    })
}

/// A rectangle of colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    pub rect: Rect,
    pub color: Rgb,
    /// Corner radius.
    pub radius: f32,
    /// A border inside the rectangle: its colour and width.
    pub border: Option<(Rgb, f32)>,
    /// Whether the inside is left open, so that only the border shows.
    pub open: bool,
}

/// Decoration without meaning: SVG elements in the box's own pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Art {
    pub rect: Rect,
    pub svg: String,
    pub radius: f32,
}

/// A drawn icon.
#[derive(Debug, Clone, PartialEq)]
pub struct IconNode {
    pub rect: Rect,
    pub icon: Icon,
    pub color: Rgb,
}

/// A picture that somebody gave, in a box of its own proportions.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureNode {
    pub rect: Rect,
    /// In words; empty if nobody said what it shows.
    pub alt: String,
    /// Upright, no larger than a page shows.
    pub picture: Arc<Picture>,
}

/// A chart; its colours come from the theme.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartNode {
    pub rect: Rect,
    pub title: String,
    pub spec: ChartSpec,
    /// What it looks like: shapes, then texts, at their places on the page. Files with charts of their own draw it themselves.
    pub drawn: Vec<Node>,
}

impl ChartNode {
    /// Its texts as they were drawn, which were measured.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Text> {
        self.drawn.iter().filter_map(|node| match node {
            Node::Text(text) => Some(text),
            Node::Fill(_)
            | Node::Art(_)
            | Node::Icon(_)
            | Node::Chart(_)
            | Node::Table(_)
            | Node::Flow(_)
            | Node::Picture(_) => None,
        })
    }
}

/// A table: every cell has its ground and its text, and touches its neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct TableNode {
    pub rect: Rect,
    /// Widths of the columns, from the first; together the width of `rect`.
    pub columns: Vec<f32>,
    /// From the top.
    pub rows: Vec<TableLine>,
    /// Whether the first row names the columns.
    pub heads: bool,
    /// Whether the first column names the rows.
    pub labels: bool,
    /// Colour of the hairline under each row but the last.
    pub rule: Rgb,
    /// Whether the first column is the one on the right.
    pub mirrored: bool,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLine {
    pub h: f32,
    /// One for each column.
    pub cells: Vec<TableCell>,
}

/// A cell of a table; its text's box is in the coordinates of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct TableCell {
    pub ground: Rgb,
    pub text: Text,
}

impl TableNode {
    /// The box of a cell.
    #[must_use]
    pub fn cell_rect(&self, row: usize, column: usize) -> Rect {
        let before = self.columns[..column].iter().sum::<f32>();
        let x = if self.mirrored {
            self.rect.right() - before - self.columns[column]
        } else {
            self.rect.x + before
        };
        let y = self.rect.y + self.rows[..row].iter().map(|row| row.h).sum::<f32>();
        Rect::new(x, y, self.columns[column], self.rows[row].h)
    }

    /// The table as what it looks like: a filled box and a text for each cell, and the hairlines.
    #[must_use]
    pub fn parts(&self) -> Vec<Node> {
        let mut parts = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.cells.iter().enumerate() {
                parts.push(Node::Fill(Fill {
                    rect: self.cell_rect(at, column),
                    color: cell.ground,
                    radius: 0.0,
                    border: None,
                    open: false,
                }));
            }
        }
        let mut y = self.rect.y;
        for row in &self.rows[..self.rows.len().saturating_sub(1)] {
            y += row.h;
            parts.push(Node::Fill(Fill {
                rect: Rect::new(self.rect.x, y - 0.5, self.rect.w, 1.0),
                color: self.rule,
                radius: 0.0,
                border: None,
                open: false,
            }));
        }
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        parts.extend(cells.map(|cell| Node::Text(cell.text.clone())));
        parts
    }
}

/// What a text is on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Title,
    Subtitle,
    Body,
    /// Header, footer, numerals drawn by us: not content.
    Chrome,
}

/// Where a text comes from: what was written for a page can be shortened, what stands in a source cannot, and may be smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    Written,
    /// As a source has it.
    Whole,
    /// As a source has it, in type of one width, with every blank.
    Code,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Center,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Valign {
    Top,
    Middle,
    Bottom,
}

/// Text in a box.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub rect: Rect,
    /// With bold marks.
    pub text: String,
    pub role: Role,
    /// Type size in CSS pixels.
    pub size: f32,
    /// Line height as a factor of the size.
    pub line: f32,
    pub weight: u16,
    pub color: Rgb,
    pub align: Align,
    pub valign: Valign,
    /// Set in the theme's title font.
    pub display: bool,
    /// Where the text comes from; this decides how it is measured and read.
    pub stands: Stands,
    /// One line; what does not fit is cut with an ellipsis. Only for text that stands elsewhere in full.
    pub clip: bool,
    /// The lines as they were broken. Empty until the page takes the text, which breaks it.
    pub lines: Vec<Line>,
    /// Whether its paragraphs are read from right to left; known once it is broken.
    pub rtl: bool,
    /// Parts in colours of their own, in their order.
    pub tints: Vec<Tint>,
}

/// A part of a text in a colour of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Tint {
    /// Bytes of the text without its marks.
    pub at: Range<usize>,
    pub color: Rgb,
}

/// One line of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// In the order of reading; together the line without the space at its end.
    pub runs: Vec<Run>,
    /// Width of what is drawn, in CSS pixels.
    pub width: f32,
    /// Distance from the top of the line's box (as high as size times line height) down to its baseline.
    pub baseline: f32,
}

/// Characters of one line in one font and one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub text: String,
    pub bold: bool,
    /// Family name of the font that has these characters; `None` when no font here has them.
    pub family: Option<Arc<str>>,
    /// Distance of its left end from the left end of the line.
    pub x: f32,
    pub width: f32,
    /// Bytes of the text before which the pen is set anew, each with its distance from the run's left end.
    pub stops: Vec<(usize, f32)>,
    /// Whether it is read from right to left.
    pub rtl: bool,
    /// Where it leads.
    pub link: Option<Arc<str>>,
    /// Its own colour, where that is not the text's.
    pub color: Option<Rgb>,
    /// It is drawn as this formula; `text` is how it is read.
    pub formula: Option<SetFormula>,
}

/// A formula in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct SetFormula {
    pub formula: Arc<Formula>,
    /// CSS pixels of its em: the size of the text, or less where it would be wider than its box.
    pub size: f32,
}

impl Line {
    #[must_use]
    pub fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    /// The space that the text has where this line ends, if it has one; a line break of the text stays one. `rest` is the text from here,
    /// and then from the next line.
    pub(crate) fn space_after(&self, rest: &mut &str) -> Option<char> {
        let said = self.text();
        // Cut with an ellipsis: no line comes after.
        let after = rest.trim_start().strip_prefix(said.trim())?;
        *rest = after;
        let words = after.trim_start();
        let space = &after[..after.len() - words.len()];
        let broken = space.contains('\n');
        (!space.is_empty() && !words.is_empty()).then_some(if broken { '\n' } else { ' ' })
    }
}

/// Line height of running text; Chinese needs more air than 1.4.
pub const BODY_LINE: f32 = 1.5;
/// Width and height of the mark before the continuation of a long line of code, the space between the mark and the code, and how far
/// above the baseline the mark ends.
const HOOK_EM: (f32, f32) = (0.5, 0.4);
const HOOK_AIR_EM: f32 = 0.25;
const HOOK_UP_EM: f32 = 0.22;
/// Width of its lines.
pub(crate) const HOOK_LINE_EM: f32 = 0.06;
/// Opacity of the mark, which has the text's colour.
pub(crate) const HOOK_OPACITY: f32 = 0.55;

/// Line height of headings.
pub const TITLE_LINE: f32 = 1.4;

impl Text {
    /// Running text, top left.
    #[must_use]
    pub fn new(rect: Rect, text: impl Into<String>, size: f32, color: Rgb) -> Self {
        Self {
            rect,
            text: text.into(),
            role: Role::Body,
            size,
            line: BODY_LINE,
            weight: 400,
            color,
            align: Align::Left,
            valign: Valign::Top,
            display: false,
            stands: Stands::Written,
            clip: false,
            lines: Vec::new(),
            rtl: false,
            tints: Vec::new(),
        }
    }

    /// Height of the lines together.
    #[must_use]
    pub fn height(&self) -> f32 {
        as_px(self.lines.len()) * self.size * self.line
    }

    /// The colour of the character that begins at this byte of the text without its marks, where it has one of its own.
    #[must_use]
    pub fn tint(&self, at: usize) -> Option<Rgb> {
        let next = self.tints.partition_point(|tint| tint.at.end <= at);
        let tint = self.tints.get(next)?;
        tint.at.contains(&at).then_some(tint.color)
    }

    /// The lines with the left end and the baseline of each, on the page.
    pub fn placed(&self) -> impl Iterator<Item = (f32, f32, &Line)> {
        let pitch = self.size * self.line;
        let top = match self.valign {
            Valign::Top => self.rect.y,
            Valign::Middle => self.rect.y + (self.rect.h - self.height()) / 2.0,
            Valign::Bottom => self.rect.bottom() - self.height(),
        };
        self.lines.iter().enumerate().map(move |(at, line)| {
            let x = match self.align {
                Align::Left => self.rect.x,
                Align::Center => self.rect.x + (self.rect.w - line.width) / 2.0,
                Align::Right => self.rect.right() - line.width,
            };
            (x, top + as_px(at) * pitch + line.baseline, line)
        })
    }

    /// The boxes on the page of the marks before the continuations of long lines of code. A mark is the left and the lower side of its
    /// box.
    pub fn hooks(&self) -> impl Iterator<Item = Rect> {
        let size = self.size;
        let later = self.placed().skip(1);
        let of_code = later.filter(|_| self.stands == Stands::Code);
        of_code.filter_map(move |(left, baseline, line)| {
            let hang = line.runs.first()?.x;
            let (w, h) = (HOOK_EM.0 * size, HOOK_EM.1 * size);
            let x = left + hang - HOOK_AIR_EM * size - w;
            (x >= left).then(|| Rect::new(x, baseline - h - HOOK_UP_EM * size, w, h))
        })
    }

    /// Bold, unless a part of the text is marked bold: then only that part, or the mark would not show.
    #[must_use]
    pub fn bold(mut self) -> Self {
        let marked = spec::text::is_marked(&self.text);
        self.weight = if marked { 400 } else { 700 };
        self
    }

    /// A heading: title font, bold, tighter lines.
    #[must_use]
    pub fn heading(mut self, role: Role) -> Self {
        self.role = role;
        self.display = true;
        self.line = TITLE_LINE;
        self.weight = 700;
        self
    }

    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    #[must_use]
    pub fn chrome(mut self) -> Self {
        self.role = Role::Chrome;
        self.clip = true;
        self
    }

    /// As a source has it.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.stands = Stands::Whole;
        self
    }

    /// A line of code.
    #[must_use]
    pub fn code(mut self) -> Self {
        self.stands = Stands::Code;
        self
    }

    #[must_use]
    pub fn center(mut self) -> Self {
        self.align = Align::Center;
        self
    }

    #[must_use]
    pub fn end(mut self) -> Self {
        self.align = Align::Right;
        self
    }

    #[must_use]
    pub fn middle(mut self) -> Self {
        self.valign = Valign::Middle;
        self
    }

    #[must_use]
    pub fn low(mut self) -> Self {
        self.valign = Valign::Bottom;
        self
    }
}
