//! The parts of a file: their content types, trees and relations.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Element, Fault, parse};
use super::{DefectList, Rule};

pub(in crate::pptx) const CONTENT_TYPES: &str = "[Content_Types].xml";

/// A relation of a part, or of the file when its source is empty.
#[derive(Debug)]
pub(in crate::pptx) struct Relation {
    pub(in crate::pptx) id: String,
    /// The last step of the relation's type.
    pub(in crate::pptx) kind: String,
    /// Name of the part, or an address outside of the file.
    pub(in crate::pptx) target: String,
    pub(in crate::pptx) external: bool,
}

#[derive(Debug, Default)]
pub(in crate::pptx) struct Parts {
    pub(in crate::pptx) contents: BTreeMap<String, Vec<u8>>,
    pub(in crate::pptx) trees: BTreeMap<String, Element>,
    types: BTreeMap<String, String>,
    relations: BTreeMap<String, Vec<Relation>>,
}

impl Parts {
    pub(in crate::pptx) fn new(
        contents: BTreeMap<String, Vec<u8>>,
        found: &mut DefectList,
    ) -> Self {
        let mut trees = BTreeMap::new();
        for (name, bytes) in &contents {
            if !name.ends_with(".xml") && !name.ends_with(".rels") {
                continue;
            }
            match parse(bytes) {
                Ok(tree) => {
                    trees.insert(name.clone(), tree);
                }
                Err(Fault::Malformed(says)) => found.add(Rule::WellFormed, name, says),
                Err(Fault::Control(character)) => found.add(
                    Rule::ControlCharacter,
                    name,
                    format!("has the character U+{character:04X}"),
                ),
            }
        }
        let mut parts = Self {
            contents,
            trees,
            ..Self::default()
        };
        parts.read_types(found);
        parts.read_relations(found);
        parts
    }

    fn read_types(&mut self, found: &mut DefectList) {
        let Some(tree) = self.trees.get(CONTENT_TYPES) else {
            if !self.contents.contains_key(CONTENT_TYPES) {
                found.add(Rule::MissingPart, CONTENT_TYPES, "is missing");
            }
            return;
        };
        let mut by_ending = BTreeMap::new();
        let mut by_name = BTreeMap::new();
        for entry in &tree.children {
            let value = entry.attribute("ContentType").unwrap_or_default();
            let (key, map) = match entry.name.as_str() {
                "Default" => (
                    entry
                        .attribute("Extension")
                        .unwrap_or_default()
                        .to_lowercase(),
                    &mut by_ending,
                ),
                _ => {
                    let name = entry.attribute("PartName").unwrap_or_default();
                    (name.trim_start_matches('/').to_owned(), &mut by_name)
                }
            };
            if map.insert(key.clone(), value.to_owned()).is_some() {
                found.add(
                    Rule::ContentType,
                    CONTENT_TYPES,
                    format!("has two types for {key}"),
                );
            }
        }
        for name in by_name
            .keys()
            .filter(|name| !self.contents.contains_key(*name))
        {
            found.add(
                Rule::ContentType,
                CONTENT_TYPES,
                format!("has a type for {name}, which is not there"),
            );
        }
        for name in self.contents.keys().filter(|name| *name != CONTENT_TYPES) {
            let ending = name
                .rsplit_once('.')
                .map_or("", |(_, ending)| ending)
                .to_lowercase();
            match by_name.get(name).or_else(|| by_ending.get(&ending)) {
                Some(kind) => {
                    self.types.insert(name.clone(), kind.clone());
                }
                None => found.add(Rule::ContentType, name, "has no content type"),
            }
        }
    }

    fn read_relations(&mut self, found: &mut DefectList) {
        for (name, tree) in &self.trees {
            let Some(source) = source_of(name) else {
                continue;
            };
            if !source.is_empty() && !self.contents.contains_key(&source) {
                found.add(
                    Rule::Relation,
                    name,
                    format!("belongs to {source}, which is not there"),
                );
            }
            let mut ids = BTreeSet::new();
            let mut relations = Vec::new();
            for entry in &tree.children {
                let get = |key: &str| entry.attribute(key).unwrap_or_default();
                let (id, target) = (get("Id"), get("Target"));
                if id.is_empty() || !ids.insert(id.to_owned()) {
                    found.add(
                        Rule::Relation,
                        name,
                        format!("has no id for a relation, or two for `{id}`"),
                    );
                }
                let external = get("TargetMode") == "External";
                relations.push(Relation {
                    id: id.to_owned(),
                    kind: get("Type")
                        .rsplit('/')
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                    target: if external {
                        target.to_owned()
                    } else {
                        resolved(&source, target)
                    },
                    external,
                });
            }
            self.relations.insert(source, relations);
        }
    }

    pub(in crate::pptx) fn content_type(&self, part: &str) -> &str {
        self.types.get(part).map_or("", String::as_str)
    }

    /// The relations of a part; of the file when the name is empty.
    pub(in crate::pptx) fn relations(&self, part: &str) -> &[Relation] {
        self.relations.get(part).map_or(&[], Vec::as_slice)
    }

    pub(in crate::pptx) fn sources(&self) -> impl Iterator<Item = (&str, &Relation)> {
        self.relations
            .iter()
            .flat_map(|(source, all)| all.iter().map(move |one| (source.as_str(), one)))
    }

    /// What a part is related to as this kind.
    pub(in crate::pptx) fn targets<'a>(
        &'a self,
        part: &str,
        kind: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        self.relations(part)
            .iter()
            .filter(move |relation| relation.kind == kind && !relation.external)
            .map(|relation| relation.target.as_str())
    }

    pub(in crate::pptx) fn relation(&self, part: &str, id: &str) -> Option<&Relation> {
        self.relations(part)
            .iter()
            .find(|relation| relation.id == id)
    }

    /// Parts whose content type ends so, with their trees.
    pub(in crate::pptx) fn of_type<'a>(
        &'a self,
        ending: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Element)> {
        self.trees
            .iter()
            .filter(move |(name, _)| self.content_type(name).ends_with(ending))
            .map(|(name, tree)| (name.as_str(), tree))
    }
}

/// The part whose relations these are.
fn source_of(name: &str) -> Option<String> {
    let name = name.strip_suffix(".rels")?;
    let (folder, file) = name.rsplit_once("_rels/")?;
    Some(format!("{folder}{file}"))
}

/// A target as seen from the root.
fn resolved(source: &str, target: &str) -> String {
    if let Some(target) = target.strip_prefix('/') {
        return target.to_owned();
    }
    let mut steps: Vec<&str> = source.split('/').collect();
    steps.pop();
    for step in target.split('/') {
        match step {
            ".." => {
                steps.pop();
            }
            "." => {}
            step => steps.push(step),
        }
    }
    steps.join("/")
}
