//! Items that a message names by their titles.

use std::ops::Range;

use words::{NounAt, Unit, folded, is_han, nouns_in};

/// Where an item is called by its title, in bytes of the message, and its number.
type Titled = (Range<usize>, u32);

/// The fewest characters of a title by which it is recognised.
const TITLE_CHARS_MIN: usize = 2;
/// The fewest letters of a word that may be a part of a title, and the most words that are looked at.
const TITLE_WORD_MIN: usize = 4;
const TITLE_WORDS_MAX: usize = 3;
/// Characters before a noun that may be a part of a title.
const TITLE_CHARS_MAX: usize = 24;

fn number(place: usize) -> u32 {
    u32::try_from(place + 1).unwrap_or(u32::MAX)
}

/// Whole titles in a folded message.
pub(super) fn alone(text: &str, titles: &[String]) -> Vec<Titled> {
    let mut found: Vec<Titled> = vec![];
    for (place, title) in titles.iter().enumerate() {
        let title = folded(title);
        let Some(begin) = text
            .find(&title)
            .filter(|_| title.chars().count() >= TITLE_CHARS_MIN)
        else {
            continue;
        };
        let end = begin + title.len();
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han(c));
        let is_joined = title.ends_with(|c| is_letter(Some(c))) && is_letter(text[end..].chars().next())
            || title.starts_with(|c| is_letter(Some(c)))
                && is_letter(text[..begin].chars().next_back())
            // "没问题" (no problem) does not name the section "问题".
            || text[..begin].ends_with(['没', '有', '无']);
        let is_inside = |(of, _): &Titled| of.start < end && begin < of.end;
        if !is_joined && !found.iter().any(is_inside) {
            found.push((begin..end, number(place)));
        }
    }
    found.sort_by_key(|(of, _)| of.start);
    found
}

/// Nouns with words of a title before them: "“两个经典实验”这一页", "实验那页", "the experiments page".
pub(super) fn beside_nouns(text: &str, things: Unit, titles: &[String]) -> Vec<Titled> {
    let nouns = nouns_in(text, things).into_iter();
    nouns
        .filter_map(|noun| beside(text, &noun, titles))
        .collect()
}

fn beside(text: &str, noun: &NounAt, titles: &[String]) -> Option<Titled> {
    let is_quote = |c: char| "\"'「」《》‘’".contains(c);
    let before = text[..noun.names_end].trim_end_matches(|c: char| c == ' ' || is_quote(c));
    if before.ends_with(is_han) {
        let said: Vec<(usize, char)> = before.char_indices().rev().take(TITLE_CHARS_MAX).collect();
        let ends = (TITLE_CHARS_MIN..=said.len()).rev();
        let mut ends = ends.map(|length| said[length - 1].0);
        return ends.find_map(|begin| {
            let place = only(titles, |title| folded(title).contains(&before[begin..]))?;
            Some((begin..before.len(), number(place)))
        });
    }
    // As many of the words before the noun as are needed to tell the titles apart.
    let names = noun.names.iter().rev().take(TITLE_WORDS_MAX);
    let names: Vec<&Range<usize>> = names.collect();
    let is_long = |of: &&Range<usize>| text[of.start..of.end].chars().count() >= TITLE_WORD_MIN;
    names.first().filter(|name| is_long(name))?;
    (1..=names.len()).find_map(|count| {
        let said = names[..count].iter().map(|of| &text[of.start..of.end]);
        let said: Vec<&str> = said.collect();
        let place = only(titles, |title| has_words(title, &said))?;
        Some((names[count - 1].start..names[0].end, number(place)))
    })
}

/// The only title that is so.
fn only(titles: &[String], is_so: impl Fn(&String) -> bool) -> Option<usize> {
    let mut places = (0..titles.len()).filter(|place| is_so(&titles[*place]));
    places.next().filter(|_| places.next().is_none())
}

/// Whether a title has each of these words, whatever their ending.
fn has_words(title: &str, said: &[&str]) -> bool {
    let title = folded(title);
    let known: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).collect();
    said.iter().all(|word| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        known.iter().any(|known| known.starts_with(stem))
    })
}
