//! The shapes of a page as XML, and what all of them have: an id, a name, a place, and words for readers who cannot see them.

use super::art::{Outline, Pen};
use super::text::{PageNumber, is_drawn, page_number, paragraph, properties, with_formulas};
use super::units::{emu, thousandths};
use super::xml::escape;
use super::{Deck, flow};
use crate::scene::{Fill, FlowNode, Rect, Text, Valign};

/// What a screen reader says of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alt<'a> {
    /// The shape's own text.
    Own,
    Words(&'a str),
    /// Nothing: it is passed over.
    Decorative,
}

/// The place of a placeholder in its layout: type and, but for titles, index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) kind: &'static str,
    pub(super) index: Option<u32>,
}

impl Holder {
    pub(super) fn xml(self) -> String {
        match self.index {
            Some(index) => format!("<p:ph type=\"{}\" idx=\"{index}\"/>", self.kind),
            None => format!("<p:ph type=\"{}\"/>", self.kind),
        }
    }
}

/// The shapes of a page, back to front, each with an id of its own.
#[derive(Debug)]
pub(super) struct Shapes {
    xml: String,
    last_id: u32,
    /// What the names of shapes without a text of their own end with.
    mark: String,
}

impl Shapes {
    pub(super) fn new() -> Self {
        // The tree itself is a group with the first id.
        Self {
            xml: String::new(),
            last_id: 1,
            mark: String::new(),
        }
    }

    /// Shapes whose names end so.
    pub(super) fn marked(mark: String) -> Self {
        Self {
            mark,
            ..Self::new()
        }
    }

    fn id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    /// The tree of shapes.
    pub(super) fn tree(&self) -> String {
        format!(
            "<p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>\
             <p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/>\
             <a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>{}</p:spTree>",
            self.xml
        )
    }

    /// A shape that was written elsewhere, given its id.
    pub(super) fn add(&mut self, shape: impl FnOnce(u32) -> String) {
        let id = self.id();
        self.xml.push_str(&shape(id));
    }

    /// A text in a box of its own.
    pub(super) fn text(&mut self, deck: &Deck<'_>, text: &Text, name: &str) {
        let id = self.id();
        self.xml.push_str(&with_formulas(deck, is_drawn(text), |deck| format!(
            "<p:sp><p:nvSpPr>{}<p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/>\
             </a:prstGeom><a:noFill/></p:spPr><p:txBody>{}{}</p:txBody></p:sp>",
            non_visual(id, name, Alt::Own),
            transform("a", text.rect),
            properties(text.valign),
            paragraph(deck, text)
        )));
    }

    /// Paragraphs in one box, in the placeholder of the page's layout if there is one.
    pub(super) fn flow(
        &mut self,
        deck: &Deck<'_>,
        flow: &FlowNode,
        name: &str,
        holder: Option<Holder>,
    ) {
        let id = self.id();
        let kind = match holder {
            Some(holder) => format!(
                "<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>{}</p:nvPr>",
                holder.xml()
            ),
            None => "<p:cNvSpPr txBox=\"1\"/><p:nvPr/>".to_owned(),
        };
        let drawn = flow.texts().any(is_drawn);
        self.xml.push_str(&with_formulas(deck, drawn, |deck| format!(
            "<p:sp><p:nvSpPr>{}{kind}</p:nvSpPr><p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom><a:noFill/></p:spPr>\
             <p:txBody>{}{}</p:txBody></p:sp>",
            non_visual(id, name, Alt::Own),
            transform("a", flow::frame(flow)),
            properties(Valign::Top),
            flow::paragraphs(deck, flow),
        )));
    }

    /// A text in a placeholder of the page's layout.
    pub(super) fn held(
        &mut self,
        deck: &Deck<'_>,
        text: &Text,
        name: &str,
        holder: Holder,
        number: Option<&PageNumber<'_>>,
    ) {
        let id = self.id();
        self.xml.push_str(&with_formulas(deck, is_drawn(text), |deck| {
            let words = match number {
                Some(number) => page_number(deck, text, number),
                None => paragraph(deck, text),
            };
            format!(
                "<p:sp><p:nvSpPr>{}<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr>\
                 <p:spPr>{}</p:spPr><p:txBody>{}{words}</p:txBody></p:sp>",
                non_visual(id, name, Alt::Own),
                holder.xml(),
                transform("a", text.rect),
                properties(text.valign),
            )
        }));
    }

    /// A rectangle of colour.
    pub(super) fn fill(&mut self, deck: &Deck<'_>, fill: &Fill) {
        // The border lies inside of the rectangle, where the format draws it along the edge.
        let half = fill.border.map_or(0.0, |(_, width)| width / 2.0);
        let rect = fill.rect.inset(half, half);
        if !drawable(rect) {
            return;
        }
        let id = self.id();
        let ground = if fill.open {
            "<a:noFill/>".to_owned()
        } else {
            deck.scheme.fill(fill.color)
        };
        let line = fill.border.map_or_else(
            || "<a:ln><a:noFill/></a:ln>".to_owned(),
            |(color, width)| {
                format!(
                    "<a:ln w=\"{}\">{}<a:miter lim=\"800000\"/></a:ln>",
                    emu(width),
                    deck.scheme.fill(color)
                )
            },
        );
        let geometry = geometry(rect, (fill.radius - half).max(0.0));
        self.xml.push_str(&shape(
            &non_visual(id, &format!("Shape {id}{}", self.mark), Alt::Decorative),
            &format!("{}{geometry}{ground}{line}", transform("a", rect)),
        ));
    }

    /// Outlines, in a group when there are several.
    pub(super) fn drawing(
        &mut self,
        deck: &Deck<'_>,
        outlines: &[Outline],
        rect: Rect,
        alt: Alt<'_>,
    ) {
        let grouped = outlines.len() > 1;
        if grouped {
            let id = self.id();
            self.xml.push_str(&format!(
                "<p:grpSp><p:nvGrpSpPr>{}<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr>{}</p:grpSpPr>",
                non_visual(id, &format!("Drawing {id}{}", self.mark), alt),
                group_transform(rect)
            ));
        }
        for outline in outlines {
            let id = self.id();
            // The group has the description, so its parts need none.
            let alt = if grouped { Alt::Decorative } else { alt };
            self.xml.push_str(&shape(
                &non_visual(id, &format!("Freeform {id}{}", self.mark), alt),
                &freeform(deck, outline, rect),
            ));
        }
        if grouped {
            self.xml.push_str("</p:grpSp>");
        }
    }

    /// A picture by its relation.
    pub(super) fn picture(&mut self, relation: &str, rect: Rect, alt: Alt<'_>, name: Option<&str>) {
        let id = self.id();
        let usual = || format!("Picture {id}{}", self.mark);
        let name = name.map_or_else(usual, str::to_owned);
        self.xml.push_str(&format!(
            "<p:pic><p:nvPicPr>{}<p:cNvPicPr><a:picLocks noChangeAspect=\"1\"/></p:cNvPicPr><p:nvPr/></p:nvPicPr>\
             <p:blipFill><a:blip r:embed=\"{relation}\"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>\
             <p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:pic>",
            non_visual(id, &name, alt),
            transform("a", rect)
        ));
    }
}

/// Whether there is anything of the rectangle to see.
fn drawable(rect: Rect) -> bool {
    emu(rect.w) > 0 && emu(rect.h) > 0
}

/// A shape without text.
fn shape(non_visual: &str, properties: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr>{non_visual}<p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>{properties}</p:spPr></p:sp>"
    )
}

/// Id, name and what is said of the shape.
pub(super) fn non_visual(id: u32, name: &str, alt: Alt<'_>) -> String {
    let name = escape(name);
    match alt {
        Alt::Own => format!("<p:cNvPr id=\"{id}\" name=\"{name}\"/>"),
        Alt::Words(words) => format!(
            "<p:cNvPr id=\"{id}\" name=\"{name}\" descr=\"{}\"/>",
            escape(words)
        ),
        Alt::Decorative => format!(
            "<p:cNvPr id=\"{id}\" name=\"{name}\"><a:extLst><a:ext uri=\"{{C183D7F6-B498-43B3-948B-1728B52AA6E4}}\">\
             <adec:decorative xmlns:adec=\"http://schemas.microsoft.com/office/drawing/2017/decorative\" val=\"1\"/>\
             </a:ext></a:extLst></p:cNvPr>"
        ),
    }
}

/// `xfrm` in the namespace given by its prefix.
pub(super) fn transform(prefix: &str, rect: Rect) -> String {
    format!("<{prefix}:xfrm>{}</{prefix}:xfrm>", place(rect))
}

fn place(rect: Rect) -> String {
    format!(
        "<a:off x=\"{}\" y=\"{}\"/><a:ext cx=\"{}\" cy=\"{}\"/>",
        emu(rect.x),
        emu(rect.y),
        emu(rect.w).max(0),
        emu(rect.h).max(0)
    )
}

/// A group whose parts are placed on the page's own coordinates.
fn group_transform(rect: Rect) -> String {
    let (x, y, w, h) = (emu(rect.x), emu(rect.y), emu(rect.w), emu(rect.h));
    format!(
        "<a:xfrm>{}<a:chOff x=\"{x}\" y=\"{y}\"/><a:chExt cx=\"{w}\" cy=\"{h}\"/></a:xfrm>",
        place(rect)
    )
}

/// The preset shape of a rectangle with round corners.
fn geometry(rect: Rect, radius: f32) -> String {
    let half = rect.w.min(rect.h) / 2.0;
    let preset = |name: &str, guides: &str| {
        format!("<a:prstGeom prst=\"{name}\"><a:avLst>{guides}</a:avLst></a:prstGeom>")
    };
    if radius <= 0.0 {
        preset("rect", "")
    } else if radius >= half - 0.01 && (rect.w - rect.h).abs() < 0.01 {
        preset("ellipse", "")
    } else {
        let share = f64::from(radius.min(half)) / f64::from(rect.w.min(rect.h));
        let guide = format!("<a:gd name=\"adj\" fmla=\"val {}\"/>", thousandths(share));
        preset("roundRect", &guide)
    }
}

/// A drawn outline on the box of its drawing.
fn freeform(deck: &Deck<'_>, outline: &Outline, rect: Rect) -> String {
    let (w, h) = (emu(rect.w), emu(rect.h));
    let paint = if outline.fill.is_some() {
        ""
    } else {
        " fill=\"none\""
    };
    let mut paths = String::new();
    for path in &outline.paths {
        paths.push_str(&format!("<a:path w=\"{w}\" h=\"{h}\"{paint}>"));
        for pen in path {
            paths.push_str(&stroke_of(*pen));
        }
        paths.push_str("</a:path>");
    }
    let ground = outline.fill.map_or_else(
        || "<a:noFill/>".to_owned(),
        |ink| {
            format!(
                "<a:solidFill>{}</a:solidFill>",
                deck.scheme.translucent(ink.color, ink.opacity)
            )
        },
    );
    let line = outline.stroke.map_or_else(
        || "<a:ln><a:noFill/></a:ln>".to_owned(),
        |stroke| {
            let (cap, join) = if stroke.round {
                ("rnd", "<a:round/>")
            } else {
                ("flat", "<a:miter lim=\"400000\"/>")
            };
            format!(
                "<a:ln w=\"{}\" cap=\"{cap}\"><a:solidFill>{}</a:solidFill>{join}</a:ln>",
                emu(stroke.width).max(1),
                deck.scheme
                    .translucent(stroke.ink.color, stroke.ink.opacity)
            )
        },
    );
    format!(
        "{}<a:custGeom><a:avLst/><a:gdLst/><a:ahLst/><a:cxnLst/><a:rect l=\"0\" t=\"0\" r=\"r\" b=\"b\"/>\
         <a:pathLst>{paths}</a:pathLst></a:custGeom>{ground}{line}",
        transform("a", rect)
    )
}

fn stroke_of(pen: Pen) -> String {
    let point = |(x, y): (f32, f32)| format!("<a:pt x=\"{}\" y=\"{}\"/>", emu(x), emu(y));
    match pen {
        Pen::Move(to) => format!("<a:moveTo>{}</a:moveTo>", point(to)),
        Pen::Line(to) => format!("<a:lnTo>{}</a:lnTo>", point(to)),
        Pen::Quad(a, to) => format!("<a:quadBezTo>{}{}</a:quadBezTo>", point(a), point(to)),
        Pen::Cubic(a, b, to) => format!(
            "<a:cubicBezTo>{}{}{}</a:cubicBezTo>",
            point(a),
            point(b),
            point(to)
        ),
        Pen::Close => "<a:close/>".to_owned(),
    }
}
