//! Compares a selection with the present chapter, before anything is paid for.

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::text::model_tokens;
use palimpsest::prelude::resource::project::{Project, Version};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cut::{Cut, CutError, cut};
use super::task::{PassageTask, PassageWish};

/// Characters of the chapter on either side of a passage that the writer is shown: about two pages, which hold the voice, who is
/// there and what was said last.
pub(crate) const AROUND_CHARS: usize = 2_000;

/// Tokens of a passage that is worked on at once: its rewriting has to fit into one answer, with room to grow by half.
pub(crate) const TOKENS_MAX: u64 = 5_000;

/// Tokens of a passage of which several texts are made: three of them have to fit into one answer.
const TOKENS_OF_VARIANTS_MAX: u64 = 2_000;

/// A passage of a version of a chapter, as a request names it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PassageSelection {
    /// The chapter; the one that is open where absent.
    #[serde(alias = "chapterId")]
    pub chapter: Option<EntryId>,
    /// The version to which the offsets refer; the working draft where absent.
    pub version: Option<u32>,
    /// Characters of the text before the passage, in Unicode scalar values.
    #[serde(alias = "start")]
    pub from: usize,
    /// Characters of the text up to its end.
    #[serde(alias = "end")]
    pub to: usize,
    /// What is to be done with it; the message says so where absent.
    pub task: Option<PassageTask>,
    /// The passage as the sender sees it. If the chapter has another text there, nothing is done.
    pub text: Option<String>,
}

/// Why a selection cannot be worked on, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PassageRefusal {
    #[error("the selection names no chapter; send `chapterId` with it")]
    NoPlace,
    #[error("the project has no chapter `{chapter}`; select in one of its chapters")]
    NoChapter { chapter: String },
    #[error("the chapter is locked, so that nobody changes its prose; unlock it first")]
    Locked { chapter: String },
    #[error("nothing is written in the chapter; write a scene first")]
    NothingWritten { chapter: String },
    #[error(
        "the chapter has no version {version}; the newest is {newest}: select the passage there"
    )]
    NoVersion { version: u32, newest: u32 },
    #[error(
        "the text was changed since: version {newest} is newer than {version}; select the passage again there"
    )]
    Changed { version: u32, newest: u32 },
    #[error("{0}; offsets count Unicode characters of the chapter's text from 0")]
    Place(#[from] CutError),
    #[error("the selection has no text between {from} and {to}; select at least a word")]
    Empty { from: usize, to: usize },
    #[error(
        "another text than the selected one stands between {from} and {to}: offsets count Unicode characters, not UTF-16 units; select the passage again"
    )]
    OtherText { from: usize, to: usize },
    #[error(
        "the selection comes to about {tokens} tokens, and at most {most} are {what} at once; select less"
    )]
    TooLong {
        tokens: u64,
        most: u64,
        what: &'static str,
    },
}

impl PassageRefusal {
    /// For programs; stable.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoPlace | Self::Place(_) | Self::Empty { .. } => "bad_selection",
            Self::NoChapter { .. } => "no_entry",
            Self::Locked { .. } => "locked",
            Self::NothingWritten { .. } | Self::NoVersion { .. } => "no_version",
            Self::Changed { .. } | Self::OtherText { .. } => "stale_text",
            Self::TooLong { .. } => "selection_too_long",
        }
    }
}

/// The chapter and the version to which a selection refers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelectedVersion<'a> {
    pub id: &'a EntryId,
    pub version: &'a Version,
}

/// Finds the version to which a selection refers. `open` is the chapter that is open. Only the working draft can be worked on: offsets in
/// an older version do not say where the text is now.
///
/// # Errors
///
/// There is no such version, it is not the newest any longer, or the chapter is locked.
pub(crate) fn select<'a>(
    project: &'a Project,
    selection: &'a PassageSelection,
    open: Option<&'a EntryId>,
) -> Result<SelectedVersion<'a>, PassageRefusal> {
    let id = selection.chapter.as_ref().or(open);
    let id = id.ok_or(PassageRefusal::NoPlace)?;
    let named = || id.to_string();
    let chapter = project.chapter(id);
    let chapter = chapter.ok_or_else(|| PassageRefusal::NoChapter { chapter: named() })?;
    if chapter.locked {
        return Err(PassageRefusal::Locked { chapter: named() });
    }
    let prose = project.prose.get(id);
    let draft = prose.and_then(|prose| prose.draft());
    let draft = draft.ok_or_else(|| PassageRefusal::NothingWritten { chapter: named() })?;
    let newest = draft.version;
    match selection.version {
        Some(version) if version != newest => {
            let is_there = prose.is_some_and(|prose| prose.version(version).is_some());
            Err(if is_there {
                PassageRefusal::Changed { version, newest }
            } else {
                PassageRefusal::NoVersion { version, newest }
            })
        }
        Some(_) | None => Ok(SelectedVersion { id, version: draft }),
    }
}

/// A passage with the text around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelectedPassage {
    pub chapter_id: EntryId,
    pub version: u32,
    /// The place of the passage without the white space at its ends.
    pub from: usize,
    pub to: usize,
    #[serde(flatten)]
    pub wish: PassageWish,
    pub text: String,
    /// As much of the chapter on either side as [`AROUND_CHARS`] allow.
    pub before: String,
    pub after: String,
}

/// Reads a passage in the text of the version that it is selected in.
///
/// # Errors
///
/// There is no such place in the text, the place is empty, it has another text than the sender sees, or the passage is too long.
pub(crate) fn read(
    selected: &SelectedVersion<'_>,
    selection: &PassageSelection,
    text: &str,
    wish: PassageWish,
) -> Result<SelectedPassage, PassageRefusal> {
    let (from, to) = (selection.from, selection.to);
    let Cut {
        before,
        text: chosen,
        after,
    } = cut(text, from, to)?;
    if chosen.trim().is_empty() {
        return Err(PassageRefusal::Empty { from, to });
    }
    if selection.text.as_deref().is_some_and(|said| said != chosen) {
        return Err(PassageRefusal::OtherText { from, to });
    }
    // The white space at the ends of the selection is not part of the passage, so that paragraphs do not run together.
    let lead = chosen.chars().take_while(|c| c.is_whitespace()).count();
    let tail = chosen.chars().rev().take_while(|c| c.is_whitespace());
    let (from, to) = (from + lead, to - tail.count());
    let bare = chosen.trim();
    let begin = before.len() + chosen.len() - chosen.trim_start().len();
    let end = text.len() - after.len() - (chosen.len() - chosen.trim_end().len());
    let passage = SelectedPassage {
        chapter_id: selected.id.clone(),
        version: selected.version.version,
        from,
        to,
        wish,
        text: bare.to_owned(),
        before: last_chars(&text[..begin]),
        after: text[end..].chars().take(AROUND_CHARS).collect(),
    };
    let (most, what) = match wish.task {
        PassageTask::Variants => (TOKENS_OF_VARIANTS_MAX, "given in variants"),
        PassageTask::Rewrite | PassageTask::Continue => (TOKENS_MAX, "worked on"),
    };
    let tokens = model_tokens(bare);
    if tokens > most {
        return Err(PassageRefusal::TooLong { tokens, most, what });
    }
    Ok(passage)
}

/// The end of a text.
fn last_chars(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(AROUND_CHARS);
    text.chars().skip(skipped).collect()
}
