//! A page drawn piece by piece, each with what it is: headings, paragraphs, lists, tables, formulas, links and pictures. A screen
//! reader reads the page in its order and passes over what only decorates it.

use std::collections::VecDeque;
use std::num::NonZeroU16;

use krilla::geom::Size;
use krilla::page::Page as Sheet;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, ListNumbering, Node as TagNode, SpanTag,
    TableHeaderScope, Tag, TagGroup, TagKind,
};
use krilla_svg::{SurfaceExt as _, SvgSettings};
use spec::Theme;

use super::{PT_PER_PX, link_annotation};
use crate::DeckPage;
use crate::fonts::Fonts;
use crate::raster::{RasterError, tree};
use crate::scene::{
    FlowKind, FlowNode, Line, Node, Paragraph, Role, Run, Stands, TableNode, Text, texts_of,
};
use crate::svg;

/// Draws the pages of a deck.
pub(super) struct Writer<'a> {
    theme: &'a Theme,
    fonts: &'a Fonts,
    language: &'a str,
    size: (f32, f32),
    /// Whether it is the first page, whose heading is that of all of them.
    is_first: bool,
    /// The places of links that no text has taken yet, in the order of reading.
    links: VecDeque<Identifier>,
    /// What the drawings on the sheet show, from the top; nothing where drawings only decorate.
    drawings: VecDeque<String>,
    /// What only decorates the page and is not drawn yet.
    decoration: Vec<&'a Node>,
    /// Characters that no font here has.
    missing: Vec<char>,
    /// The first of all other errors.
    failed: Option<RasterError>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        page: &'a DeckPage,
        index: usize,
        theme: &'a Theme,
        fonts: &'a Fonts,
        drawings: Vec<String>,
    ) -> Self {
        Self {
            theme,
            fonts,
            language: &page.context.language,
            size: page.scene.size,
            is_first: index == 0,
            links: VecDeque::new(),
            drawings: drawings.into(),
            decoration: Vec::new(),
            missing: Vec::new(),
            failed: None,
        }
    }

    /// Draws the page; returns what it says. A character without a font is added to `missing`, and the page is not whole then.
    pub(super) fn page(
        mut self,
        sheet: &mut Sheet<'_>,
        page: &'a DeckPage,
        missing: &mut Vec<char>,
    ) -> Result<TagGroup, RasterError> {
        self.links(sheet, page);
        let mut surface = sheet.surface();
        let ground = svg::ground(&page.scene, self.theme, self.language);
        self.artifact(&mut surface, &ground, ArtifactType::Page);
        let mut said = Vec::new();
        for node in &page.scene.nodes {
            said.extend(self.node(&mut surface, page, node));
        }
        self.decorate(&mut surface);
        surface.finish();
        for character in self.missing {
            if !missing.contains(&character) {
                missing.push(character);
            }
        }
        match self.failed {
            Some(failed) => Err(failed),
            None => Ok(TagGroup::with_children(Tag::Section, said)),
        }
    }

    /// Puts the places of all links on the sheet: they have to be there before anything is drawn.
    fn links(&mut self, sheet: &mut Sheet<'_>, page: &DeckPage) {
        for text in texts_of(&page.scene.nodes) {
            for (x, baseline, line) in text.placed() {
                for run in &line.runs {
                    let Some(link) = link_annotation(text, line, run, (x, baseline)) else {
                        continue;
                    };
                    if text.role == Role::Chrome {
                        sheet.add_annotation(link);
                    } else {
                        self.links.push_back(sheet.add_tagged_annotation(link));
                    }
                }
            }
        }
    }

    fn node(&mut self, surface: &mut Surface<'_>, page: &DeckPage, node: &'a Node) -> Vec<TagNode> {
        match node {
            Node::Art(_) if !self.drawings.is_empty() => {
                let words = self.drawings.pop_front().unwrap_or_default();
                vec![self.figure(surface, node, words)]
            }
            Node::Fill(_) | Node::Art(_) | Node::Icon(_) => {
                self.decoration.push(node);
                Vec::new()
            }
            Node::Text(text) if text.role == Role::Chrome => {
                self.decoration.push(node);
                Vec::new()
            }
            Node::Text(text) => {
                self.decorate(surface);
                let said = self.text(surface, text);
                vec![group(self.kind(text), said)]
            }
            Node::Flow(flow) => {
                self.decorate(surface);
                self.flow(surface, flow)
            }
            Node::Table(table) => {
                let grounds = table.parts().into_iter();
                let grounds: Vec<Node> = grounds
                    .filter(|part| matches!(part, Node::Fill(_)))
                    .collect();
                self.decorate(surface);
                self.ornament(surface, &grounds);
                vec![self.table(surface, table)]
            }
            Node::Chart(chart) => {
                let words = crate::pptx::alt::chart(chart);
                vec![self.figure(surface, node, words)]
            }
            Node::Picture(picture) => {
                let title = spec::text::plain(page.slide.title());
                let words = Some(picture.alt.clone()).filter(|alt| !alt.is_empty());
                vec![self.figure(surface, node, words.unwrap_or(title))]
            }
        }
    }

    fn figure(&mut self, surface: &mut Surface<'_>, node: &Node, words: String) -> TagNode {
        self.decorate(surface);
        let drawn = svg::elements(std::slice::from_ref(node), self.theme, self.language);
        let part = self.part(surface, &drawn, ContentTag::Other);
        group(Tag::Figure(Some(words)), vec![part])
    }

    /// What a text is by itself.
    fn kind(&self, text: &Text) -> TagKind {
        match text.role {
            Role::Title => {
                let level = if self.is_first { 1 } else { 2 };
                let level = NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN);
                Tag::Hn(level, Some(spec::text::plain(&text.text))).into()
            }
            Role::Subtitle | Role::Body | Role::Chrome => Tag::P.into(),
        }
    }

    /// The parts of a text in the order of reading.
    fn text(&mut self, surface: &mut Surface<'_>, text: &Text) -> Vec<TagNode> {
        let placed = text.placed().flat_map(|(x, baseline, line)| {
            let runs = line.runs.iter();
            runs.map(move |run| (run, (x + run.x, baseline)))
        });
        let runs: Vec<(&Run, (f32, f32))> = placed.collect();
        let alike = |(a, _): &(&Run, _), (b, _): &(&Run, _)| {
            a.formula.is_none() && b.formula.is_none() && a.link == b.link
        };
        let mut said = Vec::new();
        for part in runs.chunk_by(alike) {
            let (first, at) = part[0];
            let wanted = |run: &Run| {
                let is_wanted = part.iter().any(|(wanted, _)| std::ptr::eq(*wanted, run));
                is_wanted.then(|| space_after(text, run))
            };
            let mut drawn = svg::text_parts(text, self.theme, self.language, wanted);
            if let Some(set) = &first.formula {
                let words = set.formula.words();
                drawn.push_str(&self.unseen(&words, first.width, set.size, at));
                let part = self.part(surface, &drawn, ContentTag::Span(SpanTag::empty()));
                said.push(group(Tag::Formula(Some(words)), vec![part]));
                continue;
            }
            let content = self.part(surface, &drawn, ContentTag::Span(SpanTag::empty()));
            if first.link.is_none() {
                said.push(content);
                continue;
            }
            let places = self.links.drain(..part.len().min(self.links.len()));
            let places: Vec<TagNode> = places.map(TagNode::from).collect();
            let children = std::iter::once(content).chain(places).collect();
            said.push(group(Tag::Link, children));
        }
        said
    }

    /// The words of a formula, as far as there are fonts for them.
    fn unseen(&self, words: &str, w: f32, size: f32, at: (f32, f32)) -> String {
        let missing = self.fonts.missing(words);
        let known: String = words.chars().filter(|c| !missing.contains(c)).collect();
        svg::unseen(&known, w, size, at)
    }

    fn flow(&mut self, surface: &mut Surface<'_>, flow: &FlowNode) -> Vec<TagNode> {
        match flow.kind {
            FlowKind::Passage => self.passage(surface, &flow.paragraphs),
            FlowKind::Code => {
                let lines = flow.paragraphs.iter();
                let lines = lines.flat_map(|line| self.text(surface, &line.text));
                let code = group(Tag::Code, lines.collect());
                vec![group(Tag::P, vec![code])]
            }
        }
    }

    /// Paragraphs, and lists with what belongs to each of their lines.
    fn passage(&mut self, surface: &mut Surface<'_>, paragraphs: &[Paragraph]) -> Vec<TagNode> {
        let mut said = Vec::new();
        let mut rest = paragraphs;
        while let Some(first) = rest.first() {
            let Some(mark) = &first.mark else {
                let words = self.text(surface, &first.text);
                said.push(group(Tag::P, words));
                rest = &rest[1..];
                continue;
            };
            let level = first.level;
            let is_item = |one: &Paragraph| one.level == level && one.mark.is_some();
            let end = rest
                .iter()
                .position(|one| one.level <= level && !is_item(one));
            let (list, after) = rest.split_at(end.unwrap_or(rest.len()));
            let numbered = mark.text.chars().any(char::is_alphanumeric);
            let numbering = if numbered {
                ListNumbering::Decimal
            } else {
                ListNumbering::Disc
            };
            let lines = list.chunk_by(|_, next| !is_item(next));
            let lines = lines.map(|line| self.item(surface, line)).collect();
            said.push(group(Tag::L(numbering), lines));
            rest = after;
        }
        said
    }

    /// A line of a list with what stands below it.
    fn item(&mut self, surface: &mut Surface<'_>, line: &[Paragraph]) -> TagNode {
        let mut parts = Vec::new();
        let [first, below @ ..] = line else {
            return group(Tag::LI, parts);
        };
        if let Some(mark) = &first.mark {
            let mark = self.text(surface, mark);
            parts.push(group(Tag::Lbl, mark));
        }
        let words = self.text(surface, &first.text);
        let mut body = vec![group(Tag::P, words)];
        body.extend(self.passage(surface, below));
        parts.push(group(Tag::LBody, body));
        group(Tag::LI, parts)
    }

    fn table(&mut self, surface: &mut Surface<'_>, table: &TableNode) -> TagNode {
        let mut rows = Vec::new();
        for (at, row) in table.rows.iter().enumerate() {
            let mut cells = Vec::new();
            for (column, cell) in row.cells.iter().enumerate() {
                let tag: TagKind = match (table.heads && at == 0, table.labels && column == 0) {
                    (true, _) => Tag::TH(TableHeaderScope::Column).into(),
                    (false, true) => Tag::TH(TableHeaderScope::Row).into(),
                    (false, false) => Tag::TD.into(),
                };
                let mut words = self.text(surface, &cell.text);
                if words.is_empty() {
                    // A cell without words still is a cell of its row.
                    words.push(self.part(surface, "", ContentTag::Other));
                }
                cells.push(group(tag, words));
            }
            rows.push(group(Tag::TR, cells));
        }
        group(Tag::Table, rows)
    }

    /// Draws elements as a part of what the page says.
    fn part(&mut self, surface: &mut Surface<'_>, elements: &str, tag: ContentTag<'_>) -> TagNode {
        let whole = svg::whole(elements, self.size, self.theme, self.language);
        let part = surface.start_tagged(tag);
        self.draw(surface, &whole);
        surface.end_tagged();
        part.into()
    }

    /// Draws what decorates the page up to here.
    fn decorate(&mut self, surface: &mut Surface<'_>) {
        let nodes = std::mem::take(&mut self.decoration);
        if !nodes.is_empty() {
            self.ornament(surface, nodes);
        }
    }

    /// Draws what screen readers pass over.
    fn ornament<'n>(
        &mut self,
        surface: &mut Surface<'_>,
        nodes: impl IntoIterator<Item = &'n Node>,
    ) {
        let elements = svg::elements(nodes, self.theme, self.language);
        let whole = svg::whole(&elements, self.size, self.theme, self.language);
        self.artifact(surface, &whole, ArtifactType::Layout);
    }

    fn artifact(&mut self, surface: &mut Surface<'_>, svg: &str, kind: ArtifactType) {
        surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(kind)));
        self.draw(surface, svg);
        surface.end_tagged();
    }

    fn draw(&mut self, surface: &mut Surface<'_>, svg: &str) {
        let (w, h) = self.size;
        let size = Size::from_wh(w * PT_PER_PX, h * PT_PER_PX);
        let failed = match (tree(svg, self.fonts), size) {
            (Ok(tree), Some(size)) => {
                let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
                drawn
                    .is_none()
                    .then(|| super::unwritable("a part of a page cannot be drawn".to_owned()))
            }
            (Err(RasterError::MissingGlyphs { characters, .. }), _) => {
                self.missing.extend(characters);
                None
            }
            (Err(other), _) => Some(other),
            (Ok(_), None) => Some(super::unwritable(format!(
                "a page is {w} x {h} pixels large"
            ))),
        };
        self.failed = self.failed.take().or(failed);
    }
}

/// A space where words of two lines would run into each other when the page is read aloud.
fn space_after(text: &Text, run: &Run) -> &'static str {
    let is_last = |line: &&Line| line.runs.last().is_some_and(|last| std::ptr::eq(last, run));
    let Some(at) = text.lines.iter().position(|line| is_last(&line)) else {
        return "";
    };
    let wide = |character: Option<char>| character.is_some_and(|c| spec::text::columns(c) > 1);
    let next = text.lines.get(at + 1).and_then(|line| line.runs.first());
    match next {
        Some(next) if !run.rtl && text.stands != Stands::Code => {
            let joined = wide(run.text.chars().next_back()) || wide(next.text.chars().next());
            if joined { "" } else { " " }
        }
        Some(_) | None => "",
    }
}

fn group(tag: impl Into<TagKind>, children: Vec<TagNode>) -> TagNode {
    TagGroup::with_children(tag, children).into()
}
