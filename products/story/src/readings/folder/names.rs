//! Finds the entry that a name in a file means.

use std::collections::HashMap;

use palimpsest::prelude::pipeline::EntryId;
use unicode_normalization::UnicodeNormalization;

use super::fields::EntryKind;
use super::natural::chapter_number;

/// What entries can be referred to by, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum CalledBy {
    Id,
    Name,
    Alias,
}

/// The entries of a folder by what they can be called by.
#[derive(Debug, Default)]
pub(super) struct Names {
    called: HashMap<(EntryKind, CalledBy, String), Vec<EntryId>>,
    /// The chapters as they are read.
    chapters: Vec<EntryId>,
}

impl Names {
    pub(super) fn add<'a>(
        &mut self,
        kind: EntryKind,
        id: &EntryId,
        name: &str,
        aliases: impl Iterator<Item = &'a str>,
    ) {
        self.put(kind, CalledBy::Id, id.as_str(), id);
        self.put(kind, CalledBy::Name, name, id);
        for alias in aliases {
            self.put(kind, CalledBy::Alias, alias, id);
        }
    }

    fn put(&mut self, kind: EntryKind, by: CalledBy, text: &str, id: &EntryId) {
        let ids = self.called.entry((kind, by, plain(text))).or_default();
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }

    pub(super) fn set_chapters(&mut self, chapters: Vec<EntryId>) {
        self.chapters = chapters;
    }

    /// The entry with this id or name.
    ///
    /// # Errors
    ///
    /// A message that there is no such entry, or more than one.
    pub(super) fn find(&self, kind: EntryKind, text: &str) -> Result<EntryId, String> {
        for by in [CalledBy::Id, CalledBy::Name, CalledBy::Alias] {
            match self.called.get(&(kind, by, plain(text))).map(Vec::as_slice) {
                Some([id]) => return Ok(id.clone()),
                // The ids may differ only in case.
                Some(ids) if by == CalledBy::Id => {
                    if let Some(id) = ids.iter().find(|id| id.as_str() == text) {
                        return Ok(id.clone());
                    }
                }
                Some(_) => {
                    let kind = kind.words();
                    return Err(format!("more than one {kind} is called `{text}`"));
                }
                None => {}
            }
        }
        if kind == EntryKind::Chapter
            && let Some(number) = chapter_number(text)
            && let Ok(number) = usize::try_from(number)
            && let Some(id) = number.checked_sub(1).and_then(|at| self.chapters.get(at))
        {
            return Ok(id.clone());
        }
        Err(format!("no {} is called `{text}`", kind.words()))
    }
}

/// The form in which names are compared.
fn plain(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
}
