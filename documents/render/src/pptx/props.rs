//! The parts that describe the file: the presentation itself, its properties, and what PowerPoint wants to be there.

use super::package::{Kind, Package, Relations};
use super::units::emu;
use super::xml::{HEAD, NAMESPACES, escape};
use super::{Deck, master, notes, slide, written};

pub(super) const PRESENTATION: &str = "ppt/presentation.xml";
pub(super) const CORE: &str = "docProps/core.xml";
pub(super) const APP: &str = "docProps/app.xml";
const PRESENTATION_PROPERTIES: &str = "ppt/presProps.xml";
const VIEW_PROPERTIES: &str = "ppt/viewProps.xml";
const TABLE_STYLES: &str = "ppt/tableStyles.xml";

/// Ids of slides begin here.
pub(super) const FIRST_SLIDE_ID: u32 = 256;

pub(super) fn put(package: &mut Package, deck: &Deck<'_>) {
    package.put(CORE, Kind::CoreProperties, core(deck), Relations::default());
    package.put(
        APP,
        Kind::ExtendedProperties,
        app(deck),
        Relations::default(),
    );
    let mut relations = Relations::default();
    let xml = presentation(deck, &mut relations);
    package.put(PRESENTATION, Kind::Presentation, xml, relations);
    put_settings(package, true);
}

/// Puts the settings that PowerPoint wants to be there; gives the kinds of their relations and their names.
pub(super) fn put_settings(
    package: &mut Package,
    table_styles: bool,
) -> Vec<(&'static str, &'static str)> {
    let mut relations = vec![
        ("presProps", PRESENTATION_PROPERTIES),
        ("viewProps", VIEW_PROPERTIES),
    ];
    for (part, kind, root) in [
        (
            PRESENTATION_PROPERTIES,
            Kind::PresentationProperties,
            "presentationPr",
        ),
        (VIEW_PROPERTIES, Kind::ViewProperties, "viewPr"),
    ] {
        let xml = format!("{HEAD}<p:{root} {NAMESPACES}/>");
        package.put(part, kind, xml, Relations::default());
    }
    if !table_styles {
        return relations;
    }
    relations.push(("tableStyles", TABLE_STYLES));
    let xml = format!(
        "{HEAD}<a:tblStyleLst xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
         def=\"{{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}}\"/>"
    );
    package.put(TABLE_STYLES, Kind::TableStyles, xml, Relations::default());
    relations
}

fn presentation(deck: &Deck<'_>, relations: &mut Relations) -> String {
    let master = relations.to(Kind::SlideMaster, master::PART);
    let mut slides = String::new();
    for (id, at) in (FIRST_SLIDE_ID..).zip(0..deck.pages.len()) {
        let relation = relations.to(Kind::Slide, &slide::part(at));
        slides.push_str(&format!("<p:sldId id=\"{id}\" r:id=\"{relation}\"/>"));
    }
    let notes = relations.to(Kind::NotesMaster, notes::MASTER);
    for (kind, part) in [
        (Kind::PresentationProperties, PRESENTATION_PROPERTIES),
        (Kind::ViewProperties, VIEW_PROPERTIES),
        (Kind::Theme, master::THEME),
        (Kind::TableStyles, TABLE_STYLES),
    ] {
        relations.to(kind, part);
    }
    if deck.meta.written.is_some() {
        relations.to(Kind::CustomXml, written::PART);
    }
    format!(
        "{HEAD}<p:presentation {NAMESPACES} saveSubsetFonts=\"1\" autoCompressPictures=\"0\">\
         <p:sldMasterIdLst><p:sldMasterId id=\"{}\" r:id=\"{master}\"/></p:sldMasterIdLst>\
         <p:notesMasterIdLst><p:notesMasterId r:id=\"{notes}\"/></p:notesMasterIdLst>\
         <p:sldIdLst>{slides}</p:sldIdLst><p:sldSz cx=\"{}\" cy=\"{}\"/>\
         <p:notesSz cx=\"{}\" cy=\"{}\"/></p:presentation>",
        master::FIRST_ID,
        emu(deck.size.0),
        emu(deck.size.1),
        notes::PAGE.0,
        notes::PAGE.1,
    )
}

/// The only time is the one that is given: the same deck is the same file, whenever it is written.
pub(super) fn core(deck: &Deck<'_>) -> String {
    let about = &deck.meta.about;
    let author = about.author.as_deref().map_or(String::new(), |author| {
        let author = escape(author);
        format!("<dc:creator>{author}</dc:creator><cp:lastModifiedBy>{author}</cp:lastModifiedBy>")
    });
    let created = about.created.map_or(String::new(), |at| {
        let at = at.format("%Y-%m-%dT%H:%M:%SZ");
        format!("<dcterms:created xsi:type=\"dcterms:W3CDTF\">{at}</dcterms:created>")
    });
    format!(
        "{HEAD}<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
         xmlns:dcmitype=\"http://purl.org/dc/dcmitype/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\
         <dc:title>{}</dc:title>{author}{created}<dc:language>{}</dc:language></cp:coreProperties>",
        escape(&about.title),
        deck.language
    )
}

pub(super) fn app(deck: &Deck<'_>) -> String {
    let notes = deck.pages.iter().filter(|page| notes::has(page)).count();
    format!(
        "{HEAD}<Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\">\
         <Application>Palimpsest</Application><Slides>{}</Slides><Notes>{notes}</Notes></Properties>",
        deck.pages.len()
    )
}
