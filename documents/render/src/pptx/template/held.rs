//! Texts in placeholders of a template, which have their place and look from it.

use spec::text::spans;

use super::read::{HolderKind, Placeholder};
use super::style::{Bullet, LEVELS};
use crate::layouts::Held;
use crate::pptx::Deck;
use crate::pptx::shapes::{Alt, Shapes, non_visual, transform};
use crate::pptx::text::{click, formula_of, is_drawn, link_of, with_formulas};
use crate::pptx::units::centipoints;
use crate::pptx::xml::escape;
use crate::scene::{Node, Paragraph, Text};

/// What a slide of ours needs to know of the template.
#[derive(Debug)]
pub(in crate::pptx) struct Stand<'a> {
    pub(in crate::pptx) layout: &'a str,
    pub(in crate::pptx) notes_master: &'a str,
    pub(super) holders: &'a [Placeholder],
    pub(super) held: &'a [Held],
    pub(super) scale: f32,
}

impl Stand<'_> {
    /// Writes a node that stands in a placeholder; says whether it does.
    pub(in crate::pptx) fn put(
        &self,
        shapes: &mut Shapes,
        deck: &Deck<'_>,
        place: usize,
        node: &Node,
    ) -> bool {
        let Some(held) = self.held.iter().find(|held| held.node == place) else {
            return false;
        };
        let holder = &self.holders[held.holder];
        let drawn = match node {
            Node::Text(text) => is_drawn(text),
            Node::Flow(flow) => flow.texts().any(is_drawn),
            Node::Fill(_)
            | Node::Art(_)
            | Node::Icon(_)
            | Node::Chart(_)
            | Node::Table(_)
            | Node::Picture(_) => return false,
        };
        let words = |deck: &Deck<'_>| match node {
            Node::Text(text) => match holder.kind {
                HolderKind::Number => number(deck, held, text),
                HolderKind::Title
                | HolderKind::Subtitle
                | HolderKind::Text
                | HolderKind::Content
                | HolderKind::Other
                | HolderKind::Footer
                | HolderKind::Date => format!("<a:p>{}</a:p>", runs(deck, held, text)),
            },
            Node::Flow(flow) => {
                let each = flow.paragraphs.iter();
                each.map(|words| paragraph(deck, held, holder, words))
                    .collect()
            }
            Node::Fill(_)
            | Node::Art(_)
            | Node::Icon(_)
            | Node::Chart(_)
            | Node::Table(_)
            | Node::Picture(_) => String::new(),
        };
        let moved = held.moved.map_or(String::new(), |rect| {
            let by = self.scale;
            let rect = crate::scene::Rect::new(rect.x * by, rect.y * by, rect.w * by, rect.h * by);
            transform("a", rect)
        });
        shapes.add(|id| {
            with_formulas(deck, drawn, |deck| format!(
                "<p:sp><p:nvSpPr>{}<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr>\
                 <p:spPr>{moved}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>{}</p:txBody></p:sp>",
                non_visual(id, name(holder.kind), Alt::Own),
                reference(holder),
                words(deck)
            ))
        });
        true
    }
}

fn name(kind: HolderKind) -> &'static str {
    match kind {
        HolderKind::Title => "Title",
        HolderKind::Subtitle => "Subtitle",
        HolderKind::Text | HolderKind::Content | HolderKind::Other => "Text",
        HolderKind::Footer => "Footer",
        HolderKind::Number => "Page number",
        HolderKind::Date => "Date",
    }
}

/// The placeholder as the layout names it.
fn reference(holder: &Placeholder) -> String {
    let kind = holder.written_kind.as_deref();
    let kind = kind.map_or(String::new(), |kind| format!(" type=\"{}\"", escape(kind)));
    let index = holder.index;
    let index = index.map_or(String::new(), |index| format!(" idx=\"{index}\""));
    format!("<p:ph{kind}{index}/>")
}

/// What the template does not say: the language, bold where it is marked, and a smaller size where there was no room.
fn run_properties(
    deck: &Deck<'_>,
    held: &Held,
    text: &Text,
    bold: bool,
    link: Option<&str>,
) -> String {
    let size = if held.smaller {
        format!(" sz=\"{}\"", centipoints(text.size).max(100))
    } else {
        String::new()
    };
    let bold = if bold { " b=\"1\"" } else { "" };
    let begin = format!(
        "<a:rPr lang=\"{}\" altLang=\"{}\"{size}{bold} dirty=\"0\"",
        deck.language, deck.other_language
    );
    match link {
        Some(address) => format!("{begin}>{}</a:rPr>", click(address)),
        None => begin + "/>",
    }
}

fn runs(deck: &Deck<'_>, held: &Held, text: &Text) -> String {
    let mut runs = String::new();
    for span in spans(&text.text) {
        if let Some(formula) = formula_of(deck, text, &span) {
            runs.push_str(&formula);
            continue;
        }
        let link = link_of(text, &span);
        for (at, part) in span.text.split('\n').enumerate() {
            if at > 0 {
                runs.push_str("<a:br/>");
            }
            if !part.is_empty() {
                let properties = run_properties(deck, held, text, span.bold, link.as_deref());
                runs.push_str(&format!(
                    "<a:r>{properties}<a:t>{}</a:t></a:r>",
                    escape(part)
                ));
            }
        }
    }
    runs
}

fn number(deck: &Deck<'_>, held: &Held, text: &Text) -> String {
    format!(
        "<a:p><a:fld id=\"{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}\" type=\"slidenum\">{}<a:t>{}</a:t></a:fld></a:p>",
        run_properties(deck, held, text, false, None),
        escape(&text.text)
    )
}

fn paragraph(deck: &Deck<'_>, held: &Held, holder: &Placeholder, paragraph: &Paragraph) -> String {
    let level = usize::try_from(paragraph.level)
        .unwrap_or(LEVELS)
        .min(LEVELS - 1);
    let listed = matches!(holder.levels[level].bullet, Some(Bullet::Sign(_)));
    let indent = if level > 0 {
        format!(" lvl=\"{level}\"")
    } else {
        String::new()
    };
    // A paragraph of its own among the lines of a list has no mark and stands at the edge.
    let properties = match (&paragraph.mark, listed, level) {
        (None, true, 0) => "<a:pPr marL=\"0\" indent=\"0\"><a:buNone/></a:pPr>".to_owned(),
        (None, true, _) => format!("<a:pPr{indent}><a:buNone/></a:pPr>"),
        (_, _, 0) => String::new(),
        (_, _, _) => format!("<a:pPr{indent}/>"),
    };
    format!(
        "<a:p>{properties}{}</a:p>",
        runs(deck, held, &paragraph.text)
    )
}
