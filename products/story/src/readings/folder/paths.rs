//! What each file of a folder is.

use palimpsest::prelude::pipeline::text::is_text_file;
use unicode_normalization::UnicodeNormalization;

use super::fields::EntryKind;

/// The longest id, in bytes: as long as the id of a document may be.
pub(super) const ENTRY_ID_BYTES_MAX: usize = 128;

/// The folders that mean something, with the names that they may have; the first is the one that is written.
const FOLDERS: [(EntryKind, &[&str]); 8] = [
    (EntryKind::Chapter, &["chapters", "chapter", "章节", "正文"]),
    (
        EntryKind::Character,
        &["characters", "character", "角色", "人物"],
    ),
    (
        EntryKind::World,
        &["world", "worldbuilding", "世界", "世界观", "设定"],
    ),
    (EntryKind::Item, &["items", "item", "物品", "道具"]),
    (EntryKind::Place, &["places", "place", "地点"]),
    (
        EntryKind::PlotLoop,
        &["plotloops", "plot_loops", "plot-loops", "伏笔"],
    ),
    (EntryKind::Archetype, &["archetypes", "archetype", "原型"]),
    (EntryKind::StyleSample, &["style", "styles", "文风"]),
];

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileRole {
    /// `story.md`.
    Story,
    /// `relationships.md`.
    Relationships,
    /// `chapters/<volume>/volume.md`; the folder is the one below `chapters`.
    Volume {
        folder: String,
    },
    /// A file in `chapters`, or in the folder of a volume there.
    Chapter {
        folder: Option<String>,
    },
    Entry(EntryKind),
    /// A text outside of the known folders: a chapter where there is no folder of chapters, otherwise a note.
    Loose {
        folder: Option<String>,
    },
    /// What belongs to the folder and not to the story: `README.md`, hidden files.
    Passed,
    /// Not a text.
    Unknown,
}

pub(super) fn role(path: &str) -> FileRole {
    let parts: Vec<&str> = path.split('/').collect();
    let name = parts[parts.len() - 1];
    let stem = stem(path);
    if parts.iter().any(|part| part.starts_with('.')) || parts[0] == "__MACOSX" || is_readme(&stem)
    {
        return FileRole::Passed;
    }
    if !is_text_file(name) {
        return FileRole::Unknown;
    }
    if let [_] = parts[..] {
        return match stem.to_lowercase().as_str() {
            "story" => FileRole::Story,
            "relationships" | "关系" => FileRole::Relationships,
            _ => FileRole::Loose { folder: None },
        };
    }
    let inner = &parts[1..parts.len() - 1];
    let folder = (!inner.is_empty()).then(|| inner.join("/"));
    match kind_of_folder(parts[0]) {
        Some(EntryKind::Chapter) => match folder {
            Some(folder) if stem.eq_ignore_ascii_case("volume") => FileRole::Volume { folder },
            folder => FileRole::Chapter { folder },
        },
        Some(kind) => FileRole::Entry(kind),
        None => FileRole::Loose {
            folder: Some(parts[..parts.len() - 1].join("/")),
        },
    }
}

pub(super) fn is_readme(stem: &str) -> bool {
    stem.eq_ignore_ascii_case("readme")
}

pub(super) fn kind_of_folder(name: &str) -> Option<EntryKind> {
    let name: String = name.nfc().collect::<String>().to_lowercase();
    let is_it = |(_, names): &&(EntryKind, &[&str])| names.contains(&name.as_str());
    FOLDERS.iter().find(is_it).map(|(kind, _)| *kind)
}

/// The folder that entries of a kind are written to; volumes and relationships have none of their own.
pub(super) fn folder_of(kind: EntryKind) -> Option<&'static str> {
    let found = FOLDERS.iter().find(|(it, _)| *it == kind);
    found.and_then(|(_, names)| names.first().copied())
}

/// The last name of a path without what follows its last dot, in composed Unicode form.
pub(super) fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && is_text_file(name) => stem,
        Some(_) | None => name,
    };
    stem.nfc().collect()
}

/// Whether a text can be an id as it is: by the same rule as those of documents.
pub(super) fn is_id(text: &str) -> bool {
    let is_dots = text == "." || text == "..";
    !text.is_empty() && text.len() <= ENTRY_ID_BYTES_MAX && !is_dots && text.chars().all(fits_id)
}

fn fits_id(c: char) -> bool {
    !c.is_control() && !c.is_whitespace() && !matches!(c, '/' | '?' | '#' | '%' | '\\')
}

/// An id made of any text: characters with a meaning in addresses become hyphens. Empty where nothing else is left.
pub(super) fn clean_id(text: &str) -> String {
    let mut id = String::new();
    for c in text.nfc() {
        match (fits_id(c), id.ends_with('-')) {
            (true, _) => id.push(c),
            (false, false) if !id.is_empty() => id.push('-'),
            (false, _) => {}
        }
    }
    let cut = id.floor_char_boundary(ENTRY_ID_BYTES_MAX);
    id.truncate(cut);
    if !id.chars().eq(text.nfc()) {
        // Hyphens at the end were added here, unless the text was already an id.
        id.truncate(id.trim_end_matches('-').len());
    }
    if id.bytes().all(|byte| byte == b'.') {
        id.clear();
    }
    id
}

/// The id of a relationship that has none of its own.
pub(super) fn relationship_id(source: &str, target: &str, kind: &str) -> String {
    let parts = [source, target, kind];
    let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    clean_id(&parts.join("-"))
}

/// A file name made from an id, which every system accepts. Where the name differs from the id, the file contains the id.
pub(super) fn file_name(id: &str) -> String {
    let fits = |c: char| !c.is_control() && !matches!(c, '<' | '>' | ':' | '"' | '|' | '*' | '/');
    let name: String = id.chars().map(|c| if fits(c) { c } else { '-' }).collect();
    let cut = name.floor_char_boundary(ENTRY_ID_BYTES_MAX);
    let name = name[..cut].trim_matches(['.', ' ']);
    if name.is_empty() || is_readme(name) {
        return format!("{name}-1").trim_start_matches('-').to_owned();
    }
    name.to_owned()
}
