//! What the speaker says to a page, as the notes below its slide.

use super::master::COLOR_MAP;
use super::package::{Kind, Package, Relations};
use super::shapes::{Alt, Holder, Shapes, non_visual, transform};
use super::xml::{HEAD, NAMESPACES, escape};
use super::{Deck, slide};
use crate::DeckPage;
use crate::scene::Rect;

pub(super) const MASTER: &str = "ppt/notesMasters/notesMaster1.xml";
pub(super) const THEME: &str = "ppt/theme/theme2.xml";

/// Width and height of a page of notes in English metric units: 7.5 by 10 inches.
pub(super) const PAGE: (u32, u32) = (6_858_000, 9_144_000);

/// The slide's picture and the notes below it, in CSS pixels.
const PICTURE: Rect = Rect::new(72.0, 72.0, 576.0, 324.0);
const BODY: Rect = Rect::new(72.0, 440.0, 576.0, 440.0);

const PICTURE_HOLDER: Holder = Holder {
    kind: "sldImg",
    index: None,
};

const BODY_HOLDER: Holder = Holder {
    kind: "body",
    index: Some(1),
};

pub(super) fn part(at: usize) -> String {
    format!("ppt/notesSlides/notesSlide{}.xml", at + 1)
}

/// Whether anything is said to the page.
pub(super) fn has(page: &DeckPage) -> bool {
    page.notes
        .as_deref()
        .is_some_and(|text| !text.trim().is_empty())
}

pub(super) fn put_master(package: &mut Package, deck: &Deck<'_>, theme: &str) {
    let mut relations = Relations::default();
    relations.to(Kind::Theme, theme);
    let body = format!(
        "<p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang=\"{}\"/><a:t>{}</a:t></a:r></a:p></p:txBody>",
        deck.language,
        if deck.language.starts_with("zh") {
            "备注"
        } else {
            "Notes"
        }
    );
    let xml = format!(
        "{HEAD}<p:notesMaster {NAMESPACES}><p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill>\
         <a:effectLst/></p:bgPr></p:bg>{}</p:cSld>{COLOR_MAP}<p:notesStyle><a:lvl1pPr marL=\"0\" algn=\"l\">\
         <a:defRPr sz=\"1200\"><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/>\
         <a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:defRPr></a:lvl1pPr></p:notesStyle></p:notesMaster>",
        shapes(&body, true).tree()
    );
    package.put(MASTER, Kind::NotesMaster, xml, relations);
}

/// The notes of a page, if it has any; the relation from its slide is the caller's.
pub(super) fn put(
    package: &mut Package,
    deck: &Deck<'_>,
    at: usize,
    page: &DeckPage,
    master: &str,
) {
    let mut relations = Relations::default();
    relations.to(Kind::NotesMaster, master);
    relations.to(Kind::Slide, &slide::part(at));
    let said = page.notes.as_deref().unwrap_or_default();
    let paragraphs: String = said
        .lines()
        .map(|line| {
            format!(
                "<a:p><a:r><a:rPr lang=\"{}\" altLang=\"{}\" dirty=\"0\"><a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/>\
                 </a:rPr><a:t>{}</a:t></a:r></a:p>",
                deck.language,
                deck.other_language,
                escape(line)
            )
        })
        .collect();
    let body = format!("<p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody>");
    let xml = format!(
        "{HEAD}<p:notes {NAMESPACES}><p:cSld>{}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>",
        shapes(&body, false).tree()
    );
    package.put(part(at), Kind::NotesSlide, xml, relations);
}

/// The slide's picture and the text. Only the master says where they stand.
fn shapes(body: &str, placed: bool) -> Shapes {
    let mut shapes = Shapes::new();
    let place = |rect| {
        if placed {
            let rectangle = "<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>";
            format!("<p:spPr>{}{rectangle}</p:spPr>", transform("a", rect))
        } else {
            "<p:spPr/>".to_owned()
        }
    };
    shapes.add(|id| {
        format!(
            "<p:sp><p:nvSpPr>{}<p:cNvSpPr><a:spLocks noGrp=\"1\" noRot=\"1\" noChangeAspect=\"1\"/></p:cNvSpPr>\
             <p:nvPr>{}</p:nvPr></p:nvSpPr>{}</p:sp>",
            non_visual(id, "Slide", Alt::Own),
            PICTURE_HOLDER.xml(),
            place(PICTURE)
        )
    });
    shapes.add(|id| {
        format!(
            "<p:sp><p:nvSpPr>{}<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr>{}{body}</p:sp>",
            non_visual(id, "Notes", Alt::Own),
            BODY_HOLDER.xml(),
            place(BODY)
        )
    });
    shapes
}
