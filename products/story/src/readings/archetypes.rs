//! The fifteen archetypes that every project has: roles that characters play in stories, in both languages. A project may have archetypes
//! of its own, and may replace one of these by giving its own the same id.

use std::sync::LazyLock;

use palimpsest::prelude::resource::project::{Archetype, What};
use serde::Deserialize;

use super::book::Book;

/// The fifteen as their file has them.
#[derive(Deserialize)]
struct File {
    archetype: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    id: String,
    zh: Archetype,
    en: Archetype,
}

static TOLD: LazyLock<Vec<Told>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("archetypes.toml")).expect("a test reads it");
    file.archetype
});

/// An archetype by its id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedArchetype {
    pub id: String,
    pub archetype: Archetype,
}

/// The fifteen in one language.
pub(crate) fn built_in(chinese: bool) -> Vec<NamedArchetype> {
    let told = TOLD.iter();
    told.map(|it| NamedArchetype {
        id: it.id.clone(),
        archetype: if chinese { &it.zh } else { &it.en }.clone(),
    })
    .collect()
}

/// The archetypes of a project: the fifteen in its language, of which the project's own may replace some, and then the rest of its own.
pub(crate) fn archetypes(book: &Book) -> Vec<NamedArchetype> {
    let mut found = built_in(book.is_chinese());
    for kept in book.project().entries.values() {
        let What::Archetype(own) = &kept.entry.what else {
            continue;
        };
        if !kept.entry.standing.is_fact() {
            continue;
        }
        let id = kept.entry.id.to_string();
        match found.iter_mut().find(|known| known.id == id) {
            Some(known) => known.archetype = own.clone(),
            None => found.push(NamedArchetype {
                id,
                archetype: own.clone(),
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::book_tests::Bible;
    use super::*;

    #[test]
    fn there_are_fifteen_each_whole_in_both_languages() {
        let known: BTreeSet<&str> = TOLD.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(known.len(), 15);
        for chinese in [true, false] {
            for it in built_in(chinese) {
                let archetype = it.archetype;
                let words = archetype.traits.iter().chain(&archetype.examples);
                let words = words.chain([&archetype.name, &archetype.function]);
                for said in words {
                    let is_chinese = said.chars().any(|c| ('\u{4E00}'..'\u{A000}').contains(&c));
                    assert_eq!(is_chinese, chinese, "{}: {said}", it.id);
                }
                assert_eq!(archetype.traits.len(), 4);
                assert_eq!(archetype.examples.len(), 2);
            }
        }
    }

    #[test]
    fn a_project_adds_its_own_and_may_replace_one() {
        let own = |name: &str| {
            What::Archetype(Archetype {
                name: name.to_owned(),
                ..Archetype::default()
            })
        };
        let book = Bible::with_chapters(0)
            .put("mentor", own("My mentor"))
            .put("witness", own("The witness"))
            .book();
        let found = archetypes(&book);
        assert_eq!(found.len(), 16);
        let name = |id: &str| {
            let known = found.iter().find(|it| it.id == id);
            known.map(|it| it.archetype.name.as_str())
        };
        assert_eq!(name("mentor"), Some("My mentor"));
        assert_eq!(name("witness"), Some("The witness"));
        assert!(name("hero").is_some());
    }
}
