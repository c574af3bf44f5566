//! Words that may stand for each other, as data: a row has a word or a phrase and the names of its classes.

use std::collections::HashMap;

use crate::script::is_ideographic;

/// The most characters of a phrase without spaces, and the most words of one with spaces.
const CHARS_MAX: usize = 6;
const WORDS_MAX: usize = 4;

/// The classes of words and phrases. A word that ends in `*` stands for each word that begins like it.
#[derive(Clone, Debug, Default)]
pub struct Synonyms {
    whole: HashMap<String, Vec<String>>,
    begun: HashMap<String, Vec<String>>,
    /// The words of the longest of those that end in `*`.
    begun_words: usize,
}

impl Synonyms {
    /// Reads rows of a word, a tab, and the names of classes with commas between them. Rows that begin with `#` are remarks.
    pub fn read(text: &str) -> Self {
        let mut synonyms = Self::default();
        let rows = text.lines().filter(|row| !row.starts_with('#'));
        for (word, classes) in rows.filter_map(|row| row.split_once('\t')) {
            classes
                .split(',')
                .for_each(|class| synonyms.add(word, class));
        }
        synonyms
    }

    /// Adds a word to a class.
    pub(crate) fn add(&mut self, word: &str, class: &str) {
        let (words, word) = match word.strip_suffix('*') {
            Some(stem) => {
                self.begun_words = self.begun_words.max(1 + stem.matches(' ').count());
                (&mut self.begun, stem)
            }
            None => (&mut self.whole, word),
        };
        let classes = words.entry(word.to_owned()).or_default();
        classes.push(class.to_owned());
    }

    /// The classes of the words of a folded text, in the order of the text; of two that overlap the first one.
    pub(crate) fn classes(&self, text: &str) -> Vec<&str> {
        let mut found = vec![];
        let mut at = 0;
        for (begin, length, classes) in self.found(text, [CHARS_MAX, WORDS_MAX]) {
            if begin >= at {
                found.extend(classes.iter().map(String::as_str));
                at = begin + length;
            }
        }
        found
    }

    /// The longest word at each place of a folded text: where it begins, its bytes with the space behind it, and its classes. The most
    /// characters and the most words of one are given.
    pub(crate) fn found(&self, text: &str, most: [usize; 2]) -> Vec<(usize, usize, &[String])> {
        let mut found = vec![];
        let mut at = 0;
        while at < text.len() {
            let word = self.longest(&text[at..], most);
            found.extend(word.map(|(length, classes)| (at, length, classes)));
            at += unit(&text[at..]);
        }
        found
    }

    /// The longest word that a text begins with: its bytes and its classes.
    fn longest(&self, text: &str, most: [usize; 2]) -> Option<(usize, &[String])> {
        let mut best = None;
        let mut end = 0;
        let mut begun = None;
        let most = most[usize::from(!text.starts_with(is_ideographic))];
        for at in 0..most {
            let begin = end;
            end += unit(&text[end..]);
            if end == begin {
                break;
            }
            let word = text[..end].trim_end();
            if let Some(classes) = self.whole.get(word) {
                best = Some((end, classes.as_slice()));
            }
            if at < self.begun_words {
                let inside = word.char_indices().map(|(at, _)| at);
                let stems = inside.chain([word.len()]).filter(|at| *at > begin);
                let stem = stems.rev().find_map(|at| self.begun.get(&word[..at]));
                begun = stem.map(|classes| (end, classes.as_slice())).or(begun);
            }
        }
        best.or(begun)
    }
}

/// The bytes of what a text begins with: a character of a script without spaces, a word with the space behind it, or a mark.
fn unit(text: &str) -> usize {
    let Some(first) = text.chars().next() else {
        return 0;
    };
    let is_part = |c: char| (c.is_alphanumeric() && !is_ideographic(c)) || c == '\'' || c == '-';
    if !is_part(first) {
        return first.len_utf8();
    }
    let word = text.find(|c| !is_part(c)).unwrap_or(text.len());
    word + text[word..].len() - text[word..].trim_start_matches(' ').len()
}
