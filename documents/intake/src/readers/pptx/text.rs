//! The text of a shape.

use roxmltree::Node;
use spec::source::{BlockContent, ListItem, ListMarker, RichText, SourceBlock, TextMarks};

use super::Pptx;
use super::bullets::{Bullet, Bullets, LEVELS, Place, bullet_of};
use super::shapes::Around;
use crate::readers::office::flatten::trimmed;
use crate::readers::office::is_monospaced;
use crate::readers::office::math::latex;
use crate::readers::office::numerals::numeral;
use crate::xml::Element as _;

/// The last number of each level of a text.
type Counters = [Option<u64>; LEVELS];

impl Pptx<'_, '_> {
    /// Paragraphs and lists of a text.
    pub(super) fn text_blocks(
        &self,
        body: Node<'_, '_>,
        place: Option<&Place>,
        around: &Around<'_>,
    ) -> Vec<SourceBlock> {
        let own = body.child("lstStyle").map(Bullets::of).unwrap_or_default();
        let bullets = own.or(&self.inherited(place, around.layout));
        let mut counters = Counters::default();
        let mut blocks: Vec<SourceBlock> = Vec::new();
        for paragraph in body.elements().filter(|node| node.name() == "p") {
            let properties = paragraph.child("pPr");
            let level = level_of(paragraph);
            let text = trimmed(self.line(paragraph, around));
            // An empty paragraph has no bullet, and numbers go on after it.
            if text.is_blank() {
                continue;
            }
            if let Some(formula) = only_formula(&text) {
                self.add(&mut blocks, BlockContent::Formula(formula));
                continue;
            }
            let bullet = properties
                .and_then(bullet_of)
                .or_else(|| bullets.get(level));
            match marker(bullet, level, &mut counters) {
                Some(marker) => self.add_item(&mut blocks, level, marker, text),
                None => self.add(&mut blocks, BlockContent::Paragraph(text)),
            }
        }
        blocks
    }

    fn add(&self, blocks: &mut Vec<SourceBlock>, content: BlockContent) {
        blocks.push(SourceBlock {
            location: self.location(),
            content,
        });
    }

    fn add_item(
        &self,
        blocks: &mut Vec<SourceBlock>,
        level: usize,
        marker: ListMarker,
        text: RichText,
    ) {
        let item = ListItem {
            level: u8::try_from(level).unwrap_or(u8::MAX),
            marker,
            text,
        };
        if let Some(BlockContent::List(items)) = blocks.last_mut().map(|block| &mut block.content) {
            items.push(item);
            return;
        }
        self.add(blocks, BlockContent::List(vec![item]));
    }

    pub(super) fn line(&self, paragraph: Node<'_, '_>, around: &Around<'_>) -> RichText {
        let mut line = RichText::default();
        for node in paragraph.elements() {
            match node.name() {
                "r" | "fld" => {
                    let words = node.child("t").map(|text| text.words()).unwrap_or_default();
                    // PowerPoint keeps a line break within a title as a vertical tab.
                    let words = words.replace('\u{B}', "\n");
                    let properties = node.child("rPr");
                    let marks = properties.map(marks).unwrap_or_default();
                    let click = properties.and_then(|properties| properties.child("hlinkClick"));
                    let relation = click
                        .and_then(|click| click.attr("id"))
                        .and_then(|id| around.relations.get(id))
                        .filter(|relation| relation.external);
                    let link = relation.map(|relation| relation.target.as_str());
                    line.push(words, marks, link);
                }
                "br" => line.push("\n", TextMarks::default(), None),
                "AlternateContent" => {
                    let branch = node.child("Choice").or_else(|| node.child("Fallback"));
                    if let Some(branch) = branch {
                        add_formulas(branch, &mut line);
                    }
                }
                "m" | "oMath" | "oMathPara" => add_formulas(node, &mut line),
                _ => {}
            }
        }
        line
    }
}

/// The level of a paragraph, from 0.
pub(super) fn level_of(paragraph: Node<'_, '_>) -> usize {
    let properties = paragraph.child("pPr");
    let level = properties.and_then(|properties| properties.attr("lvl"));
    let level = level.and_then(|level| level.parse().ok()).unwrap_or(0);
    usize::min(level, LEVELS - 1)
}

fn add_formulas(node: Node<'_, '_>, line: &mut RichText) {
    let marks = TextMarks {
        formula: true,
        ..TextMarks::default()
    };
    for formula in node.descendants().filter(|node| node.name() == "oMath") {
        line.push(latex(formula), marks, None);
    }
}

fn only_formula(text: &RichText) -> Option<String> {
    match text.pieces.as_slice() {
        [piece] if piece.marks.formula => Some(piece.text.clone()),
        _ => None,
    }
}

fn marker(bullet: Option<Bullet>, level: usize, counters: &mut Counters) -> Option<ListMarker> {
    for counter in &mut counters[level + 1..] {
        *counter = None;
    }
    match bullet.unwrap_or(Bullet::None) {
        Bullet::Number { start, form } => {
            let number = counters[level].map_or(start, |last| last.saturating_add(1));
            counters[level] = Some(number);
            let (before, after) = (form.before, form.after);
            let label = format!("{before}{}{after}", numeral(form.name, number));
            Some(ListMarker::shown_as(number, &label))
        }
        Bullet::Sign => {
            counters[level] = None;
            Some(ListMarker::Bullet)
        }
        Bullet::None => {
            counters[level] = None;
            None
        }
    }
}

fn marks(properties: Node<'_, '_>) -> TextMarks {
    let is_on = |name| matches!(properties.attr(name), Some("1" | "true"));
    let raised: i64 = properties
        .attr("baseline")
        .and_then(|percent| percent.trim_end_matches('%').parse().ok())
        .unwrap_or(0);
    let font = properties
        .child("latin")
        .and_then(|font| font.attr("typeface"));
    TextMarks {
        bold: is_on("b"),
        italic: is_on("i"),
        strike: matches!(properties.attr("strike"), Some("sngStrike" | "dblStrike")),
        code: font.is_some_and(is_monospaced),
        superscript: raised > 0,
        subscript: raised < 0,
        formula: false,
    }
}
