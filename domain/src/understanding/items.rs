//! The pages, sections or pictures that a message names: by number, by place, by title.

use super::numbers::{ends, number_at, number_before, ordinal_before, starts, trimmed};

/// What the items of a stage are called.
#[derive(Clone, Copy, Debug)]
pub struct ItemWords {
    /// The stage that makes them.
    pub stage: &'static str,
    /// The kind of artifact that each of them is.
    pub kind: &'static str,
    /// What one is called in an answer, in Chinese, and several in English.
    pub called: (&'static str, &'static str),
    /// Nouns for one of them, longer ones first.
    pub units: &'static [&'static str],
    /// Names of the first one, and of the last one.
    pub first: &'static [&'static str],
    pub last: &'static [&'static str],
    /// Whether a title alone names one, without a noun beside it.
    pub by_title: bool,
    /// Whether they can be left out and put in another order without asking anybody.
    pub can_be_ordered: bool,
}

/// A place in a message that names items.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mention {
    /// From 1; 0 stands for one that there is not.
    places: Vec<u32>,
    start: usize,
    end: usize,
}

/// What a message names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedItems {
    /// From 1, in their order.
    pub places: Vec<u32>,
    /// The first number that is named and that there is not.
    pub beyond: Option<u32>,
    /// The places that are left, in their new order, where the message only leaves some out or moves some.
    pub order: Option<Vec<u32>>,
}

/// The items that a message names, of those with these titles.
pub fn named(text: &str, words: &ItemWords, titles: &[String]) -> NamedItems {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let count = u32::try_from(titles.len()).unwrap_or(u32::MAX);
    let mentions = mentions(&text, words, titles, count);
    let mut places: Vec<u32> = mentions
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
    let order = (words.can_be_ordered && beyond.is_none())
        .then(|| order(&text, &mentions, count))
        .flatten();
    NamedItems {
        places,
        beyond,
        order,
    }
}

const LISTED: &[&str] = &["、", ",", "，", "和", "与", "及", "跟", "and", "&"];
const UP_TO: &[&str] = &["到", "至", "-", "~", "–", "—", "～", "to", "through"];

fn mentions(text: &[char], words: &ItemWords, titles: &[String], count: u32) -> Vec<Mention> {
    let mut found: Vec<Mention> = vec![];
    let mut at = 0;
    while at < text.len() {
        let mention = numbered(text, at, words, count)
            .or_else(|| placed(text, at, words, count))
            .or_else(|| titled(text, at, words, titles));
        match mention {
            Some(mention) => {
                let joins = found.last().is_some_and(|before| {
                    let between = text.get(before.end..mention.start).unwrap_or_default();
                    let between = trimmed(between);
                    before.places.len() == 1
                        && mention.places.len() == 1
                        && UP_TO
                            .iter()
                            .any(|word| between.iter().collect::<String>().trim() == *word)
                });
                at = mention.end.max(at + 1);
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

/// Items that a message can name at once: no more than any of our products has.
const SPAN_MAX: u32 = 100;

fn span(first: u32, last: u32) -> Vec<u32> {
    if first <= last && last - first < SPAN_MAX {
        (first..=last).collect()
    } else {
        vec![first, last]
    }
}

fn unit_at(text: &[char], at: usize, words: &ItemWords) -> Option<usize> {
    let rest = &text[at..];
    let unit = words.units.iter().find(|unit| starts(rest, unit))?;
    let length = unit.chars().count();
    let is_word = unit.is_ascii();
    let joined = |c: Option<&char>| is_word && c.is_some_and(char::is_ascii_alphabetic);
    let plural = usize::from(is_word && rest.get(length) == Some(&'s'));
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    (!joined(before) && !joined(rest.get(length + plural))).then_some(length + plural)
}

/// "第3页", "第2、4页", "the third slide", "pages 2 and 4", "前两页", "the last two slides", "p. 3".
fn numbered(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    if text[at] == 'p' && words.units.contains(&"page") {
        let alone = at == 0 || !text[at - 1].is_ascii_alphanumeric();
        let dot = usize::from(text.get(at + 1) == Some(&'.'));
        let digit = text.get(at + 1 + dot).is_some_and(char::is_ascii_digit);
        if alone && digit {
            return listed_after(text, at, at + 1 + dot);
        }
    }
    let length = unit_at(text, at, words)?;
    let end = at + length;
    let mention = |places, start| Mention { places, start, end };
    if let Some((place, start)) = ordinal_before(text, at) {
        let (place, start) = match without_article(text, start) {
            before if ends(&text[..before], &["last"]) => {
                (place, before.saturating_sub("last".len()))
            }
            _ => (place, start),
        };
        return Some(mention(vec![place], start));
    }
    if let Some((n, start)) = number_before(text, at) {
        let before = trimmed(&text[..start]);
        let edge = |words: &[&'static str]| {
            let found = words.iter().find(|word| ends(before, &[word]))?;
            Some(before.len() - found.chars().count())
        };
        if let Some(start) = edge(&["前", "first"]) {
            return Some(mention(span(1, n.min(count)), start));
        }
        if let Some(start) = edge(&["最后", "后", "末", "last"]) {
            let first = count.saturating_sub(n.min(count)) + 1;
            return Some(mention(span(first, count), start));
        }
        if let Some(found) = ordinal_list(text, n, start, count) {
            return Some(mention(found.0, found.1));
        }
        // "4、6两页": so many as are listed before.
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
    let is_latin = text[at].is_ascii();
    is_latin.then(|| listed_after(text, at, after)).flatten()
}

fn without_article(text: &[char], end: usize) -> usize {
    trimmed(&text[..end]).len()
}

/// The places before a Chinese noun, back to their "第": "第2、4页", "第2到4页", "倒数第二页".
fn ordinal_list(text: &[char], n: u32, start: usize, count: u32) -> Option<(Vec<u32>, usize)> {
    let (mut places, mut start) = (vec![n], start);
    loop {
        let before = trimmed(&text[..start]);
        if let Some(rest) = before.strip_suffix(&['第']) {
            if let Some(rest) = rest.strip_suffix(&['倒', '数']) {
                let place = (count + 1).saturating_sub(n);
                return Some((vec![place], rest.len()));
            }
            // "第二到第四页": the noun stands once.
            let earlier = trimmed(rest);
            let ranges = UP_TO.iter().find(|word| ends(earlier, &[word]));
            let listed = LISTED.iter().find(|word| ends(earlier, &[word]));
            if let Some(joint) = ranges.or(listed) {
                let end = earlier.len() - joint.chars().count();
                let known = number_before(text, end)
                    .filter(|(_, begins)| *begins > 0 && text[begins - 1] == '第');
                if let Some((m, begins)) = known {
                    match ranges {
                        Some(_) => places.extend(span(m, n)),
                        None => places.push(m),
                    }
                    return Some((places, begins - 1));
                }
            }
            return Some((places, rest.len()));
        }
        let joint = |words: &[&'static str]| {
            let word = words.iter().find(|word| ends(before, &[word]))?;
            Some(before.len() - word.chars().count())
        };
        let (end, ranges) = match (joint(LISTED), joint(UP_TO)) {
            (Some(end), _) => (end, false),
            (None, Some(end)) => (end, true),
            (None, None) => return None,
        };
        let (m, begins) = number_before(text, end)?;
        if ranges {
            places.extend(span(m, n));
        } else {
            places.push(m);
        }
        start = begins;
    }
}

/// The numbers of a list that ends here, two at least, and where it begins.
fn list_before(text: &[char], end: usize) -> Option<(Vec<u32>, usize)> {
    let (last, mut start) = number_before(text, end)?;
    let mut places = vec![last];
    loop {
        let before = trimmed(&text[..start]);
        let Some(joint) = LISTED.iter().find(|word| ends(before, &[word])) else {
            break;
        };
        let Some((n, begins)) = number_before(text, before.len() - joint.chars().count()) else {
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

/// "page 3", "pages 2, 4 and 5", "slides 2-4": what stands behind the noun.
fn listed_after(text: &[char], start: usize, at: usize) -> Option<Mention> {
    let (first, mut end) = number_at(text, at)?;
    let mut places = vec![first];
    let spaces = |at: usize| text[at..].iter().take_while(|c| c.is_whitespace()).count();
    loop {
        let blanks = text[end..].iter().take_while(|c| c.is_whitespace()).count();
        let rest = &text[end + blanks..];
        let joint = |words: &[&'static str]| words.iter().find(|word| starts(rest, word)).copied();
        let (word, ranges) = match (joint(LISTED), joint(UP_TO)) {
            (Some(word), _) => (word, false),
            (None, Some(word)) => (word, true),
            (None, None) => break,
        };
        let mut behind = end + blanks + word.chars().count();
        // "2, and 4"
        if starts(&text[behind + spaces(behind)..], "and ") {
            behind += spaces(behind) + "and ".len();
        }
        let Some((next, ends)) = number_at(text, behind) else {
            break;
        };
        // "page 3, two columns" names one page.
        let is_digit = |at: usize| text.get(at).is_some_and(char::is_ascii_digit);
        if is_digit(at + spaces(at)) != is_digit(behind + spaces(behind)) {
            break;
        }
        if ranges {
            places.extend(span(*places.last().unwrap_or(&next), next));
        } else {
            places.push(next);
        }
        end = ends;
    }
    Some(Mention { places, start, end })
}

/// "封面", "the last page".
fn placed(text: &[char], at: usize, words: &ItemWords, count: u32) -> Option<Mention> {
    let alone = |word: &str| {
        let rest = &text[at..];
        let length = word.chars().count();
        let joined = |c: Option<&char>| word.is_ascii() && c.is_some_and(char::is_ascii_alphabetic);
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        (starts(rest, word) && !joined(before) && !joined(rest.get(length))).then_some(length)
    };
    let found = |words: &[&str]| words.iter().find_map(|word| alone(word));
    let mention = |place, length| Mention {
        places: vec![place],
        start: at,
        end: at + length,
    };
    let last = found(words.last).map(|length| mention(count, length));
    last.or_else(|| found(words.first).map(|length| mention(1, length)))
}

/// Behind a Chinese title: the item that has it.
const BEHIND_TITLES: &[&str] = &[
    "这一页",
    "那一页",
    "这页",
    "那页",
    "一页",
    "页",
    "这部分",
    "那部分",
    "部分",
    "这一章",
    "那一章",
    "一章",
    "这章",
    "那章",
    "章",
    "这一节",
    "那一节",
    "一节",
    "这节",
    "那节",
    "节",
];

/// Characters of a title that are enough to know it by.
const TITLE_CHARS_MIN: usize = 2;
/// Characters before a noun that may be a part of a title.
const TITLE_CHARS_MAX: usize = 24;

/// "“两个经典实验”这一页", "实验那页", "the experiments page".
fn titled(text: &[char], at: usize, words: &ItemWords, titles: &[String]) -> Option<Mention> {
    if words.by_title {
        let whole = titles.iter().enumerate().find_map(|(place, title)| {
            let title = title.to_lowercase();
            let length = title.chars().count();
            let rest = &text[at..];
            let joined =
                title.is_ascii() && rest.get(length).is_some_and(char::is_ascii_alphabetic);
            // "没问题" says nothing of the section "问题".
            let denied = at > 0 && "没有无".contains(text[at - 1]);
            (length >= TITLE_CHARS_MIN && starts(rest, &title) && !joined && !denied)
                .then_some((place, length))
        });
        if let Some((place, length)) = whole {
            return Some(Mention {
                places: vec![u32::try_from(place + 1).ok()?],
                start: at,
                end: at + length,
            });
        }
    }
    let rest = &text[at..];
    if let Some(behind) = BEHIND_TITLES.iter().find(|word| starts(rest, word)) {
        let end = at + behind.chars().count();
        let quote = |c: &char| "“”\"'「」《》‘’".contains(*c);
        let said: Vec<char> = text[at.saturating_sub(TITLE_CHARS_MAX)..at]
            .iter()
            .copied()
            .filter(|c| !quote(c))
            .collect();
        let (place, length) = by_end(&said, titles)?;
        let quotes = text[at.saturating_sub(TITLE_CHARS_MAX)..at]
            .iter()
            .filter(|c| quote(c))
            .count();
        return Some(Mention {
            places: vec![place],
            start: at.saturating_sub(length + quotes),
            end,
        });
    }
    let length = unit_at(text, at, words).filter(|_| text[at].is_ascii())?;
    let before: String = text[..at].iter().collect();
    let words: Vec<&str> = before
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let last = words.last()?;
    if last.chars().count() < TITLE_WORD_MIN || NO_TITLE.contains(last) {
        return None;
    }
    // As many of the words before as it takes to tell the titles apart.
    (1..=words.len().min(TITLE_WORDS_MAX)).find_map(|count| {
        let said = &words[words.len() - count..];
        let having: Vec<usize> = (0..titles.len())
            .filter(|place| has_words(&titles[*place], said))
            .collect();
        let [place] = having[..] else { return None };
        let length_said = said
            .iter()
            .map(|word| word.chars().count() + 1)
            .sum::<usize>();
        Some(Mention {
            places: vec![u32::try_from(place + 1).unwrap_or(u32::MAX)],
            start: at.saturating_sub(length_said),
            end: at + length,
        })
    })
}

/// Letters of a word that may be a part of a title, and words that are looked at.
const TITLE_WORD_MIN: usize = 4;
const TITLE_WORDS_MAX: usize = 3;

/// Whether a title has each of these words, whatever their ending.
fn has_words(title: &str, said: &[&str]) -> bool {
    let title = title.to_lowercase();
    let known: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).collect();
    said.iter().all(|word| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        known.iter().any(|known| known.starts_with(stem))
    })
}

/// Words before "page" that are no part of a title.
const NO_TITLE: &[&str] = &[
    "this", "that", "every", "each", "other", "another", "extra", "more", "fewer", "same", "whole",
    "single", "next", "title", "cover", "closing", "final", "these", "those",
];

/// The title that holds the longest end of what was said, if only one does.
fn by_end(said: &[char], titles: &[String]) -> Option<(u32, usize)> {
    for length in (TITLE_CHARS_MIN..=said.len()).rev() {
        let end: String = said[said.len() - length..].iter().collect();
        let mut having = titles
            .iter()
            .enumerate()
            .filter(|(_, title)| title.to_lowercase().contains(&end));
        if let Some((place, _)) = having.next() {
            let is_only = having.next().is_none();
            return is_only
                .then(|| u32::try_from(place + 1).ok())
                .flatten()
                .map(|place| (place, length));
        }
    }
    None
}

/// Verbs that leave something out, before it.
const AWAY: &[&str] = &[
    "删",
    "删掉",
    "删除",
    "删了",
    "去掉",
    "去除",
    "拿掉",
    "砍掉",
    "移除",
    "不要",
    "不需要",
    "remove",
    "delete",
    "drop",
    "cut",
    "without",
    "get rid of",
    "take out",
    "lose",
    "scrap",
    "skip",
    "omit",
    "ditch",
    "kill",
];

/// The same behind it.
const AWAY_BEHIND: &[&str] = &[
    "删",
    "去掉",
    "去除",
    "拿掉",
    "砍掉",
    "移除",
    "不要",
    "不需要",
    "可以删",
    "都删",
    "都不要",
    "给删",
    "也删",
    "全删",
    "整页删",
    " can go",
    " should go",
    " has to go",
    " is not needed",
    " isn't needed",
    " are not needed",
    " can be removed",
    " can be dropped",
];

/// Behind a place: something on it is meant, and not the whole of it.
const OF_IT: &[&str] = &[
    "的", "里", "上", "中", "底", "标题", "图", "文字", "'s", "’s", " title", " heading",
    " picture", " image", " chart",
];

/// Verbs that move something, behind it in Chinese, before it in English.
const MOVES: &[&str] = &[
    "移",
    "挪",
    "调到",
    "调至",
    "放到",
    "放在",
    "换到",
    "提到",
    "提前到",
    "搬到",
    "排到",
];
const MOVES_EN: &[&str] = &["move", "put", "place", "shift", "bring", "pull", "push"];
const SWAPS: &[&str] = &[
    "交换",
    "互换",
    "对调",
    "调换",
    "换个位置",
    "换一下位置",
    "swap",
    "switch",
    "exchange",
];
const TO_END: &[&str] = &[
    "最后",
    "末尾",
    "结尾",
    "最末",
    "to the end",
    "to the back",
    "at the end",
    "to be last",
];
const TO_FRONT: &[&str] = &[
    "最前",
    "开头",
    "最开始",
    "to the front",
    "to the beginning",
    "to the start",
    "at the start",
    "at the beginning",
];

/// The places that are left, where nothing else is wanted than to leave some out or to move some.
fn order(text: &[char], mentions: &[Mention], count: u32) -> Option<Vec<u32>> {
    let all: Vec<u32> = (1..=count).collect();
    if let Some(gone) = left_out(text, mentions) {
        let left: Vec<u32> = all.into_iter().filter(|at| !gone.contains(at)).collect();
        return (!left.is_empty()).then_some(left);
    }
    let said: String = text.iter().collect();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let single = |mention: &Mention| match mention.places[..] {
        [place] => Some(place),
        _ => None,
    };
    match mentions {
        [one, other] if has(SWAPS) => {
            let (a, b) = (single(one)?, single(other)?);
            let swapped = all.into_iter().map(|at| match at {
                at if at == a => b,
                at if at == b => a,
                at => at,
            });
            Some(swapped.collect())
        }
        [both] if has(SWAPS) && both.places.len() == 2 => {
            let (a, b) = (both.places[0], both.places[1]);
            let swapped = all.into_iter().map(|at| match at {
                at if at == a => b,
                at if at == b => a,
                at => at,
            });
            Some(swapped.collect())
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
                    if behind.starts_with("之后")
                        || behind.starts_with("后")
                        || before.contains("after")
                        || before.contains("behind")
                    {
                        index + 1
                    } else if behind.starts_with("之前")
                        || behind.starts_with("前")
                        || ["before", "ahead of", "in front of"]
                            .iter()
                            .any(|word| before.contains(word))
                    {
                        index
                    } else {
                        // "move page 3 to page 5": it then is the fifth.
                        usize::try_from(at).ok()?.checked_sub(1)?
                    }
                }
                [_] if has(TO_END) => left.len(),
                [_] if has(TO_FRONT) => 0,
                _ => return None,
            };
            left.insert(index.min(left.len()), place);
            Some(left)
        }
        _ => None,
    }
}

fn is_moved(text: &[char], mention: &Mention) -> bool {
    let behind: String = text[mention.end..].iter().collect();
    let is_zh = MOVES.iter().any(|word| behind.starts_with(word));
    is_zh || ends(before_article(&text[..mention.start]), MOVES_EN)
}

fn before_article(text: &[char]) -> &[char] {
    let text = trimmed(text);
    let article: Vec<char> = " the".chars().collect();
    text.strip_suffix(article.as_slice()).map_or(text, trimmed)
}

/// What is to be left out; nothing where some of what is named is meant otherwise.
fn left_out(text: &[char], mentions: &[Mention]) -> Option<Vec<u32>> {
    let is_out = |mention: &Mention| {
        let behind: String = text[mention.end..].iter().collect();
        if OF_IT.iter().any(|word| behind.starts_with(word)) {
            return false;
        }
        let before = before_article(&text[..mention.start]);
        let before = before.strip_suffix(&['掉']).unwrap_or(before);
        // "第3页去掉图片" is about the picture.
        let ends_there = |rest: &str| {
            let rest = rest.trim_start_matches(['掉', '了', '吧', '啊', '呢', ' ']);
            !rest.starts_with(char::is_alphanumeric)
        };
        let behind_it = AWAY_BEHIND
            .iter()
            .filter_map(|word| behind.strip_prefix(word))
            .any(ends_there);
        ends(before, AWAY) || behind_it
    };
    // "第2页和第4页都删掉": those that are listed together go together.
    let mut gone = vec![];
    let mut pending: Vec<u32> = vec![];
    let mut carried = false;
    for (place, mention) in mentions.iter().enumerate() {
        let joins_next = mentions.get(place + 1).is_some_and(|next| {
            let between: String = text[mention.end..next.start].iter().collect();
            LISTED.contains(&between.trim())
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

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: ItemWords = ItemWords {
        stage: "pages",
        kind: "page",
        called: ("页", "pages"),
        units: &["页", "张幻灯片", "slide", "page"],
        first: &["封面", "首页", "cover"],
        last: &[
            "最后一页",
            "末页",
            "last page",
            "last slide",
            "closing slide",
        ],
        by_title: false,
        can_be_ordered: true,
    };

    fn titles() -> Vec<String> {
        [
            "光合作用入门",
            "目录",
            "什么是光合作用",
            "叶绿体",
            "光反应",
            "暗反应",
            "两个经典实验",
            "总结",
        ]
        .map(str::to_owned)
        .into()
    }

    fn english() -> Vec<String> {
        [
            "Photosynthesis",
            "Overview",
            "What it is",
            "Chloroplasts",
            "Light reactions",
            "Dark reactions",
            "Two classic experiments",
            "Summary",
        ]
        .map(str::to_owned)
        .into()
    }

    #[test]
    fn items_are_named_by_number_by_place_and_by_title() {
        for (text, places) in [
            ("第三页的图换一下", vec![3]),
            ("把第3页和第5页的字放大", vec![3, 5]),
            ("第2、4页", vec![2, 4]),
            ("第2到4页", vec![2, 3, 4]),
            ("第二到第四页换成图表", vec![2, 3, 4]),
            ("4、6两页太挤", vec![4, 6]),
            ("第2页到第4页", vec![2, 3, 4]),
            ("前两页太空", vec![1, 2]),
            ("最后两页合并", vec![7, 8]),
            ("倒数第二页", vec![7]),
            ("封面换个颜色", vec![1]),
            ("最后一页加上联系方式", vec![8]),
            ("删掉“两个经典实验”这一页", vec![7]),
            ("实验那页太挤", vec![7]),
            ("做成8页", vec![]),
            ("每页三个要点", vec![]),
            ("再加两页", vec![]),
            ("一共几页？", vec![]),
        ] {
            assert_eq!(named(text, &PAGES, &titles()).places, places, "{text}");
        }
        for (text, places) in [
            ("page 3 is too dense", vec![3]),
            ("Put only page 2 in two columns", vec![2]),
            ("pages 2 and 4 need pictures", vec![2, 4]),
            ("slides 2-4", vec![2, 3, 4]),
            ("delete slides eight and six", vec![6, 8]),
            ("page 3, two columns", vec![3]),
            ("slides 2, 3 and 5", vec![2, 3, 5]),
            ("the third slide", vec![3]),
            ("the 2nd page", vec![2]),
            ("the first two slides", vec![1, 2]),
            ("the last two slides", vec![7, 8]),
            ("the last page", vec![8]),
            ("the cover", vec![1]),
            ("the experiments page", vec![7]),
            ("p3 looks odd", vec![3]),
            ("make it 8 slides", vec![]),
            ("about 8 pages, please", vec![]),
            ("discover more", vec![]),
        ] {
            assert_eq!(named(text, &PAGES, &english()).places, places, "{text}");
        }
        let beyond = named("第12页改一下", &PAGES, &titles());
        assert_eq!((beyond.places, beyond.beyond), (vec![], Some(12)));
    }

    #[test]
    fn what_only_leaves_out_or_moves_items_is_an_order() {
        let without = |gone: &[u32]| Some((1..=8).filter(|at| !gone.contains(at)).collect());
        for (text, order) in [
            ("把第三页删掉", without(&[3])),
            ("删掉第3页", without(&[3])),
            ("第2页和第4页都删掉", without(&[2, 4])),
            ("删除第2页和第4页", without(&[2, 4])),
            ("删掉“两个经典实验”这一页", without(&[7])),
            ("不要最后一页", without(&[8])),
            ("删掉第3页的图", None),
            ("第3页去掉图片", None),
            ("把第7页移到第3页前面", Some(vec![1, 2, 7, 3, 4, 5, 6, 8])),
            ("第3页放到最后", Some(vec![1, 2, 4, 5, 6, 7, 8, 3])),
            ("第5页和第6页对调", Some(vec![1, 2, 3, 4, 6, 5, 7, 8])),
            ("第3页改成两栏", None),
            ("remove page 3", without(&[3])),
            ("Delete the last slide", without(&[8])),
            ("drop slides 2 and 4", without(&[2, 4])),
            ("remove the chart on page 5", None),
            ("remove page 3's picture", None),
            ("move page 3 to the end", Some(vec![1, 2, 4, 5, 6, 7, 8, 3])),
            (
                "move page 7 before page 4",
                Some(vec![1, 2, 3, 7, 4, 5, 6, 8]),
            ),
            (
                "put slide 2 after slide 4",
                Some(vec![1, 3, 4, 2, 5, 6, 7, 8]),
            ),
            ("swap pages 5 and 6", Some(vec![1, 2, 3, 4, 6, 5, 7, 8])),
            ("make page 3 shorter", None),
        ] {
            assert_eq!(named(text, &PAGES, &titles()).order, order, "{text}");
        }
    }
}
