//! A chapter in ranges, each as much as a model reads well at a time.

use std::ops::Range;

use words::sentences::sentences;

/// Characters of a range: some ten thousand tokens in Chinese, below which models overlook little. Most chapters are one range.
pub(crate) const RANGE_CHARS: usize = 10_000;

/// Characters that the next range begins before the end of one: a paragraph, so that a person called `she` there was named before.
pub(crate) const OVERLAP_CHARS: usize = 500;

/// The ranges of a text in bytes, in order; empty for a blank text. Together they are the whole text, and each begins before the end of the
/// one before. A range ends where a sentence does, so that each sentence is whole in one of them, unless it is longer than half a range.
pub(crate) fn ranges(text: &str) -> Vec<Range<usize>> {
    if text.trim().is_empty() {
        return vec![];
    }
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let chars = starts.len();
    starts.push(text.len());
    let sentences = sentences(text);
    let mut found = vec![];
    let mut start = 0;
    while chars - start > RANGE_CHARS {
        let (least, most) = (starts[start + RANGE_CHARS / 2], starts[start + RANGE_CHARS]);
        let known = sentences.partition_point(|it| it.end <= most);
        let end = sentences[..known].last().map(|it| it.end);
        let end = end.filter(|end| *end > least).unwrap_or(most);
        found.push(starts[start]..end);
        let end = starts.partition_point(|at| *at < end);
        let from = end - OVERLAP_CHARS;
        let begins = sentences.partition_point(|it| it.start < starts[from]);
        let begins = sentences.get(begins).map(|it| it.start);
        let begins = begins.filter(|begins| *begins < starts[end]);
        start = begins.map_or(from, |begins| starts.partition_point(|at| *at < begins));
    }
    found.push(starts[start]..text.len());
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_one_range_and_a_blank_one_none() {
        let short = "林晚来到北城。";
        let found = ranges(short);
        assert_eq!((found.len(), &found[0]), (1, &(0..short.len())));
        assert!(ranges(" \n\n ").is_empty());
    }

    #[test]
    fn what_has_no_sentences_is_cut_all_the_same() {
        let text = "啊".repeat(2 * RANGE_CHARS);
        let found = ranges(&text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0].len(), 3 * RANGE_CHARS);
        assert_eq!(found[1].start, 3 * (RANGE_CHARS - OVERLAP_CHARS));
    }

    proptest! {
        #[test]
        fn ranges_cover_every_character_and_overlap_and_each_sentence_is_whole_in_one(
            parts in proptest::collection::vec(("[a-z ]{1,60}|[林晚来到北城]{1,30}", 1_usize..80, proptest::sample::select(&["。", ". ", "\n", "！”", ""][..])), 1..60)
        ) {
            let parts = parts.iter().map(|(words, times, end)| words.repeat(*times) + end);
            let text: String = parts.collect();
            let found = ranges(&text);
            if text.trim().is_empty() {
                prop_assert!(found.is_empty());
                return Ok(());
            }
            prop_assert_eq!((found[0].start, found[found.len() - 1].end), (0, text.len()));
            for pair in found.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[1].start < pair[0].end, "{found:?}");
                prop_assert!(pair[0].end < pair[1].end, "{found:?}");
            }
            for range in &found {
                prop_assert!(text[range.clone()].chars().count() <= RANGE_CHARS);
            }
            for sentence in sentences(&text) {
                let is_whole = found.iter().any(|it| it.start <= sentence.start && sentence.end <= it.end);
                let chars = text[sentence.clone()].chars().count();
                prop_assert!(is_whole || chars > RANGE_CHARS / 2, "{chars} characters at {sentence:?} in {found:?}");
            }
        }
    }
}
