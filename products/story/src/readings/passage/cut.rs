//! A text cut at two places.

/// Why a text cannot be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CutError {
    #[error("a passage cannot end at {to}, before its beginning at {from}")]
    Reversed { from: usize, to: usize },
    #[error("the passage ends at {to}, and the text has {chars} characters")]
    BeyondTheEnd { to: usize, chars: usize },
}

/// The text before a passage, the passage, and the text after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    pub(super) before: &'a str,
    pub(super) text: &'a str,
    pub(super) after: &'a str,
}

/// Cuts a text; the three parts are the whole of it.
pub(super) fn cut(text: &str, from: usize, to: usize) -> Result<Cut<'_>, CutError> {
    if from > to {
        return Err(CutError::Reversed { from, to });
    }
    let chars = text.chars().count();
    if to > chars {
        return Err(CutError::BeyondTheEnd { to, chars });
    }
    let (head, after) = text.split_at(byte_at(text, to));
    let (before, text) = head.split_at(byte_at(head, from));
    Ok(Cut {
        before,
        text,
        after,
    })
}

fn byte_at(text: &str, chars: usize) -> usize {
    let mut places = text.char_indices();
    places.nth(chars).map_or(text.len(), |(byte, _)| byte)
}

/// The text with `new` in the place of the passage; where the passage is empty, `new` is inserted. Everything else stays as it is, byte for
/// byte.
///
/// # Errors
///
/// The text has no such place.
pub(crate) fn put_in(text: &str, from: usize, to: usize, new: &str) -> Result<String, CutError> {
    let cut = cut(text, from, to)?;
    Ok([cut.before, new, cut.after].concat())
}
