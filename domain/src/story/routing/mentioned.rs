//! Which chapters a message speaks of.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;
use words::{WordTable, folded};

use super::numerals::number;

/// The most chapters of one range; a longer range is cut to this length.
const RANGE_MAX: u32 = 200;

/// A chapter that is named by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", content = "count", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RelativeChapter {
    /// The one that is open.
    Current,
    /// The one before that.
    Previous,
    /// The one after it.
    Next,
    /// This number of the last chapters of the story.
    Last(u32),
}

/// The chapters that a message speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mentioned {
    /// The chapters by number, from 1, in ascending order.
    pub chapters: Vec<u32>,
    pub relative: Vec<RelativeChapter>,
}

impl Mentioned {
    pub const fn is_empty(&self) -> bool {
        self.chapters.is_empty() && self.relative.is_empty()
    }

    /// The numbers of all of them in a story whose last chapter has the number `last`, where `current` is open. Without an open chapter
    /// the last one counts as the current one. Chapters that the story does not have are left out, except the one after the last,
    /// which may be yet to be written.
    pub fn resolve(&self, current: Option<u32>, last: u32) -> Vec<u32> {
        let mut found: BTreeSet<u32> = self.chapters.iter().copied().collect();
        let open = current.unwrap_or(last);
        for relative in &self.relative {
            match relative {
                RelativeChapter::Current => found.extend([open]),
                RelativeChapter::Previous => found.extend(open.checked_sub(1)),
                RelativeChapter::Next => found.extend(open.checked_add(1)),
                RelativeChapter::Last(count) => {
                    found.extend((1..=last).rev().take(*count as usize));
                }
            }
        }
        let known = 1..=last.saturating_add(1);
        found.retain(|chapter| known.contains(chapter));
        found.into_iter().collect()
    }
}

const ZH_NUMBER: &str = "[0-9零〇一二两三四五六七八九十百千]{1,8}";
const EN_NUMBER: &str = "(?:[0-9]{1,4}(?:st|nd|rd|th)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|\
    fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\
    eleventh|twelfth)";

/// What the patterns look for, each with what its numbers mean.
struct Patterns {
    /// 第三章, 第三到五章, 第三章到第五章, 第三、四章. A round of a fight (`第三回合`) is not a chapter.
    zh: Regex,
    /// 前三章, 最后两章.
    zh_first: Regex,
    zh_last: Regex,
    /// chapter 3, chapters 3-5, ch. 3 and 4.
    en: Regex,
    /// the third chapter.
    en_ordinal: Regex,
    en_first: Regex,
    en_last: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let regex = |pattern: String| Regex::new(&pattern).expect("a pattern that the tests use");
    let zh_join = " ?(?:章|回)? ?(?:到|至|-|~|—|–|、|,|和|与|跟|及|以及) ?第? ?";
    let en_join = "(?: ?(?:-|–|—|to|through|and|&|,|or|until) ?)+(?:chapters? |ch\\.? ?)?";
    Patterns {
        zh: regex(format!(
            "第? ?({ZH_NUMBER}(?:{zh_join}{ZH_NUMBER}){{0,8}}) ?(?:章|回(?:[^合来去头到家忆答应收想味]|$))"
        )),
        zh_first: regex(format!(
            "(?:前|头|开头|最前面)({ZH_NUMBER})(?:个)?(?:章|回)"
        )),
        zh_last: regex(format!(
            "(?:最后|最近|末尾|后|最新的?)({ZH_NUMBER})(?:个)?(?:章|回)"
        )),
        en: regex(format!(
            r"\b(?:chapters?|chaps?\.?|chs?\.?) ?#?({EN_NUMBER}(?:{en_join}{EN_NUMBER}){{0,8}})\b"
        )),
        en_ordinal: regex(format!(r"\b({EN_NUMBER}) chapter\b")),
        en_first: regex(format!(r"\bfirst ({EN_NUMBER}) chapters\b")),
        en_last: regex(format!(
            r"\b(?:last|final|latest|previous) ({EN_NUMBER}) chapters\b"
        )),
    }
});

/// Words for a chapter by its place; see the head of the file.
static PLACES: LazyLock<WordTable> = LazyLock::new(|| WordTable::read(include_str!("places.tsv")));

/// What matches a class is not looked at for the next ones, since for example `最后一章` (the last chapter) contains `后一章` (the next
/// chapter).
const RELATIVE: [(RelativeChapter, &str); 4] = [
    (RelativeChapter::Last(1), "last"),
    (RelativeChapter::Current, "current"),
    (RelativeChapter::Previous, "previous"),
    (RelativeChapter::Next, "next"),
];

/// The chapters that a message speaks of, by number or by place.
pub fn mentioned(message: &str) -> Mentioned {
    let text = folded(message);
    let mut chapters = BTreeSet::new();
    let mut relative = BTreeSet::new();
    let firsts = [&PATTERNS.zh_first, &PATTERNS.en_first];
    let lasts = [&PATTERNS.zh_last, &PATTERNS.en_last];
    let mut rest = text.clone();
    for count in firsts
        .into_iter()
        .flat_map(|pattern| numbers(pattern, &text))
    {
        chapters.extend(1..=count.min(RANGE_MAX));
    }
    for (place, class) in RELATIVE {
        let words = PLACES.list(class);
        if words.iter().any(|word| rest.contains(word)) {
            relative.insert(place);
        }
        for word in words {
            rest = rest.replace(word, " ");
        }
    }
    for count in lasts
        .into_iter()
        .flat_map(|pattern| numbers(pattern, &rest))
    {
        relative.insert(RelativeChapter::Last(count.min(RANGE_MAX)));
    }
    for pattern in firsts.into_iter().chain(lasts) {
        rest = pattern.replace_all(&rest, " ").into_owned();
    }
    for pattern in [&PATTERNS.zh, &PATTERNS.en, &PATTERNS.en_ordinal] {
        for found in pattern.captures_iter(&rest) {
            let is_zh = std::ptr::eq(pattern, &raw const PATTERNS.zh);
            // "三十章的大纲" (an outline of thirty chapters) gives a number of chapters and does not name a chapter.
            if !is_zh || found[0].starts_with('第') {
                chapters.extend(list(&found[1]));
            }
        }
    }
    if PLACES
        .list("opening")
        .iter()
        .any(|word| text.contains(word))
    {
        chapters.insert(1);
    }
    Mentioned {
        chapters: chapters.into_iter().collect(),
        relative: relative.into_iter().collect(),
    }
}

fn numbers(pattern: &Regex, text: &str) -> Vec<u32> {
    let found = pattern.captures_iter(text);
    found.filter_map(|found| number(&found[1])).collect()
}

/// The numbers of a list in which some may be ranges: `三到五`, `3-5`, `3 and 4`.
fn list(text: &str) -> BTreeSet<u32> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!("{ZH_NUMBER}|{EN_NUMBER}")).expect("a pattern that the tests use")
    });
    const TO: [&str; 9] = ["到", "至", "-", "~", "—", "–", "to", "through", "until"];
    let mut found = BTreeSet::new();
    let mut last: Option<(u32, usize)> = None;
    for piece in NUMBER.find_iter(text) {
        let Some(value) = number(piece.as_str()) else {
            continue;
        };
        let begin = match last {
            Some((before, end)) if TO.iter().any(|to| text[end..piece.start()].contains(to)) => {
                before
            }
            Some(_) | None => value,
        };
        let (low, high) = (begin.min(value), begin.max(value));
        found.extend(low..=high.min(low + RANGE_MAX));
        last = Some((value, piece.end()));
    }
    found
}
