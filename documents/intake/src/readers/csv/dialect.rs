//! How a table is written: which sign separates cells, and how quotation marks are used.

use csv::{Reader, ReaderBuilder, StringRecord};

/// Signs that separate cells. In a table that uses one of the earlier signs, the later ones may occur inside cells, as in decimal numbers
/// with a comma; the reverse is rare.
const SIGNS: [u8; 4] = [b'\t', b';', b'|', b','];

/// Rows by which the dialect is recognised.
const ROWS: usize = 200;

/// Bytes by which the dialect is recognised.
const SAMPLE: usize = 256 * 1024;

/// If two signs differ by no more than this many thousandths of the rows, they count as equally good.
const TIE: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) sign: u8,
    /// Whether quotation marks keep a cell together.
    pub(super) quotes: bool,
    /// Whether a quotation mark in a cell is escaped with a backslash, and not with another quotation mark.
    pub(super) backslash: bool,
}

impl Dialect {
    pub(super) fn reader(self, text: &str) -> Reader<&[u8]> {
        ReaderBuilder::new()
            .delimiter(self.sign)
            .quoting(self.quotes)
            .escape(self.backslash.then_some(b'\\'))
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes())
    }
}

/// The sign that a first line `sep=;`, as Excel writes it, names, and the table after this line.
pub(super) fn said(text: &str) -> (Option<u8>, &str) {
    let line = text.lines().next().unwrap_or_default();
    let lower = line.trim().trim_matches('"').to_ascii_lowercase();
    let Some(sign) = lower.strip_prefix("sep=") else {
        return (None, text);
    };
    let sign = match sign.as_bytes() {
        [] => b'\t',
        [sign] => *sign,
        _ => return (None, text),
    };
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    (Some(sign), rest)
}

pub(super) fn find(text: &str, said: Option<u8>, extension: &str) -> Dialect {
    let end = text.floor_char_boundary(SAMPLE.min(text.len()));
    let sample = &text[..end];
    let backslash = has_backslashes(sample);
    // A mark that is never closed swallows the rest of the sample.
    let is_odd = !text.matches('"').count().is_multiple_of(2);
    let quotings: &[bool] = if is_odd { &[true, false] } else { &[true] };
    let mut best: Option<(usize, Dialect)> = None;
    let signs = match said {
        Some(sign) => vec![sign],
        None => SIGNS.to_vec(),
    };
    for quotes in quotings {
        for sign in &signs {
            let dialect = Dialect {
                sign: *sign,
                quotes: *quotes,
                backslash,
            };
            let share = alike(sample, dialect);
            if share > 0 && best.is_none_or(|(best, _)| share > best + TIE) {
                best = Some((share, dialect));
            }
        }
    }
    let by_name = if matches!(extension, "tsv" | "tab") {
        b'\t'
    } else {
        b','
    };
    let sign = best.map_or(said.unwrap_or(by_name), |(_, dialect)| dialect.sign);
    Dialect {
        sign,
        quotes: true,
        backslash,
    }
}

/// How many thousandths of the rows have the most frequent number of cells; 0 if most rows have a single cell.
fn alike(sample: &str, dialect: Dialect) -> usize {
    let mut reader = dialect.reader(sample);
    let mut record = StringRecord::new();
    let mut widths: Vec<usize> = Vec::new();
    while widths.len() < ROWS && matches!(reader.read_record(&mut record), Ok(true)) {
        widths.push(record.len());
    }
    let all = widths.len();
    widths.sort_unstable();
    widths
        .chunk_by(|a, b| a == b)
        .filter(|run| run[0] > 1)
        .map(|run| run.len() * 1000 / all)
        .max()
        .unwrap_or(0)
}

/// Whether backslashes stand before quotation marks within cells. Before the end of a cell, a backslash is the end of a path.
fn has_backslashes(sample: &str) -> bool {
    sample.match_indices("\\\"").any(|(at, _)| {
        let after = sample[at + 2..].chars().next();
        after.is_some_and(|char| !matches!(char, ',' | ';' | '\t' | '|' | '\r' | '\n' | '"'))
    })
}
