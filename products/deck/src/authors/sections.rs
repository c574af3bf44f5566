//! A source as sections: a heading with what stands below it.

use palimpsest::prelude::author::source::{Material, Unit};

/// The content below a heading.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// The heading, and its level; `None` for content before the first heading.
    pub(super) title: Option<String>,
    pub(super) level: u8,
    pub(super) units: Vec<&'a Unit>,
}

/// Longest sentence under the title of a deck.
const LEAD_CHARS_MAX: usize = 80;

/// The text below the title of the source, if it is one short sentence: the deck uses it as well.
pub(super) fn lead(sections: &mut Vec<Section<'_>>) -> Option<String> {
    let first = sections.first()?;
    let [Unit::Para(words)] = first.units.as_slice() else {
        return None;
    };
    let said = words.line();
    let is_lead = first.level == 1
        && sections.len() > 1
        && words.said().len() == 1
        && said.chars().count() <= LEAD_CHARS_MAX;
    if !is_lead {
        return None;
    }
    sections.remove(0);
    Some(said)
}

/// The sections, in their order; a section that has only a heading is included.
pub(super) fn sections(material: &Material) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for unit in &material.units {
        if let Unit::Heading(level, words) = unit {
            sections.push(Section {
                title: Some(words.line()),
                level: *level,
                units: vec![],
            });
            continue;
        }
        match sections.last_mut() {
            Some(section) => section.units.push(unit),
            None => sections.push(Section {
                title: None,
                level: 1,
                units: vec![unit],
            }),
        }
    }
    // A title without any text below it is the name of the source.
    let first_is_title =
        sections.len() > 1 && sections[0].units.is_empty() && sections[0].level == 1;
    if first_is_title {
        sections.remove(0);
    }
    sections
}
