//! The order in which people expect files: by the numbers in their names, Chinese ones too.

use std::sync::LazyLock;

use words::WordTable;

/// Beginnings of names of texts, by where the texts come; see the head of the file.
static PARTS: LazyLock<WordTable> = LazyLock::new(|| WordTable::read(include_str!("parts.tsv")));

/// The most characters of a line that names a chapter and is not marked as a heading: longer ones are sentences.
const CHAPTER_LINE_CHARS_MAX: usize = 40;

/// A piece of a name; numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    Number(u64),
    Word(String),
}

/// The key by which paths are sorted: folder after folder.
pub(super) fn path_key(path: &str) -> Vec<(i8, Vec<Piece>)> {
    path.split('/').map(name_key).collect()
}

fn name_key(name: &str) -> (i8, Vec<Piece>) {
    let name = name.to_lowercase();
    let begins = |class| {
        let mut words = PARTS.list(class).iter();
        i8::from(words.any(|word| name.starts_with(word)))
    };
    let rank = begins("behind") - begins("before");
    (rank, pieces(&name))
}

fn pieces(name: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some((number, below)) = counted(rest) {
            pieces.push(Piece::Word("第".to_owned()));
            pieces.push(Piece::Number(number));
            rest = below;
            continue;
        }
        let is_digit = first.is_ascii_digit();
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_ascii_digit() != is_digit || *c == '第')
            .map_or(rest.len(), |(at, _)| at);
        let (piece, below) = rest.split_at(end);
        pieces.push(match piece.parse() {
            Ok(number) if is_digit => Piece::Number(number),
            Ok(_) | Err(_) => Piece::Word(piece.to_owned()),
        });
        rest = below;
    }
    pieces
}

/// The number of `第十二章` and what follows the number.
fn counted(text: &str) -> Option<(u64, &str)> {
    let behind = text.strip_prefix('第')?.trim_start();
    let is_number = |c: char| words::numeral(c.encode_utf8(&mut [0; 4]), &["zh"]).is_some();
    let end = behind.find(|c| !is_number(c)).unwrap_or(behind.len());
    let (number, below) = behind.split_at(end);
    let mut counted = PARTS.list("counted").iter();
    counted.find(|word| below.trim_start().starts_with(**word))?;
    Some((u64::from(words::numeral(number, &["zh"])?), below))
}

/// The number of a chapter that somebody writes: `3`, `第三章`, `Chapter 3`.
pub(super) fn chapter_number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some((number, below)) = counted(text) {
        let below = below.trim_start();
        return (below.chars().count() == 1).then_some(number);
    }
    let lower = text.to_lowercase();
    let number = ["chapter", "ch."]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    number.trim().parse().ok()
}

/// Whether a line that is not marked as a heading still names a chapter: `第三章 雾`, `Chapter 3: Fog`.
pub(super) fn is_chapter_line(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.chars().count() > CHAPTER_LINE_CHARS_MAX || ends_sentence(line) {
        return false;
    }
    if let Some((_, below)) = counted(line) {
        let mut below = below.trim_start().chars().skip(1);
        return below
            .next()
            .is_none_or(|c| c.is_whitespace() || matches!(c, ':' | '：' | '·' | '—'));
    }
    let lower = line.to_lowercase();
    let Some(below) = lower.strip_prefix("chapter ") else {
        return false;
    };
    let number = below.split([' ', ':', '.', '—', '-']).next();
    number.is_some_and(|it| !it.is_empty() && (it.parse::<u64>().is_ok() || is_roman(it)))
}

fn ends_sentence(line: &str) -> bool {
    line.ends_with(['。', '！', '？', '，', '；', ',', ';'])
}

fn is_roman(text: &str) -> bool {
    text.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | 'l'))
}

/// A name without the number before it: `03-fog` is `fog`. A name that is only a number stays.
pub(super) fn without_number(name: &str) -> &str {
    let below = name.trim_start_matches(|c: char| c.is_ascii_digit());
    if below.len() == name.len() {
        return name;
    }
    let words = below.trim_start_matches(['-', '_', '.', ' ', '、', '．']);
    if words.is_empty() || words.len() == below.len() {
        return name;
    }
    words
}
