//! Items that a message only leaves out or moves: which items stay, and in which order.

use super::{ItemWords, Mention, before_word, list, unit_at};
use crate::text::is_refused;
use crate::understanding::numbers::{ends, starts, trimmed};

/// In an order, an item that there is not yet, and its name in what is recorded.
pub const NEW: u32 = 0;
pub const NEW_ITEM: &str = "0";

/// An order of so many items; an order that leaves everything where it is means nothing.
pub fn reordered(order: &[u32], count: u32) -> &[u32] {
    if order.iter().copied().eq(1..=count) {
        &[]
    } else {
        order
    }
}

/// The places of all items, with the new one where it is wanted, if the message only wants one more item.
fn with_one_more(
    text: &[char],
    mentions: &[Mention],
    words: &ItemWords,
    count: u32,
) -> Option<Vec<u32>> {
    let said: String = text.iter().collect();
    let only_that = !list("beside").iter().any(|word| said.contains(word))
        && said
            .split(['，', ',', '；', ';', '。', '！', '!'])
            .map(str::trim)
            .filter(|clause| !clause.is_empty())
            .filter(|clause| !adds_one(&clause.chars().collect::<Vec<_>>(), words))
            .all(|clause| list("about").iter().any(|word| clause.starts_with(word)));
    // A new item goes between the first and the last one, so there have to be at least two.
    if !only_that || count < 2 {
        return None;
    }
    let mut places: Vec<u32> = (1..=count).collect();
    let last = places.len().saturating_sub(1);
    let index = match mentions {
        [Mention { places, start, end }] if places.len() == 1 => {
            let at = usize::try_from(places[0]).ok()?;
            let before: String = trimmed(&text[..*start]).iter().collect();
            let behind: String = text[*end..].iter().collect();
            match side(&before, &behind) {
                Some(Side::Behind) => Some(at),
                Some(Side::Before) => at.checked_sub(1),
                None => None,
            }
        }
        _ if list("to front").iter().any(|word| said.contains(word)) => Some(1),
        _ => None,
    };
    // The first item stays the opening and the last one stays the closing, whatever is added.
    places.insert(index.unwrap_or(last).clamp(1, last.max(1)), NEW);
    Some(places)
}

/// The places of all items, with a new one in the place of several that become one; `None` where the message wants anything else.
pub(super) fn merged(text: &[char], mentions: &[Mention], count: u32) -> Option<Vec<u32>> {
    let said: String = text.iter().collect();
    let place = list("merges").iter().find_map(|word| {
        let joins = |c: Option<char>| word.is_ascii() && c.is_some_and(char::is_alphanumeric);
        let mut found = said.match_indices(word).filter(|(at, _)| {
            let (before, behind) = (&said[..*at], &said[at + word.len()..]);
            !joins(before.chars().next_back()) && !joins(behind.chars().next())
        });
        found.next().map(|(at, _)| at)
    })?;
    if is_refused(&said[..place]) || list("beside").iter().any(|word| said.contains(word)) {
        return None;
    }
    // All named items have to be in the clause that merges them, and the other clauses may only say how.
    let is_end = |c: char| "，,；;。！!".contains(c);
    let start = said[..place].rfind(is_end).map_or(0, |at| at + 1);
    let end = said[place..]
        .find(is_end)
        .map_or(said.len(), |at| place + at);
    let chars = |bytes: usize| said[..bytes].chars().count();
    let clause = chars(start)..chars(end);
    let is_of_it = |mention: &Mention| {
        let behind: String = text[mention.end..].iter().collect();
        !clause.contains(&mention.start)
            || list("of it").iter().any(|word| behind.starts_with(word))
    };
    let (before, behind) = (&said[..start], &said[end..]);
    let others = before
        .split(is_end)
        .chain(behind.split(is_end))
        .map(str::trim);
    let only_that = others
        .filter(|clause| !clause.is_empty())
        .all(|clause| list("about").iter().any(|word| clause.starts_with(word)));
    if !only_that || mentions.iter().any(is_of_it) {
        return None;
    }
    let gone: Vec<u32> = mentions.iter().flat_map(|it| it.places.clone()).collect();
    let first = gone.iter().min().copied()?;
    // The first item is the opening and the last one the closing; neither may be merged into another page.
    let is_inside = gone.iter().all(|place| (2..count).contains(place));
    if gone.iter().all(|place| *place == first) || !is_inside {
        return None;
    }
    let left = (1..=count).filter(|place| *place == first || !gone.contains(place));
    Some(
        left.map(|place| if place == first { NEW } else { place })
            .collect(),
    )
}

/// Whether one more item is wanted: a verb, then a word for "one", then the word for such items.
pub(super) fn adds_one(text: &[char], words: &ItemWords) -> bool {
    (0..text.len()).any(|at| {
        let rest = &text[at..];
        let verbs = list("adds").iter().filter(|verb| starts(rest, verb));
        let mut lengths = verbs.map(|verb| verb.chars().count());
        lengths.any(|length| one_follows(text, at + length, words))
    })
}

fn one_follows(text: &[char], mut at: usize, words: &ItemWords) -> bool {
    let mut is_one = false;
    loop {
        while text.get(at).is_some_and(|c| *c == ' ') {
            at += 1;
        }
        if at >= text.len() {
            return false;
        }
        if is_one && unit_at(text, at, words).is_some() {
            return true;
        }
        let between = list("between").iter().filter(|word| {
            let length = word.chars().count();
            let joined = word.is_ascii()
                && text
                    .get(at + length)
                    .is_some_and(|c| c.is_ascii_alphanumeric());
            starts(&text[at..], word) && !joined
        });
        let Some(word) = between.max_by_key(|word| word.len()) else {
            return false;
        };
        is_one |= list("one").contains(word);
        at += word.chars().count();
    }
}

/// The classes of words by which items are left out, moved and swapped.
const ORDERS: [&str; 5] = ["away", "away behind", "moves", "moves behind", "swaps"];

/// Whether a message leaves something out, moves or swaps it: then a title alone names an item.
pub(super) fn reorders(text: &[char]) -> bool {
    let said: String = text.iter().collect();
    let mut words = ORDERS.into_iter().flat_map(list);
    words.any(|word| {
        let mut found = said.match_indices(word);
        found.any(|(at, _)| {
            let joined = |c: Option<char>| word.is_ascii() && c.is_some_and(char::is_alphanumeric);
            !joined(said[..at].chars().next_back())
                && !joined(said[at + word.len()..].chars().next())
        })
    })
}

/// The item that is moved, in a message that moves one item to the place of another.
pub(super) fn mover<'a>(text: &[char], mentions: &'a [Mention]) -> Option<&'a Mention> {
    match mentions {
        [moved, _] if is_moved(text, moved) => Some(moved),
        _ => None,
    }
}

/// The places after the change, where the message only wants to leave some out, to move some, or to have one more.
pub(super) fn order(
    text: &[char],
    mentions: &[Mention],
    words: &ItemWords,
    count: u32,
) -> Option<Vec<u32>> {
    if adds_one(text, words) {
        return with_one_more(text, mentions, words, count);
    }
    let all: Vec<u32> = (1..=count).collect();
    if let Some(gone) = left_out(text, mentions) {
        let left: Vec<u32> = all.into_iter().filter(|at| !gone.contains(at)).collect();
        return (!left.is_empty()).then_some(left);
    }
    if let [first, rest @ ..] = mentions
        && ends(before_article(&text[..first.start]), list("keep only"))
    {
        let kept =
            |at: &u32| first.places.contains(at) || rest.iter().any(|it| it.places.contains(at));
        return Some(all.into_iter().filter(kept).collect());
    }
    let said: String = text.iter().collect();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let single = |mention: &Mention| match mention.places[..] {
        [place] => Some(place),
        _ => None,
    };
    match mentions {
        [one, other] if has(list("swaps")) => Some(swapped(all, single(one)?, single(other)?)),
        [both] if has(list("swaps")) && both.places.len() == 2 => {
            Some(swapped(all, both.places[0], both.places[1]))
        }
        [moved, ..] if is_moved(text, moved) => {
            let place = single(moved)?;
            let mut left: Vec<u32> = all.into_iter().filter(|at| *at != place).collect();
            let index = match mentions {
                [_, target] => {
                    let at = single(target)?;
                    let behind: String = text[target.end..].iter().collect();
                    let before: String = text[moved.end..target.start].iter().collect();
                    let index = left.iter().position(|known| *known == at)?;
                    match side(&before, &behind) {
                        Some(Side::Behind) => index + 1,
                        Some(Side::Before) => index,
                        // "move page 3 to page 5": after that it is the fifth page.
                        None => usize::try_from(at).ok()?.checked_sub(1)?,
                    }
                }
                [_] if has(list("to end")) => left.len(),
                [_] if has(list("to front")) => 0,
                _ => return None,
            };
            left.insert(index.min(left.len()), place);
            Some(left)
        }
        _ => None,
    }
}

/// Where something is to stand, beside an item that is named.
enum Side {
    Before,
    Behind,
}

/// The side that the words directly before an item, or directly behind it, name.
fn side(before: &str, behind: &str) -> Option<Side> {
    let before: Vec<char> = before.trim().chars().collect();
    // "después de la 2": what is an article in one language is none in another.
    let precedes = |class| ends(&before, list(class)) || ends(before_article(&before), list(class));
    let follows = |class: &str| list(class).iter().any(|word| behind.starts_with(word));
    if follows("after behind") || precedes("after") {
        return Some(Side::Behind);
    }
    let is_before = follows("before behind") || precedes("before");
    is_before.then_some(Side::Before)
}

fn swapped(mut places: Vec<u32>, a: u32, b: u32) -> Vec<u32> {
    for place in &mut places {
        if *place == a {
            *place = b;
        } else if *place == b {
            *place = a;
        }
    }
    places
}

fn is_moved(text: &[char], mention: &Mention) -> bool {
    let behind: String = text[mention.end..].iter().collect();
    let words = list("moves behind");
    words.iter().any(|word| behind.starts_with(word))
        || ends(before_article(&text[..mention.start]), list("moves"))
}

pub(super) fn before_article(text: &[char]) -> &[char] {
    let text = trimmed(text);
    before_word(text, list("article")).map_or(text, |at| trimmed(&text[..at]))
}

/// The places that are to be left out; `None` where the message wants something else of any named item.
fn left_out(text: &[char], mentions: &[Mention]) -> Option<Vec<u32>> {
    let is_out = |mention: &Mention| {
        let behind: String = text[mention.end..].iter().collect();
        if list("of it").iter().any(|word| behind.starts_with(word)) {
            return false;
        }
        let before = before_article(&text[..mention.start]);
        let before = before.strip_suffix(&['掉']).unwrap_or(before);
        // "第3页去掉图片" is about the picture.
        let ends_there = |rest: &str| {
            let rest = rest.trim_start_matches(['掉', '了', '吧', '啊', '呢', ' ']);
            !rest.starts_with(char::is_alphanumeric)
        };
        let behind_it = list("away behind")
            .iter()
            .filter_map(|word| behind.strip_prefix(word))
            .any(ends_there);
        ends(before, list("away")) || behind_it
    };
    // "第2页和第4页都删掉": items that are listed together are left out together.
    let mut gone = vec![];
    let mut pending: Vec<u32> = vec![];
    let mut carried = false;
    for (place, mention) in mentions.iter().enumerate() {
        let joins_next = mentions.get(place + 1).is_some_and(|next| {
            let between: String = text[mention.end..next.start].iter().collect();
            list("listed").contains(&between.trim().trim_end_matches(" the"))
        });
        let out = is_out(mention) || carried;
        if out {
            gone.append(&mut pending);
            gone.extend(&mention.places);
            carried = joins_next;
        } else if joins_next {
            pending.extend(&mention.places);
        } else {
            return None;
        }
    }
    (!gone.is_empty() && pending.is_empty()).then_some(gone)
}
