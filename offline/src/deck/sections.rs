//! A source as sections: a heading with what stands below it.

use crate::source::{Material, Unit};

/// What stands below a heading.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// The heading, and its level; nothing for what stands before the first one.
    pub(super) title: Option<String>,
    pub(super) level: u8,
    pub(super) units: Vec<&'a Unit>,
}

/// Longest sentence under the title of a deck.
const LEAD_CHARS_MAX: usize = 80;

/// What stands below the title of the source, where that is one short sentence: it is the deck's as well.
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

/// The sections, in their order; one with nothing but its heading stands as well.
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
    // A title with nothing below it is the source's name.
    let first_is_title =
        sections.len() > 1 && sections[0].units.is_empty() && sections[0].level == 1;
    if first_is_title {
        sections.remove(0);
    }
    sections
}
