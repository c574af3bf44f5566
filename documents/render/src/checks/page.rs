//! A page as the checks see it: everything flat and back to front, with the boxes of what is really drawn and a name for each
//! element.

use spec::{Finding, FindingCategory, Rgb, Severity, Slot, both};

use crate::DeckPage;
use crate::formula::linear;
use crate::scene::{Art, ChartNode, IconNode, Node, Rect, Role, Text};

/// Reach of the letters above the baseline in em: the em box of Chinese fonts (0.88), which holds Latin capitals as well.
const INK_ASCENT_EM: f32 = 0.88;
/// Reach below the baseline in em: Latin descenders (0.2 to 0.24), which are longer than Chinese ones (0.12).
const INK_DESCENT_EM: f32 = 0.22;
/// How many characters of a text are quoted in evidence.
const BEGINNING_CHARS: usize = 24;

/// A page with its elements named.
pub(super) struct Checked<'a> {
    pub(super) page: &'a DeckPage,
    /// Counted from 1.
    pub(super) number: u32,
    pub(super) bounds: Rect,
    /// Back to front.
    pub(super) pieces: Vec<Piece<'a>>,
}

/// One thing on the page. A table is followed by its cells, each a ground and a text; a chart by its texts.
pub(super) struct Piece<'a> {
    pub(super) kind: Kind<'a>,
    /// Index of the scene's node that it is or belongs to.
    pub(super) node: usize,
    pub(super) rect: Rect,
    /// What is drawn: the lines of a text, else the box.
    pub(super) ink: Vec<Rect>,
    pub(super) element: String,
    /// Index of the topmost ground below this piece that has all of it.
    pub(super) holder: Option<usize>,
    /// Whether content stands in this piece, also when that content has another ground of its own.
    pub(super) holds: bool,
}

pub(super) enum Kind<'a> {
    /// A box of colour; `None` for one whose inside is left open.
    Ground(Option<Rgb>, Option<(Rgb, f32)>),
    Art(&'a Art),
    Icon(&'a IconNode),
    Text(&'a Text),
    Chart(&'a ChartNode),
    /// A table, or a picture that was given, by the name that evidence uses for it.
    Block(&'static str),
}

impl Piece<'_> {
    /// Whether a viewer reads it, unlike grounds and decoration.
    pub(super) fn is_content(&self) -> bool {
        match self.kind {
            Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_) => true,
            Kind::Ground(..) | Kind::Art(_) => false,
        }
    }

    /// Whether something stands on it; an open box has no inside.
    pub(super) fn is_ground(&self) -> bool {
        matches!(self.kind, Kind::Ground(Some(_), _))
    }

    /// The least box around what is drawn.
    pub(super) fn extent(&self) -> Rect {
        extent(&self.ink).unwrap_or(self.rect)
    }

    /// How evidence names this piece.
    pub(super) fn says(&self, page: &Checked<'_>) -> String {
        match &self.kind {
            Kind::Text(text) => beginning(&text.text),
            Kind::Ground(..) => page.told(both!("色块" => "a filled box")),
            Kind::Art(_) => page.told(both!("装饰" => "a decoration")),
            Kind::Icon(IconNode { icon, .. }) => {
                page.told(both!("图标“{icon:?}”" => "the icon {icon:?}"))
            }
            Kind::Chart(_) => page.told(both!("图表" => "the chart")),
            Kind::Block("table") => page.told(both!("表格" => "the table")),
            Kind::Block(name) => page.told(["图片".to_owned(), format!("the {name}")]),
        }
    }
}

impl<'a> Checked<'a> {
    pub(super) fn new(page: &'a DeckPage) -> Self {
        let mut names = Names::of(page);
        let mut pieces = Vec::new();
        for (node, drawn) in page.scene.nodes.iter().enumerate() {
            let mut put = |kind, rect, element: &str| {
                pieces.push(Piece::new(kind, node, rect, element.to_owned()));
            };
            match drawn {
                Node::Fill(fill) => {
                    let inside = (!fill.open).then_some(fill.color);
                    put(Kind::Ground(inside, fill.border), fill.rect, "box");
                }
                Node::Art(art) => put(Kind::Art(art), art.rect, "decoration"),
                Node::Icon(icon) => put(Kind::Icon(icon), icon.rect, "icon"),
                Node::Text(text) => put(Kind::Text(text), text.rect, &names.of_text(text)),
                Node::Chart(chart) => {
                    put(Kind::Chart(chart), chart.rect, "chart");
                    for part in &chart.drawn {
                        if let Node::Text(text) = part {
                            put(Kind::Text(text), text.rect, &names.in_chart(text));
                        }
                    }
                }
                Node::Picture(picture) => put(Kind::Block("picture"), picture.rect, "picture"),
                Node::Flow(flow) => {
                    for text in flow.texts() {
                        put(Kind::Text(text), text.rect, &names.of_text(text));
                    }
                }
                Node::Table(table) => {
                    put(Kind::Block("table"), table.rect, "table");
                    for (row, line) in table.rows.iter().enumerate() {
                        for (column, cell) in line.cells.iter().enumerate() {
                            if column < table.columns.len() {
                                let rect = table.cell_rect(row, column);
                                put(Kind::Ground(Some(cell.ground), None), rect, "table");
                            }
                            let text = &cell.text;
                            put(Kind::Text(text), text.rect, &names.of_text(text));
                        }
                    }
                }
            }
        }
        find_holders(&mut pieces);
        let (w, h) = page.scene.size;
        Self {
            page,
            number: page.context.page_number,
            bounds: Rect::new(0.0, 0.0, w, h),
            pieces,
        }
    }

    /// The texts with their pieces, in the order of the page.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&Piece<'a>, &'a Text)> {
        self.pieces.iter().filter_map(|piece| match piece.kind {
            Kind::Text(text) => Some((piece, text)),
            Kind::Ground(..) | Kind::Art(_) | Kind::Icon(_) | Kind::Chart(_) | Kind::Block(_) => {
                None
            }
        })
    }

    /// What is read on the page.
    pub(super) fn content(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.pieces.iter().filter(|piece| piece.is_content())
    }

    /// Cards: boxes that content stands in and that do not reach the page's edge. Cells of tables are not cards.
    pub(super) fn cards(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.pieces
            .iter()
            .filter(|piece| piece.holds && piece.element != "table" && !self.bleeds(piece.rect))
    }

    /// Whether a text belongs to a chart, which places it by its values.
    pub(super) fn in_chart(&self, piece: &Piece<'_>) -> bool {
        matches!(self.page.scene.nodes.get(piece.node), Some(Node::Chart(_)))
    }

    /// Whether a box reaches an edge of the page.
    pub(super) fn bleeds(&self, rect: Rect) -> bool {
        let page = self.bounds;
        rect.x <= page.x
            || rect.y <= page.y
            || rect.right() >= page.right()
            || rect.bottom() >= page.bottom()
    }

    /// The words in the page's language.
    pub(super) fn told(&self, words: [String; 2]) -> String {
        spec::text::told(&self.page.context.language, words)
    }

    /// A finding, with what it says in Chinese and in English.
    pub(super) fn finding(
        &self,
        element: &str,
        category: FindingCategory,
        severity: Severity,
        evidence: [String; 2],
        fix: [String; 2],
    ) -> Finding {
        Finding {
            slide: self.number,
            element: element.to_owned(),
            category,
            severity,
            evidence: self.told(evidence),
            fix: self.told(fix),
        }
    }
}

impl<'a> Piece<'a> {
    fn new(kind: Kind<'a>, node: usize, rect: Rect, element: String) -> Self {
        let lines = match kind {
            Kind::Text(text) => line_boxes(text),
            Kind::Ground(..) | Kind::Art(_) | Kind::Icon(_) | Kind::Chart(_) | Kind::Block(_) => {
                Vec::new()
            }
        };
        Self {
            kind,
            node,
            rect,
            ink: if lines.is_empty() { vec![rect] } else { lines },
            element,
            holder: None,
            holds: false,
        }
    }
}

/// The letters' box of each line.
pub(super) fn line_boxes(text: &Text) -> Vec<Rect> {
    text.placed()
        .map(|(x, baseline, line)| {
            let top = baseline - INK_ASCENT_EM * text.size;
            let h = (INK_ASCENT_EM + INK_DESCENT_EM) * text.size;
            Rect::new(x, top, line.width, h)
        })
        .collect()
}

fn find_holders(pieces: &mut [Piece<'_>]) {
    for at in 0..pieces.len() {
        let extent = pieces[at].extent();
        let content = pieces[at].is_content();
        for below in (0..at).rev() {
            if !pieces[below].is_ground() || !pieces[below].rect.holds(extent) {
                continue;
            }
            pieces[at].holder = pieces[at].holder.or(Some(below));
            pieces[below].holds |= content;
        }
    }
}

/// The least box around boxes, if there is one.
pub(super) fn extent(boxes: &[Rect]) -> Option<Rect> {
    boxes.iter().copied().reduce(|a, b| {
        let (x, y) = (a.x.min(b.x), a.y.min(b.y));
        let (right, bottom) = (a.right().max(b.right()), a.bottom().max(b.bottom()));
        Rect::new(x, y, right - x, bottom - y)
    })
}

/// Width and height of what two boxes share; `None` when they do not meet.
pub(super) fn shared(a: Rect, b: Rect) -> Option<(f32, f32)> {
    let w = a.right().min(b.right()) - a.x.max(b.x);
    let h = a.bottom().min(b.bottom()) - a.y.max(b.y);
    (w > 0.0 && h > 0.0).then_some((w, h))
}

/// The first characters of a text in quotation marks.
pub(super) fn beginning(text: &str) -> String {
    let plain = spec::text::plain(text);
    let mut said: String = plain.chars().take(BEGINNING_CHARS).collect();
    if plain.chars().count() > BEGINNING_CHARS {
        said.push('…');
    }
    format!("“{said}”")
}

/// Finds out which slot a text on the page comes from.
struct Names<'a> {
    page: &'a DeckPage,
    /// Each slot with its text, and whether it has been found already: equal texts are told apart by their order.
    slots: Vec<(Slot<'a>, String, bool)>,
}

impl<'a> Names<'a> {
    fn of(page: &'a DeckPage) -> Self {
        let named = |slot: Slot<'a>| {
            let plain = slot.plain();
            (slot, plain, false)
        };
        Self {
            page,
            slots: page.slide.slots().into_iter().map(named).collect(),
        }
    }

    fn of_text(&mut self, text: &Text) -> String {
        let plain = spec::text::plain(&text.text);
        if text.role == Role::Chrome {
            return self.chrome(&plain);
        }
        if let Some(path) = self.slot_of(&plain) {
            return path;
        }
        // A part of a slot's text, as when a slot is set in two boxes, or a slot with a mark drawn around it.
        let part = |slot: &str| {
            !plain.is_empty() && !slot.is_empty() && (slot.contains(&plain) || plain.contains(slot))
        };
        let found = self.slots.iter().find(|(_, slot, _)| part(slot));
        match (found, text.role) {
            (Some((slot, _, _)), _) => slot.path.clone(),
            (None, Role::Title) => "title".to_owned(),
            (None, Role::Subtitle) => "subtitle".to_owned(),
            (None, Role::Body | Role::Chrome) => "text".to_owned(),
        }
    }

    /// A text of a chart: a category, a series, the unit, or a number of an axis.
    fn in_chart(&mut self, text: &Text) -> String {
        let said = spec::text::plain(&text.text);
        let is_formula = |(slot, _, _): &&(Slot<'_>, _, _)| linear(slot.text) == said;
        self.slot_of(&said)
            .or_else(|| {
                self.slots
                    .iter()
                    .find(is_formula)
                    .map(|(slot, ..)| slot.path.clone())
            })
            .unwrap_or_else(|| "chart".to_owned())
    }

    fn slot_of(&mut self, plain: &str) -> Option<String> {
        let equal = |seen_before: bool| {
            self.slots
                .iter()
                .position(|(_, slot, seen)| slot == plain && *seen == seen_before)
        };
        let at = equal(false).or_else(|| equal(true))?;
        self.slots[at].2 = true;
        Some(self.slots[at].0.path.clone())
    }

    fn chrome(&self, plain: &str) -> String {
        let context = &self.page.context;
        let number = format!("{} / {}", context.page_number, context.page_count);
        let name = if plain == context.title {
            "header"
        } else if plain == number {
            "footer"
        } else if !plain.is_empty() && plain.chars().all(|c| c.is_ascii_digit()) {
            "numeral"
        } else {
            "mark"
        };
        name.to_owned()
    }
}
