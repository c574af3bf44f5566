//! The corpus: decks as someone would write them, in `*.json` beside this file, and their pages.
//!
//! A deck names a built-in theme or brings its own. Between them they have every layout, short and long texts, four languages,
//! formulas, charts of every kind, and themes with odd sizes and with fonts that are nowhere installed.

pub(crate) mod any;

use std::path::Path;

use palimpsest_render as render;
use render::{DeckPage, Fonts, PageContext};
use serde::Deserialize;
use spec::{SlideSpec, Theme};

/// A deck of the corpus.
pub(crate) struct Deck {
    pub(crate) name: String,
    /// BCP 47.
    pub(crate) language: String,
    pub(crate) theme: Theme,
    pub(crate) title: String,
    pub(crate) slides: Vec<Entry>,
}

/// A slide with its notes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) slide: SlideSpec,
    pub(crate) notes: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    language: String,
    theme: serde_json::Value,
    title: String,
    slides: Vec<Entry>,
}

/// All decks, by name.
pub(crate) fn decks() -> Vec<Deck> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is in the repository")
        .map(|entry| entry.expect("a file of the corpus").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .collect();
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Deck {
    let text = std::fs::read_to_string(path).expect("a file of the corpus");
    let file: File = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is not a deck: {error}", path.display()));
    assert_eq!(
        path.file_stem().and_then(|stem| stem.to_str()),
        Some(file.name.as_str()),
        "a deck is called as its file"
    );
    let theme = match file.theme.as_str() {
        Some(name) => spec::builtin_themes()
            .into_iter()
            .find(|theme| theme.theme_name == name)
            .unwrap_or_else(|| panic!("there is no built-in theme {name}")),
        None => serde_json::from_value(file.theme)
            .unwrap_or_else(|error| panic!("{} has no theme: {error}", path.display())),
    };
    Deck {
        name: file.name,
        language: file.language,
        theme,
        title: file.title,
        slides: file.slides,
    }
}

impl Deck {
    /// The pages, laid out.
    pub(crate) fn pages(&self, fonts: &Fonts) -> Vec<DeckPage> {
        let page_count = u32::try_from(self.slides.len()).expect("a deck has few pages");
        (1..)
            .zip(&self.slides)
            .map(|(page_number, entry)| {
                let context = PageContext {
                    title: self.title.clone(),
                    page_number,
                    page_count,
                    language: self.language.clone(),
                    offline: false,
                    furniture: None,
                };
                DeckPage {
                    scene: render::scene(&entry.slide, &self.theme, &context, fonts),
                    slide: entry.slide.clone(),
                    context,
                    notes: entry.notes.clone(),
                }
            })
            .collect()
    }
}
