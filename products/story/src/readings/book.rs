//! A project with the prose of its chapters: everything else in this folder is computed from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{
    Chapter, Character, Entry, Item, Place, PlotLoop, Project, Relationship, What, WorldEntry,
};

/// A project as of one version, with the prose of its chapters.
#[derive(Clone, Debug, Default)]
pub struct Book {
    project: Arc<Project>,
    prose: BTreeMap<EntryId, ProseText>,
}

/// The prose of a chapter in one of its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProseText {
    pub version: u32,
    /// Markdown.
    pub text: Arc<str>,
}

/// A chapter with its place in the book.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    pub id: &'a EntryId,
    /// Counted from 1 through all volumes.
    pub number: usize,
    pub chapter: &'a Chapter,
    /// The version of `text`; 0 where nothing is written yet.
    pub version: u32,
    /// Whether this version is the accepted one.
    pub is_accepted: bool,
    /// Empty where nothing is written yet.
    pub text: &'a str,
}

impl Book {
    /// `prose` has at most one version of each chapter: mostly the accepted one, or the draft of a chapter that is being checked.
    pub fn new(project: Arc<Project>, prose: BTreeMap<EntryId, ProseText>) -> Self {
        Self { project, prose }
    }

    /// A book for what is computed from the bible and from facts alone: every chapter is empty.
    pub fn without_prose(project: Arc<Project>) -> Self {
        Self::new(project, BTreeMap::new())
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The chapters in reading order.
    pub fn chapters(&self) -> Vec<Placed<'_>> {
        let chapters = self.project.chapters();
        let placed = chapters
            .into_iter()
            .zip(1..)
            .map(|((id, chapter), number)| {
                let prose = self.prose.get(id);
                let version = prose.map_or(0, |prose| prose.version);
                let accepted = self.project.prose.get(id).and_then(|prose| prose.accepted);
                Placed {
                    id,
                    number,
                    chapter,
                    version,
                    is_accepted: accepted == Some(version),
                    text: prose.map_or("", |prose| &prose.text),
                }
            });
        placed.collect()
    }

    /// Whether its prose is told in Chinese.
    pub fn is_chinese(&self) -> bool {
        self.project.description.language.starts_with("zh")
    }

    /// The same book with other prose for one chapter.
    #[must_use]
    pub fn with(mut self, chapter: EntryId, prose: ProseText) -> Self {
        self.prose.insert(chapter, prose);
        self
    }

    /// The same prose, with a project that has other entries.
    #[must_use]
    pub fn of_project(mut self, project: Project) -> Self {
        self.project = Arc::new(project);
        self
    }

    pub fn characters(&self) -> impl Iterator<Item = (&Entry, &Character)> {
        self.of(What::as_character)
    }

    pub fn relationships(&self) -> impl Iterator<Item = (&Entry, &Relationship)> {
        self.of(What::as_relationship)
    }

    pub fn world(&self) -> impl Iterator<Item = (&Entry, &WorldEntry)> {
        self.of(What::as_world)
    }

    pub fn items(&self) -> impl Iterator<Item = (&Entry, &Item)> {
        self.of(What::as_item)
    }

    pub fn places(&self) -> impl Iterator<Item = (&Entry, &Place)> {
        self.of(What::as_place)
    }

    pub fn plot_loops(&self) -> impl Iterator<Item = (&Entry, &PlotLoop)> {
        self.of(What::as_plot_loop)
    }

    fn of<'a, T: 'a>(
        &'a self,
        get: impl Fn(&'a What) -> Option<&'a T>,
    ) -> impl Iterator<Item = (&'a Entry, &'a T)> {
        let entries = self.project.entries.values();
        entries.filter_map(move |kept| get(&kept.entry.what).map(|it| (&kept.entry, it)))
    }
}
