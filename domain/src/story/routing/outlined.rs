//! How many chapters an outline is to have, or which.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::Regex;
use words::folded;

use super::mentioned::mentioned;
use super::numerals::number;

const ZH: &str = "[0-9零〇一二两三四五六七八九十百]{1,6}";
const EN: &str = "[0-9]{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|\
    seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety";

/// Words before a number of chapters which show that it is not the number of all chapters: 第三章, 前三章, 三到五章.
const NOT_BEFORE: [&str; 18] = [
    "第", "前", "后", "头", "最后", "最近", "末尾", "到", "至", "-", "~", "、", "和", "每", "卷",
    "再加", "再写", "另外",
];
const NOT_BEFORE_EN: [&str; 10] = [
    "first", "last", "final", "latest", "previous", "next", "to", "chapters", "other", "more",
];

struct Patterns {
    /// 三卷，每卷二十章.
    volumes: Regex,
    volumes_en: Regex,
    zh: Regex,
    en: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let regex = |pattern: String| Regex::new(&pattern).expect("a pattern that the tests use");
    Patterns {
        volumes: regex(format!("({ZH}) ?卷[^0-9]{{0,6}}每卷 ?({ZH}) ?(?:个)?章")),
        volumes_en: regex(format!(
            r"\b({EN}) volumes?\b.{{0,12}}\b({EN}) chapters\b(?: each| per volume)"
        )),
        zh: regex(format!("({ZH}) ?(?:个)?章")),
        en: regex(format!(r"\b({EN})(?: |-)chapters?\b")),
    }
});

/// The chapters that a message wants planned, by number: a number of chapters from the first on, or those of a named range. `None` where it
/// names no number, or only a single chapter.
pub fn outlined(message: &str) -> Option<RangeInclusive<u32>> {
    let text = folded(message);
    let several = |count: u32| (count > 1).then_some(1..=count);
    let product = |pattern: &Regex| {
        let found = pattern.captures(&text)?;
        number(&found[1])?.checked_mul(number(&found[2])?)
    };
    if let Some(count) = product(&PATTERNS.volumes).or_else(|| product(&PATTERNS.volumes_en)) {
        return several(count);
    }
    for (pattern, not_before) in [
        (&PATTERNS.zh, &NOT_BEFORE[..]),
        (&PATTERNS.en, &NOT_BEFORE_EN[..]),
    ] {
        for found in pattern.captures_iter(&text) {
            let number_at = found.get(1)?;
            let before = text[..number_at.start()].trim_end();
            if not_before.iter().any(|word| before.ends_with(word)) {
                continue;
            }
            if let Some(range) = number(number_at.as_str()).and_then(several) {
                return Some(range);
            }
        }
    }
    let chapters = mentioned(message).chapters;
    let (first, last) = (*chapters.first()?, *chapters.last()?);
    let is_range = first < last && chapters.iter().copied().eq(first..=last);
    is_range.then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_chapters_or_a_range_of_them_is_read() {
        let cases = [
            ("写一份六十章的大纲", Some(1..=60)),
            ("帮我规划60章的大纲", Some(1..=60)),
            ("全书共一百二十章，列出大纲", Some(1..=120)),
            ("三卷，每卷20章，写大纲", Some(1..=60)),
            ("规划第21到60章的大纲", Some(21..=60)),
            ("第二十一章至第四十章的大纲", Some(21..=40)),
            ("Outline a forty-chapter novel", Some(1..=40)),
            ("Plan 48 chapters about the flood", Some(1..=48)),
            ("Two volumes with 24 chapters each", Some(1..=48)),
            ("outline chapters 21 to 60", Some(21..=60)),
            ("写第三章的大纲", None),
            ("看看前三章的大纲", Some(1..=3)),
            ("根据最后两章改大纲", None),
            ("写一份大纲", None),
            ("Plan the next chapter", None),
            ("rework the last 3 chapters of the outline", None),
        ];
        for (message, wanted) in cases {
            assert_eq!(outlined(message), wanted, "{message}");
        }
    }
}
