//! The file: the parts that a deck keeps of a template, and its own.

use std::collections::BTreeSet;

use super::held::Stand;
use super::pages::TemplatePage;
use super::read::{KEPT, Template, format_relations};
use super::scaling::scaled;
use super::xml;
use crate::DeckPage;
use crate::palette::Palette;
use crate::pptx::colors::Scheme;
use crate::pptx::gate::parts::{CONTENT_TYPES, Parts};
use crate::pptx::gate::tree::Element;
use crate::pptx::package::{ForeignPart, Kind, Package, Relations};
use crate::pptx::xml::{HEAD, escape};
use crate::pptx::{
    Deck, Meta, PAGES_MAX, PptxError, gate, names, notes, props, slide, text, written,
};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";

/// What of the presentation stays, in the order of the format; its slides stand between the masters and the size.
const STAYS: [&str; 7] = [
    "p:sldMasterIdLst",
    "p:notesMasterIdLst",
    "p:sldSz",
    "p:notesSz",
    "p:embeddedFontLst",
    "p:kinsoku",
    "p:defaultTextStyle",
];
/// A deck in a template. The same deck in the same template gives the same bytes.
///
/// # Errors
/// When there are no pages or too many, and when the file would have a defect that [`gate::check_in`] finds.
pub fn write(
    template: &Template,
    pages: &[TemplatePage],
    meta: &Meta,
) -> Result<Vec<u8>, PptxError> {
    if pages.is_empty() {
        return Err(PptxError::NoPages);
    }
    if pages.len() > PAGES_MAX {
        return Err(PptxError::TooManyPages(pages.len()));
    }
    let by = 1.0 / template.scale();
    let drawn: Vec<DeckPage> = pages
        .iter()
        .map(|page| DeckPage {
            scene: scaled(&page.page.scene, by),
            ..page.page.clone()
        })
        .collect();
    let kept: Vec<&String> = template
        .kept
        .iter()
        .filter(|part| !is_ours(template, part))
        .collect();
    let mut package = Package::default();
    for part in &kept {
        package.put_foreign(foreign(&template.parts, part));
    }
    let deck = |layout: usize| deck(template, &drawn, layout, meta);
    let first = deck(pages[0].layout);
    package.put(
        props::CORE,
        Kind::CoreProperties,
        props::core(&first),
        Relations::default(),
    );
    package.put(
        props::APP,
        Kind::ExtendedProperties,
        props::app(&first),
        Relations::default(),
    );
    let (notes_master, own_notes) = match &template.notes_master {
        Some(master) => (master.clone(), false),
        None => (notes::MASTER.to_owned(), true),
    };
    if own_notes {
        let theme = package.free("ppt/theme/theme", ".xml");
        notes::put_master(&mut package, &first, &theme);
        let xml = crate::pptx::theme::of_notes(&first, &template.theme(pages[0].layout));
        package.put(theme, Kind::Theme, xml, Relations::default());
    }
    let mut named = names::Named::default();
    for (at, (page, drawn)) in pages.iter().zip(&drawn).enumerate() {
        let layout = &template.layouts[page.layout];
        let stand = Stand {
            layout: &layout.part,
            notes_master: &notes_master,
            holders: &layout.holders,
            held: &page.held,
            scale: by,
        };
        slide::put_in(
            &mut package,
            &deck(page.layout),
            at,
            drawn,
            &mut named,
            &stand,
        )?;
    }
    if let Some(text) = &meta.written {
        written::put(&mut package, text);
    }
    presentation(template, &mut package, pages.len(), own_notes, meta);
    let mut root = Relations::default();
    root.to(Kind::Presentation, props::PRESENTATION);
    root.to(Kind::CoreProperties, props::CORE);
    root.to(Kind::ExtendedProperties, props::APP);
    let bytes = package.zip(&root)?;
    let of_template: BTreeSet<&str> = kept.iter().map(|part| part.as_str()).collect();
    let defects = gate::check_in(&bytes, &of_template);
    if defects.is_empty() {
        Ok(bytes)
    } else {
        Err(PptxError::Defects(defects))
    }
}

/// Whether a part is written anew.
fn is_ours(template: &Template, part: &str) -> bool {
    part == template.presentation || part == CONTENT_TYPES
}

fn deck<'a>(template: &Template, pages: &'a [DeckPage], layout: usize, meta: &'a Meta) -> Deck<'a> {
    let palette = Palette::new(&template.theme(layout));
    let (language, other_language) = text::languages(&meta.language);
    Deck {
        pages,
        meta,
        mode: meta.mode,
        scheme: Scheme::of_template(&palette, template.layouts[layout].colors.slots()),
        palette,
        size: template.page,
        language,
        other_language,
        rtl: spec::text::is_right_to_left(&meta.language),
        has_formulas: true,
    }
}

fn foreign(parts: &Parts, part: &str) -> ForeignPart {
    let bytes = |name: &str| parts.contents.get(name).cloned();
    ForeignPart {
        name: part.to_owned(),
        content_type: parts.content_type(part).to_owned(),
        bytes: bytes(part).unwrap_or_default(),
        relations: bytes(&format_relations(part)),
    }
}

/// The presentation with our slides in the place of the template's own.
fn presentation(
    template: &Template,
    package: &mut Package,
    slides: usize,
    own_notes: bool,
    meta: &Meta,
) {
    let source = &template.presentation;
    let parts = &template.parts;
    let mut relations = String::new();
    let mut last = 0;
    let mut kept = BTreeSet::new();
    for relation in parts.relations(source) {
        if relation.external || !KEPT.contains(&relation.kind.as_str()) {
            continue;
        }
        if let Some(number) = relation.id.strip_prefix("rId") {
            last = last.max(number.parse().unwrap_or(0_u32));
        }
        kept.insert(relation.kind.as_str());
        relations.push_str(&entry(&relation.id, &relation.kind, &relation.target));
    }
    let mut add = |kind: &str, target: &str| {
        last += 1;
        let id = format!("rId{last}");
        relations.push_str(&entry(&id, kind, target));
        id
    };
    let mut list = String::new();
    for at in 0..slides {
        let id = add("slide", &slide::part(at));
        list.push_str(&format!(
            "<p:sldId id=\"{}\" r:id=\"{id}\"/>",
            props::FIRST_SLIDE_ID as usize + at
        ));
    }
    let empty = Element::default();
    let tree = parts.trees.get(source).unwrap_or(&empty);
    // Some writers relate a notes master without listing it.
    let related = parts.relations(source).iter();
    let notes = related
        .filter(|relation| relation.kind == "notesMaster" && !relation.external)
        .map(|relation| relation.id.clone())
        .next()
        .filter(|_| tree.child("p:notesMasterIdLst").is_none())
        .or_else(|| own_notes.then(|| add("notesMaster", notes::MASTER)));
    for (kind, part) in props::put_settings(package, !kept.contains("tableStyles")) {
        add(kind, part);
    }
    if meta.written.is_some() {
        add("customXml", written::PART);
    }
    let mut xml = format!("{HEAD}<{}", tree.name);
    let mut named_relations = false;
    for (name, value) in &tree.attributes {
        named_relations |= name == "xmlns:r";
        xml.push_str(&format!(" {name}=\"{}\"", escape(value)));
    }
    if !named_relations {
        xml.push_str(&format!(" xmlns:r=\"{}\"", OFFICE.trim_end_matches('/')));
    }
    xml.push('>');
    for name in STAYS {
        if name == "p:sldSz" {
            if let Some(id) = &notes {
                xml.push_str(&format!(
                    "<p:notesMasterIdLst><p:notesMasterId r:id=\"{id}\"/></p:notesMasterIdLst>"
                ));
            }
            xml.push_str(&format!("<p:sldIdLst>{list}</p:sldIdLst>"));
        }
        if let Some(child) = tree.child(name) {
            xml::put(&mut xml, child);
        }
    }
    xml.push_str(&format!("</{}>", tree.name));
    let relations = format!(
        "{HEAD}<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{relations}</Relationships>"
    );
    package.put_foreign(ForeignPart {
        name: props::PRESENTATION.to_owned(),
        content_type: Kind::Presentation.content_type(),
        bytes: xml.into_bytes(),
        relations: Some(relations.into_bytes()),
    });
}

/// A relation of the presentation, its target seen from the root of the file.
fn entry(id: &str, kind: &str, target: &str) -> String {
    format!(
        "<Relationship Id=\"{}\" Type=\"{OFFICE}{kind}\" Target=\"/{}\"/>",
        escape(id),
        escape(target)
    )
}
