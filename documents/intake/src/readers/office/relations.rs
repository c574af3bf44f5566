//! Relationships: how a part of an Office package names others.

use std::collections::HashMap;

use spec::source::SourceFormat;

use crate::package::{Package, resolve};
use crate::xml::{self, Element as _};
use crate::{Reading, Unreadable};

/// What a part refers to, by the ids that it uses.
#[derive(Default)]
pub(in crate::readers) struct Relations {
    by_id: HashMap<String, Relation>,
}

#[derive(Clone)]
pub(in crate::readers) struct Relation {
    /// The last word of its type, such as `hyperlink`.
    pub(in crate::readers) kind: String,
    /// A part of the package; for an external relation, what the file writes, which is never opened.
    pub(in crate::readers) target: String,
    pub(in crate::readers) external: bool,
}

impl Relations {
    /// The relations of `part`; of the package itself if it is empty.
    pub(in crate::readers) fn of(
        part: &str,
        package: &mut Package<'_>,
        format: SourceFormat,
        reading: &Reading<'_>,
    ) -> Result<Self, Unreadable> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let path = format!("{folder}/_rels/{name}.rels");
        let Some(bytes) = package.part(&path)? else {
            return Ok(Self::default());
        };
        let text = xml::text(&bytes);
        let tree = xml::parse(&text, &path, format, reading)?;
        let mut by_id = HashMap::new();
        for node in tree.root_element().elements() {
            let (Some(id), Some(target)) = (node.attr("Id"), node.attr("Target")) else {
                continue;
            };
            let external = node.attr("TargetMode") == Some("External");
            let kind = node.attr("Type").unwrap_or_default();
            let relation = Relation {
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: if external {
                    target.to_owned()
                } else {
                    resolve(part, target)
                },
                external,
            };
            by_id.insert(id.to_owned(), relation);
        }
        Ok(Self { by_id })
    }

    pub(in crate::readers) fn get(&self, id: &str) -> Option<&Relation> {
        self.by_id.get(id)
    }

    /// The parts of a kind, in the order of their names: `header2.xml` before `header10.xml`.
    pub(in crate::readers) fn parts(&self, kind: &str) -> Vec<String> {
        let mut parts: Vec<String> = self
            .by_id
            .values()
            .filter(|relation| relation.kind == kind && !relation.external)
            .map(|relation| relation.target.clone())
            .collect();
        parts.sort_by_key(|part| (part.len(), part.clone()));
        parts.dedup();
        parts
    }

    pub(in crate::readers) fn part(&self, kind: &str) -> Option<String> {
        self.parts(kind).into_iter().next()
    }
}
