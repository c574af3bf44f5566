//! The book as one Markdown file.

use std::fmt::Write as _;

use spec::book::{Book, TextForm, is_scene_break};

use super::leaves::{Leaf, leaves};
use crate::document::text::{clean, one_line};

pub(super) fn file(book: &Book) -> String {
    let mut out = format!("# {}\n\n", escaped(&one_line(&book.title)));
    let authors: Vec<String> = book.authors.iter().map(|author| one_line(author)).collect();
    let authors = authors.join(", ");
    for (line, mark) in [
        (authors.as_str(), "*"),
        (book.note.as_deref().unwrap_or_default(), ""),
    ] {
        let line = one_line(line);
        if !line.is_empty() {
            out.push_str(&format!("{mark}{}{mark}\n\n", escaped(&line)));
        }
    }
    for (number, leaf) in (1_usize..).zip(leaves(book)) {
        let level = usize::from(leaf.level) + 1;
        if !leaf.title.is_empty() {
            writeln!(out, "{} {}\n", "#".repeat(level), escaped(&leaf.title))
                .expect("a string takes any text");
        }
        let body = match leaf.form {
            TextForm::Prose => prose(&leaf),
            TextForm::Markdown => marked(&leaf, level, number),
        };
        let body = body.trim_matches('\n');
        if !body.is_empty() {
            out.push_str(body);
            out.push_str("\n\n");
        }
    }
    out.truncate(out.trim_end_matches('\n').len());
    out.push('\n');
    out
}

/// A chapter without marks, as Markdown that says the same.
fn prose(leaf: &Leaf<'_>) -> String {
    let lines = leaf.source.lines().map(str::trim);
    let mut paragraphs: Vec<String> = Vec::new();
    for (at, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        if at == 0 && one_line(line) == leaf.title {
            continue;
        }
        paragraphs.push(if is_scene_break(line) {
            "* * *".to_owned()
        } else {
            escaped(line)
        });
    }
    paragraphs.join("\n\n")
}

/// A chapter's Markdown with its headings below that of the chapter, and with labels of notes that no other chapter has.
fn marked(leaf: &Leaf<'_>, level: usize, number: usize) -> String {
    let has_notes = !leaf.text().notes.is_empty();
    let mut out = String::with_capacity(leaf.source.len() + 64);
    let (mut is_code, mut is_begun) = (false, false);
    for line in leaf.source.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let heading = (!is_code).then(|| heading(line)).flatten();
        let is_first = !is_begun && !line.trim().is_empty();
        is_begun |= is_first;
        let words = heading.map_or(line, |(_, words)| words);
        if is_first && !leaf.title.is_empty() && one_line(words) == leaf.title {
            continue;
        }
        let line = match heading {
            Some((own, words)) => format!("{} {words}", "#".repeat((own + level).min(6))),
            None => line.to_owned(),
        };
        if has_notes && !is_code {
            out.push_str(&line.replace("[^", &format!("[^{number}-")));
        } else {
            out.push_str(&line);
        }
        out.push('\n');
    }
    // More than one blank line in a row means nothing.
    while out.contains("\n\n\n") && !out.contains("```") {
        out = out.replace("\n\n\n", "\n\n");
    }
    out
}

/// The level and the words of a line that is a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(' ');
    let words = bare.trim_start_matches('#');
    let level = bare.len() - words.len();
    let is_heading = (1..=6).contains(&level) && words.starts_with([' ', '\t']);
    (is_heading && line.len() - bare.len() < 4).then(|| (level, words.trim()))
}

/// Words that Markdown would take for marks, so that they stay words.
fn escaped(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '&' | '~' | '|' | '$'
        ) {
            out.push('\\');
        }
        out.push(char);
    }
    let digits = out.len()
        - out
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len();
    let after = &out[digits..];
    if out.starts_with(['#', '>', '+', '-', '=']) {
        out.insert(0, '\\');
    } else if digits > 0 && after.starts_with(['.', ')']) {
        out.insert(digits, '\\');
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::text::{Text, plain};

    proptest! {
        /// What is escaped is read as the same words.
        #[test]
        fn escaped_words_are_the_same_words(text in "[ -~\u{4e00}-\u{4e10}\u{3000}]{1,60}") {
            let text = one_line(&text);
            prop_assume!(!text.is_empty());
            let escaped = escaped(&text);
            prop_assert_eq!(plain(&Text::of(&escaped).events), text);
        }
    }
}
