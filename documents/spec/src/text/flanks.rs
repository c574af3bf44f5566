//! Where `*x*`, `_x_` and `__x__` are marks: the flanking rules of `CommonMark` (section 6.2), with two differences. Scripts that write no
//! blanks between words have marks between any two of their letters; in every other script a `*` between two letters, figures or
//! brackets is a sign, as in `2*3*4` and `Leser*innen`, and so is one that begins a pattern of file names, as in `*.txt`.

use super::columns;

/// The most low lines that are a mark; more are a blank to be filled in.
const LOW_LINES_MAX: usize = 3;

/// What the marks in a run of asterisks or low lines can do, by the characters around the run; `None` beyond the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flanks {
    pub(super) opens: bool,
    pub(super) closes: bool,
}

impl Flanks {
    pub(super) fn of(sign: char, count: usize, before: Option<char>, after: &str) -> Self {
        let next = after.chars().next();
        let is_loose = |side: Option<char>| side.is_none_or(|c| is_blank(c) || is_sign(c));
        let is_free = |side: Option<char>| is_loose(side) || side.is_some_and(is_of_no_blanks);
        let left = !next.is_none_or(is_blank) && (!next.is_some_and(is_sign) || is_free(before));
        let right = !before.is_none_or(is_blank) && (!before.is_some_and(is_sign) || is_free(next));
        let neither = Self {
            opens: false,
            closes: false,
        };
        match sign {
            '*' if is_operator(before, next) => neither,
            '*' => Self {
                opens: left && !is_pattern(after),
                closes: right,
            },
            _ if count > LOW_LINES_MAX => neither,
            _ => Self {
                opens: left && (!right || before.is_some_and(is_sign)),
                closes: right && (!left || next.is_some_and(is_sign)),
            },
        }
    }
}

/// Whether signs between these two are signs in any text: nothing that stands further away can make marks of them.
pub(super) fn are_signs(sign: char, before: Option<char>, next: Option<char>) -> bool {
    let (Some(before), Some(next)) = (before, next) else {
        return false;
    };
    let are_blank = is_blank(before) && is_blank(next);
    let are_in_word = sign == '_' && before.is_alphanumeric() && next.is_alphanumeric();
    are_blank || are_in_word || sign == '*' && is_operator(Some(before), Some(next))
}

/// Whether a text goes on like the ending of a file name, so that an asterisk before it stands for any name.
pub(super) fn is_pattern(after: &str) -> bool {
    let mut signs = after.chars();
    signs.next() == Some('.') && signs.next().is_some_and(char::is_alphanumeric)
}

/// Whether an asterisk between these two joins them.
fn is_operator(before: Option<char>, next: Option<char>) -> bool {
    let is_word = |c: char| !is_blank(c) && !is_sign(c) && !is_of_no_blanks(c);
    before.is_some_and(|c| is_word(c) || matches!(c, ')' | ']'))
        && next.is_some_and(|c| is_word(c) || matches!(c, '(' | '['))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

/// Punctuation and symbols; marks that are written over or under a letter belong to it.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !is_blank(c) && columns(c) > 0
}

/// A letter of a script that writes no blanks between its words, or writes particles to them.
fn is_of_no_blanks(c: char) -> bool {
    c.is_alphanumeric() && columns(c) > 1 || super::has_no_blanks(c)
}
