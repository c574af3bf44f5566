//! Finding the sentence that somebody quotes in a chapter.

use std::ops::Range;

use crate::readings::slice;
use palimpsest::prelude::resource::project::Quote;

use crate::readings::told::{Sentence, Told};

/// The divisor that gives how much of a sentence's letters has to be quoted to identify it: less than half may occur in many sentences.
const QUOTED_PART: usize = 2;

/// A text that is searched for quotations: its words, without regard to white space and to the shape of quotation marks, which models often
/// change.
pub(super) struct Quotable<'a> {
    told: &'a Told<'a>,
    plain: String,
    /// For each byte of the plain text the byte of the text that it stands for.
    at: Vec<usize>,
}

impl<'a> Quotable<'a> {
    pub(super) fn of(told: &'a Told<'a>) -> Self {
        let mut plain = String::with_capacity(told.text.len());
        let mut at = Vec::with_capacity(told.text.len() + 1);
        for (byte, c) in plain_chars(told.text) {
            plain.push(c);
            at.resize(plain.len(), byte);
        }
        at.push(told.text.len());
        Self { told, plain, at }
    }

    /// The sentence that is quoted, or the sentences from the first to the last; `None` where the words are not in the text, or are only a
    /// small part of a sentence.
    pub(super) fn find(&self, said: &str) -> Option<Quote> {
        let whole: String = plain_chars(said).map(|(_, c)| c).collect();
        let whole = whole.trim();
        let inside = whole.trim_matches('"').trim();
        let mut found = [whole, inside].into_iter().filter(|it| !it.is_empty());
        found.find_map(|words| self.place(words))
    }

    /// Whether a name occurs in the text unchanged.
    pub(super) fn names(&self, name: &str) -> bool {
        let name: String = plain_chars(name).map(|(_, c)| c).collect();
        !name.trim().is_empty() && self.plain.contains(name.trim())
    }

    fn place(&self, words: &str) -> Option<Quote> {
        let mut places = self.plain.match_indices(words);
        places.find_map(|(from, _)| {
            let start = *self.at.get(from)?;
            let end = *self.at.get(from + words.len())?;
            self.sentences(start..end, letters(words))
        })
    }

    /// The sentences to which these bytes belong, if this number of letters is enough to identify them.
    fn sentences(&self, bytes: Range<usize>, quoted: usize) -> Option<Quote> {
        let all = &self.told.sentences;
        let first = all.partition_point(|it| it.at.end <= bytes.start);
        let last = all.partition_point(|it| it.at.start < bytes.end);
        let meant: &[Sentence] = all.get(first..last)?;
        let (one, other) = (meant.first()?, meant.last()?);
        let text = slice(self.told.text, one.at.start..other.at.end);
        (quoted > 0 && quoted * QUOTED_PART >= letters(text)).then(|| Quote {
            text: text.to_owned(),
            start: one.start,
        })
    }
}

/// The characters of a text with a single space for every white space, and one shape of quotation marks; each with its byte.
fn plain_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut was_space = false;
    text.char_indices().filter_map(move |(at, c)| {
        let is_space = c.is_whitespace();
        let again = is_space && was_space;
        was_space = is_space;
        let plain = match c {
            _ if is_space => ' ',
            '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' => '"',
            '‘' | '’' => '\'',
            c => c,
        };
        (!again).then_some((at, plain))
    })
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}
