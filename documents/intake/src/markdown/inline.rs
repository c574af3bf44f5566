//! Words with their marks.

use std::collections::HashSet;

use spec::source::{RichText, TextMarks, TextPiece};

use super::escape::{self, Around};
use super::longest_run;

/// The place of words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Words with lines of their own.
    Lines,
    /// Words that must stay on one line.
    Heading,
    Cell,
}

pub(super) struct Writer<'d> {
    /// Labels of footnotes.
    pub(super) labels: &'d HashSet<&'d str>,
}

/// A line break, until it is known how it can be written.
const BREAK: char = '\n';

impl Writer<'_> {
    pub(super) fn text(&self, text: &RichText, place: Place) -> String {
        let words = text.words();
        let around = Around {
            in_cell: place == Place::Cell,
            in_link: false,
            dollars: text
                .pieces
                .iter()
                .any(|piece| piece.marks.formula || can_close(&piece.text)),
            brackets: words.contains("\\]"),
            before: None,
            after: None,
        };
        let mut out = String::new();
        for (index, piece) in text.pieces.iter().enumerate() {
            let before = index
                .checked_sub(1)
                .and_then(|before| text.pieces.get(before));
            let around = Around {
                before: before.and_then(|piece| piece.text.chars().next_back()),
                after: text
                    .pieces
                    .get(index + 1)
                    .and_then(|piece| piece.text.chars().next()),
                ..around
            };
            self.piece(&mut out, piece, around);
        }
        placed(&out, place)
    }

    fn piece(&self, out: &mut String, piece: &TextPiece, around: Around) {
        let text = piece.text.replace("\r\n", "\n").replace('\r', "\n");
        let bare = text.trim();
        let start = text.len() - text.trim_start().len();
        if bare.is_empty() {
            out.push_str(&text);
            return;
        }
        // Marks beside a blank are not recognised as marks, so blanks are put outside.
        out.push_str(&text[..start]);
        let marks = piece.marks;
        if marks.superscript && self.labels.contains(bare) {
            out.push_str(&format!("[^{bare}]"));
        } else if let Some(link) = piece.link.as_deref().filter(|link| !link.is_empty()) {
            let is_bare = link == bare
                && (link.starts_with("http://") || link.starts_with("https://"))
                && !link.contains(|char: char| char.is_whitespace() || "<>\\&|".contains(char));
            if is_bare && marks.is_plain() {
                out.push_str(&format!("<{link}>"));
            } else {
                let mut inner = String::new();
                let around = Around {
                    in_link: true,
                    ..around
                };
                marked(&mut inner, bare, marks, around);
                out.push_str(&format!("[{inner}]({})", escape::address(link)));
            }
        } else {
            marked(out, bare, marks, around);
        }
        out.push_str(&text[start + bare.len()..]);
    }
}

/// Whether a dollar sign stands where it would close a formula. At the ends of the words other marks may follow, and a line break may
/// become a mark.
fn can_close(words: &str) -> bool {
    words.match_indices('$').any(|(at, _)| {
        let before = words[..at].chars().next_back();
        let after = words[at + 1..].chars().next();
        !before.is_some_and(|char| char.is_whitespace() && char != BREAK)
            && !after.is_some_and(|char| char.is_ascii_alphanumeric())
    })
}

fn marked(out: &mut String, words: &str, marks: TextMarks, around: Around) {
    let inner = if marks.formula {
        format!("${words}$")
    } else if marks.code {
        code(words, around.in_cell)
    } else {
        escape::words(words, around)
    };
    let can_star = stars_hold(out, &inner, words, around);
    let tags = tags(marks, can_star);
    for (open, _) in &tags {
        out.push_str(open);
    }
    out.push_str(&inner);
    for (_, close) in tags.iter().rev() {
        out.push_str(close);
    }
}

/// The marks before and after the words, from the outside in. Stars can only be used for a single mark.
fn tags(marks: TextMarks, can_star: bool) -> Vec<(&'static str, &'static str)> {
    let is_one = [marks.strike, marks.bold, marks.italic]
        .iter()
        .filter(|is_set| **is_set)
        .count()
        == 1;
    let has_signs = can_star && is_one;
    let all = [
        (marks.strike, "~~", "<del>", "</del>"),
        (marks.bold, "**", "<b>", "</b>"),
        (marks.italic, "*", "<i>", "</i>"),
        (marks.superscript, "", "<sup>", "</sup>"),
        (marks.subscript, "", "<sub>", "</sub>"),
    ];
    let tags = all.into_iter().filter(|(is_set, ..)| *is_set);
    tags.map(|(_, sign, open, close)| {
        if has_signs && !sign.is_empty() {
            (sign, sign)
        } else {
            (open, close)
        }
    })
    .collect()
}

/// Whether stars around the words would be recognised as marks, given the characters beside them. Tags always are.
fn stars_hold(out: &str, inner: &str, words: &str, around: Around) -> bool {
    let is_free = |char: Option<char>| {
        char.is_none_or(|char| {
            char.is_whitespace() || (char > '\u{2E7F}' && char.is_alphanumeric())
        })
    };
    let is_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    is_free(out.chars().next_back())
        && is_free(around.after)
        && is_word(inner.chars().next())
        && is_word(inner.chars().next_back())
        && !words.contains(BREAK)
}

fn code(words: &str, in_cell: bool) -> String {
    let words = words.replace(BREAK, " ");
    if in_cell && words.contains('|') {
        // In a cell a bar must be escaped, and in code nothing can be.
        let escaped = words.replace('&', "&amp;").replace('<', "&lt;");
        let signs = ['*', '_', '`', '[', '\\', '$', '~', '!'];
        let escaped: String = escaped
            .chars()
            .map(|char| match char {
                '|' => "&#124;".to_owned(),
                _ if signs.contains(&char) => format!("&#{};", u32::from(char)),
                _ => char.to_string(),
            })
            .collect();
        return format!("<code>{escaped}</code>");
    }
    let fence = "`".repeat(longest_run(&words, '`') + 1);
    let pad = if words.starts_with(['`', ' ']) || words.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{words}{pad}{fence}")
}

/// A line without blanks at its ends, and without a backslash that would escape what comes after it.
fn whole_line(line: &str) -> String {
    let line = line.trim();
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    let more = if backslashes.is_multiple_of(2) {
        ""
    } else {
        "\\"
    };
    format!("{line}{more}")
}

/// Lines in the form that the place allows.
fn placed(text: &str, place: Place) -> String {
    let lines: Vec<String> = text.trim().split(BREAK).map(whole_line).collect();
    match place {
        Place::Cell => lines.join("<br>"),
        Place::Heading => {
            let line = lines.join("<br>");
            let bare = line.trim_end_matches('#');
            if bare.len() < line.len() && (bare.is_empty() || bare.ends_with(' ')) {
                let hashes = line.len() - bare.len();
                return format!("{bare}{}", "\\#".repeat(hashes));
            }
            line
        }
        Place::Lines => {
            let mut out = String::new();
            for (index, line) in lines.iter().enumerate() {
                if index > 0 {
                    let is_blank = line.is_empty() || lines[index - 1].is_empty();
                    out.push_str(if is_blank { "<br>" } else { "\\\n" });
                }
                if out.is_empty() || out.ends_with('\n') {
                    out.push_str(&escape::line_start(line));
                } else {
                    out.push_str(line);
                }
            }
            out
        }
    }
}
