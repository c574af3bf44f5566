//! A chapter as rules read it: sentence by sentence, with who is named in it and whether it simply states that something is so. Text in
//! quotation marks, in a dream, in a memory or in a letter does not.

pub(crate) mod acts;
pub(crate) mod clock;
pub(crate) mod cues;
pub(crate) mod hands;
pub(crate) mod numbers;
pub(crate) mod persons;
pub(crate) mod pronouns;
pub(crate) mod relations;
#[cfg(test)]
mod tests;
pub(crate) mod whereabouts;

use std::ops::Range;
use std::sync::LazyLock;

use crate::readings::slice;
use palimpsest::prelude::resource::project::{CHAPTER_BYTES_MAX, Quote};
use regex::Regex;
use words::is_han;
use words::sentences::sentences;

use self::cues::{Cues, Hit};
use self::pronouns::Genders;
use super::names::{Kind, Mention, Names};

/// Why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("it has {bytes} bytes, and a chapter may have {CHAPTER_BYTES_MAX}")]
    TooLong { bytes: usize },
}

impl Unreadable {
    /// The reason in the language of a book.
    pub fn in_words(self, chinese: bool) -> String {
        match self {
            Self::TooLong { bytes } if chinese => {
                format!("它有 {bytes} 字节，一章最多 {CHAPTER_BYTES_MAX} 字节")
            }
            Self::TooLong { .. } => self.to_string(),
        }
    }
}

/// A sentence of a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Bytes of the text.
    pub at: Range<usize>,
    /// The number of characters of the text before the sentence.
    pub start: usize,
    /// Which paragraph it is in, from 0.
    pub paragraph: usize,
    /// Whether it is part of a memory, a dream, a letter or a heading.
    pub is_aside: bool,
    /// The cues of all words that stand outside of quotation marks.
    pub cues: Cues,
    mentions: Range<usize>,
    hits: Range<usize>,
}

impl Sentence {
    /// Whether what it says outside of quotation marks is true in the story's present.
    pub(crate) fn is_outright(&self) -> bool {
        !self.is_aside && !self.cues.any(Cues::NOT_OUTRIGHT)
    }
}

/// A text that has been read.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    pub text: &'a str,
    pub sentences: Vec<Sentence>,
    mentions: Vec<Mention>,
    hits: Vec<Hit>,
    /// The parts of the text in quotation marks, in order, as bytes.
    spoken: Vec<Range<usize>>,
    /// Whom `he` and `she` can mean.
    genders: Genders,
    /// Characters in quotation marks.
    pub spoken_chars: usize,
    pub chars: usize,
}

impl<'a> Told<'a> {
    /// # Errors
    ///
    /// The text is longer than a chapter may be.
    pub(crate) fn of(text: &'a str, names: &Names) -> Result<Self, Unreadable> {
        let bytes = text.len();
        if bytes as u64 > CHAPTER_BYTES_MAX {
            return Err(Unreadable::TooLong { bytes });
        }
        let mentions = names.find(text);
        let spoken = spoken(text, &mentions);
        let mut told = Self {
            text,
            sentences: vec![],
            mentions,
            hits: cues::hits(text),
            spoken,
            genders: Genders::default(),
            spoken_chars: 0,
            chars: 0,
        };
        for index in 0..told.mentions.len() {
            told.mentions[index].is_spoken = told.is_spoken(told.mentions[index].at.start);
        }
        told.divide();
        told.spoken_chars = told
            .spoken
            .iter()
            .map(|at| chars(slice(text, at.clone())))
            .sum();
        told.set_asides();
        told.genders = Genders::of(&told, names);
        Ok(told)
    }

    /// The words of a sentence.
    pub(crate) fn words(&self, sentence: &Sentence) -> &'a str {
        slice(self.text, sentence.at.clone())
    }

    /// The sentence as a finding or a fact quotes it.
    pub(crate) fn quote(&self, sentence: &Sentence) -> Quote {
        Quote {
            text: self.words(sentence).to_owned(),
            start: sentence.start,
        }
    }

    /// The names in a sentence.
    pub(crate) fn mentions(&self, sentence: &Sentence) -> &[Mention] {
        &self.mentions[sentence.mentions.clone()]
    }

    /// The names of one kind in a sentence, outside of quotation marks.
    pub(crate) fn named(
        &self,
        sentence: &Sentence,
        kind: Kind,
    ) -> impl Iterator<Item = (usize, &Mention)> {
        let mentions = self.mentions(sentence).iter();
        let mentions = mentions.filter(move |it| it.kind == kind && !it.is_spoken);
        mentions.filter_map(|it| it.named.map(|named| (named, it)))
    }

    /// The only person who is named in a sentence outside of quotation marks.
    pub(crate) fn only_person(&self, sentence: &Sentence) -> Option<usize> {
        let mut people = self
            .named(sentence, Kind::Character)
            .map(|(named, _)| named);
        let first = people.next()?;
        people.all(|other| other == first).then_some(first)
    }

    /// The words of a sentence that say how it is told.
    pub(crate) fn hits(&self, sentence: &Sentence) -> &[Hit] {
        &self.hits[sentence.hits.clone()]
    }

    /// The words of one kind that stand outside of quotation marks.
    pub(crate) fn told_hits(&self, sentence: &Sentence, cues: Cues) -> impl Iterator<Item = &Hit> {
        let hits = self.hits(sentence).iter();
        hits.filter(move |hit| hit.cues.any(cues) && !self.is_spoken(hit.at.start))
    }

    /// Whether this byte stands in quotation marks.
    pub(crate) fn is_spoken(&self, at: usize) -> bool {
        let next = self.spoken.partition_point(|range| range.end <= at);
        self.spoken.get(next).is_some_and(|range| range.start <= at)
    }

    /// The sentence before, where it is in the same paragraph.
    pub(crate) fn before(&self, index: usize) -> Option<&Sentence> {
        let before = self.sentences.get(index.checked_sub(1)?)?;
        (before.paragraph == self.sentences[index].paragraph).then_some(before)
    }

    fn divide(&mut self) {
        let (mut end, mut start, mut paragraph) = (0, 0, 0);
        let (mut mention, mut hit) = (0, 0);
        let all = sentences_around(self.text, &self.mentions);
        self.hits.retain(|hit| {
            let next = all.partition_point(|at| at.end <= hit.at.start);
            let has = |at: &Range<usize>| at.start <= hit.at.start && hit.at.end <= at.end;
            all.get(next).is_some_and(has)
        });
        for at in all {
            let gap = slice(self.text, end..at.start);
            start += chars(gap);
            paragraph += usize::from(gap.contains('\n'));
            end = at.end;
            let mentions = upto(&self.mentions, &mut mention, end, |it| it.at.start);
            let hits = upto(&self.hits, &mut hit, end, |it| it.at.start);
            let told = self.hits[hits.clone()].iter();
            let told = told.filter(|hit| !self.is_spoken(hit.at.start));
            let cues = told.fold(Cues::default(), |all, hit| all.with(hit.cues));
            let length = chars(slice(self.text, at.clone()));
            self.sentences.push(Sentence {
                at,
                start,
                paragraph,
                is_aside: false,
                cues,
                mentions,
                hits,
            });
            start += length;
        }
        self.chars = start + chars(slice(self.text, end..));
    }

    /// Whether most of the text is a memory or a dream.
    pub(crate) fn is_mostly_aside(&self) -> bool {
        let prose = self.sentences.iter().filter(|it| !is_break(self.words(it)));
        let (mut all, mut asides) = (0, 0);
        for sentence in prose {
            all += 1;
            asides += usize::from(sentence.is_aside || sentence.cues.any(Cues::BEFORE));
        }
        asides * 2 > all
    }

    /// Marks the sentences that belong to a memory or a dream which began in an earlier sentence. A memory that begins a section lasts
    /// until a cue ends it, or to the end of the section. Any other memory, and every dream, lasts until such a cue if one follows soon,
    /// and otherwise to the end of its paragraph.
    fn set_asides(&mut self) {
        let ends_later = self.ends_later();
        let mut block: Option<Block> = None;
        let (mut paragraph, mut begins_section) = (usize::MAX, true);
        for (index, later) in ends_later.into_iter().enumerate() {
            let sentence = &self.sentences[index];
            if is_break(self.words(sentence)) {
                (block, begins_section) = (None, true);
                self.sentences[index].is_aside = true;
                continue;
            }
            let begins_paragraph = sentence.paragraph != paragraph;
            paragraph = sentence.paragraph;
            let is_over = |block: &Block| {
                sentence.cues.any(block.end) || block.within.is_some_and(|it| it != paragraph)
            };
            if block.as_ref().is_some_and(is_over) {
                block = None;
            }
            let opens = self.opens(sentence, begins_paragraph);
            if let Some(end) = opens.filter(|end| !sentence.cues.any(*end)) {
                let is_whole = begins_section && end == Cues::RETURN;
                let within = (!is_whole && !later.any(end)).then_some(paragraph);
                block = block.or(Some(Block { end, within }));
            }
            let is_noted = self.words(sentence).starts_with('>');
            self.sentences[index].is_aside = block.is_some() || is_noted;
            begins_section = false;
        }
    }

    /// What ends a memory or dream that this sentence begins.
    fn opens(&self, sentence: &Sentence, begins_paragraph: bool) -> Option<Cues> {
        if sentence.cues.any(Cues::DREAM) {
            return Some(Cues::WAKE);
        }
        if begins_paragraph && is_life_stage(self.words(sentence)) {
            return Some(Cues::RETURN);
        }
        let mut before = self.told_hits(sentence, Cues::BEFORE);
        let begins = |hit: &Hit| {
            let ahead = slice(self.text, sentence.at.start..hit.at.start);
            chars(ahead)
                <= if is_chinese(self.words(sentence)) {
                    8
                } else {
                    24
                }
        };
        (begins_paragraph && before.any(begins)).then_some(Cues::RETURN)
    }

    /// For each sentence, which ends of memories and dreams follow soon after it in its section.
    fn ends_later(&self) -> Vec<Cues> {
        let mut later = vec![Cues::default(); self.sentences.len()];
        // The paragraph of the next end of each kind.
        let mut next = [(Cues::RETURN, None), (Cues::WAKE, None)];
        for (index, sentence) in self.sentences.iter().enumerate().rev() {
            for (end, at) in &mut next {
                let is_near =
                    at.is_some_and(|at: usize| at <= sentence.paragraph + ASIDE_PARAGRAPHS);
                if is_near {
                    later[index] = later[index].with(*end);
                }
                if is_break(self.words(sentence)) {
                    *at = None;
                }
                if sentence.cues.any(*end) {
                    *at = Some(sentence.paragraph);
                }
            }
        }
        later
    }
}

/// How many paragraphs a memory or dream in the middle of a section may last. Words such as `today` that could end it also occur where
/// there is no memory.
const ASIDE_PARAGRAPHS: usize = 6;

/// A time of somebody's life that is already over: "She had been six years old".
static LIFE_STAGE: LazyLock<Regex> = LazyLock::new(|| {
    let years = "(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif)ty(?:-[a-z]+)?)";
    let young =
        "(?:a |an )?(?:small|little|young|baby|boy|girl|child|lad|infant|children|boys|girls)";
    let pattern = format!(
        r"^\W*(?:[A-Z][\w'’-]*|The \w+)(?: [A-Z][\w'’-]*)? had (?:only |just |barely |not yet )?(?:been|turned) (?:only |just |barely |about )?(?:(?:{young})\b|{years}(?: years old| years of age|[,.;]| and | when | that | the ))"
    );
    let when = format!(
        r"^\W*(?:[Ww]hen|[Tt]he (?:year|summer|winter|spring|autumn|day)(?: that)?) (?:\w+ ){{1,3}}was (?:only |just )?(?:{young}\b|{years}(?: years old)?\b[^-])"
    );
    Regex::new(&format!("{pattern}|{when}")).expect("it is a pattern")
});

/// Whether a sentence goes back to a time when somebody had another age.
fn is_life_stage(words: &str) -> bool {
    !is_chinese(words) && LIFE_STAGE.is_match(words)
}

/// The sentences of a text with names in it. A stop inside a name ends none: "Col. Crane", "What! Tom".
fn sentences_around(text: &str, names: &[Mention]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = vec![];
    let mut names = names.iter().map(|it| &it.at).peekable();
    for at in sentences(text) {
        while names.next_if(|name| name.end <= at.start).is_some() {}
        match found.last_mut() {
            Some(last) if names.peek().is_some_and(|name| name.start < last.end) => {
                last.end = at.end;
            }
            Some(_) | None => found.push(at),
        }
    }
    found
}

/// A memory or dream that is being told.
struct Block {
    /// What ends it.
    end: Cues,
    /// The last paragraph that can belong to it.
    within: Option<usize>,
}

/// The range of sorted entries that begin before `end`, starting where the last sentence stopped.
fn upto<T>(all: &[T], next: &mut usize, end: usize, at: impl Fn(&T) -> usize) -> Range<usize> {
    let from = *next;
    while all.get(*next).is_some_and(|it| at(it) < end) {
        *next += 1;
    }
    from..*next
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Whether a line is a heading, or consists only of signs.
fn is_break(words: &str) -> bool {
    words.starts_with('#') || !words.contains(char::is_alphanumeric)
}

/// Whether a text is written in Chinese, by its first words.
pub(crate) fn is_chinese(words: &str) -> bool {
    let mut letters = words.chars().filter(|c| c.is_alphabetic()).take(12);
    letters.any(is_han)
}

/// The parts of a text in quotation marks and in title marks. A quotation that is not closed ends with its paragraph. The marks of a name,
/// as in Anna "The Owl" Beck, belong to the name.
fn spoken(text: &str, names: &[Mention]) -> Vec<Range<usize>> {
    let mut found = vec![];
    let mut open: Option<(usize, char)> = None;
    let mut before = '\n';
    let mut names = names.iter().map(|it| &it.at).peekable();
    for (at, c) in text.char_indices() {
        while names.next_if(|name| name.end <= at).is_some() {}
        match open {
            _ if names.peek().is_some_and(|name| name.start <= at) => {}
            Some((start, close)) if c == '\n' || (c == close && closes(text, at, c)) => {
                found.push(start..at);
                open = None;
            }
            Some(_) => {}
            None => open = opens_quotation(text, at, c, before).map(|close| (at, close)),
        }
        before = c;
    }
    found.extend(open.map(|(start, _)| start..text.len()));
    found
}

/// Whether this character closes a quotation; an apostrophe inside a word does not.
fn closes(text: &str, at: usize, c: char) -> bool {
    let next = slice(text, at + c.len_utf8()..).chars().next();
    c != '’' || next.is_none_or(|c| !c.is_alphanumeric() || is_han(c))
}

/// The character that closes the quotation which this one opens; `None` where it opens none.
fn opens_quotation(text: &str, at: usize, c: char, before: char) -> Option<char> {
    match c {
        '“' => Some('”'),
        '「' => Some('」'),
        '『' => Some('』'),
        '《' => Some('》'),
        '"' => Some('"'),
        '‘' => {
            let next = slice(text, at + c.len_utf8()..).chars().next();
            (!before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)).then_some('’')
        }
        _ => None,
    }
}

/// The text between two places of a sentence, without the space around it.
pub(crate) fn between(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default().trim()
}

/// Whether a list of words that are divided by `|` has this one.
pub(crate) fn has(list: &str, word: &str) -> bool {
    list.split('|').any(|it| it == word)
}

/// The word of a list with which a text begins, the longest one.
pub(crate) fn begins_with<'a>(text: &str, list: &'a str) -> Option<&'a str> {
    let fitting = list.split('|').filter(|word| text.starts_with(word));
    fitting.max_by_key(|word| word.len())
}

/// Whether a text ends with one of the words of a list.
pub(crate) fn ends_with(text: &str, list: &str) -> bool {
    list.split('|').any(|word| text.ends_with(word))
}

/// Whether one of the words of a list is in a text; those of English as whole words, ignoring case.
pub(crate) fn contains(text: &str, list: &str) -> bool {
    let mut lower: Option<String> = None;
    list.split('|').any(|word| {
        if !word.is_ascii() {
            return text.contains(word);
        }
        let lower = lower.get_or_insert_with(|| text.to_ascii_lowercase());
        let mut found = lower.match_indices(word);
        found.any(|(at, _)| cues::begins_word(lower, at) && cues::ends_word(lower, at + word.len()))
    })
}
