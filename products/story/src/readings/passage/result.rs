//! What was made of a passage, with the place that it is for.

use palimpsest::prelude::pipeline::EntryId;
use serde::{Deserialize, Serialize};
use spec::text::columns;

use super::selection::SelectedPassage;
use super::task::PassageTask;

/// The number of variants: enough to choose from, and few enough to compare them.
pub(crate) const VARIANTS: usize = 3;

/// What was made of a passage. A person who takes it puts a `replacement` between `from` and `to` of that version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PassageResult {
    pub task: PassageTask,
    pub chapter_id: EntryId,
    pub version: u32,
    pub from: usize,
    /// The end of what is replaced; the same as `from` where the text is inserted after the passage.
    pub to: usize,
    /// The passage as it was.
    pub original: String,
    /// The text that replaces what is between `from` and `to`; absent for variants, and where nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<PassageVariant>,
}

/// One of several texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PassageVariant {
    /// `1`, `2` or `3`.
    pub id: String,
    pub text: String,
    /// The text, with the space or the line breaks that join it to its neighbours.
    pub replacement: String,
}

impl PassageResult {
    /// The result for a passage from which nothing was made yet.
    pub(crate) fn of(passage: &SelectedPassage) -> Self {
        let from = if passage.wish.continues {
            passage.to
        } else {
            passage.from
        };
        Self {
            task: passage.wish.task,
            chapter_id: passage.chapter_id.clone(),
            version: passage.version,
            from,
            to: passage.to,
            original: passage.text.clone(),
            replacement: None,
            variants: vec![],
        }
    }

    /// The same with this text for the place.
    #[must_use]
    pub(crate) fn with_text(mut self, passage: &SelectedPassage, text: &str) -> Self {
        self.replacement = Some(replacement(passage, text));
        self
    }

    /// The same with these texts to choose from.
    #[must_use]
    pub(crate) fn with_variants(mut self, passage: &SelectedPassage, texts: &[String]) -> Self {
        let numbered = texts.iter().zip(1..);
        self.variants = numbered
            .map(|(text, number)| PassageVariant {
                id: number.to_string(),
                text: text.clone(),
                replacement: replacement(passage, text),
            })
            .collect();
        self
    }
}

/// A text in the form in which it is put into the chapter. In the place of a passage it is unchanged. After a passage it continues the
/// paragraph, with a space where words would run together; after the end of a paragraph it becomes a paragraph of its own.
pub(crate) fn replacement(passage: &SelectedPassage, text: &str) -> String {
    if !passage.wish.continues {
        return text.to_owned();
    }
    let ends_paragraph = passage.after.is_empty() || passage.after.starts_with(['\n', '\r']);
    if ends_paragraph {
        return format!("{}{text}", paragraph_break(passage));
    }
    let before = joint(passage.text.chars().next_back(), text.chars().next());
    let after = joint(text.chars().next_back(), passage.after.chars().next());
    format!("{before}{text}{after}")
}

/// How the chapter separates its paragraphs: by an empty line, or by a line break where it has several lines and no empty ones.
fn paragraph_break(passage: &SelectedPassage) -> &'static str {
    let around = [&passage.before, &passage.text, &passage.after];
    let has = |mark: &str| around.iter().any(|text| text.contains(mark));
    if has("\n") && !has("\n\n") && !has("\n\r\n") {
        "\n"
    } else {
        "\n\n"
    }
}

/// A space between two words of scripts with spaces; nothing in Chinese.
fn joint(left: Option<char>, right: Option<char>) -> &'static str {
    let is_wide = |c: char| columns(c) > 1;
    let begins_word = |c: char| c.is_alphanumeric() || "\"'“‘(".contains(c);
    match (left, right) {
        (Some(left), Some(right))
            if !left.is_whitespace() && !is_wide(left) && !is_wide(right) && begins_word(right) =>
        {
            " "
        }
        _ => "",
    }
}
