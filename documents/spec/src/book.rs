//! A book before it is a file: chapters of text, in volumes or without.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GivenPicture;

/// What a book is made of. It says nothing about how the text came to be.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Book {
    pub title: String,
    /// In the order in which the title page names them; may be empty.
    #[serde(default)]
    pub authors: Vec<String>,
    /// BCP 47, for example `zh-CN`; decides the direction of writing, how paragraphs are set, and the few words that are not
    /// the author's.
    pub language: String,
    /// Names this text among all others and stays the same when the book is written again, for example `urn:uuid:…`.
    pub identifier: String,
    /// A few sentences for those who choose what to read.
    pub description: Option<String>,
    /// A note on the title page, for example that a part of the text is missing.
    pub note: Option<String>,
    pub cover: Option<GivenPicture>,
    /// In reading order. A book without volumes has one volume without a title.
    pub volumes: Vec<BookVolume>,
}

/// A volume or part of a book.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BookVolume {
    /// The title as it is printed, with its number where it has one. Without a title, its chapters are on the highest level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub chapters: Vec<BookChapter>,
}

/// A chapter of a book.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BookChapter {
    /// The title as it is printed, with its number where it has one. A chapter with an empty title is printed without a heading.
    pub title: String,
    #[serde(default)]
    pub form: TextForm,
    pub text: String,
}

/// How the text of a chapter is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextForm {
    /// Each line that is not empty is a paragraph, and its characters are printed as they are. The only mark is a line that
    /// [`is_scene_break`].
    #[default]
    Prose,
    /// `CommonMark` with tables, strikethrough, notes and task lists. A line that [`is_scene_break`] is always a scene break and
    /// never underlines a heading, and a line that begins with an ideographic space begins a paragraph.
    Markdown,
}

/// Signs that make a scene break if a line consists of at least three of them.
const BREAK_SIGNS: &str = "*＊※◇◆☆★○●△▲#＃~～-—–─━=＝_+✦✧❖";
/// Signs that are a scene break on their own. A single dash is not among them, since it may begin a list or somebody's words.
const LONE_SIGNS: &str = "*＊※◇◆☆★#＃✦✧❖⁂❦❧";
/// The most characters of a line of signs that counts as a scene break.
const BREAK_CHARS_MAX: usize = 120;

/// Whether a line of text is nothing but a sign that the scene changes, for example `***`, `* * *`, `———` or `◇`.
///
/// A line of dots is not a scene break: it stands for a character who says nothing.
#[must_use]
pub fn is_scene_break(line: &str) -> bool {
    let signs: Vec<char> = line
        .chars()
        .filter(|char| !char.is_whitespace())
        .take(BREAK_CHARS_MAX + 1)
        .collect();
    match signs.as_slice() {
        [] => false,
        [sign] => LONE_SIGNS.contains(*sign),
        [_, _] => signs.iter().all(|sign| "⁂❦❧※".contains(*sign)),
        many => {
            many.len() <= BREAK_CHARS_MAX
                && many
                    .iter()
                    .all(|sign| BREAK_SIGNS.contains(*sign) || LONE_SIGNS.contains(*sign))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_signs_are_scene_breaks_and_lines_of_words_and_dots_are_not() {
        for line in [
            "***",
            "* * *",
            " \u{3000}＊＊＊",
            "---",
            "————",
            "◇◆◇",
            "#",
            "⁂",
            "~~~~",
            "======",
        ] {
            assert!(is_scene_break(line), "{line}");
        }
        for line in [
            "",
            "  ",
            "……",
            "...",
            "-",
            "——",
            "* 1",
            "第一章",
            "？！",
            "12",
            "——她说",
            "1=1",
        ] {
            assert!(!is_scene_break(line), "{line}");
        }
        assert!(!is_scene_break(&"*".repeat(BREAK_CHARS_MAX + 1)));
    }
}
