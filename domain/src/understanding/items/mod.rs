//! The pages, sections or pictures that a message names: by number, by place, by title.

mod order;
#[cfg(test)]
mod tests;

pub use order::{NEW, NEW_ITEM, reordered};
use order::{adds_one, before_article, merged, mover, order, reorders};

use std::sync::LazyLock;

use words::{WordTable, folded, is_han};

use super::numbers::{
    after_blanks, ends, is_letter, number_at, number_before, ordinal_at, ordinal_before, starts,
    trimmed,
};

/// The words of the grammar; the head of the file says which classes there are.
static WORDS: LazyLock<WordTable> = LazyLock::new(|| WordTable::read(include_str!("words.tsv")));

/// The words of a class of the grammar.
fn list(class: &str) -> &'static [&'static str] {
    WORDS.list(class)
}

/// Where the words of a class end that begin here, in the order of the class.
fn words_at(text: &[char], at: usize, class: &str) -> impl Iterator<Item = usize> {
    let words = list(class).iter();
    let words = words.filter(move |word| starts(&text[at..], word));
    words.map(move |word| at + word.chars().count())
}

/// What the items of a stage are called.
#[derive(Clone, Copy, Debug)]
pub struct ItemWords {
    /// The kind of artifact that each item is.
    pub kind: &'static str,
    /// What the items are called in an answer: the word for one in Chinese, and the word for several in English.
    pub called: (&'static str, &'static str),
    /// Nouns for one of them, longer ones first.
    pub units: &'static [&'static str],
    /// Nouns that stand behind the place of one, such as `ページ目` and `번 슬라이드`.
    pub numbered: &'static [&'static str],
    /// Names of the first one, and of the last one.
    pub first: &'static [&'static str],
    pub last: &'static [&'static str],
    /// Whether a title alone names an item, without a noun beside the title.
    pub by_title: bool,
    /// Whether items can be left out and put in another order without asking a model.
    pub can_be_ordered: bool,
}

/// A place in a message that names items.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mention {
    /// The places that are named, from 1; 0 stands for an item that does not exist.
    places: Vec<u32>,
    start: usize,
    end: usize,
}

/// What a message names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedItems {
    /// From 1, in their order.
    pub places: Vec<u32>,
    /// The first named number that no item has.
    pub beyond: Option<u32>,
    /// The places after the change, in their new order, where the message only leaves some out, moves some, merges several into one, or
    /// wants one more: [`NEW`] stands for a new item.
    pub order: Option<Vec<u32>>,
    /// Whether the message wants a new item.
    pub adds: bool,
    /// Whether it seems to name items, and which was not understood.
    pub unread: bool,
}

/// The items that a message names, of those with these titles.
pub fn named(text: &str, words: &ItemWords, titles: &[String]) -> NamedItems {
    let text: Vec<char> = folded(text).chars().collect();
    let count = u32::try_from(titles.len()).unwrap_or(u32::MAX);
    let words = &ItemWords {
        by_title: words.by_title || reorders(&text),
        ..*words
    };
    let mentions = but_for(&text, mentions(&text, words, titles, count), count);
    let merged = merged(&text, &mentions, count).filter(|_| words.can_be_ordered);
    let adds = adds_one(&text, words) || merged.is_some();
    // An item beside which a new one is put, or to which another one is moved, is to stay as it is.
    let meant = match mover(&text, &mentions) {
        _ if adds => &[],
        Some(moved) => std::slice::from_ref(moved),
        None => mentions.as_slice(),
    };
    let mut places: Vec<u32> = meant
        .iter()
        .flat_map(|mention| mention.places.iter().copied())
        .collect();
    places.sort_unstable();
    places.dedup();
    let beyond = places
        .iter()
        .copied()
        .find(|place| !(1..=count).contains(place));
    places.retain(|place| (1..=count).contains(place));
    let order = merged.or_else(|| {
        (words.can_be_ordered && beyond.is_none())
            .then(|| order(&text, &mentions, words, count))
            .flatten()
    });
    let unread = mentions.is_empty() && !adds && seems_to_name(&text);
    NamedItems {
        places,
        beyond,
        order,
        adds,
        unread,
    }
}

fn mentions(text: &[char], words: &ItemWords, titles: &[String], count: u32) -> Vec<Mention> {
    let mut found: Vec<Mention> = vec![];
    let mut at = 0;
    while at < text.len() {
        let mention = share(text, at, words, count)
            .or_else(|| bare(text, at, words, count))
            .or_else(|| bare_ends(text, at, words, count))
            .or_else(|| numbered(text, at, words, count))
            .or_else(|| placed(text, at, words, count))
            .map(|mention| with_listed(text, mention, words, count))
            .or_else(|| titled(text, at, words, titles));
        match mention {
            Some(mention) => {
                let joins = found.last().is_some_and(|before| {
                    let between = text.get(before.end..mention.start).unwrap_or_default();
                    let between = trimmed(between);
                    before.places.len() == 1
                        && mention.places.len() == 1
                        && list("up to")
                            .iter()
                            .any(|word| between.iter().collect::<String>().trim() == *word)
                });
                at = mention.end.max(at + 1);
                // A noun after a title names the same item once more: "the overview page".
                if let Some(before) = found.last_mut().filter(|it| mention.start < it.end) {
                    before.places = mention.places;
                    before.start = before.start.min(mention.start);
                    before.end = mention.end;
                    continue;
                }
                match found.last_mut().filter(|_| joins) {
                    Some(before) => {
                        before.places = span(before.places[0], mention.places[0]);
                        before.end = mention.end;
                    }
                    None => found.push(mention),
                }
            }
            None => at += 1,
        }
    }
    found
}

/// The classes of words that name items by themselves, and those that do where a number or an ordinal follows.
const NAMING: [&str; 4] = ["penultimate", "third last", "first half", "second half"];
const NAMING_WITH_NUMBER: [&str; 5] = ["first", "last", "last one", "except", "onwards"];

/// Whether a message has words for places that nothing of it is known to name: "make the last two darker".
fn seems_to_name(text: &[char]) -> bool {
    (0..text.len()).any(|at| {
        let longest = |class: &&str| words_at(text, at, class).max();
        let is_whole = |end: usize| !text.get(end).is_some_and(|c| is_letter(*c));
        let counts = |end: usize| {
            number_at(text, end).is_some() || ordinal_at(text, after_blanks(text, end)).is_some()
        };
        let begins = at == 0 || !is_letter(text[at - 1]);
        let mut alone = NAMING.iter().filter_map(longest);
        let mut counted = NAMING_WITH_NUMBER.iter().filter_map(longest);
        begins && (alone.any(is_whole) || counted.any(|end| is_whole(end) && counts(end)))
    })
}

/// The most items that a message can name at once: no product has more.
const SPAN_MAX: u32 = 100;

fn span(first: u32, last: u32) -> Vec<u32> {
    if first <= last && last - first < SPAN_MAX {
        (first..=last).collect()
    } else {
        vec![first, last]
    }
}

/// The most characters between a word for an exception and what is excepted: an article.
const ARTICLE_CHARS: usize = 5;

/// What a message names without what it excepts: "every page except the first", "slides 4 to 7, not 5"; all items but these where it names no
/// others.
fn but_for(text: &[char], mentions: Vec<Mention>, count: u32) -> Vec<Mention> {
    let (Some(first), Some(last)) = (mentions.first(), mentions.last()) else {
        return mentions;
    };
    let after_last = after_blanks(text, last.end);
    let is_behind = words_at(text, after_last, "excepted").next().is_some();
    let is_excepted = |it: &Mention| except_before(text, it.start).is_some();
    let of = mentions.iter().position(is_excepted);
    let Some(of) = of.or(is_behind.then_some(0)) else {
        return mentions;
    };
    let (named, taken_out) = mentions.split_at(of);
    let start = except_before(text, taken_out[0].start).unwrap_or(first.start);
    let start = (0..start).rev().find(|at| {
        let is_word = *at == 0 || !is_letter(text[*at - 1]);
        is_word && words_at(text, *at, "all").next().is_some()
    });
    let is_in = |places: &[Mention], place: &u32| places.iter().any(|it| it.places.contains(place));
    let wanted = |place: &u32| named.is_empty() || is_in(named, place);
    let behind = words_at(text, last.end, "except behind").max();
    let places = (1..=count).filter(|place| wanted(place) && !is_in(taken_out, place));
    vec![Mention {
        places: places.collect(),
        start: start.unwrap_or(first.start).min(first.start),
        end: behind.unwrap_or(last.end),
    }]
}

/// Where the word for an exception begins that stands before this place, but for an article.
fn except_before(text: &[char], at: usize) -> Option<usize> {
    let is_end = |end: &usize| *end == at || text[at - 1] == ' ';
    let ends = (at.saturating_sub(ARTICLE_CHARS)..=at).rev();
    let mut ends = ends.filter(is_end);
    ends.find_map(|end| before_word(trimmed(&text[..end]), list("except")))
}

fn unit_at(text: &[char], at: usize, words: &ItemWords) -> Option<usize> {
    let rest = &text[at..];
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    words.units.iter().find_map(|unit| {
        let length = unit.chars().count();
        let is_word = is_spaced(unit);
        let joined = |c: Option<&char>| is_word && c.is_some_and(|c| is_letter(*c));
        let plural = usize::from(is_word && rest.get(length) == Some(&'s'));
        let is_unit = starts(rest, unit) && !joined(before) && !joined(rest.get(length + plural));
        is_unit.then_some(length + plural)
    })
}

/// Whether a word is of a script that has spaces between words.
fn is_spaced(word: &str) -> bool {
    word.chars().any(is_letter)
}

/// "第3页", "第2、4页", "the third slide", "pages 2 and 4", "前两页", "the last two slides", "p. 3".
fn numbered(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    if text[at] == 'p' && words.units.contains(&"page") {
        let alone = at == 0 || !text[at - 1].is_ascii_alphanumeric();
        let dot = usize::from(text.get(at + 1) == Some(&'.'));
        let digit = text.get(at + 1 + dot).is_some_and(char::is_ascii_digit);
        if alone && digit {
            return listed_after(text, at, at + 1 + dot, words, count);
        }
    }
    let behind = |word: &&&str| starts(&text[at..], word);
    if let Some(word) = words.numbered.iter().find(behind)
        && let Some((place, start)) = number_before(text, at)
    {
        let end = at + word.chars().count();
        let from_end_at = before_word(trimmed(&text[..start]), list("from end"));
        let (places, start) = match (end_before(&text[..start]), from_end_at) {
            (Some((is_first, start)), _) => (ends_of(is_first, place, count), start),
            (None, Some(start)) => (vec![from_end(place, count)], start),
            (None, None) => (vec![place], start),
        };
        return Some(Mention { places, start, end });
    }
    let length = unit_at(text, at, words)?;
    let end = at + length;
    let mention = |places, start| Mention { places, start, end };
    // "les deux premières pages"
    if let Some((is_first, end)) = end_before(&text[..at])
        && let Some((n, start)) = number_before(text, end)
    {
        return Some(mention(ends_of(is_first, n, count), start));
    }
    if let Some((place, start)) = place_before(text, at, count) {
        let (place, end) = counted_back(text, place, end, count);
        let places = vec![place];
        return Some(Mention { places, start, end });
    }
    if let Some((n, start)) = number_before(text, at) {
        if let Some((is_first, start)) = end_before(&text[..start]) {
            return Some(mention(ends_of(is_first, n, count), start));
        }
        if let Some((places, start)) = ordinal_list(text, n, start, count) {
            return Some(mention(places, start));
        }
        // "4、6两页": the number before the noun is the count of the places that are listed before it.
        if let Some((places, start)) = list_before(text, start)
            && u32::try_from(places.len()) == Ok(n)
        {
            return Some(mention(places, start));
        }
    }
    let after = text
        .get(end)
        .filter(|c| **c == '#')
        .map_or(end, |_| end + 1);
    // "page 3", but not "pages 3 columns" and the like: a number right behind the noun.
    let is_before_number = !is_han(text[at]) || text[at] == '图';
    is_before_number
        .then(|| listed_after(text, at, after, words, count))
        .flatten()
}

/// The places before a Chinese noun, read backwards to their "第": "第2、4页", "第2到4页", "倒数第二页".
fn ordinal_list(text: &[char], n: u32, start: usize, count: u32) -> Option<(Vec<u32>, usize)> {
    let (mut places, mut start) = (vec![n], start);
    loop {
        let before = trimmed(&text[..start]);
        if let Some(rest) = before.strip_suffix(&['第']) {
            if let Some(rest) = rest.strip_suffix(&['倒', '数']) {
                return Some((vec![from_end(n, count)], rest.len()));
            }
            // "第二到第四页": both places share one noun.
            let known = joint_before(trimmed(rest)).and_then(|(end, joint)| {
                let (m, begins) = number_before(text, end)?;
                (begins > 0 && text[begins - 1] == '第').then_some((m, begins, joint))
            });
            let Some((m, begins, joint)) = known else {
                return Some((places, rest.len()));
            };
            places.extend(joint.places(m, n));
            return Some((places, begins - 1));
        }
        let (end, joint) = joint_before(before)?;
        let (m, begins) = number_before(text, end)?;
        places.extend(joint.places(m, n));
        start = begins;
    }
}

/// What joins two numbers.
#[derive(Clone, Copy)]
enum Joint {
    Listed,
    UpTo,
}

impl Joint {
    /// The places that the joint adds to the place after it.
    fn places(self, before: u32, behind: u32) -> Vec<u32> {
        match self {
            Self::Listed => vec![before],
            Self::UpTo => span(before, behind),
        }
    }
}

/// The joint that a text ends in, and where it begins.
fn joint_before(text: &[char]) -> Option<(usize, Joint)> {
    let listed = before_word(text, list("listed")).map(|at| (at, Joint::Listed));
    listed.or_else(|| before_word(text, list("up to")).map(|at| (at, Joint::UpTo)))
}

/// Where the word begins that the text ends with, if it is one of these words.
fn before_word(text: &[char], words: &[&str]) -> Option<usize> {
    let word = words.iter().find(|word| ends(text, &[word]))?;
    Some(text.len() - word.chars().count())
}

/// The numbers of a list that ends here, two at least, and where it begins.
fn list_before(text: &[char], end: usize) -> Option<(Vec<u32>, usize)> {
    let (last, mut start) = number_before(text, end)?;
    let mut places = vec![last];
    loop {
        let joint = before_word(trimmed(&text[..start]), list("listed"));
        let Some((n, begins)) = joint.and_then(|end| number_before(text, end)) else {
            break;
        };
        places.push(n);
        start = begins;
    }
    let start = if start > 0 && text[start - 1] == '第' {
        start - 1
    } else {
        start
    };
    (places.len() > 1).then_some((places, start))
}

/// The classes of words for one of the last items, with its place from the end.
const LAST_ONES: [(&str, u32); 3] = [("third last", 3), ("penultimate", 2), ("last one", 1)];

/// The place that is named directly before a noun or a joint: an ordinal, or where it stands.
fn place_before(text: &[char], end: usize, count: u32) -> Option<(u32, usize)> {
    let before = trimmed(&text[..end]);
    let word = |class| before_word(before, list(class));
    let ordinal = || {
        let (n, start) = ordinal_before(text, end)?;
        let from_end_at = before_word(trimmed(&text[..start]), list("from end"));
        Some(from_end_at.map_or((n, start), |start| (from_end(n, count), start)))
    };
    let ordinal = nth_from_end(text, end, count).or_else(ordinal);
    let mut back = LAST_ONES.into_iter();
    ordinal.or_else(|| back.find_map(|(class, n)| Some((from_end(n, count), word(class)?))))
}

/// The place that ends here in an ordinal and words that count it from the end: "third to last".
fn nth_from_end(text: &[char], end: usize, count: u32) -> Option<(u32, usize)> {
    let at = before_word(trimmed(&text[..end]), list("from end behind"))?;
    ordinal_before(text, at).map(|(n, start)| (from_end(n, count), start))
}

/// A place, and where what names it ends, if it may be counted from the end: "the third slide from the end".
fn counted_back(text: &[char], place: u32, end: usize, count: u32) -> (u32, usize) {
    let behind = after_blanks(text, end);
    let back = words_at(text, behind, "from end behind").next();
    back.map_or((place, end), |end| (from_end(place, count), end))
}

/// The place of the nth one from the end.
fn from_end(n: u32, count: u32) -> u32 {
    (count + 1).saturating_sub(n)
}

/// A mention with the places that are listed before it and share its noun ("the first and third slide"), those that are listed behind
/// it ("the first slide and the last one"), and all from it on.
fn with_listed(text: &[char], mut mention: Mention, words: &ItemWords, count: u32) -> Mention {
    while let Some((end, joint)) = joint_before(before_article(&text[..mention.start]))
        && let Some((place, start)) = place_before(text, end, count)
    {
        mention
            .places
            .extend(joint.places(place, mention.places[0]));
        mention.start = start;
    }
    list_on(text, &mut mention, None, words, count);
    // "slide 8 to the end", "ab Folie 8"
    let to_end = words_at(text, mention.end, "onwards behind").max();
    let is_onwards = to_end.is_some() || ends(trimmed(&text[..mention.start]), list("onwards"));
    if let ([place], true) = (
        &mention.places[..],
        is_onwards && !reorders(&text[..mention.start]),
    ) {
        mention.places = span(*place, count);
        mention.end = to_end.unwrap_or(mention.end);
    }
    mention
}

/// A place in a list.
struct Listed {
    places: Vec<u32>,
    end: usize,
    /// Whether it is a number, and whether it is one in digits.
    number: Option<bool>,
}

/// The place that begins here, behind blanks and an article.
fn place_at(text: &[char], at: usize, count: u32) -> Option<Listed> {
    let word = |at: usize, class| {
        let ends = words_at(text, at, class).filter(|end| {
            let is_joined = |c: &char| is_letter(*c) && is_letter(text[*end - 1]);
            !text.get(*end).is_some_and(is_joined)
        });
        ends.max()
    };
    let begin = after_blanks(text, at);
    let begin = word(begin, "article").map_or(begin, |end| after_blanks(text, end));
    let listed = |places, end| {
        Some(Listed {
            places,
            end,
            number: None,
        })
    };
    for class in ["first", "last", "last one"] {
        let number = word(begin, class).and_then(|end| number_at(text, end));
        if let Some((n, end)) = number {
            return listed(ends_of(class == "first", n, count), end);
        }
    }
    for (class, n) in LAST_ONES {
        if let Some(end) = word(begin, class) {
            return listed(vec![from_end(n, count)], end);
        }
    }
    if let Some((place, end)) = ordinal_at(text, begin) {
        let (place, end) = counted_back(text, place, end, count);
        return listed(vec![place], end);
    }
    let (place, end) = number_at(text, begin)?;
    let number = Some(text[begin].is_ascii_digit());
    let places = vec![place];
    Some(Listed {
        places,
        end,
        number,
    })
}

/// Whether a text ends in a word for the first ones, or for the last ones, and where the word begins.
fn end_before(text: &[char]) -> Option<(bool, usize)> {
    let word = |class| before_word(trimmed(text), list(class));
    let first = word("first").map(|at| (true, at));
    first.or_else(|| word("last").map(|at| (false, at)))
}

/// The first places, or the last ones.
fn ends_of(is_first: bool, n: u32, count: u32) -> Vec<u32> {
    let n = n.clamp(1, count.max(1));
    if is_first {
        span(1, n)
    } else {
        span(count - n + 1, count)
    }
}

/// Whether nothing follows here that could be a noun of its own, and where the noun for the items ends: "the last one", "page 2 and the third,".
fn is_bare(text: &[char], at: usize, words: &ItemWords) -> Option<usize> {
    let begin = after_blanks(text, at);
    if let Some(length) = text.get(begin).and_then(|_| unit_at(text, begin, words)) {
        return Some(begin + length);
    }
    let follows = |word: &&str| starts(&text[begin..], word);
    let mut numbered = words.numbered.iter().chain(list("noun"));
    if let Some(word) = numbered.find(|word| follows(word)) {
        return Some(begin + word.chars().count());
    }
    let is_end = text.get(begin).is_none_or(|c| !c.is_alphanumeric());
    let mut goes_on = GOES_ON.into_iter().flat_map(list);
    (is_end || goes_on.any(follows)).then_some(at)
}

/// The classes of words that may follow places without a noun: thanks, and where they are to stand.
const GOES_ON: [&str; 6] = ["ones", "just", "before", "after", "to end", "to front"];

/// The classes of words behind which places need no noun, and whether a noun of its own may follow the places.
const BARE: [(&str, bool); 9] = [
    ("all after", false),
    ("moves", false),
    ("only", false),
    ("swaps", true),
    ("except", true),
    ("away", false),
    ("keep only", false),
    ("before", false),
    ("after", false),
];

/// Places without a noun: "swap 5 and 6", "all but the first", "remove the last two".
fn bare(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    if at > 0 && text[at - 1].is_alphanumeric() {
        return None;
    }
    BARE.into_iter().find_map(|(class, is_free)| {
        let behind = words_at(text, at, class).max()?;
        text.get(behind).filter(|c| **c == ' ')?;
        let mut mention = listed_after(text, behind, behind, words, count)?;
        // "just 3 please" may be a count.
        let is_mere_number = text[after_blanks(text, behind)].is_ascii_digit();
        if class == "only" && is_mere_number && mention.places.len() == 1 {
            return None;
        }
        let end = is_bare(text, mention.end, words);
        mention.end = end.or(is_free.then_some(mention.end))?;
        if let ([place], true) = (&mention.places[..], class == "all after") {
            mention.places = span((*place + 1).min(count), count);
            mention.start = at;
        }
        Some(mention)
    })
}

/// The first or last ones without a noun, in a message that orders items: "the last three can go".
fn bare_ends(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    if at > 0 && text[at - 1].is_alphanumeric() {
        return None;
    }
    let found =
        place_at(text, at, count).filter(|it| it.number.is_none() && it.places.len() > 1)?;
    let is_away = words_at(text, found.end, "away behind").next().is_some();
    let bare = is_bare(text, found.end, words).filter(|_| reorders(text));
    let end = bare.or(is_away.then_some(found.end))?;
    Some(Mention {
        places: found.places,
        start: at,
        end,
    })
}

/// "page 3", "pages 2, 4 and 5", "slides 2-4": the places after a noun, or after a word that needs none.
fn listed_after(
    text: &[char],
    start: usize,
    at: usize,
    words: &ItemWords,
    count: u32,
) -> Option<Mention> {
    let is_noun = start < at;
    let first = place_at(text, at, count)?;
    // "the page last edited"
    let is_ordinal = ordinal_before(text, first.end)
        .or_else(|| ordinal_at(text, after_blanks(text, at)))
        .is_some();
    let is_penultimate = ends(&text[..first.end], list("penultimate"));
    if is_noun && first.number.is_none() && !is_ordinal && !is_penultimate {
        return None;
    }
    let mut mention = Mention {
        places: first.places,
        start,
        end: first.end,
    };
    list_on(text, &mut mention, first.number, words, count);
    Some(mention)
}

/// Takes the places that are listed behind a mention into it. The mention ends in a number, in digits or not, or in something else.
fn list_on(
    text: &[char],
    mention: &mut Mention,
    number: Option<bool>,
    words: &ItemWords,
    count: u32,
) {
    loop {
        let begin = after_blanks(text, mention.end);
        let joint = |class| {
            let mut words = list(class).iter();
            words.find(|word| starts(&text[begin..], word))
        };
        let (listed, ranges) = (joint("listed"), joint("up to"));
        let Some(word) = listed.or(ranges) else {
            return;
        };
        let mut behind = begin + word.chars().count();
        // "2, and 4"
        let more = after_blanks(text, behind);
        if starts(&text[more..], "and ") {
            behind = more + "and ".len();
        }
        let Some(mut next) = place_at(text, behind, count) else {
            return;
        };
        // "page 3, two columns" and "page 3 and the last row" name one page.
        let is_same = number.is_some() && number == next.number;
        let penultimate = before_word(&text[..next.end], list("penultimate"));
        match is_bare(text, next.end, words) {
            Some(end) => next.end = end,
            None if is_same || penultimate.is_some() => {}
            None => return,
        }
        if listed.is_none()
            && let [next] = next.places[..]
        {
            let first = *mention.places.last().unwrap_or(&next);
            mention.places.extend(span(first, next));
        } else {
            mention.places.extend(next.places);
        }
        mention.end = next.end;
    }
}

/// Whether a place, of so many, is in a share of the items.
type IsIn = fn(u32, u32) -> bool;

/// The classes of words for a share of the items.
const SHARES: [(&str, IsIn); 4] = [
    ("first half", |place, count| place <= count.div_ceil(2)),
    ("second half", |place, count| place > count.div_ceil(2)),
    ("odd", |place, _| place % 2 == 1),
    ("even", |place, _| place % 2 == 0),
];

/// "the second half", "every second slide", "偶数页"; not "the first half of the text".
fn share(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    if at > 0 && is_letter(text[at - 1]) && is_letter(text[at]) {
        return None;
    }
    let longest = |at, class| words_at(text, at, class).max();
    SHARES.into_iter().find_map(|(class, is_in)| {
        let end = longest(at, class)?;
        let of = longest(after_blanks(text, end), "whole").filter(|_| class.ends_with("half"));
        let bare = is_bare(text, end, words);
        let bare = bare.filter(|bare| class.ends_with("half") || *bare > end);
        // "把前半部分缩短", and not "第3页的前半部分".
        let before = at.checked_sub(1).map(|before| text[before]);
        let begins = before.is_none_or(|c| !c.is_alphanumeric() || "把将让".contains(c));
        let han = (is_han(text[at]) && begins && class.ends_with("half")).then_some(end);
        let end = of.or(bare).or(han)?;
        let places = (1..=count).filter(|place| is_in(*place, count));
        let places = places.collect();
        Some(Mention {
            places,
            start: at,
            end,
        })
    })
}

/// "封面", "the last page".
fn placed(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    let alone = |word: &str| {
        let rest = &text[at..];
        let length = word.chars().count();
        let joined = |c: Option<&char>| is_spaced(word) && c.is_some_and(|c| is_letter(*c));
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let is_part = before == Some(&'-');
        (starts(rest, word) && !is_part && !joined(before) && !joined(rest.get(length)))
            .then_some(length)
    };
    let found = |words: &[&str]| words.iter().find_map(|word| alone(word));
    let mention = |place, length| Mention {
        places: vec![place],
        start: at,
        end: at + length,
    };
    let last = found(words.last).map(|length| {
        // "the third from last slide"
        let nth = (at + 1..=at + length).find_map(|end| nth_from_end(text, end, count));
        let (place, start) = nth.unwrap_or((count, at));
        let end = at + length;
        Mention {
            places: vec![place],
            start,
            end,
        }
    });
    last.or_else(|| found(words.first).map(|length| mention(1, length)))
}

/// The fewest characters of a title by which it is recognised.
const TITLE_CHARS_MIN: usize = 2;
/// Characters before a noun that may be a part of a title.
const TITLE_CHARS_MAX: usize = 24;

/// "“两个经典实验”这一页", "实验那页", "the experiments page".
fn titled(text: &[char], at: usize, words: &ItemWords, titles: &[String]) -> Option<Mention> {
    let whole = words.by_title.then(|| whole_title(text, at, titles));
    whole
        .flatten()
        .or_else(|| title_before(text, at, titles))
        .or_else(|| words_before(text, at, words, titles))
}

/// A title that begins here.
fn whole_title(text: &[char], at: usize, titles: &[String]) -> Option<Mention> {
    // "没问题" (no problem) does not name the section "问题".
    if at > 0 && "没有无".contains(text[at - 1]) {
        return None;
    }
    let rest = &text[at..];
    titles.iter().enumerate().find_map(|(place, title)| {
        let title = folded(title);
        let length = title.chars().count();
        let joined = title.is_ascii() && rest.get(length).is_some_and(char::is_ascii_alphabetic);
        let stands = length >= TITLE_CHARS_MIN && starts(rest, &title) && !joined;
        stands.then(|| mention(place, at, at + length))
    })
}

/// A noun for an item that begins at this place, directly after the end of a title.
fn title_before(text: &[char], at: usize, titles: &[String]) -> Option<Mention> {
    let rest = &text[at..];
    let noun = list("behind title")
        .iter()
        .find(|word| starts(rest, word))?;
    let is_quote = |c: &char| "“”\"'「」《》‘’".contains(*c);
    let before = &text[at.saturating_sub(TITLE_CHARS_MAX)..at];
    let (quotes, said): (Vec<char>, Vec<char>) = before.iter().copied().partition(is_quote);
    let (place, length) = by_end(&said, titles)?;
    let start = at.saturating_sub(length + quotes.len());
    Some(mention(place, start, at + noun.chars().count()))
}

/// An English noun for an item that begins here, directly after words of a title.
fn words_before(text: &[char], at: usize, words: &ItemWords, titles: &[String]) -> Option<Mention> {
    let length = unit_at(text, at, words).filter(|_| text[at].is_ascii())?;
    let before: String = text[..at].iter().collect();
    let words: Vec<&str> = before
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let last = words.last()?;
    if last.chars().count() < TITLE_WORD_MIN || list("no title").contains(last) {
        return None;
    }
    // Takes as many of the words before the noun as are needed to tell the titles apart.
    (1..=words.len().min(TITLE_WORDS_MAX)).find_map(|count| {
        let said = &words[words.len() - count..];
        let having: Vec<usize> = (0..titles.len())
            .filter(|place| has_words(&titles[*place], said))
            .collect();
        let [place] = having[..] else { return None };
        let said = said.iter().map(|word| word.chars().count() + 1);
        let start = at.saturating_sub(said.sum());
        Some(mention(place, start, at + length))
    })
}

/// A mention of the item at this place, counted from 0.
fn mention(place: usize, start: usize, end: usize) -> Mention {
    Mention {
        places: vec![u32::try_from(place + 1).unwrap_or(u32::MAX)],
        start,
        end,
    }
}

/// The fewest letters of a word that may be a part of a title, and the most words that are looked at.
const TITLE_WORD_MIN: usize = 4;
const TITLE_WORDS_MAX: usize = 3;

/// Whether a title has each of these words, whatever their ending.
fn has_words(title: &str, said: &[&str]) -> bool {
    let title = folded(title);
    let known: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).collect();
    said.iter().all(|word| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        known.iter().any(|known| known.starts_with(stem))
    })
}

/// The place, counted from 0, of the title that contains the longest end of what was said, and the length of that end, if only one title
/// contains it.
fn by_end(said: &[char], titles: &[String]) -> Option<(usize, usize)> {
    (TITLE_CHARS_MIN..=said.len()).rev().find_map(|length| {
        let end: String = said[said.len() - length..].iter().collect();
        let holds = |title: &String| folded(title).contains(&end);
        let having: Vec<usize> = (0..titles.len()).filter(|at| holds(&titles[*at])).collect();
        match having[..] {
            [] => None,
            [place] => Some(Some((place, length))),
            _ => Some(None),
        }
    })?
}
