//! Makes files from a project.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{
    Archetype, Chapter, Character, Description, Entry, Item, Place, PlotLoop, Relationship,
    StyleSample, Volume, What, WorldEntry,
};
use serde_json::{Map, Value};

use super::fields::{EntryKind, Field, fields};
use super::front::{cut_heading, normal};
use super::natural::without_number;
use super::paths::{clean_id, file_name, folder_of, relationship_id, stem};
use super::yaml::block;
use crate::readings::book::{Book, Placed};

/// The files of a project, each with its path and its text, sorted by path. [`super::read`] reads the same from them, except that the blank
/// lines around prose are lost.
#[must_use]
pub(crate) fn write(book: &Book) -> Vec<(String, String)> {
    let mut writing = Writing {
        book,
        files: BTreeMap::new(),
        taken: BTreeSet::new(),
        relationships: relationships(book),
    };
    writing.story();
    writing.chapters();
    for kept in book.project().entries.values() {
        match EntryKind::of(&kept.entry.what) {
            EntryKind::Volume | EntryKind::Chapter | EntryKind::Relationship => {}
            EntryKind::Character
            | EntryKind::World
            | EntryKind::Item
            | EntryKind::Place
            | EntryKind::PlotLoop
            | EntryKind::Archetype
            | EntryKind::StyleSample => writing.entry(&kept.entry),
        }
    }
    writing.unsourced();
    writing.files.into_iter().collect()
}

struct Writing<'a> {
    book: &'a Book,
    files: BTreeMap<String, String>,
    /// Paths of entries in lower case.
    taken: BTreeSet<String>,
    /// The relationships that are written into the file of each source.
    relationships: BTreeMap<EntryId, Vec<Value>>,
}

impl Writing<'_> {
    fn story(&mut self) {
        let description = &self.book.project().description;
        let json = object(serde_json::to_value(description));
        let blank = object(serde_json::to_value(Description::default()));
        let mut front = Map::new();
        for field in fields("story") {
            // These fields are guessed by the reader where they are absent.
            let is_guessed = matches!(field.key, "title" | "language" | "phase");
            let value = json.get(field.json).unwrap_or(&Value::Null);
            if is_guessed || !value.is_null() && Some(value) != blank.get(field.json) {
                front.insert(field.key.to_owned(), value.clone());
            }
        }
        let text = file(front, "description", &description.title);
        self.files.insert("story.md".to_owned(), text);
    }

    /// Writes the chapters, numbered in reading order, volume after volume.
    fn chapters(&mut self) {
        let mut folders: BTreeMap<EntryId, (String, u64)> = BTreeMap::new();
        let entries = self.book.project().entries.values();
        let mut volumes: Vec<(&Entry, &Volume)> = entries
            .filter_map(|kept| Some((&kept.entry, kept.entry.what.as_volume()?)))
            .collect();
        volumes.sort_by_key(|(entry, volume)| (volume.order, &entry.id));
        let width = width(volumes.len());
        for ((entry, volume), number) in volumes.into_iter().zip(1..) {
            let name = numbered(number, width, &entry.id);
            let mut front = front_of(entry, &clean_id(&name));
            order(&mut front, volume.order, number);
            let text = file(front, "summary", &volume.title);
            self.files
                .insert(format!("chapters/{name}/volume.md"), text);
            folders.insert(entry.id.clone(), (format!("chapters/{name}"), 0));
        }
        let mut outside = ("chapters".to_owned(), 0);
        let chapters = self.book.chapters();
        let width = self.width_of(&chapters);
        for placed in &chapters {
            let volume = placed.chapter.volume.as_ref();
            let folder = volume.and_then(|volume| folders.get_mut(volume));
            let is_inside = folder.is_some();
            let (folder, number) = folder.unwrap_or(&mut outside);
            *number += 1;
            let name = numbered(*number, width, placed.id);
            let path = format!("{folder}/{name}.md");
            let text = self.chapter(placed, &name, *number, is_inside);
            self.files.insert(path, text);
        }
    }

    fn width_of(&self, chapters: &[Placed<'_>]) -> usize {
        let mut counts: BTreeMap<Option<&EntryId>, usize> = BTreeMap::new();
        for placed in chapters {
            *counts.entry(placed.chapter.volume.as_ref()).or_default() += 1;
        }
        width(counts.into_values().max().unwrap_or(0))
    }

    fn chapter(&self, placed: &Placed<'_>, name: &str, number: u64, is_inside: bool) -> String {
        let Some(entry) = self.book.project().entry(placed.id) else {
            return String::new();
        };
        let mut front = front_of(entry, &clean_id(name));
        order(&mut front, placed.chapter.order, number);
        if is_inside {
            front.shift_remove("volume");
        }
        let prose = normal(&placed.text.replace("\r\n", "\n").replace('\r', "\n"));
        if !prose.is_empty() && !placed.is_accepted {
            front.insert("draft".to_owned(), true.into());
        }
        let title = &placed.chapter.title;
        let as_heading = format!("# {title}");
        let mut text = String::new();
        if is_heading(&as_heading, title) {
            front.shift_remove("title");
            text = as_heading;
        }
        let parts = [text, prose].into_iter().filter(|it| !it.is_empty());
        let below = parts.collect::<Vec<_>>().join("\n\n");
        together(&block(&front), &below)
    }

    fn entry(&mut self, entry: &Entry) {
        let kind = EntryKind::of(&entry.what);
        let folder = folder_of(kind).unwrap_or_default();
        let name = file_name(entry.id.as_str());
        let paths = std::iter::once(format!("{folder}/{name}.md"))
            .chain((2_u32..).map(|number| format!("{folder}/{name}-{number}.md")));
        // Some systems do not tell `Lin.md` from `lin.md`.
        let mut free = paths.filter(|path| self.taken.insert(path.to_lowercase()));
        let path = free.next().unwrap_or_default();
        let mut front = front_of(entry, &clean_id(&stem(&path)));
        if let Some(told) = self.relationships.remove(&entry.id)
            && kind == EntryKind::Character
        {
            front.insert("relationships".to_owned(), told.into());
        }
        let text = file(front, kind.words_key(), entry.what.name());
        self.files.insert(path, text);
    }

    /// Writes the relationships whose source is not a character.
    fn unsourced(&mut self) {
        let told: Vec<Value> = std::mem::take(&mut self.relationships)
            .into_values()
            .flatten()
            .collect();
        if told.is_empty() {
            return;
        }
        let front = Map::from_iter([("relationships".to_owned(), told.into())]);
        self.files
            .insert("relationships.md".to_owned(), block(&front));
    }
}

/// The relationships by their sources, as they are written there.
fn relationships(book: &Book) -> BTreeMap<EntryId, Vec<Value>> {
    let characters: BTreeSet<&EntryId> = book.characters().map(|(entry, _)| &entry.id).collect();
    let mut told: BTreeMap<EntryId, Vec<Value>> = BTreeMap::new();
    for (entry, it) in book.relationships() {
        let derived = relationship_id(it.source.as_str(), it.target.as_str(), &it.kind);
        let mut front = front_of(entry, &derived);
        if it.bidirectional == it.reverse.is_some() {
            front.shift_remove("bidirectional");
        } else {
            front.insert("bidirectional".to_owned(), it.bidirectional.into());
        }
        if characters.contains(&it.source) {
            front.shift_remove("from");
        }
        let of_source = told.entry(it.source.clone()).or_default();
        of_source.push(Value::Object(front));
    }
    told
}

/// The front matter of an entry, with all of its text. `derived` is the id that a reader would give the entry.
fn front_of(entry: &Entry, derived: &str) -> Map<String, Value> {
    let kind = EntryKind::of(&entry.what);
    let json = object(serde_json::to_value(entry));
    let blank = object(serde_json::to_value(blank(kind)));
    let mut front = Map::new();
    let mut put = |field: &Field| {
        let value = json.get(field.json).filter(|value| !value.is_null());
        let is_name = kind.name_key() == Some(field.json);
        let value = value.filter(|value| is_name || Some(*value) != blank.get(field.json));
        if let Some(value) = value {
            front.insert(field.key.to_owned(), value.clone());
        }
    };
    let is_own = |field: &&Field| field.key != "id" || entry.id.as_str() != derived;
    fields("common").iter().filter(is_own).for_each(&mut put);
    kind.fields().iter().for_each(&mut put);
    front
}

/// An entry of which nothing is known.
fn blank(kind: EntryKind) -> What {
    match kind {
        EntryKind::Volume => What::Volume(Volume::default()),
        EntryKind::Chapter => What::Chapter(Chapter::default()),
        EntryKind::Character => What::Character(Character::default()),
        EntryKind::Relationship => What::Relationship(Relationship::default()),
        EntryKind::World => What::World(WorldEntry::default()),
        EntryKind::Item => What::Item(Item::default()),
        EntryKind::Place => What::Place(Place::default()),
        EntryKind::PlotLoop => What::PlotLoop(PlotLoop::default()),
        EntryKind::Archetype => What::Archetype(Archetype::default()),
        EntryKind::StyleSample => What::StyleSample(StyleSample::default()),
    }
}

fn object(json: Result<Value, serde_json::Error>) -> Map<String, Value> {
    match json.expect("entries are maps with texts as keys") {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

/// Writes the order where it differs from the place of the file.
fn order(front: &mut Map<String, Value>, order: u32, number: u64) {
    if u64::from(order) == number {
        front.shift_remove("order");
    } else {
        front.insert("order".to_owned(), order.into());
    }
}

/// A file with the text of this key below its front matter, if a reader would get the same text back from there.
fn file(mut front: Map<String, Value>, key: &str, name: &str) -> String {
    let words = front.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_normal = normal(words) == words && !words.contains('\r');
    if words.is_empty() || !is_normal {
        return block(&front);
    }
    let mut words = words.to_owned();
    front.shift_remove(key);
    // A reader drops a heading that repeats the name, so a second one is added that stays.
    if cut_heading(&words).is_some_and(|(heading, _)| heading == name) {
        words = format!("# {name}\n\n{words}");
    }
    together(&block(&front), &words)
}

fn together(block: &str, below: &str) -> String {
    // Text that looks like front matter needs front matter above it, even an empty one.
    let is_front = below.starts_with("---") || below.starts_with('\u{feff}');
    match (block.is_empty(), below.is_empty()) {
        (_, true) => block.to_owned(),
        (true, false) if is_front => format!("---\n---\n\n{below}\n"),
        (true, false) => format!("{below}\n"),
        (false, false) => format!("{block}\n{below}\n"),
    }
}

/// Whether a reader takes the line for a heading with exactly this title.
fn is_heading(line: &str, title: &str) -> bool {
    cut_heading(line).is_some_and(|(heading, below)| heading == title && below.is_empty())
}

/// `03-fog`, for the third of its folder.
fn numbered(number: u64, width: usize, id: &EntryId) -> String {
    let name = file_name(without_number(id.as_str()));
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        return format!("{number:0width$}");
    }
    format!("{number:0width$}-{name}")
}

/// Digits of the numbers of files: at least two, so that the first files keep their names when there is a tenth.
fn width(count: usize) -> usize {
    count.to_string().len().max(2)
}
