//! Parts and how they hang together.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::parts::{CONTENT_TYPES, Parts};
use super::{DefectList, Rule};

/// The content type that the target of a relation has, by the end of both.
const KINDS: [(&str, &str); 16] = [
    ("officeDocument", "presentation.main+xml"),
    ("core-properties", "core-properties+xml"),
    ("extended-properties", "extended-properties+xml"),
    ("slide", ".slide+xml"),
    ("slideLayout", ".slideLayout+xml"),
    ("slideMaster", ".slideMaster+xml"),
    ("notesSlide", ".notesSlide+xml"),
    ("notesMaster", ".notesMaster+xml"),
    ("theme", ".theme+xml"),
    ("chart", ".chart+xml"),
    ("presProps", ".presProps+xml"),
    ("viewProps", ".viewProps+xml"),
    ("tableStyles", ".tableStyles+xml"),
    ("package", "spreadsheetml.sheet"),
    ("customXml", "application/xml"),
    ("customXmlProps", "customXmlProperties+xml"),
];

/// What a part of a type has to be related to, and how often.
const NEEDED: [(&str, &str, std::ops::RangeInclusive<usize>); 9] = [
    ("presentation.main+xml", "slideMaster", 1..=usize::MAX),
    ("presentation.main+xml", "slide", 1..=usize::MAX),
    ("presentation.main+xml", "presProps", 1..=1),
    ("presentation.main+xml", "viewProps", 1..=1),
    ("presentation.main+xml", "tableStyles", 1..=1),
    (".slideMaster+xml", "slideLayout", 1..=usize::MAX),
    (".slideMaster+xml", "theme", 1..=1),
    (".slideLayout+xml", "slideMaster", 1..=1),
    (".slide+xml", "slideLayout", 1..=1),
];

/// Attributes that name a relation.
const NAMING: [&str; 4] = ["r:id", "r:embed", "r:link", "r:pict"];

/// First bytes of pictures by the ending of their names.
const PICTURES: [(&str, &[u8]); 3] = [
    ("png", b"\x89PNG\r\n\x1a\n"),
    ("jpg", b"\xff\xd8\xff"),
    ("jpeg", b"\xff\xd8\xff"),
];

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    for kind in ["officeDocument", "core-properties", "extended-properties"] {
        if parts.targets("", kind).count() != 1 {
            found.add(
                Rule::MissingPart,
                "",
                format!("the file has no {kind}, or several"),
            );
        }
    }
    needed(parts, found);
    let mut reached = BTreeSet::from([CONTENT_TYPES]);
    for (source, relation) in parts.sources() {
        if relation.external {
            let safe = ["http://", "https://", "mailto:"];
            if !safe
                .iter()
                .any(|scheme| relation.target.starts_with(scheme))
            {
                found.add(
                    Rule::Relation,
                    source,
                    format!("leads to {}", relation.target),
                );
            }
            continue;
        }
        reached.insert(relation.target.as_str());
        if !parts.contents.contains_key(&relation.target) {
            let says = format!("is related to {}, which is not there", relation.target);
            found.add(Rule::Relation, source, says);
            continue;
        }
        let expected = KINDS.iter().find(|(kind, _)| *kind == relation.kind);
        let actual = parts.content_type(&relation.target);
        if let Some((kind, ending)) = expected
            && !actual.ends_with(ending)
        {
            let says = format!("has the type {actual} but is related to as {kind}");
            found.add(Rule::ContentType, &relation.target, says);
        }
    }
    for name in parts.contents.keys() {
        if !reached.contains(name.as_str()) && !name.ends_with(".rels") {
            found.add(
                Rule::MissingPart,
                name,
                "is there, but nothing is related to it",
            );
        }
    }
    for (name, tree) in &parts.trees {
        for element in tree.walk() {
            for (key, id) in &element.attributes {
                if NAMING.contains(&key.as_str()) && parts.relation(name, id).is_none() {
                    let says = format!("names the relation {id}, which it does not have");
                    found.add(Rule::Relation, name, says);
                }
            }
        }
    }
    media(parts, found);
}

fn needed(parts: &Parts, found: &mut DefectList) {
    for (ending, kind, range) in &NEEDED {
        for (name, _) in parts.of_type(ending) {
            let count = parts.targets(name, kind).count();
            if !range.contains(&count) {
                let says = format!("is related to {count} of the kind {kind}");
                found.add(Rule::MissingPart, name, says);
            }
        }
    }
}

fn media(parts: &Parts, found: &mut DefectList) {
    let mut known: BTreeMap<[u8; 32], &str> = BTreeMap::new();
    let pictures = parts
        .contents
        .iter()
        .filter(|(name, _)| name.contains("/media/"));
    for (name, bytes) in pictures {
        if let Some(first) = known.insert(Sha256::digest(bytes).into(), name) {
            found.add(Rule::Media, name, format!("is the same picture as {first}"));
        }
        let kind = PICTURES.iter().find(|(ending, _)| name.ends_with(ending));
        if kind.is_none_or(|(_, first)| !bytes.starts_with(first)) {
            found.add(Rule::Media, name, "is not the picture that its name says");
        }
    }
}
