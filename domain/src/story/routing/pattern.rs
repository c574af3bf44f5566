//! Where words occur in a folded text.

/// The most occurrences of a word that are looked at: more say nothing new.
const OCCURRENCES_MAX: usize = 8;

/// Where a word occurs, in bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// The first places of a word in a folded text. A word of Latin letters occurs only as a whole word, or as the beginning of one where it
/// ends in `*`.
pub(super) fn occurrences(text: &str, word: &str) -> Vec<Span> {
    let stem = word.strip_suffix('*').unwrap_or(word);
    let is_open = stem.len() < word.len();
    let is_whole = |span: &Span| {
        let before = text[..span.start].chars().next_back();
        let after = text[span.end..].chars().next();
        let is_begun = stem.starts_with(is_latin) && before.is_some_and(is_latin);
        let is_cut = !is_open && stem.ends_with(is_latin) && after.is_some_and(is_latin);
        !is_begun && !is_cut
    };
    let spans = text.match_indices(stem).map(|(start, found)| {
        let end = start + found.len();
        let tail = text[end..].chars().take_while(|c| is_open && is_latin(*c));
        let tail: usize = tail.map(char::len_utf8).sum();
        Span {
            start,
            end: end + tail,
        }
    });
    spans.filter(is_whole).take(OCCURRENCES_MAX).collect()
}

/// Letters and digits that words of Latin letters are made of.
fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric()
}
