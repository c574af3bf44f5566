//! The slide layouts: one for each kind of page, with the placeholders that its pages fill.

use spec::{Layout, Rgb, Theme};

use super::package::{Kind, Package, Relations};
use super::placeholders::{
    CONTENT, FOOTER_HOLDER, LEAD, NUMBER_HOLDER, PlaceholderNodes, SECOND, content_holders,
    lead_holder, text, title_holder,
};
use super::shapes::{Alt, Holder, Shapes, non_visual, transform};
use super::units::centipoints;
use super::xml::{HEAD, NAMESPACES, escape};
use super::{Deck, master};
use crate::DeckPage;
use crate::scene::{Align, MARGIN, PAGE_H, PAGE_W, Rect, Text, Valign};

/// In the order of the files; the schema of a slide has the same.
pub(super) const ALL: [Layout; 17] = [
    Layout::Title,
    Layout::Section,
    Layout::Bullets,
    Layout::IconRows,
    Layout::TwoColumns,
    Layout::ImageText,
    Layout::Figures,
    Layout::Comparison,
    Layout::Timeline,
    Layout::Chart,
    Layout::Quote,
    Layout::Closing,
    Layout::Passage,
    Layout::Code,
    Layout::Table,
    Layout::Picture,
    Layout::Composed,
];

pub(super) fn part(layout: Layout) -> String {
    let at = ALL.iter().position(|known| *known == layout);
    let at = at.expect("the list has every layout");
    format!("ppt/slideLayouts/slideLayout{}.xml", at + 1)
}

/// The page that shows how a layout looks: the first that has it.
fn example<'a>(deck: &Deck<'a>, layout: Layout) -> Option<&'a DeckPage> {
    deck.pages.iter().find(|page| page.slide.layout() == layout)
}

/// The ground of a layout's pages.
pub(super) fn background(deck: &Deck<'_>, layout: Layout) -> Rgb {
    example(deck, layout).map_or(deck.palette.bg, |page| page.scene.background)
}

pub(super) fn put(package: &mut Package, deck: &Deck<'_>, theme: &Theme) {
    for layout in ALL {
        let mut relations = Relations::default();
        relations.to(Kind::SlideMaster, master::PART);
        let xml = xml(deck, theme, layout);
        package.put(part(layout), Kind::SlideLayout, xml, relations);
    }
}

fn xml(deck: &Deck<'_>, theme: &Theme, layout: Layout) -> String {
    let (name, kind) = naming(layout);
    let ground = background(deck, layout);
    let ground = if ground == deck.palette.bg {
        String::new()
    } else {
        format!(
            "<p:bg><p:bgPr>{}<a:effectLst/></p:bgPr></p:bg>",
            deck.scheme.fill(ground)
        )
    };
    let kind = kind.map_or(String::new(), |kind| format!(" type=\"{kind}\""));
    format!(
        "{HEAD}<p:sldLayout {NAMESPACES}{kind} preserve=\"1\" userDrawn=\"1\"><p:cSld name=\"{}\">{ground}{}</p:cSld>\
         <p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>",
        escape(name),
        placeholders(deck, theme, layout).tree()
    )
}

/// The name in PowerPoint's menu, and the type where the format has one that fits.
fn naming(layout: Layout) -> (&'static str, Option<&'static str>) {
    match layout {
        Layout::Title => ("Title", Some("title")),
        Layout::Section => ("Section", Some("secHead")),
        Layout::Bullets => ("Points", None),
        Layout::IconRows => ("Cards", None),
        Layout::TwoColumns => ("Two columns", None),
        Layout::ImageText => ("Picture and text", None),
        Layout::Figures => ("Figures", None),
        Layout::Comparison => ("Comparison", None),
        Layout::Timeline => ("Timeline", None),
        Layout::Chart => ("Chart", None),
        Layout::Quote => ("Quotation", None),
        Layout::Closing => ("Closing", None),
        Layout::Passage => ("Text", None),
        Layout::Code => ("Code", None),
        Layout::Table => ("Table", None),
        Layout::Picture => ("Picture", None),
        Layout::Composed => ("Content", None),
    }
}

fn placeholders(deck: &Deck<'_>, theme: &Theme, layout: Layout) -> Shapes {
    let example = example(deck, layout);
    let held = example.map(PlaceholderNodes::new).unwrap_or_default();
    let of = |at: Option<usize>| example.and_then(|page| text(&page.scene, at)).cloned();
    let mut shapes = Shapes::new();
    let mut add = |holder: Holder, like: Option<Text>| {
        let like = like.unwrap_or_else(|| standard(deck, theme, layout, holder));
        shapes.add(|id| placeholder(deck, id, holder, &like));
    };
    add(title_holder(layout), of(held.title));
    if let Some(holder) = lead_holder(layout) {
        add(holder, of(held.lead));
    }
    for holder in content_holders(layout) {
        add(holder, None);
    }
    add(FOOTER_HOLDER, of(held.footer));
    add(NUMBER_HOLDER, of(held.number));
    shapes
}

/// The text of a placeholder when no page shows how it looks.
pub(super) fn standard(deck: &Deck<'_>, theme: &Theme, layout: Layout, holder: Holder) -> Text {
    let p = &deck.palette;
    let rect = scaled(deck, standard_rect(layout, holder));
    #[expect(clippy::cast_possible_truncation, reason = "type sizes of a page")]
    let px = |points: f64| (points / 0.75) as f32;
    let fonts = &theme.font_config;
    let (size, ink) = match holder.kind {
        "title" | "ctrTitle" => (px(fonts.title_size), p.text),
        "ftr" | "sldNum" => (16.0, p.muted),
        _ => (px(fonts.body_size), p.text),
    };
    let mut text = Text::new(rect, "", size, ink).middle();
    match holder.kind {
        "title" | "ctrTitle" => text = text.heading(crate::scene::Role::Title),
        "sldNum" => text = text.end(),
        "body" | "subTitle" => text.valign = Valign::Top,
        _ => {}
    }
    text
}

/// On the page of 1280 x 720.
fn standard_rect(layout: Layout, holder: Holder) -> Rect {
    let wide = PAGE_W - 2.0 * MARGIN;
    let field = matches!(layout, Layout::Title | Layout::Section | Layout::Closing);
    match (holder.kind, holder.index) {
        ("ftr", _) => Rect::new(MARGIN + 20.0, 31.0, 620.0, 25.0),
        ("sldNum", _) => Rect::new(PAGE_W - MARGIN - 160.0, 666.0, 160.0, 24.0),
        ("ctrTitle", _) => Rect::new(MARGIN, 200.0, 640.0, 180.0),
        ("title", _) if field => Rect::new(472.0, 220.0, PAGE_W - MARGIN - 472.0, 150.0),
        ("title", _) => Rect::new(MARGIN + 24.0, 74.0, wide - 24.0, 60.0),
        (_, Some(LEAD)) if layout == Layout::Section => {
            Rect::new(472.0, 420.0, PAGE_W - MARGIN - 472.0, 120.0)
        }
        (_, Some(LEAD)) if field => Rect::new(MARGIN, 420.0, 640.0, 100.0),
        (_, Some(LEAD)) => Rect::new(MARGIN, 160.0, 330.0, 486.0),
        (_, Some(CONTENT)) => match layout {
            Layout::Closing => Rect::new(760.0, 120.0, PAGE_W - MARGIN - 760.0, 500.0),
            Layout::Bullets | Layout::Chart => Rect::new(442.0, 160.0, 766.0, 486.0),
            Layout::TwoColumns => Rect::new(MARGIN, 160.0, 556.0, 486.0),
            Layout::ImageText => Rect::new(MARGIN, 160.0, 446.0, 486.0),
            Layout::Title
            | Layout::Section
            | Layout::IconRows
            | Layout::Figures
            | Layout::Comparison
            | Layout::Timeline
            | Layout::Quote
            | Layout::Passage
            | Layout::Code
            | Layout::Table
            | Layout::Picture
            | Layout::Composed => Rect::new(MARGIN, 160.0, wide, 486.0),
        },
        (_, Some(SECOND)) if layout == Layout::ImageText => {
            Rect::new(566.0, 160.0, PAGE_W - MARGIN - 566.0, 486.0)
        }
        (_, Some(SECOND)) => Rect::new(652.0, 160.0, 556.0, 486.0),
        (_, _) => Rect::new(MARGIN, 160.0, wide, 486.0),
    }
}

/// A rectangle of a page of 1280 x 720 on a page of this deck's size.
fn scaled(deck: &Deck<'_>, rect: Rect) -> Rect {
    let (x, y) = (deck.size.0 / PAGE_W, deck.size.1 / PAGE_H);
    Rect::new(rect.x * x, rect.y * y, rect.w * x, rect.h * y)
}

/// A placeholder that looks like this text.
pub(super) fn placeholder(deck: &Deck<'_>, id: u32, holder: Holder, like: &Text) -> String {
    let anchor = match like.valign {
        Valign::Top => "t",
        Valign::Middle => "ctr",
        Valign::Bottom => "b",
    };
    let words = match holder.kind {
        "sldNum" => format!(
            "<a:fld id=\"{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}\" type=\"slidenum\"><a:rPr lang=\"{}\"/><a:t>‹#›</a:t></a:fld>",
            deck.language
        ),
        "ftr" => String::new(),
        kind => format!(
            "<a:r><a:rPr lang=\"{}\"/><a:t>{}</a:t></a:r>",
            deck.language,
            prompt(deck, kind)
        ),
    };
    format!(
        "<p:sp><p:nvSpPr>{}<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr>\
         <p:spPr>{}<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr>\
         <p:txBody><a:bodyPr wrap=\"square\" lIns=\"0\" tIns=\"0\" rIns=\"0\" bIns=\"0\" anchor=\"{anchor}\"><a:normAutofit/></a:bodyPr>\
         <a:lstStyle>{}</a:lstStyle><a:p>{words}<a:endParaRPr lang=\"{}\"/></a:p></p:txBody></p:sp>",
        non_visual(id, &format!("{} {id}", prompt(deck, holder.kind)), Alt::Own),
        holder.xml(),
        transform("a", like.rect),
        level(deck, like),
        deck.language,
    )
}

/// The look of a text as the first level of a list style.
fn level(deck: &Deck<'_>, like: &Text) -> String {
    let align = match like.align {
        Align::Left => "l",
        Align::Center => "ctr",
        Align::Right => "r",
    };
    let font = if like.display { "mj" } else { "mn" };
    format!(
        "<a:lvl1pPr marL=\"0\" indent=\"0\" algn=\"{align}\"><a:lnSpc><a:spcPct val=\"100000\"/></a:lnSpc>\
         <a:spcBef><a:spcPts val=\"0\"/></a:spcBef><a:buNone/><a:defRPr sz=\"{}\" b=\"{}\">{}\
         <a:latin typeface=\"+{font}-lt\"/><a:ea typeface=\"+{font}-ea\"/><a:cs typeface=\"+{font}-cs\"/></a:defRPr></a:lvl1pPr>",
        centipoints(like.size),
        u8::from(like.weight >= 600),
        deck.scheme.fill(like.color),
    )
}

/// What an empty placeholder says.
fn prompt(deck: &Deck<'_>, kind: &str) -> &'static str {
    let chinese = deck.language.starts_with("zh");
    match (kind, chinese) {
        ("title" | "ctrTitle", true) => "标题",
        ("title" | "ctrTitle", false) => "Title",
        ("subTitle", true) => "副标题",
        ("subTitle", false) => "Subtitle",
        ("ftr", true) => "页眉",
        ("ftr", false) => "Header",
        ("sldNum", true) => "页码",
        ("sldNum", false) => "Page number",
        ("chart", true) => "图表",
        ("chart", false) => "Chart",
        ("tbl", true) => "表格",
        ("tbl", false) => "Table",
        ("pic", true) => "图片",
        ("pic", false) => "Picture",
        (_, true) => "文本",
        (_, false) => "Text",
    }
}
