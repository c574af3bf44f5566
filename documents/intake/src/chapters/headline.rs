//! Whether a line is one that people write above a chapter.

use std::sync::LazyLock;

use words::{WordTable, folded};

/// The words of headlines; the head of the file says which classes there are.
static WORDS: LazyLock<WordTable> = LazyLock::new(|| WordTable::read(include_str!("headings.tsv")));

/// Columns of the longest such line; a character of Chinese takes two.
const COLUMNS_MAX: usize = 100;
/// Signs that people set around the line.
const AROUND: &[char] = &[
    '【', '】', '〖', '〗', '[', ']', '*', '=', '#', '~', '\u{3000}',
];
/// Signs between a number and a title.
const BETWEEN: &[char] = &[
    ' ', '\t', '\u{3000}', '：', ':', '、', '·', '.', '．', '—', '–', '-', '－', '|', '｜', '《',
    '「', '【', '(', '（',
];
/// Signs that end a sentence, but with which a title does not end unless other signs stand before them.
const ENDS: &[char] = &[
    '。', '！', '？', '”', '"', '…', '，', '；', '：', '.', '!', '?', ',', ';', ':', '」', '』',
];

const NUMERALS: &str = "〇零一二两兩三四五六七八九十百千万萬廿卅壹贰叁肆伍陆柒捌玖拾上中下";

/// The kind of headline, from the highest to the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Volume,
    Chapter,
    /// A section, which counts as a chapter where there are no chapters.
    Section,
    /// A number alone, which counts as a chapter where such numbers follow one another and there are no other headlines.
    Number(u64),
}

/// A line above a chapter or a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Headline {
    pub(super) rank: Rank,
    /// Its number as it is written, without blanks and in small letters, such as `第一章`.
    pub(super) label: String,
    /// What follows the number, such as `初雨`.
    pub(super) name: String,
    /// The byte of the line at which a chapter begins that is named in the same line as its volume.
    pub(super) inner: Option<usize>,
}

/// Reads a line. `is_alone` says that there is no text directly before it, or none directly after it.
pub(super) fn headline(line: &str, is_alone: bool) -> Option<Headline> {
    if line.is_empty() || columns(line) > COLUMNS_MAX {
        return None;
    }
    let bare = line.trim_matches(AROUND).trim();
    number(bare, is_alone)
        .or_else(|| chinese(bare))
        .or_else(|| special(bare))
        .or_else(|| is_alone.then(|| spaced(bare)).flatten())
        .map(|mut found| {
            // The byte counts in the line as it was given, not in the text within the signs.
            let start = bare.as_ptr() as usize - line.as_ptr() as usize;
            found.inner = found.inner.map(|inner| inner + start);
            found
        })
}

fn columns(line: &str) -> usize {
    line.chars()
        .map(|char| if char >= '\u{2e80}' { 2 } else { 1 })
        .sum()
}

/// `第一章 …`, `第1回`, `卷一`, `上卷`.
fn chinese(line: &str) -> Option<Headline> {
    let (rank, end) = volume_by_name(line).or_else(|| ordinal(line))?;
    let (label, rest) = line.split_at(end);
    let is_apart = rest.is_empty() || rest.starts_with(BETWEEN);
    let name = rest.trim_matches(BETWEEN);
    // 第一章的内容 and 第一回见她 are words of a sentence.
    let is_close = rank == Rank::Chapter
        && !rest.ends_with(ENDS)
        && !has(WORDS.list("goes on"), |word| rest.starts_with(word));
    if !is_apart && !is_close {
        return None;
    }
    if is_apart && rest.ends_with(['。', '；', '，', ',', ';']) {
        return None;
    }
    // 第一卷 风起 第一章 初雨
    let inner = (rank == Rank::Volume)
        .then(|| inner_chapter(line, end))
        .flatten();
    let name = inner.map_or(name, |inner| line[end..inner].trim_matches(BETWEEN));
    Some(Headline {
        rank,
        label: squeezed(label),
        name: squeezed(name),
        inner,
    })
}

/// Where in a line that names a volume a chapter is named too.
fn inner_chapter(line: &str, end: usize) -> Option<usize> {
    let starts = line[end..].match_indices('第').map(|(at, _)| end + at);
    starts
        .filter(|at| line[..*at].ends_with([' ', '\u{3000}', '\t']))
        .find(|at| ordinal(&line[*at..]).is_some_and(|(rank, _)| rank == Rank::Chapter))
}

/// Whether one of these words is so.
fn has(words: &[&str], is_so: impl Fn(&str) -> bool) -> bool {
    words.iter().any(|word| is_so(word))
}

/// `第`, a number and a unit: the kind of headline, and where these characters end.
fn ordinal(line: &str) -> Option<(Rank, usize)> {
    let rest = line.strip_prefix(['第', '제'])?;
    let padded = rest.trim_start_matches([' ', '\u{3000}']);
    let numeral = numeral(padded);
    let after = padded[numeral..].trim_start_matches([' ', '\u{3000}']);
    let unit = after.chars().next().filter(|_| numeral > 0)?;
    let units = [
        ("unit:chapter", Rank::Chapter),
        ("unit:volume", Rank::Volume),
        ("unit:section", Rank::Section),
    ];
    let is_it = |class| has(WORDS.list(class), |word| word.starts_with(unit));
    let (_, rank) = units.into_iter().find(|(class, _)| is_it(class))?;
    Some((rank, line.len() - after.len() + unit.len_utf8()))
}

/// `卷一`, `卷之二`, `上卷`.
fn volume_by_name(line: &str) -> Option<(Rank, usize)> {
    if let Some(rest) = line.strip_prefix('卷') {
        let rest = rest.strip_prefix('之').unwrap_or(rest);
        let numeral = numeral(rest);
        return (numeral > 0).then(|| (Rank::Volume, line.len() - rest.len() + numeral));
    }
    let first = line
        .chars()
        .next()
        .filter(|char| "上中下".contains(*char))?;
    let unit = line[first.len_utf8()..].chars().next()?;
    let end = first.len_utf8() + unit.len_utf8();
    ("卷部册冊篇".contains(unit)).then_some((Rank::Volume, end))
}

/// How many bytes a number at the beginning has.
fn numeral(text: &str) -> usize {
    let is_chinese = |char: char| NUMERALS.contains(char);
    let is_digit = |char: char| char.is_ascii_digit() || ('０'..='９').contains(&char);
    let chinese = text.len() - text.trim_start_matches(is_chinese).len();
    let digits = text.len() - text.trim_start_matches(is_digit).len();
    chinese.max(digits)
}

/// `楔子`, `尾声`, `番外三`, with a title or without.
fn special(line: &str) -> Option<Headline> {
    let names = WORDS.list("name").iter();
    let names = names.filter(|name| line.starts_with(**name));
    let name = names.max_by_key(|name| name.len())?;
    let mut end = name.len();
    if *name == "番外" {
        let rest = line[end..].strip_prefix('篇').unwrap_or(&line[end..]);
        end = line.len() - rest.len() + numeral(rest);
    }
    let rest = &line[end..];
    if !rest.is_empty() && (!rest.starts_with(BETWEEN) || rest.ends_with(ENDS)) {
        return None;
    }
    Some(Headline {
        rank: Rank::Chapter,
        label: squeezed(&line[..end]),
        name: squeezed(rest.trim_matches(BETWEEN)),
        inner: None,
    })
}

/// `Chapter One`, `CHAPTER XII. A Title`, `Part 2`, `Prologue`, `Глава первая`, `1. Kapitel`.
fn spaced(line: &str) -> Option<Headline> {
    let (first, rest) = first_word(line);
    let word = folded(first);
    if WORDS.list("alone").contains(&word.as_str()) {
        return named(Rank::Chapter, word, rest);
    }
    if is_number(first) {
        let (unit, after) = first_word(rest.trim_start_matches('.').strip_prefix(' ')?);
        let unit = folded(unit);
        return named(rank_of(&unit)?, word + &unit, after);
    }
    let rank = rank_of(&word)?;
    let mut rest = rest.strip_prefix(' ')?.trim_start();
    let (article, after) = first_word(rest);
    if WORDS.list("article").contains(&folded(article).as_str()) {
        rest = after.trim_start();
    }
    let (number, after) = first_word(rest);
    is_number(number).then(|| named(rank, word + &folded(number), after))?
}

/// The kind of headline that has this word beside its number.
fn rank_of(word: &str) -> Option<Rank> {
    let is_chapter = WORDS.list("chapter").contains(&word);
    let is_volume = || WORDS.list("volume").contains(&word);
    let rank = is_chapter.then_some(Rank::Chapter);
    rank.or_else(|| is_volume().then_some(Rank::Volume))
}

/// A headline, unless the text after the number is the rest of a sentence.
fn named(rank: Rank, label: String, rest: &str) -> Option<Headline> {
    let is_apart = rest.starts_with(['.', ':', '—', '–', '-', '|', '('])
        || rest.trim_start().starts_with(['—', '–', '-', ':', '|']);
    let name = rest.trim_matches(BETWEEN);
    let begins_small = name.starts_with(char::is_lowercase);
    let is_title = name.is_empty()
        || is_apart
        || (rest.starts_with(' ') && !begins_small && !rest.ends_with(['.', ',', ';']));
    is_title.then(|| Headline {
        rank,
        label,
        name: squeezed(name),
        inner: None,
    })
}

fn first_word(line: &str) -> (&str, &str) {
    let end = line
        .find(|char: char| !char.is_alphanumeric() && char != '-')
        .unwrap_or(line.len());
    // A dash after the word is not part of it: `Chapter 1-The Fall`.
    let word = line[..end]
        .split_once('-')
        .filter(|(first, _)| !first.chars().all(char::is_alphabetic));
    word.map_or_else(
        || line.split_at(end),
        |(first, _)| line.split_at(first.len()),
    )
}

/// `12`, `XII`, `twelve`, `twenty-one`, `twelfth`.
fn is_number(word: &str) -> bool {
    let is_digits =
        !word.is_empty() && word.len() < 5 && word.bytes().all(|byte| byte.is_ascii_digit());
    let lower = folded(word);
    let mut parts = lower.split('-');
    let numbers = WORDS.list("number");
    is_digits || roman(word).is_some() || parts.all(|part| numbers.contains(&part))
}

/// The value of a number in Roman letters of one case.
fn roman(word: &str) -> Option<u64> {
    let is_one_case = word.chars().all(char::is_uppercase) || word.chars().all(char::is_lowercase);
    if word.is_empty() || word.len() > 8 || !is_one_case {
        return None;
    }
    let mut values: Vec<i64> = Vec::new();
    for char in word.to_ascii_uppercase().chars() {
        values.push(match char {
            'I' => 1,
            'V' => 5,
            'X' => 10,
            'L' => 50,
            'C' => 100,
            'D' => 500,
            'M' => 1_000,
            _ => return None,
        });
    }
    // A numeral before a larger one is subtracted from it: `IV` is four.
    let total: i64 = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let is_less = values.get(at + 1).is_some_and(|next| next > value);
            if is_less { -value } else { *value }
        })
        .sum();
    u64::try_from(total).ok().filter(|total| *total > 0)
}

/// A number alone: `12`, `12.`, `十二`, `XII`, `（三）`.
fn number(line: &str, is_alone: bool) -> Option<Headline> {
    let bare = line
        .trim_matches(['(', ')', '（', '）', '—', '-', '–', ' '])
        .trim_end_matches(['.', '、', '．']);
    if !is_alone || bare.is_empty() || bare.chars().count() > 6 {
        return None;
    }
    let value = if bare.bytes().all(|byte| byte.is_ascii_digit()) && bare.len() < 5 {
        bare.parse().ok()
    } else if numeral(bare) == bare.len() {
        chinese_value(bare)
    } else {
        bare.chars()
            .all(char::is_uppercase)
            .then(|| roman(bare))
            .flatten()
    };
    value.map(|value| Headline {
        rank: Rank::Number(value),
        label: value.to_string(),
        name: String::new(),
        inner: None,
    })
}

/// The value of a number in Chinese; a book has fewer than ten thousand chapters.
fn chinese_value(text: &str) -> Option<u64> {
    let value = words::numeral(text, &["zh"]).map(u64::from);
    value.filter(|value| (1..10_000).contains(value))
}

/// Words without blanks, in small letters, and without the number of a page at the end.
fn squeezed(text: &str) -> String {
    let digits = text.trim_end_matches(|char: char| char.is_ascii_digit());
    let dots = digits.trim_end_matches(['.', '…', '·', ' ', '\t', '\u{3000}']);
    // The number of a page stands behind dots or a tab.
    let has_page =
        digits.len() < text.len() && (digits.ends_with(['…', '\t', '·']) || digits.ends_with(".."));
    let text = if has_page { dots } else { text };
    text.chars()
        .filter(|char| !char.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}
