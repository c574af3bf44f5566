//! Items that a message only leaves out or moves: what of them stays, in which order.

use super::{LISTED, Mention};
use crate::understanding::numbers::{ends, trimmed};

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
pub(super) fn order(text: &[char], mentions: &[Mention], count: u32) -> Option<Vec<u32>> {
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
        [one, other] if has(SWAPS) => Some(swapped(all, single(one)?, single(other)?)),
        [both] if has(SWAPS) && both.places.len() == 2 => {
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
