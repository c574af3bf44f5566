//! PowerPoint presentations.
//!
//! `undoc` turns them into Markdown and drops formulas, comments and the numbers of lists, so the XML is read here. The texts in layouts
//! and masters for people who fill in placeholders are not content; their settings for bullets are used.

mod bullets;
mod drawn;
mod shapes;
mod slide;
mod table;
mod text;

use std::collections::{HashMap, HashSet};

use spec::drawn::{DrawnPresentation, DrawnShape};
use spec::source::{Location, SourceDocument, SourceFormat};

use self::bullets::{Bullets, Master};
use super::office::Office;
use super::office::untitled::name_untitled;
use crate::gather::Gathering;
use crate::xml::Element as _;
use crate::{Reading, Unreadable};

/// What all slides share while they are read.
struct Pptx<'r, 'a> {
    office: Office<'r, 'a>,
    gathering: Gathering<'r, 'a>,
    /// What placeholders inherit, by the part of the layout.
    layouts: HashMap<String, Master>,
    masters: HashMap<String, Master>,
    /// What text boxes inherit.
    usual: Bullets,
    /// Footers that were given: they stand on each slide.
    footers: HashSet<String>,
    /// The slide that is read.
    slide: usize,
    shapes: Vec<DrawnShape>,
}

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let mut document = drawn(reading)?.document;
    name_untitled(&mut document);
    Ok(document)
}

/// The presentation with its shapes.
pub(super) fn drawn(reading: &Reading<'_>) -> Result<DrawnPresentation, Unreadable> {
    let mut office = Office::open(SourceFormat::Pptx, reading)?;
    let main = office.main_part()?;
    let relations = office.relations(&main)?;
    let text = office.required(&main)?;
    let tree = office.parse(&text, &main)?;
    let root = tree.root_element();
    let ids = root.child("sldIdLst").into_iter();
    let slides: Vec<String> = ids
        .flat_map(|list| list.children())
        .filter_map(|slide| relations.get(relation_id(slide)?))
        .map(|relation| relation.target.clone())
        .collect();
    let usual = root.child("defaultTextStyle").map(Bullets::of);
    let mut pptx = Pptx {
        office,
        gathering: Gathering::new(reading),
        layouts: HashMap::new(),
        masters: HashMap::new(),
        usual: usual.unwrap_or_default(),
        footers: HashSet::new(),
        slide: 0,
        shapes: Vec::new(),
    };
    let most = reading.limits.pages;
    for part in slides.iter().take(most) {
        pptx.slide += 1;
        pptx.read_slide(part)?;
    }
    if slides.len() > most {
        pptx.gathering.omit(
            Location::File,
            format!("{} slides after the first {most}", slides.len() - most),
            "more slides are not read; give a part of the file",
        );
    }
    let written = drawn::written(&mut pptx.office)?;
    Ok(DrawnPresentation {
        document: pptx.gathering.finish(),
        slides: slides.len(),
        written,
        shapes: pptx.shapes,
    })
}

/// A slide has another `id` of its own besides that of its relation.
fn relation_id<'a>(node: roxmltree::Node<'a, '_>) -> Option<&'a str> {
    node.attributes()
        .find(|attribute| attribute.name() == "id" && attribute.namespace().is_some())
        .map(|attribute| attribute.value())
}

#[cfg(test)]
mod tests;
