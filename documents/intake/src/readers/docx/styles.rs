//! Styles: the kind of a paragraph or run follows from the name of its style, and from the styles on which that style is based.

use std::collections::HashMap;

use roxmltree::Node;
use spec::source::TextMarks;

use super::run::Marks;
use crate::readers::office::names::{is_code_name, kind_by_name};
use crate::readers::office::story::Kind;
use crate::xml::Element as _;

/// How many styles are followed from base to base; styles may be based on each other in a circle.
const MOST_BASES: usize = 20;

#[derive(Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
    /// The style of paragraphs that name none.
    usual: Option<String>,
}

#[derive(Default)]
struct Style {
    /// The name as in the file, in lower case. Styles that come with Word have their English name, whatever the language of Word.
    name: String,
    base: Option<String>,
    /// 0 is the highest level, 9 is body text.
    outline: Option<u8>,
    numbering: Option<(String, Option<u8>)>,
    marks: Marks,
}

impl Styles {
    pub(super) fn of(root: Node<'_, '_>) -> Self {
        let mut styles = Self::default();
        for node in root.elements().filter(|node| node.name() == "style") {
            let Some(id) = node.attr("styleId") else {
                continue;
            };
            let is_usual = node.attr("type") == Some("paragraph")
                && matches!(node.attr("default"), Some("1" | "true" | "on"));
            if is_usual {
                styles.usual = Some(id.to_owned());
            }
            styles.by_id.insert(id.to_owned(), style(node));
        }
        styles
    }

    /// The kind of a paragraph with this style; `own` is the outline level that the paragraph itself sets.
    pub(super) fn kind(&self, id: Option<&str>, own: Option<u8>) -> Kind {
        for style in self.chain(id) {
            let kind = kind_by_name(&style.name);
            if kind != Kind::Body {
                return kind;
            }
            if own.or(style.outline).is_some() {
                break;
            }
        }
        let outline = own.or_else(|| self.chain(id).find_map(|style| style.outline));
        match outline {
            Some(level @ 0..=8) => Kind::Heading(level + 1),
            Some(_) | None => Kind::Body,
        }
    }

    /// The list to which paragraphs of the style belong, the level if it is given, and the style that sets the list.
    pub(super) fn numbering<'s>(&'s self, id: Option<&'s str>) -> Option<(&'s str, Option<u8>)> {
        self.chain(id)
            .find_map(|style| style.numbering.as_ref())
            .map(|(list, level)| (list.as_str(), *level))
    }

    /// The marks of a run: its own, then those of its style.
    pub(super) fn marks(&self, own: &Marks, id: Option<&str>) -> TextMarks {
        let mut marks = own.clone();
        // The default paragraph style is left out: a format that all text has is not a mark.
        for style in id.into_iter().flat_map(|id| self.chain(Some(id))) {
            marks.fill(&style.marks);
            marks.code = marks.code.or(is_code_name(&style.name).then_some(true));
        }
        marks.finish()
    }

    fn chain<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = &'s Style> {
        let mut next = id.or(self.usual.as_deref());
        std::iter::from_fn(move || {
            let style = self.by_id.get(next?)?;
            next = style.base.as_deref();
            Some(style)
        })
        .take(MOST_BASES)
    }
}

fn style(node: Node<'_, '_>) -> Style {
    let paragraph = node.child("pPr");
    let outline = paragraph.and_then(|properties| properties.val("outlineLvl"));
    Style {
        name: node.val("name").unwrap_or_default().trim().to_lowercase(),
        base: node.val("basedOn").map(str::to_owned),
        outline: outline.and_then(|level| level.parse().ok()),
        numbering: paragraph.and_then(numbering),
        marks: node.child("rPr").map(Marks::of).unwrap_or_default(),
    }
}

/// The list of a paragraph and its level.
pub(super) fn numbering(properties: Node<'_, '_>) -> Option<(String, Option<u8>)> {
    let numbering = properties.child("numPr")?;
    let level = numbering.val("ilvl").and_then(|level| level.parse().ok());
    Some((numbering.val("numId")?.to_owned(), level))
}
