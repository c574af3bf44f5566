//! The ids and names of the drafts of a folder, and the order of its chapters.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::EntryId;
use serde_json::Value;

use super::drafts::Draft;
use super::fields::{EntryKind, Shape};
use super::paths::{clean_id, is_id};
use super::read::Reading;
use super::shaping::{scalar, shaped};

impl Reading {
    /// Gives each draft its id. Ids that are written in files come first, so that no file takes the id of another.
    pub(super) fn set_ids(&mut self) {
        let mut taken = BTreeSet::new();
        for at in 0..self.drafts.len() {
            let Some(said) = self.drafts[at].front.shift_remove("id") else {
                continue;
            };
            let Some(said) = scalar(&said) else { continue };
            let id = if is_id(&said) {
                said.clone()
            } else {
                clean_id(&said)
            };
            if id != said {
                let says = format!("the id `{said}` cannot stand in an address; it is `{id}` here");
                self.remark_at(at, "id", std::slice::from_ref(&said), says);
            }
            if !id.is_empty() && taken.insert(id.clone()) {
                self.drafts[at].id = EntryId::new(id);
            } else if id == said {
                let says = format!("the id `{said}` is given twice; this one has another");
                self.remark_at(at, "id", std::slice::from_ref(&said), says);
            }
        }
        // Files of relationships, which are mostly not entries, get their ids last.
        for lists in [false, true] {
            for at in 0..self.drafts.len() {
                let draft = &self.drafts[at];
                let is_missing =
                    draft.kind != EntryKind::Relationship && draft.id.as_str().is_empty();
                if is_missing && draft.is_list() == lists {
                    self.derive_id(at, &mut taken);
                }
            }
        }
    }

    fn derive_id(&mut self, at: usize, taken: &mut BTreeSet<String>) {
        let draft = &self.drafts[at];
        let tag = draft.kind.tag();
        let mut base = clean_id(&draft.file_name());
        if base.is_empty() {
            tag.clone_into(&mut base);
        }
        let folder = draft
            .folder
            .as_ref()
            .filter(|_| draft.kind == EntryKind::Chapter);
        let outer = folder.map_or_else(|| tag.to_owned(), |folder| clean_id(folder));
        let id = free(taken, &base, &format!("{outer}-{base}"));
        if id != base && folder.is_none() {
            let file = draft.file.clone();
            let says = format!("the id `{base}` is that of another entry; this one is `{id}`");
            self.remark(&file, None, says);
        }
        self.drafts[at].id = EntryId::new(id.clone());
        taken.insert(id);
    }

    /// Collects the names of all drafts, and then the order of the chapters.
    pub(super) fn learn_names(&mut self) {
        for draft in &self.drafts {
            let key = draft.kind.name_key();
            let name = key.and_then(|key| draft.front.get(key)).and_then(scalar);
            let aliases = draft.front.get("aliases");
            let aliases = aliases.and_then(|it| shaped(&self.names, &Shape::Texts, it).0);
            let aliases: Vec<String> = aliases
                .iter()
                .flat_map(Value::as_array)
                .flatten()
                .filter_map(scalar)
                .collect();
            if !draft.id.as_str().is_empty() {
                let aliases = aliases.iter().map(String::as_str);
                let name = name.unwrap_or_default();
                self.names.add(draft.kind, &draft.id, &name, aliases);
            }
        }
        let order = |draft: &Draft| {
            let said = draft.front.get("order").and_then(scalar);
            let said = said.and_then(|it| it.trim().parse().ok());
            said.unwrap_or(draft.position)
        };
        let mut volumes = BTreeMap::new();
        for draft in self.drafts.iter().filter(|it| it.kind == EntryKind::Volume) {
            volumes.insert(draft.id.clone(), order(draft));
        }
        let mut chapters = Vec::new();
        for at in 0..self.drafts.len() {
            if self.drafts[at].kind != EntryKind::Chapter {
                continue;
            }
            if let Some(volume) = self.volume_id(at) {
                self.drafts[at]
                    .front
                    .insert("volume".to_owned(), volume.as_str().into());
            }
            let draft = &self.drafts[at];
            let volume = draft.front.get("volume").and_then(scalar);
            let volume = volume.and_then(|it| self.names.find(EntryKind::Volume, &it).ok());
            let volume = volume.and_then(|id| volumes.get(&id).map(|order| (*order, id)));
            chapters.push((volume, order(draft), draft.id.clone()));
        }
        chapters.sort();
        let chapters = chapters.into_iter().map(|(_, _, id)| id);
        self.names.set_chapters(chapters.collect());
    }

    /// The volume in whose folder a chapter is.
    fn volume_id(&self, at: usize) -> Option<EntryId> {
        let folder = self.drafts[at].folder.as_ref()?;
        let is_it =
            |it: &&Draft| it.kind == EntryKind::Volume && it.folder.as_ref() == Some(folder);
        self.drafts
            .iter()
            .find(is_it)
            .map(|volume| volume.id.clone())
    }
}

/// The first of these ids that is not taken.
pub(super) fn free(taken: &BTreeSet<String>, base: &str, outer: &str) -> String {
    if !taken.contains(base) {
        return base.to_owned();
    }
    let numbered = (2_u32..).map(|number| format!("{outer}-{number}"));
    std::iter::once(outer.to_owned())
        .chain(numbered)
        .find(|id| !taken.contains(id))
        .unwrap_or_default()
}
