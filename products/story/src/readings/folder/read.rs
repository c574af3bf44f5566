//! Makes a project from files.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::text::{LANGUAGE, language_of};
use palimpsest::prelude::resource::project::{ComingText, Description};
use serde_json::{Map, Value};

use super::drafts::Draft;
use super::fields::{EntryKind, fields};
use super::front::FileText;
use super::names::Names;
use super::natural::path_key;
use super::paths::{FileRole, kind_of_folder, role};
use super::shaping::{Misfit, field, line, said, scalar, shaped};
use super::{FolderRead, FolderRemark, REMARKS_MAX};

/// The characters of the prose from which its language is found where it is not given: some pages.
const LANGUAGE_CHARS: usize = 4_000;

/// Reads the files of a folder, each with its path and its text. The order in which they come does not matter. The name of the folder,
/// which may be empty, is the title of a story without one.
#[must_use]
pub fn read(name: &str, files: &[(String, String)]) -> FolderRead {
    let (root, files) = tidy(files);
    let root = if root.is_empty() {
        name.to_owned()
    } else {
        root
    };
    let mut reading = Reading::default();
    reading.take(&files);
    reading.set_names();
    reading.set_ids();
    reading.learn_names();
    reading.finish(root)
}

/// The paths without the folder that all of them are in, in the order in which people sort them. Hidden files are left out.
fn tidy(files: &[(String, String)]) -> (String, Vec<(String, &str)>) {
    let mut tidied: Vec<(String, &str)> = Vec::new();
    for (path, text) in files {
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./").trim_start_matches('/');
        tidied.push((path.to_owned(), text));
    }
    let story = |path: &&str| !matches!(role(path), FileRole::Passed);
    let paths = tidied.iter().map(|(path, _)| path.as_str());
    let mut roots = paths.filter(story).map(|path| path.split_once('/'));
    let first = roots.next().flatten().map(|(root, _)| root);
    let shared = first.filter(|first| {
        let same = |root: Option<(&str, &str)>| root.is_some_and(|(root, _)| root == *first);
        kind_of_folder(first).is_none() && roots.all(same)
    });
    let root = shared.unwrap_or_default().to_owned();
    if !root.is_empty() {
        for (path, _) in &mut tidied {
            if let Some(below) = path.strip_prefix(&format!("{root}/")) {
                *path = below.to_owned();
            }
        }
    }
    tidied.sort_by_cached_key(|(path, _)| (path_key(path), path.clone()));
    (root, tidied)
}

#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) drafts: Vec<Draft>,
    pub(super) story: Option<(String, FileText)>,
    pub(super) names: Names,
    pub(super) remarks: Vec<FolderRemark>,
    unsaid: usize,
}

impl Reading {
    pub(super) fn remark(&mut self, file: &str, line: Option<u32>, says: impl Into<String>) {
        if self.remarks.len() < REMARKS_MAX {
            let (file, says) = (file.to_owned(), says.into());
            self.remarks.push(FolderRemark { file, line, says });
        } else {
            self.unsaid += 1;
        }
    }

    pub(super) fn remark_at(&mut self, at: usize, key: &str, said: &[String], says: String) {
        let draft = &self.drafts[at];
        // A relationship is written under the key `relationships`.
        let outer = if draft.kind == EntryKind::Relationship {
            "relationships"
        } else {
            key
        };
        let (file, line) = (draft.file.clone(), draft.text.line(outer, said));
        self.remark(&file, line, says);
    }

    fn finish(mut self, root: String) -> FolderRead {
        let mut entries = Vec::new();
        let mut texts = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        taken.extend(self.drafts.iter().map(|draft| draft.id.as_str().to_owned()));
        let (relationships, others): (Vec<usize>, Vec<usize>) =
            (0..self.drafts.len()).partition(|at| self.drafts[*at].kind == EntryKind::Relationship);
        for at in relationships {
            if let Some(entry) = self.relationship(at, &mut taken) {
                entries.push((EntryKind::Relationship, entry));
            }
        }
        for at in others {
            if self.drafts[at].kind == EntryKind::Chapter {
                let text = self.prose(at);
                texts.extend((!text.text.is_empty()).then(|| (text.chapter.clone(), text)));
            }
            if let Some(entry) = self.entry(at) {
                entries.push((self.drafts[at].kind, entry));
            }
        }
        entries.sort_by(|(kind, one), (other, two)| (kind, &one.id).cmp(&(other, &two.id)));
        let description = self.description(&root, &texts);
        let place = |remark: &FolderRemark| (path_key(&remark.file), remark.line);
        self.remarks.sort_by_cached_key(place);
        if self.unsaid > 0 {
            let says = format!("and {} more remarks", self.unsaid);
            let (file, line) = (String::new(), None);
            self.remarks.push(FolderRemark { file, line, says });
        }
        FolderRead {
            description,
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            texts: texts.into_values().collect(),
            remarks: self.remarks,
        }
    }

    fn description(&mut self, root: &str, texts: &BTreeMap<EntryId, ComingText>) -> Description {
        let (file, text) = self.story.take().unwrap_or_default();
        let mut object = Map::new();
        let mut kept = Vec::new();
        for (key, value) in text.front.iter().filter(|(_, value)| !value.is_null()) {
            let (fits, misfits) = match field(fields("story"), key) {
                Some(known) => shaped(&self.names, &known.shape, value),
                None => {
                    let says = "is not a field of a story".to_owned();
                    let was = value.clone();
                    (None, vec![Misfit { says, was }])
                }
            };
            object.extend(fits.map(|fits| (key.clone(), fits)));
            for misfit in misfits {
                let says = format!("`{key}` {}; it is kept in the description", misfit.says);
                let at = text.line(key, &said(&misfit.was));
                self.remark(&file, at, says);
                kept.push(line(key, &misfit.was));
            }
        }
        let title = object.get("title").and_then(scalar);
        let heading = text.heading.as_ref();
        let is_repeated = title.is_none() || title.as_ref() == heading;
        let body = if is_repeated {
            text.body
        } else {
            text.with_heading
        };
        let declared = object.get("language").and_then(scalar);
        let written = declared.unwrap_or_else(|| language(texts).to_owned());
        let untitled = || match root {
            "" if written.starts_with("zh") => "未命名的故事".to_owned(),
            "" => "Untitled story".to_owned(),
            root => root.to_owned(),
        };
        let title = title.or(text.heading).unwrap_or_else(untitled);
        object.insert("title".to_owned(), title.into());
        let said = object
            .get("description")
            .and_then(scalar)
            .unwrap_or_default();
        let words = [said, body, kept.join("\n")];
        let words: Vec<String> = words.into_iter().filter(|it| !it.is_empty()).collect();
        object.insert("description".to_owned(), words.join("\n\n").into());
        object.entry("language").or_insert_with(|| written.into());
        let phase = if texts.is_empty() { "IDEA" } else { "WRITING" };
        object.entry("phase").or_insert_with(|| phase.into());
        match serde_json::from_value(Value::Object(object)) {
            Ok(description) => description,
            Err(error) => {
                self.remark(&file, None, format!("cannot be read: {error}"));
                Description::default()
            }
        }
    }
}

/// The language of the first pages.
fn language(texts: &BTreeMap<EntryId, ComingText>) -> &'static str {
    let prose = texts.values().flat_map(|text| text.text.chars());
    let pages: String = prose.take(LANGUAGE_CHARS).collect();
    language_of(&pages).unwrap_or(LANGUAGE)
}
