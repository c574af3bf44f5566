//! Where sentences end, in any script. In doubt a sentence goes on, because a unit that is too long is still complete.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use icu_properties::CodePointSetData;
use icu_properties::props::{QuotationMark, SentenceTerminal, TerminalPunctuation};

use crate::rows::rows;

/// Words after which a full stop does not end the sentence; the head of the file says which.
const ABBREVIATIONS: &str = include_str!("../data/abbreviations.tsv");

static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| rows(ABBREVIATIONS).map(|[word, _]| word).collect());

/// The sentences of a text, without the space around them.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = vec![];
    let mut start = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if c != '\n' && !is_terminal(c) {
            at = next;
            continue;
        }
        let end = closed(text, next);
        if c == '\n' || is_end(text, start, at, end) {
            found.push(start..end);
            start = end;
        }
        at = end;
    }
    found.push(start..text.len());
    let trimmed = found.into_iter().map(|range| trimmed(text, range));
    trimmed.filter(|range| !range.is_empty()).collect()
}

/// Whether a character is a stop or a pause, as the comma and the colon are, in any script: Unicode's property `Terminal_Punctuation`.
pub fn is_pause(c: char) -> bool {
    CodePointSetData::new::<TerminalPunctuation>().contains(c)
}

/// Whether a character stands around somebody's words; not an apostrophe.
pub fn is_quotation_mark(c: char) -> bool {
    !matches!(c, '\'' | '’') && CodePointSetData::new::<QuotationMark>().contains(c)
}

/// Whether a text ends a sentence or makes a pause, also before a closing quotation mark or bracket.
pub fn ends_with_pause(text: &str) -> bool {
    let mut last = text.chars().rev().filter(|c| !c.is_whitespace());
    last.find(|c| c.is_alphanumeric() || is_pause(*c))
        .is_some_and(is_pause)
}

/// The text without the unwanted sentences, and these sentences. The paragraphs end where they ended before.
pub fn without(text: &str, is_unwanted: impl Fn(&str) -> bool) -> (String, Vec<&str>) {
    let (mut kept, mut left_out, mut end) = (String::with_capacity(text.len()), vec![], 0);
    for range in sentences(text) {
        let gap = &text[end..range.start];
        let is_said = kept.ends_with(char::is_whitespace) && !gap.contains('\n');
        kept.push_str(if is_said { "" } else { gap });
        let sentence = &text[range.clone()];
        end = range.end;
        if is_unwanted(sentence) {
            left_out.push(sentence);
        } else {
            kept.push_str(sentence);
        }
    }
    kept.push_str(&text[end..]);
    (kept, left_out)
}

/// Stops that abbreviations and numbers have as well, in their usual and wide forms.
const FULL_STOPS: [char; 5] = ['.', '．', '﹒', '․', '۔'];

/// Unicode counts the comma of Burmese among the signs that end sentences.
const BURMESE_COMMA: char = '၊';

fn is_terminal(c: char) -> bool {
    c != BURMESE_COMMA && CodePointSetData::new::<SentenceTerminal>().contains(c)
}

/// Where further stops, quotation marks and brackets after a stop end.
fn closed(text: &str, from: usize) -> usize {
    let goes_on = |c: char| !is_terminal(c) && !"…”’\"'）)】》」』»*]".contains(c);
    let at = text[from..].find(goes_on);
    at.map_or(text.len(), |at| from + at)
}

/// Whether the stop at `at`, with what closes behind it up to `end`, ends the sentence that began at `start`.
fn is_end(text: &str, start: usize, at: usize, end: usize) -> bool {
    let stop = text[at..].chars().next().unwrap_or(' ');
    let marks = &text[at..end];
    let next = text[end..].chars().next().unwrap_or('\n');
    if marks.contains('…') || marks.contains("..") || "，、；：,;:—）)،؛".contains(next)
    {
        return false;
    }
    let is_closed = marks.chars().count() > 1;
    let ends = match stop {
        // "“走！”他说": the quotation ends here, but the sentence does not.
        '！' | '？' | '‼' | '⁇' | '⁈' | '⁉' => !is_closed || next.is_whitespace(),
        '!' | '?' => next.is_whitespace() && begins_anew(&text[end..]),
        // Each of the others ends sentences alone: 。 । ؟ ။ ።
        other if !FULL_STOPS.contains(&other) => true,
        _ => next.is_whitespace() && begins_anew(&text[end..]) && !is_abbreviated(&text[start..at]),
    };
    ends && !is_inside_brackets(text, start, at, end)
}

/// How far a bracket may close behind a stop, in characters: beyond, it was forgotten.
const BRACKETED_CHARS: usize = 200;

/// Whether a bracket or a mark of a quotation that has two forms is open at a stop and closes behind it.
fn is_inside_brackets(text: &str, start: usize, at: usize, end: usize) -> bool {
    const PAIRS: [(char, char); 7] = [
        ('(', ')'),
        ('（', '）'),
        ('「', '」'),
        ('『', '』'),
        ('《', '》'),
        ('“', '”'),
        ('«', '»'),
    ];
    let count = |text: &str, sign: char| text.matches(sign).count();
    let closes = |close: char| {
        let behind = text[end..].chars().take(BRACKETED_CHARS);
        behind.take_while(|c| *c != '\n').any(|c| c == close)
    };
    PAIRS.iter().any(|(open, close)| {
        count(&text[start..at], *open) > count(&text[start..end], *close) && closes(*close)
    })
}

fn begins_anew(rest: &str) -> bool {
    let next = rest.trim_start().chars().next();
    next.is_none_or(|c| !c.is_lowercase() && (c.is_alphanumeric() || "\"'“‘([（《「".contains(c)))
}

/// Whether a full stop behind these words belongs to the last of them, or these words are the number of an item.
fn is_abbreviated(before: &str) -> bool {
    let begins = |c: char| c.is_whitespace() || "(（[\"“".contains(c);
    let word = before.rsplit(begins).next();
    let word = word.unwrap_or_default().to_lowercase();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_digit = |c: char| c.is_ascii_digit() || " .".contains(c);
    let is_number = before.trim_matches(is_digit).is_empty();
    // Of a day, as in "am 2. Dezember".
    let is_ordinal = (1..=2).contains(&word.len()) && word.chars().all(|c| c.is_ascii_digit());
    let is_initials = letters > 0 && word.split('.').all(|part| part.chars().count() <= 1);
    is_number || is_ordinal || is_abbreviation(&word) || is_initials
}

/// Whether a full stop behind this word, in lower case, does not end a sentence.
pub fn is_abbreviation(word: &str) -> bool {
    KNOWN.contains(word)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let said = &text[range.clone()];
    let start = range.start + (said.len() - said.trim_start().len());
    start..start.max(range.start + said.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|at| &text[at]).collect()
    }

    #[test]
    fn what_is_left_out_leaves_the_paragraphs_as_they_were() {
        let (kept, left) = without("A one. B two. C tri.\n\nD two. E for.", |said| {
            said.contains("two")
        });
        assert_eq!(kept, "A one. C tri.\n\nE for.");
        assert_eq!(left, ["B two.", "D two."]);
    }

    #[test]
    fn sentences_end_where_they_end_in_any_script() {
        for (text, parts) in [
            (
                "潮汐每天两次。月球引起它！为什么？因为引力",
                &["潮汐每天两次。", "月球引起它！", "为什么？", "因为引力"][..],
            ),
            (
                "决议：推迟到 5 月 12 日；预算追加 35 万元。",
                &["决议：推迟到 5 月 12 日；预算追加 35 万元。"],
            ),
            (
                "他说：“走吧。”然后走了。",
                &["他说：“走吧。”", "然后走了。"],
            ),
            ("“走！”他说。", &["“走！”他说。"]),
            ("等等……我来了。", &["等等……我来了。"]),
            (
                "It rises. It falls! Why? Because.",
                &["It rises.", "It falls!", "Why?", "Because."],
            ),
            (
                "Dr. Smith saw Fig. 3 in the U.S. Army. Then he left.",
                &["Dr. Smith saw Fig. 3 in the U.S. Army.", "Then he left."],
            ),
            (
                "It is 12.4 hours, e.g. at https://a.org/x.html today. Yes.",
                &[
                    "It is 12.4 hours, e.g. at https://a.org/x.html today.",
                    "Yes.",
                ],
            ),
            (
                "Open notes.txt. It is short.",
                &["Open notes.txt.", "It is short."],
            ),
            ("Wait... What is it?", &["Wait... What is it?"]),
            (
                "He said \"Go.\" Then he went.",
                &["He said \"Go.\"", "Then he went."],
            ),
            (
                "1. Measure it. Then stop.",
                &["1. Measure it.", "Then stop."],
            ),
            (
                "In 1966. Sihwa came later",
                &["In 1966.", "Sihwa came later"],
            ),
            (
                "ज्वार दिन में दो बार आता है। चंद्रमा इसका कारण है।",
                &["ज्वार दिन में दो बार आता है।", "चंद्रमा इसका कारण है।"],
            ),
            (
                "هل يرتفع الماء؟ نعم، يرتفع مرتين. ثم ينخفض.",
                &["هل يرتفع الماء؟", "نعم، يرتفع مرتين.", "ثم ينخفض."],
            ),
            (
                "کیا پانی چڑھتا ہے؟ جی ہاں۔ پھر اترتا ہے۔",
                &["کیا پانی چڑھتا ہے؟", "جی ہاں۔", "پھر اترتا ہے۔"],
            ),
            ("ဒီရေသည် တက်သည်။ ကျသည်။", &["ဒီရေသည် တက်သည်။", "ကျသည်။"]),
            ("ငါး၊ ဆန်၊ ဆီ ဝယ်သည်။", &["ငါး၊ ဆန်၊ ဆီ ဝယ်သည်။"]),
            (
                "Das Wasser steigt z. B. um 5 m bzw. 6 Meter. Danach fällt es.",
                &[
                    "Das Wasser steigt z. B. um 5 m bzw. 6 Meter.",
                    "Danach fällt es.",
                ],
            ),
            (
                "Costs rose. 35 percent fell.",
                &["Costs rose.", "35 percent fell."],
            ),
            (
                "Die Frist endet am 2. Dezember. Danach gilt sie nicht.",
                &["Die Frist endet am 2. Dezember.", "Danach gilt sie nicht."],
            ),
            (
                "Costs rose . Then they fell.",
                &["Costs rose .", "Then they fell."],
            ),
            (
                "「雪は手紙だ。天から来る。」冬だった。",
                &["「雪は手紙だ。天から来る。」", "冬だった。"],
            ),
            ("「雪だ。冬だった。", &["「雪だ。", "冬だった。"]),
            ("first line\nsecond line", &["first line", "second line"]),
        ] {
            assert_eq!(said(text), parts, "{text}");
        }
    }
}
