//! How many chapters an outline is to have, or which.

use std::ops::RangeInclusive;

use words::folded;

use super::mentioned::{PLACES, mentioned, numbers};

/// The numbers of a text that stand before a word of a class, each with where it begins and what follows the word.
fn counted<'a>(text: &'a str, class: &str) -> Vec<(u32, usize, &'a str)> {
    let words = PLACES.list(class);
    let counted = numbers(text).into_iter().filter_map(|number| {
        let behind = text[number.end..].trim_start_matches([' ', '-', '个']);
        let behind = words.iter().find_map(|word| behind.strip_prefix(word))?;
        let is_count = !number.is_ordinal && number.low == number.high;
        is_count.then_some((number.low, number.begin, behind))
    });
    counted.collect()
}

/// The chapters that a message wants planned, by number: a number of chapters from the first on, or those of a named range. `None` where it
/// names no number, or only a single chapter.
pub(crate) fn outlined(message: &str) -> Option<RangeInclusive<u32>> {
    let text = folded(message);
    let several = |count: u32| (count > 1).then_some(1..=count);
    let chapters = counted(&text, "chapter");
    // 三卷，每卷二十章
    let is_each = |between: &str, behind: &str| {
        let mut words = PLACES.list("each").iter();
        words.any(|word| between.contains(word) || behind.trim_start().starts_with(word))
    };
    if let Some((volumes, at, _)) = counted(&text, "volumes").first()
        && let Some((each, begin, behind)) = chapters.iter().find(|(_, begin, _)| begin > at)
        && is_each(&text[*at..*begin], behind)
    {
        return several(volumes.checked_mul(*each)?);
    }
    for (count, begin, _) in chapters {
        let before = text[..begin].trim_end();
        let mut words = PLACES.list("not before").iter();
        if !words.any(|word| before.ends_with(word)) && count > 1 {
            return several(count);
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
            ("Continue the outline up to chapter 5", None),
            ("rework the last 3 chapters of the outline", None),
        ];
        for (message, wanted) in cases {
            assert_eq!(outlined(message), wanted, "{message}");
        }
    }
}
