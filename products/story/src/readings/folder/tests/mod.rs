//! Folders in, projects out, and back.

mod books;
mod fields;
mod page;
mod reading;
mod round;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::DateTime;
use palimpsest::prelude::pipeline::BlobRef;
use palimpsest::prelude::resource::project::{Entry, Kept, Project, Prose, Trigger, Version, What};

use super::{FolderRead, read, write};
use crate::readings::book::{Book, ProseText};

fn files(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = files.iter();
    owned
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

fn folder(of: &[(&str, &str)]) -> FolderRead {
    read("", &files(of))
}

/// The remarks as people read them.
fn remarks(read: &FolderRead) -> Vec<String> {
    read.remarks.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn entry<'a>(read: &'a FolderRead, id: &str) -> &'a Entry {
    let found = read.entries.iter().find(|entry| entry.id.as_str() == id);
    found.unwrap_or_else(|| panic!("no entry `{id}` among {:?}", ids(read)))
}

fn ids(read: &FolderRead) -> Vec<&str> {
    read.entries.iter().map(|it| it.id.as_str()).collect()
}

/// The titles of the chapters in reading order.
fn titles(read: &FolderRead) -> Vec<String> {
    let book = book(read);
    let chapters = book.chapters();
    chapters.iter().map(|it| it.chapter.title.clone()).collect()
}

/// The project that an import of a folder makes.
fn book(read: &FolderRead) -> Book {
    let at = DateTime::default();
    let mut project = Project {
        version: 1,
        description: read.description.clone(),
        ..Project::default()
    };
    for entry in &read.entries {
        let kept = Kept {
            entry: entry.clone(),
            version: 1,
            created: at,
            changed: at,
        };
        project.entries.insert(entry.id.clone(), kept);
    }
    let mut texts = BTreeMap::new();
    for text in &read.texts {
        let version = Version {
            version: 1,
            text: BlobRef::of(text.text.as_bytes()),
            words: 0,
            trigger: Trigger::Import,
            description: String::new(),
            at,
        };
        let prose = Prose {
            versions: vec![version],
            saved: 1,
            accepted: text.is_accepted.then_some(1),
            extracted: None,
            reading: None,
        };
        project.prose.insert(text.chapter.clone(), prose);
        let prose = ProseText {
            version: 1,
            text: Arc::from(text.text.as_str()),
        };
        texts.insert(text.chapter.clone(), prose);
    }
    Book::new(Arc::new(project), texts)
}

/// The prose of a chapter.
#[track_caller]
fn prose<'a>(read: &'a FolderRead, chapter: &str) -> &'a str {
    let found = read.texts.iter().find(|it| it.chapter.as_str() == chapter);
    &found
        .unwrap_or_else(|| panic!("no prose of `{chapter}`"))
        .text
}

/// What kind of entry something is.
fn kind(entry: &Entry) -> &'static str {
    let what: &What = &entry.what;
    what.kind()
}

/// Checks that a folder which is written and read again gives the same result.
#[track_caller]
fn assert_comes_back(read: &FolderRead) {
    let written = write(&book(read));
    let again = super::read("", &written);
    let clean = FolderRead {
        remarks: vec![],
        ..read.clone()
    };
    assert_eq!(again, clean, "{written:#?}");
}

#[test]
fn a_story_without_a_title_is_called_like_its_folder() {
    for (of, title) in [
        (
            &[("lamp/chapters/01.md", "# Rain\n\nIt rained.")][..],
            "lamp",
        ),
        (
            &[("chapters/01.md", "# Rain\n\nIt rained.")],
            "Untitled story",
        ),
        (&[("第三章 雾.md", "雾很大，船没有开。")], "未命名的故事"),
        (
            &[("story.md", "---\nlanguage: zh-CN\n---\n")],
            "未命名的故事",
        ),
    ] {
        assert_eq!(folder(of).description.title, title);
    }
    let chapters = files(&[("chapters/01.md", "# Rain\n\nIt rained.")]);
    assert_eq!(read("lamp", &chapters).description.title, "lamp");
}
