//! Words of languages as data, for code that looks for words of a class.

use std::collections::HashMap;

use crate::fold::folded;
use crate::synonyms::Synonyms;

/// The most characters of an entry in a script without spaces, and the most words of one with spaces: no table has a longer one.
const UNITS_MAX: usize = 16;

/// Words by class. A word that ends in `*` stands for each word that begins like it.
#[derive(Clone, Debug, Default)]
pub struct WordTable {
    words: Synonyms,
    lists: HashMap<&'static str, Vec<&'static str>>,
}

/// A word of a class in a text, and where it stands there, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassedWord<'a> {
    pub class: &'a str,
    pub begin: usize,
    pub end: usize,
}

impl WordTable {
    /// Reads rows of a class, a tab, the tag of a language, a tab, and words with `|` between them. Rows that begin with `#` are
    /// remarks.
    pub fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        for row in text.lines().filter(|row| !row.starts_with('#')) {
            let mut fields = row.splitn(3, '\t');
            let (Some(class), Some(_), Some(words)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            for word in words.split('|') {
                table.words.add(&folded(word), class);
                table.lists.entry(class).or_default().push(word);
            }
        }
        table
    }

    /// The words of a class as they stand in the table, in its order, for a grammar that looks at what is beside them; none where the table
    /// has no such class.
    pub fn list(&self, class: &str) -> &[&'static str] {
        self.lists.get(class).map_or(&[], Vec::as_slice)
    }

    /// The words in a folded text, in its order: at each place the longest one, once for each of its classes. Words of spaced scripts are
    /// whole words; words may overlap.
    pub fn found<'a>(&'a self, text: &str) -> Vec<ClassedWord<'a>> {
        let mut found = vec![];
        for (begin, length, classes) in self.words.found(text, [UNITS_MAX; 2]) {
            let end = begin + text[begin..begin + length].trim_end().len();
            found.extend(
                classes
                    .iter()
                    .map(|class| ClassedWord { class, begin, end }),
            );
        }
        found
    }

    /// The first word of a class in a folded text.
    pub fn first<'a>(&'a self, text: &str, class: &str) -> Option<ClassedWord<'a>> {
        self.found(text)
            .into_iter()
            .find(|word| word.class == class)
    }

    /// Whether a folded text has a word of a class.
    pub fn has(&self, text: &str, class: &str) -> bool {
        self.first(text, class).is_some()
    }
}
