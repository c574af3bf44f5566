//! The files of a folder, each made into drafts of entries.

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{CHAPTER_BYTES_MAX, ENTRIES_MAX};
use serde_json::{Map, Value};

use super::fields::EntryKind;
use super::front::{FileText, normal};
use super::natural::without_number;
use super::paths::{FileRole, role, stem};
use super::read::Reading;
use super::shaping::{records, scalar};

/// An entry that is being put together.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: EntryKind,
    pub(super) file: String,
    /// The front matter that is not read yet.
    pub(super) front: Map<String, Value>,
    /// The file, which knows the lines.
    pub(super) text: FileText,
    /// The text below the front matter.
    pub(super) body: String,
    /// The folder of its volume; its own folder, if it is a volume.
    pub(super) folder: Option<String>,
    /// Its place among the drafts of its kind in its folder, from 1.
    pub(super) position: u64,
    pub(super) id: EntryId,
    /// The draft in whose file this one is written.
    pub(super) inside: Option<usize>,
    /// Lines of the file that could not be understood and are kept as text.
    pub(super) kept: Vec<String>,
}

impl Draft {
    /// The text from which its id and its name are made where the file gives neither.
    pub(super) fn file_name(&self) -> String {
        match &self.folder {
            Some(folder) if self.kind == EntryKind::Volume => last_name(folder).to_owned(),
            Some(_) | None => stem(&self.file),
        }
    }

    /// Whether it is the file of relationships, which is an entry only where it contains something else too.
    pub(super) fn is_list(&self) -> bool {
        role(&self.file) == FileRole::Relationships
    }
}

impl Reading {
    pub(super) fn take(&mut self, files: &[(String, &str)]) {
        let is_chapter = |path: &str| matches!(role(path), FileRole::Chapter { .. });
        let has_chapters = files.iter().any(|(path, _)| is_chapter(path));
        for (at, (path, text)) in files.iter().enumerate() {
            let role = role(path);
            if role == FileRole::Passed {
                continue;
            }
            if role == FileRole::Unknown {
                self.remark(path, None, "is not a text file (.md, .txt); it is left out");
                continue;
            }
            if text.len() as u64 > CHAPTER_BYTES_MAX {
                let bytes = text.len();
                let says = format!(
                    "has {bytes} bytes, and a file may have {CHAPTER_BYTES_MAX}; it is left out"
                );
                self.remark(path, None, says);
                continue;
            }
            if at >= ENTRIES_MAX {
                let says = format!("there are more than {ENTRIES_MAX} files; the rest is left out");
                self.remark(path, None, says);
                break;
            }
            self.file(path, FileText::of(text), role, has_chapters);
        }
    }

    fn file(&mut self, path: &str, text: FileText, role: FileRole, has_chapters: bool) {
        if let Some((line, says)) = &text.problem {
            self.remark(path, *line, says.clone());
        }
        match role {
            FileRole::Story if self.story.is_none() => {
                self.story = Some((path.to_owned(), text));
            }
            FileRole::Relationships => {
                let owner = self.push(EntryKind::World, path, text, None);
                self.note(owner);
                self.relationships(owner, false);
            }
            FileRole::Volume { folder } => {
                let at = self.volume(&folder);
                if self.drafts[at].file != folder {
                    self.chapter(path, text, Some(folder));
                    return;
                }
                let draft = &mut self.drafts[at];
                path.clone_into(&mut draft.file);
                draft.front = text.front.clone();
                draft.text = text;
            }
            FileRole::Chapter { folder } => self.chapter(path, text, folder),
            FileRole::Entry(kind) => {
                let at = self.push(kind, path, text, None);
                if kind == EntryKind::Character {
                    self.relationships(at, true);
                }
            }
            FileRole::Loose { folder } if !has_chapters => self.chapter(path, text, folder),
            FileRole::Loose { .. } | FileRole::Story => {
                let says = "has no place in the folder of a story; it is kept as a note among the world entries";
                self.remark(path, None, says);
                let at = self.push(EntryKind::World, path, text, None);
                self.note(at);
            }
            FileRole::Passed | FileRole::Unknown => {}
        }
    }

    fn push(
        &mut self,
        kind: EntryKind,
        file: &str,
        text: FileText,
        folder: Option<String>,
    ) -> usize {
        // Volumes are counted among all volumes, everything else within its folder.
        let is_beside = |draft: &&Draft| {
            draft.kind == kind && (kind == EntryKind::Volume || draft.folder == folder)
        };
        let position = self.drafts.iter().filter(is_beside).count();
        self.drafts.push(Draft {
            kind,
            file: file.to_owned(),
            front: text.front.clone(),
            text,
            body: String::new(),
            folder,
            position: position as u64 + 1,
            id: EntryId::default(),
            inside: None,
            kept: vec![],
        });
        self.drafts.len() - 1
    }

    fn note(&mut self, at: usize) {
        let front = &mut self.drafts[at].front;
        front.entry("type").or_insert_with(|| "note".into());
    }

    fn volume(&mut self, folder: &str) -> usize {
        let is_it =
            |it: &Draft| it.kind == EntryKind::Volume && it.folder.as_deref() == Some(folder);
        match self.drafts.iter().position(is_it) {
            Some(at) => at,
            None => {
                let text = FileText::default();
                self.push(EntryKind::Volume, folder, text, Some(folder.to_owned()))
            }
        }
    }

    fn chapter(&mut self, path: &str, text: FileText, folder: Option<String>) {
        if let Some(folder) = &folder {
            self.volume(folder);
        }
        self.push(EntryKind::Chapter, path, text, folder);
    }

    /// Makes a draft of each relationship that a file mentions.
    fn relationships(&mut self, owner: usize, is_source: bool) {
        let Some(value) = self.drafts[owner].front.shift_remove("relationships") else {
            return;
        };
        if value.is_null() {
            return;
        }
        for mut front in records(EntryKind::Relationship.fields(), &value) {
            let draft = &self.drafts[owner];
            let (file, text) = (draft.file.clone(), draft.text.clone());
            if is_source {
                front.shift_remove("source");
                front.insert("from".to_owned(), Value::Null);
            }
            let at = self.push(EntryKind::Relationship, &file, text, None);
            self.drafts[at].front = front;
            self.drafts[at].inside = Some(owner);
        }
    }

    /// Gives each entry its name and its place, and separates the heading from the text.
    pub(super) fn set_names(&mut self) {
        for draft in &mut self.drafts {
            if matches!(draft.kind, EntryKind::Volume | EntryKind::Chapter) {
                let order = draft.front.get("order").is_none_or(Value::is_null);
                if order {
                    draft
                        .front
                        .insert("order".to_owned(), draft.position.into());
                }
            }
            if draft.kind == EntryKind::Relationship {
                continue;
            }
            let text = &draft.text;
            let Some(key) = draft.kind.name_key() else {
                draft.body.clone_from(&text.with_heading);
                continue;
            };
            let said = draft.front.get(key).and_then(scalar);
            let heading = text.heading.as_ref();
            let is_repeated = said.is_none() || said.as_ref() == heading;
            let body = if is_repeated {
                &text.body
            } else {
                &text.with_heading
            };
            draft.body.clone_from(body);
            if said.is_none() {
                let name = heading
                    .cloned()
                    .unwrap_or_else(|| readable(&draft.file_name()));
                draft.front.insert(key.to_owned(), name.into());
            }
        }
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A name for people, made from the name of a file.
fn readable(stem: &str) -> String {
    let name = without_number(stem).replace(['-', '_'], " ");
    let name = normal(name.trim());
    if name.is_empty() {
        stem.to_owned()
    } else {
        name
    }
}
