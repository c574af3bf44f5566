//! A cautious estimate of how text breaks, without a font: it may say too many lines, and should never say too few.

use spec::text::{columns, spans};

/// Widths are multiplied by this, for fonts wider than the ones the classes below were taken from.
const SLACK: f32 = 1.05;
/// Bold Latin letters are wider than regular ones; Chinese ones are not.
const BOLD: f32 = 1.07;
/// Space that a viewer may add where Chinese and Latin text meet.
const BOUNDARY_EM: f32 = 0.25;
/// Type is never set smaller, whatever the text; slots within their limits stay far above it.
const FLOOR_PX: f32 = 9.0;

/// Advance of one character in em, by class: the widest of the common sans-serif fonts.
fn advance(character: char) -> f32 {
    match character {
        // Punctuation that has one column in a terminal but is set full width by a Chinese font.
        '“' | '”' | '‘' | '’' | '—' | '…' | '·' | '×' | '→' | '←' | '°' | '±' | '≤' | '≥' | '≈' => {
            1.0
        }
        '①'..='⓿' | 'Ⅰ'..='ↈ' | '■'..='◿' | '★' | '☆' => 1.0,
        'i' | 'l' | 'j' | 'I' | '.' | ',' | '\'' | '|' | '!' | ':' | ';' | ' ' | '`' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '"' | 's' => 0.48,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' | 'Q' | 'O' | 'G' => 0.95,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '#' => 0.74,
        'a'..='z' | '0'..='9' => 0.6,
        _ => match columns(character) {
            0 => 0.0,
            1 => 0.72,
            _ => 1.0,
        },
    }
}

/// Whether a line may begin with it.
fn may_not_begin(character: char) -> bool {
    "，。、；：？！）》」』】〉”’…·%".contains(character) || character == '—'
}

/// Whether a line may end with it.
fn may_not_end(character: char) -> bool {
    "（《「『【〈“‘".contains(character)
}

/// Text cut where a line may break: pieces with their width in em, and the width of a space after it.
fn pieces(text: &str, bold: bool) -> Vec<(f32, f32)> {
    let mut pieces: Vec<(f32, f32)> = Vec::new();
    let mut open: Option<char> = None;
    for span in spans(text) {
        let factor = if bold || span.bold { BOLD } else { 1.0 };
        for character in span.text.chars() {
            let wide = advance(character) >= 1.0;
            let width = advance(character) * SLACK * if wide { 1.0 } else { factor };
            if character == ' ' {
                if let Some(last) = pieces.last_mut() {
                    last.1 += width;
                }
                open = None;
                continue;
            }
            let joins = open.is_some_and(|before| {
                let before_wide = advance(before) >= 1.0;
                may_not_end(before)
                    || may_not_begin(character)
                    || (!before_wide && !wide && before != '-')
            });
            let boundary = open.is_some_and(|before| (advance(before) >= 1.0) != wide);
            let width = width + if boundary { BOUNDARY_EM } else { 0.0 };
            match pieces.last_mut() {
                Some(last) if joins => last.0 += width,
                Some(_) | None => pieces.push((width, 0.0)),
            }
            open = Some(character);
        }
    }
    pieces
}

/// Lines the text takes when a line holds `measure` em.
pub(crate) fn lines(text: &str, measure: f32, bold: bool) -> usize {
    let mut lines = 1;
    let mut used = 0.0;
    for (width, space) in pieces(text, bold) {
        if used > 0.0 && used + width > measure {
            lines += 1;
            used = 0.0;
        }
        // A word longer than a line is broken inside; each such line loses up to one character.
        let mut rest = width;
        while rest > measure {
            lines += 1;
            rest -= (measure - 1.0).max(0.5);
        }
        used += rest + space;
    }
    lines
}

/// Width in em of the text on one line.
pub(crate) fn width(text: &str, bold: bool) -> f32 {
    pieces(text, bold)
        .iter()
        .map(|(width, space)| width + space)
        .sum()
}

/// Where a heading of two lines should break: after punctuation or a dash, if both halves fit a line. A browser would
/// balance the lines and cut a Chinese word.
pub(crate) fn heading_break(text: &str, measure: f32) -> Option<usize> {
    if text.contains("**") || lines(text, measure, true) < 2 {
        return None;
    }
    let ends = |(at, character): (usize, char)| {
        "：，；。？！—、:,;?!"
            .contains(character)
            .then_some(at + character.len_utf8())
    };
    let uneven = |at: &usize| (width(&text[..*at], true) - width(&text[*at..], true)).abs();
    text.char_indices()
        .filter_map(ends)
        .filter(|at| {
            !text[*at..].trim().is_empty()
                && !text[*at..].starts_with(|c| may_not_begin(c) || c.is_ascii_alphanumeric())
        })
        .filter(|at| width(&text[..*at], true) <= measure && width(&text[*at..], true) <= measure)
        .min_by(|a, b| uneven(a).total_cmp(&uneven(b)))
}

/// Height in pixels of the text in a box of this width.
pub(crate) fn height(text: &str, w: f32, size: f32, line: f32, bold: bool) -> f32 {
    crate::scene::as_px(lines(text, w / size, bold)) * size * line
}

/// The largest size from `max` down, in whole pixels, at which `fits` holds.
pub(crate) fn largest(max: f32, fits: impl Fn(f32) -> bool) -> f32 {
    let mut size = max.floor();
    while size > FLOOR_PX && !fits(size) {
        size -= 1.0;
    }
    size
}

/// The largest size at which every one of the texts fits a box of `w` by `h`.
pub(crate) fn fit<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    w: f32,
    h: f32,
    max: f32,
    line: f32,
    bold: bool,
) -> f32 {
    texts.into_iter().fold(max, |size, text| {
        largest(size, |size| height(text, w, size, line, bold) <= h)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_fills_a_line_and_punctuation_never_begins_one() {
        assert_eq!(lines("光合作用把光能变成化学能", 13.0, false), 1);
        assert_eq!(lines("光合作用把光能变成化学能", 7.0, false), 2);
        // The eighth character is a comma: it takes the seventh with it to the next line.
        assert_eq!(lines("光合作用需要光，水", 7.4, false), 2);
    }

    #[test]
    fn words_stay_whole_unless_longer_than_a_line() {
        assert_eq!(lines("one two", 3.0, false), 2);
        assert!(lines("internationalization", 4.0, false) >= 3);
    }

    #[test]
    fn a_fitted_text_fits() {
        let text = "Photosynthesis turns light into chemical energy 光合作用";
        let size = fit([text], 300.0, 80.0, 40.0, 1.5, true);
        assert!(
            height(text, 300.0, size, 1.5, true) <= 80.0
                && height(text, 300.0, size + 1.0, 1.5, true) > 80.0
        );
    }
}
