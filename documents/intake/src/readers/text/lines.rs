//! What a single line of a text looks like.

use spec::book::is_scene_break;

/// Columns that a line takes: a character of Chinese, Japanese or Korean takes two.
pub(super) fn width(line: &str) -> usize {
    line.chars()
        .map(|char| {
            if char >= '\u{1100}' && !char.is_whitespace() {
                2
            } else {
                1
            }
        })
        .sum()
}

/// An item of a list: its number if it has one, and where its words begin.
pub(super) fn item(line: &str) -> Option<(Option<u64>, usize)> {
    let bare = line.trim_start();
    if is_scene_break(bare) {
        return None;
    }
    let bullets = [
        "- ",
        "* ",
        "+ ",
        "\u{2022}",
        "\u{25CF}",
        "\u{25A0}",
        "\u{2013} ",
        "\u{B7}",
        "-\t",
        "*\t",
    ];
    let (number, rest) = match bullets.iter().find_map(|sign| bare.strip_prefix(sign)) {
        Some(rest) => (None, rest),
        None => {
            let (number, rest) = numbered(bare)?;
            (Some(number), rest)
        }
    };
    let words = rest.trim_start();
    (!words.is_empty()).then(|| (number, line.len() - words.len()))
}

/// The number of an item and the text after it. A year is not such a number, and "1.5 metres" is not an item.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let inner = line.strip_prefix(['(', '\u{FF08}']);
    let is_closed = inner.is_some();
    let inner = inner.unwrap_or(line);
    let digits = inner.len()
        - inner
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len();
    if digits == 0 || digits > 3 {
        return None;
    }
    let (number, sign) = inner.split_at(digits);
    let rest = if is_closed {
        sign.strip_prefix([')', '\u{FF09}'])?
    } else {
        let rest = sign.strip_prefix(['.', ')', '\u{3001}', '\u{FF0E}'])?;
        // No blank is needed after a Chinese sign.
        let is_wide = !sign.starts_with(['.', ')']);
        (is_wide || rest.starts_with(char::is_whitespace)).then_some(rest)?
    };
    Some((number.parse().ok()?, rest))
}

/// The level of an underline: `====` or `----`.
pub(super) fn underline(line: &str) -> Option<u8> {
    let line = line.trim();
    let is_of = |sign: char| line.len() >= 3 && line.chars().all(|char| char == sign);
    if is_of('=') {
        Some(1)
    } else if is_of('-') || is_of('~') || is_of('\u{2500}') {
        Some(2)
    } else {
        None
    }
}

/// The level of a heading with a Chinese number: `第一章 …`, `一、…`, `（一）…`.
pub(super) fn numbered_heading(line: &str) -> Option<u8> {
    let line = line.trim();
    let ends = [
        '\u{3002}', '\u{FF1B}', '\u{FF0C}', '\u{FF1A}', '.', ';', ',', ':',
    ];
    if width(line) > 60 || line.ends_with(ends) {
        return None;
    }
    if let Some(rest) = line.strip_prefix('第') {
        let number = numeral(rest);
        let unit = rest[number..].chars().next().filter(|_| number > 0)?;
        return match unit {
            '编' | '篇' | '部' | '卷' | '章' | '回' | '編' => Some(1),
            '节' | '節' | '讲' | '课' | '課' | '講' => Some(2),
            _ => None,
        };
    }
    numeral_sign(line)
}

/// The level of a line by its Chinese numeral: 2 for `一、`, 3 for `（一）`.
pub(super) fn numeral_sign(line: &str) -> Option<u8> {
    let line = line.trim();
    if let Some(inner) = line.strip_prefix(['\u{FF08}', '(']) {
        let number = numeral(inner);
        return (number > 0 && inner[number..].starts_with(['\u{FF09}', ')'])).then_some(3);
    }
    let number = numeral(line);
    (number > 0 && line[number..].starts_with('\u{3001}')).then_some(2)
}

/// How many bytes a numeral at the beginning has.
fn numeral(text: &str) -> usize {
    let is_numeral = |char: char| "〇零一二三四五六七八九十百千".contains(char);
    let chinese = text.len() - text.trim_start_matches(is_numeral).len();
    if chinese > 0 {
        return chinese;
    }
    text.len()
        - text
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len()
}

/// Whether a line has columns that are made with blanks, tabs or bars: if such lines were joined, nobody could read them.
pub(super) fn has_columns(line: &str) -> bool {
    let bare = line.trim();
    bare.contains('\t')
        || bare.contains("   ")
        || bare.starts_with(['|', '\u{2502}', '\u{250C}', '\u{251C}', '\u{2514}'])
        || bare.starts_with("+-")
}
