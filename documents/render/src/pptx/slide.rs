//! A page as a slide.

use super::art::{self, Drawing};
use super::names::{Named, Names};
use super::package::{Kind, Package, Relations};
use super::placeholders::{
    CHART_HOLDER, FOOTER_HOLDER, NUMBER_HOLDER, PlaceholderNodes, TABLE_HOLDER, TEXT_HOLDER,
    content_holders, lead_holder, number, title_holder,
};
use super::shapes::{Alt, Holder, Shapes};
use super::template::Stand;
use super::text::{addresses_of, is_drawn, with_formulas};
use super::xml::{HEAD, NAMESPACES};
use super::{Deck, PptxError, alt, chart, layouts, notes, table};
use crate::DeckPage;
use crate::scene::{FlowKind, Node, PictureNode, Rect, Scene, Text, texts_of};

pub(super) fn part(at: usize) -> String {
    format!("ppt/slides/slide{}.xml", at + 1)
}

/// A slide being written.
struct Slide<'a> {
    deck: &'a Deck<'a>,
    page: &'a DeckPage,
    at: usize,
    held: PlaceholderNodes,
    /// The template that the slide stands in.
    stand: Option<&'a Stand<'a>>,
    shapes: Shapes,
    names: Names<'a>,
    relations: Relations,
    /// Whether the layout's placeholder for a chart, a table or a text has one.
    content: bool,
}

/// `named` has what pages before this one have shown of its slide.
pub(super) fn put(
    package: &mut Package,
    deck: &Deck<'_>,
    at: usize,
    page: &DeckPage,
    named: &mut Named,
) -> Result<(), PptxError> {
    put_on(package, deck, at, page, named, None)
}

/// The same on a layout of a template.
pub(super) fn put_in(
    package: &mut Package,
    deck: &Deck<'_>,
    at: usize,
    page: &DeckPage,
    named: &mut Named,
    stand: &Stand<'_>,
) -> Result<(), PptxError> {
    put_on(package, deck, at, page, named, Some(stand))
}

fn put_on(
    package: &mut Package,
    deck: &Deck<'_>,
    at: usize,
    page: &DeckPage,
    named: &mut Named,
    stand: Option<&Stand<'_>>,
) -> Result<(), PptxError> {
    let layout = page.slide.layout();
    let names = Names::new(page, named);
    let mut slide = Slide {
        deck,
        page,
        at,
        held: match stand {
            Some(_) => PlaceholderNodes::default(),
            None => PlaceholderNodes::new(page),
        },
        stand,
        shapes: Shapes::marked(names.mark()),
        names,
        relations: Relations::default(),
        content: false,
    };
    let layout_part = stand.map_or_else(|| layouts::part(layout), |stand| stand.layout.to_owned());
    slide.relations.to(Kind::SlideLayout, &layout_part);
    if notes::has(page) {
        slide.relations.to(Kind::NotesSlide, &notes::part(at));
    }
    for address in addresses(&page.scene) {
        slide.relations.link(&address);
    }
    for (place, node) in page.scene.nodes.iter().enumerate() {
        slide.node(package, place, node)?;
    }
    let ground = match page.scene.gradient {
        _ if stand.is_some() => String::new(),
        Some(end) => deck.scheme.gradient(page.scene.background, end),
        None if page.scene.background == layouts::background(deck, layout) => String::new(),
        None => deck.scheme.fill(page.scene.background),
    };
    let ground = if ground.is_empty() {
        ground
    } else {
        format!("<p:bg><p:bgPr>{ground}<a:effectLst/></p:bgPr></p:bg>")
    };
    let xml = format!(
        "{HEAD}<p:sld {NAMESPACES}><p:cSld>{ground}{}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>",
        slide.shapes.tree()
    );
    package.put(part(at), Kind::Slide, xml, slide.relations);
    if notes::has(page) {
        let master = stand.map_or(notes::MASTER, |stand| stand.notes_master);
        notes::put(package, deck, at, page, master);
    }
    Ok(())
}

/// Where the texts of a page lead.
fn addresses(scene: &Scene) -> Vec<String> {
    texts_of(&scene.nodes).flat_map(addresses_of).collect()
}

impl Slide<'_> {
    fn node(&mut self, package: &mut Package, place: usize, node: &Node) -> Result<(), PptxError> {
        if let Some(stand) = self.stand
            && stand.put(&mut self.shapes, self.deck, place, node)
        {
            return Ok(());
        }
        match node {
            Node::Fill(fill) => self.shapes.fill(self.deck, fill),
            Node::Text(text) => self.text(place, text),
            Node::Art(art) => {
                let drawing = art::decoration(art).map_err(|error| self.unreadable(&error))?;
                self.drawing(package, drawing, art.rect, Alt::Decorative);
            }
            Node::Icon(icon) => {
                let drawing = art::icon(icon).map_err(|error| self.unreadable(&error))?;
                let words = alt::icon(icon.icon, &self.deck.language);
                self.drawing(package, drawing, icon.rect, Alt::Words(words));
            }
            Node::Chart(chart) => {
                let part = chart::put(package, self.deck, chart)?;
                let relation = self.relations.to(Kind::Chart, &part);
                let holder = self.content_holder(CHART_HOLDER);
                let words = alt::chart(chart);
                let name = self.names.chart();
                self.shapes.add(|id| {
                    let name = name.unwrap_or_else(|| format!("Chart {id}"));
                    chart::frame(id, holder, chart, &relation, &words, &name)
                });
                let total = format!("Total{}", self.names.mark());
                for text in chart::overlays(self.deck, chart) {
                    self.shapes.text(self.deck, &text, &total);
                }
            }
            Node::Flow(flow) => {
                let name = match flow.kind {
                    FlowKind::Passage => "Text",
                    FlowKind::Code => "Code",
                };
                let holder = self.content_holder(TEXT_HOLDER);
                let name = self.names.flow(flow, name);
                self.shapes.flow(self.deck, flow, &name, holder);
            }
            Node::Picture(PictureNode { rect, alt, picture }) => {
                let kind = Kind::of_picture(picture.media_type);
                let part = package.picture(kind, picture.bytes.clone());
                let relation = self.relations.to(kind, &part);
                let words = if alt.is_empty() {
                    self.page.slide.title()
                } else {
                    alt
                };
                let name = self.names.picture(&picture.bytes);
                self.shapes
                    .picture(&relation, *rect, Alt::Words(words), name.as_deref());
            }
            Node::Table(table) => {
                let holder = self.content_holder(TABLE_HOLDER);
                let words = alt::table(self.page.slide.title(), table);
                let deck = self.deck;
                let name = self.names.table(table, "");
                self.shapes.add(|id| {
                    let name = match name.strip_prefix(' ') {
                        Some(mark) => format!("Table {id} {mark}"),
                        None if name.is_empty() => format!("Table {id}"),
                        None => name,
                    };
                    let cells = table.rows.iter().flat_map(|row| &row.cells);
                    let drawn = cells.map(|cell| &cell.text).any(is_drawn);
                    with_formulas(deck, drawn, |deck| {
                        table::frame(deck, id, holder, table, &words, &name)
                    })
                });
            }
        }
        Ok(())
    }

    fn text(&mut self, place: usize, text: &Text) {
        let deck = self.deck;
        let layout = self.page.slide.layout();
        let here = Some(place);
        if self.stand.is_some() {
            let name = self.names.text(text, "Text");
            self.shapes.text(deck, text, &name);
        } else if here == self.held.title {
            let name = self.names.title("Title");
            self.shapes
                .held(deck, text, &name, title_holder(layout), None);
        } else if let (true, Some(holder)) = (here == self.held.lead, lead_holder(layout)) {
            let name = self.names.text(text, "Lead");
            self.shapes.held(deck, text, &name, holder, None);
        } else if here == self.held.footer {
            let name = self.names.text(text, "Header");
            self.shapes.held(deck, text, &name, FOOTER_HOLDER, None);
        } else if here == self.held.number {
            let number = number(self.page, text);
            let name = self.names.text(text, "Page number");
            self.shapes
                .held(deck, text, &name, NUMBER_HOLDER, Some(&number));
        } else {
            let name = self.names.text(text, "Text");
            self.shapes.text(deck, text, &name);
        }
    }

    /// The layout's placeholder, for the first chart, table or text of a layout that has one.
    fn content_holder(&mut self, holder: Holder) -> Option<Holder> {
        let free = self.stand.is_none()
            && !self.content
            && content_holders(self.page.slide.layout()).contains(&holder);
        self.content |= free;
        free.then_some(holder)
    }

    fn drawing(&mut self, package: &mut Package, drawing: Drawing, rect: Rect, alt: Alt<'_>) {
        match drawing {
            Drawing::Outlines(outlines) => self.shapes.drawing(self.deck, &outlines, rect, alt),
            Drawing::Picture(png) => {
                let part = package.picture(Kind::Png, png);
                let relation = self.relations.to(Kind::Png, &part);
                self.shapes.picture(&relation, rect, alt, None);
            }
        }
    }

    fn unreadable(&self, error: &impl std::fmt::Display) -> PptxError {
        PptxError::Drawing {
            page: self.at + 1,
            says: error.to_string(),
        }
    }
}
