//! A text in pieces, so that a quotation mark that is never closed spoils only its own row.

use super::dialect::Dialect;

/// Rows with an open quotation mark, each of which has the rest of the text read again; after these, no mark keeps a cell together.
const MOST_OPEN: usize = 20;

/// Rows that are read in the same way.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) dialect: Dialect,
    /// Whether it is a row with a quotation mark that is never closed.
    pub(super) is_open: bool,
}

pub(super) fn pieces(text: &str, dialect: Dialect) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    let plain = Dialect {
        quotes: false,
        ..dialect
    };
    let piece = |text, dialect, is_open| Piece {
        text,
        dialect,
        is_open,
    };
    while let Some(start) = open_row(rest, dialect) {
        if pieces.len() >= 2 * MOST_OPEN {
            pieces.push(piece(rest, plain, true));
            return pieces;
        }
        let end = rest[start..].find(['\n', '\r']);
        let end = end.map_or(rest.len(), |end| start + end + 1);
        pieces.push(piece(&rest[..start], dialect, false));
        pieces.push(piece(&rest[start..end], plain, true));
        rest = &rest[end..];
    }
    pieces.push(piece(rest, dialect, false));
    pieces
}

/// Where the first row begins that has a quotation mark that is never closed.
fn open_row(text: &str, dialect: Dialect) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut row, mut at, mut is_start) = (0, 0, true);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' if is_start && dialect.quotes => {
                let Some(end) = quotation_end(bytes, at + 1, dialect) else {
                    return Some(row);
                };
                (at, is_start) = (end, false);
            }
            b'\n' | b'\r' => {
                at += 1;
                (row, is_start) = (at, true);
            }
            byte => {
                is_start = *byte == dialect.sign;
                at += 1;
            }
        }
    }
    None
}

/// The place after the mark that closes a quotation. A mark on a later line closes it only if the cell ends there: otherwise it is the
/// first mark of another quotation, and this one is never closed.
fn quotation_end(bytes: &[u8], start: usize, dialect: Dialect) -> Option<usize> {
    let (mut at, mut has_line) = (start, false);
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'\\' if dialect.backslash => at += 2,
            b'"' if next == Some(&b'"') => at += 2,
            b'"' => {
                let mut behind = bytes[at + 1..].iter().skip_while(|byte| **byte == b' ');
                let next = behind.next();
                let ends = next.is_none_or(|next| [dialect.sign, b'\n', b'\r'].contains(next));
                return (ends || !has_line).then_some(at + 1);
            }
            byte => {
                has_line |= *byte == b'\n';
                at += 1;
            }
        }
    }
    None
}
